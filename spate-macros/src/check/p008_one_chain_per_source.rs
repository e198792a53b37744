//! P008: a source feeds one chain, and a chain reads one source.

use crate::model::{Origin, Pipeline};
use crate::report::{Report, Rule};

const ONE_CHAIN: Rule = Rule {
    code: "P008",
    help: "put both branches in one chain: `let (a, b) = path.tee();`, or a split",
};

/// Reports each use of a source behind its first, and each further source of a chain.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let mut fed: Vec<(usize, usize)> = Vec::new();
    for (number, chain) in pipeline.chains.iter().enumerate() {
        let mut own = None;
        for path in &chain.paths {
            let Origin::Source(source) = path.origin else { continue };
            let head = &path.head;
            let name = pipeline.chain_name(chain);
            report.under(&path.cfgs, |report| {
                if let Some(&(_, first)) = fed.iter().find(|&&(known, _)| known == source) {
                    let feeds = pipeline
                        .chains
                        .get(first)
                        .map(|chain| pipeline.chain_name(chain));
                    let feeds = feeds.unwrap_or(name);
                    let message = format!("source `{head}` already feeds `{feeds}`");
                    // The same source under exclusive `cfg`s is not the same source twice.
                    let exclusive = first != number
                        && !chain.cfgs.is_empty()
                        && pipeline
                            .chains
                            .get(first)
                            .is_some_and(|chain| !chain.cfgs.is_empty());
                    if !exclusive {
                        report.push(head.span(), &ONE_CHAIN, message);
                    }
                } else if own.is_some() {
                    report.push_with(
                        head.span(),
                        &ONE_CHAIN,
                        format!("chain `{name}` already reads another source"),
                        format!("put `{head}` in a chain of its own"),
                    );
                }
            });
            own.get_or_insert(source);
            fed.push((source, number));
        }
    }
}

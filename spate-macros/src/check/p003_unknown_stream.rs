//! P003: a path begins with a source or with a stream bound by `let`.

use crate::model::{Origin, Pipeline};
use crate::names;
use crate::report::{Report, Rule};

const UNKNOWN_STREAM: Rule = Rule { code: "P003", help: "" };

/// Reports each path whose head is unknown, at the head.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    if pipeline.holes {
        return;
    }
    for chain in &pipeline.chains {
        if chain.holes {
            continue;
        }
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            if path.origin != Origin::Unknown {
                continue;
            }
            let sources = pipeline
                .sources
                .iter()
                .map(|source| source.ident.to_string());
            let streams = chain.streams.iter().map(|stream| stream.name.to_string());
            let known: Vec<String> = sources.chain(streams).collect();
            let head = &path.head;
            let help = names::suggestion(&head.to_string(), &known, "sources and streams");
            let message = format!("`{head}` is neither a source nor a stream bound by `let`");
            report.push_with(head.span(), &UNKNOWN_STREAM, message, help);
        }
    }
}

//! P011: what is declared is used.

use crate::ast::item::Declared;
use crate::model::{End, Origin, Param, Pipeline, PolicyKind};
use crate::report::{Report, Rule};

const UNUSED: Rule = Rule { code: "P011", help: "" };

/// Reports each sink that no path reaches, each lookup that no operator
/// reads and each source that feeds no chain, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    if pipeline.holes || pipeline.chains.iter().any(|chain| chain.holes) {
        return;
    }
    // One of several under exclusive `cfg`s stands for all that have its name.
    let same = |all: &[Declared], a: usize, b: usize| {
        let name = |index: usize| all.get(index).map(|declared| declared.ident.to_string());
        name(a) == name(b)
    };
    let same_sink = |a, b| same(&pipeline.sinks, a, b);
    for (index, sink) in pipeline.sinks.iter().enumerate() {
        let ends = pipeline.paths().any(
            |path| matches!(path.end, End::To { index: Some(to), .. } if same_sink(to, index)),
        );
        let letters = pipeline.stages().any(|stage| {
            stage.policy.as_ref().is_some_and(
                |policy| matches!(policy.kind, PolicyKind::To(_, Some(to)) if same_sink(to, index)),
            )
        });
        if !ends && !letters {
            let name = &sink.ident;
            report.under(&sink.cfgs, |report| {
                report.push_with(
                    name.span(),
                    &UNUSED,
                    format!("sink `{name}` receives nothing"),
                    format!("route a path to it with `.to({name})`, or delete it"),
                );
            });
        }
    }
    for (index, lookup) in pipeline.lookups.iter().enumerate() {
        let asks = |param: &Param| matches!(param, Param::Lookup(asked) if *asked == index);
        let read = pipeline
            .calls()
            .filter_map(|called| pipeline.function(called.operator))
            .any(|function| function.params.iter().any(asks));
        if !read {
            let name = &lookup.ident;
            report.under(&lookup.cfgs, |report| {
                report.push_with(
                    name.span(),
                    &UNUSED,
                    format!("lookup `{name}` is read by no operator"),
                    format!("let an operator take `{name}: &Lookup<..>`, or delete it"),
                );
            });
        }
    }
    for (index, source) in pipeline.sources.iter().enumerate() {
        if !pipeline
            .paths()
            .any(|path| matches!(path.origin, Origin::Source(from) if same(&pipeline.sources, from, index)))
        {
            let name = &source.ident;
            report.under(&source.cfgs, |report| {
                report.push_with(
                    name.span(),
                    &UNUSED,
                    format!("source `{name}` feeds no chain"),
                    format!("begin a path with `{name}.decode()`, or delete it"),
                );
            });
        }
    }
}

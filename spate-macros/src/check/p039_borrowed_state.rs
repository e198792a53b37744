//! P039: a stateful `flat_map` lets its state go before its items pass.
//!
//! The items are driven inside the loop. An `impl Iterator` captures every lifetime of its
//! function (edition 2024), so it would keep the state borrowed while later stages want it.

use syn::Type;

use crate::model::{Chain, End, Kind, Param, Path, Pipeline};
use crate::report::{Report, Rule};

const BORROWED_STATE: Rule = Rule { code: "P039", help: "" };

/// Reports each such `flat_map` if a later stage of its path uses the same state.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            for (index, stage) in path.stages.iter().enumerate() {
                let Some(operator) = &stage.operator else { continue };
                if stage.kind != Kind::FlatMap {
                    continue;
                }
                let Some(function) = pipeline.function(operator) else { continue };
                if !function.returns().is_some_and(captures) {
                    continue;
                }
                let later = uses_behind(pipeline, chain, path, index + 1);
                let kept = function.params.iter().find_map(|param| match param {
                    Param::State(state) if later.contains(state) => Some(*state),
                    _ => None,
                });
                let Some(state) = kept.and_then(|state| pipeline.states.get(state)) else {
                    continue;
                };
                let (name, state) = (&function.ident, &state.ident);
                report.push_with(
                    operator.span(),
                    &BORROWED_STATE,
                    format!("`{name}` keeps `{state}` borrowed while its items pass"),
                    "return `impl Iterator<Item = ..> + use<'a>` with the record's lifetime only",
                );
            }
        }
    }
}

/// Whether the type is an `impl Trait` that does not say what it captures.
fn captures(ty: &Type) -> bool {
    matches!(ty, Type::ImplTrait(ty)
        if !ty.bounds.iter().any(|bound| matches!(bound, syn::TypeParamBound::PreciseCapture(_))))
}

/// The states used by the stages of `path` from `from` on, and by everything behind it.
fn uses_behind(pipeline: &Pipeline, chain: &Chain, path: &Path, from: usize) -> Vec<usize> {
    let mut states = Vec::new();
    let mut next = vec![(path, from)];
    // Every path is behind at most one other: this ends.
    while let Some((path, from)) = next.pop() {
        let of_split = match &path.end {
            End::Split(split) => split.by.as_ref(),
            _ => None,
        };
        let operators = path
            .stages
            .iter()
            .skip(from)
            .filter_map(|stage| stage.operator.as_ref())
            .chain(of_split);
        for function in operators.filter_map(|operator| pipeline.function(operator)) {
            states.extend(function.params.iter().filter_map(|param| match param {
                Param::State(state) => Some(*state),
                _ => None,
            }));
        }
        let streams: Vec<usize> = match &path.end {
            End::Let(stream) => vec![*stream],
            End::Tee { branches, .. } => branches.clone(),
            End::Split(split) => split.arms.iter().map(|arm| arm.stream).collect(),
            _ => Vec::new(),
        };
        let paths = streams.into_iter().filter_map(|stream| {
            let first = chain.streams.get(stream)?.uses.first()?;
            Some((chain.paths.get(first.path)?, 0))
        });
        next.extend(paths);
    }
    states
}

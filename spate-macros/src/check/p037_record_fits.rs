//! P037: an operator takes one record, the one it is given.
//!
//! Types are rustc's to compare (E0308 at the operator's name). Reported here is what rustc's
//! words would not explain: a record by value in a branch of a tee that only sees `&T`, and a
//! function that takes two records or none.

use syn::{FnArg, Type};

use super::signature::bare;
use crate::model::{
    Chain, End, Function, Kind, Operator, Origin, Param, Path, Pipeline, StreamKind,
};
use crate::report::{Report, Rule};

const RECORD_FITS: Rule = Rule { code: "P037", help: "" };

/// Reports both, at the operator's name in the chain.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    // A declaration that could not be read may be what an operator's parameter is of.
    let known = pipeline.calls().filter(|_| !pipeline.holes);
    for called in known {
        one_record(pipeline, called.operator, &mut report.within(called.cfgs));
    }
    for chain in &pipeline.chains {
        for path in &chain.paths {
            let report = &mut *report.within(&path.cfgs);
            if sees_a_reference(chain, path) {
                by_value(pipeline, chain, path, report);
            }
        }
    }
}

fn one_record(pipeline: &Pipeline, operator: &Operator, report: &mut Report) {
    if let Operator::Closure(closure, _) = operator
        && !matches!(closure.inputs.len(), 1 | 2)
    {
        report.push_with(
            operator.span(),
            &RECORD_FITS,
            format!("this closure takes {} arguments", closure.inputs.len()),
            "write `|record| ..`, or `|record, meta| ..`",
        );
    }
    let Some(function) = pipeline.function(operator) else { return };
    if function
        .params
        .iter()
        .any(|param| matches!(param, Param::SomeLookup))
    {
        let names: Vec<String> = pipeline
            .lookups
            .iter()
            .map(|lookup| format!("`{}`", lookup.ident))
            .collect();
        report.push_with(
            operator.span(),
            &RECORD_FITS,
            format!("`{}` asks for a lookup and does not say which", function.ident),
            format!("call its parameter as the lookup: {}", names.join(" or ")),
        );
        return;
    }
    let records: Vec<&Type> = function
        .params
        .iter()
        .filter_map(|param| match param {
            Param::Record(ty) => Some(&**ty),
            _ => None,
        })
        .collect();
    let receiver = function
        .sig
        .inputs
        .iter()
        .any(|arg| matches!(arg, FnArg::Receiver(_)));
    if records.len() == 1 || receiver {
        return;
    }
    let name = &function.ident;
    let stateful = records.iter().find_map(|ty| match ty {
        Type::Reference(reference) if reference.mutability.is_some() => Some(&*reference.elem),
        _ => None,
    });
    let looks_up = records.iter().any(|ty| {
        matches!(ty, Type::Reference(reference) if matches!(&*reference.elem, Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "Lookup")))
    });
    let help = match stateful {
        None if looks_up => "declare the lookup: `#[lookup(refresh = \"5s\")] \
             async fn name() -> Result<Lookup<K, V>, E> { .. }`"
            .into(),
        Some(ty) => format!("is `{}` a `#[state]` of this module?", crate::text::of(ty)),
        None => "an operator takes `&mut` states, one record, and `Meta<'_>` if it needs it".into(),
    };
    let message = format!("`{name}` takes {} records, an operator takes one", records.len());
    report.push_with(operator.span(), &RECORD_FITS, message, help);
}

/// Whether the path is all of a tee's branch but its last.
fn sees_a_reference(chain: &Chain, path: &Path) -> bool {
    let Origin::Stream(stream) = path.origin else { return false };
    let is_branch = chain
        .streams
        .get(stream)
        .is_some_and(|stream| stream.kind == StreamKind::Branch);
    is_branch
        && chain.paths.iter().any(|other| match &other.end {
            End::Tee { branches, .. } => {
                branches.contains(&stream) && branches.last() != Some(&stream)
            }
            _ => false,
        })
}

/// Reports the first operator of `path` that moves the record, if its type is the one that is
/// known to arrive.
fn by_value(pipeline: &Pipeline, chain: &Chain, path: &Path, report: &mut Report) {
    let moves = |kind: Kind| matches!(kind, Kind::Map | Kind::FilterMap | Kind::FlatMap);
    let Some(stage) = path.stages.iter().find(|stage| moves(stage.kind)) else { return };
    let Some(operator) = &stage.operator else { return };
    let Some(function) = pipeline.function(operator) else { return };
    let Some(takes) = function.record() else { return };
    if matches!(takes, Type::Reference(_)) || !arrives(pipeline, chain, path, takes) {
        return;
    }
    let (name, ty) = (&function.ident, crate::text::of(takes));
    report.push_with(
        operator.span(),
        &RECORD_FITS,
        format!("`{name}` takes its record by value, only the last branch of a tee can give it"),
        format!("put `{name}` in the last branch, or let it take `&{ty}`"),
    );
}

/// Whether a record of type `ty` is known to enter the tee in front of `path`.
///
/// Known is what the source declares, what an operator of the module returned last, and what an
/// operator that only looks says it looks at.
fn arrives(pipeline: &Pipeline, chain: &Chain, path: &Path, ty: &Type) -> bool {
    let wanted = bare(ty);
    let mut origin = path.origin;
    for _ in 0..=chain.paths.len() {
        match origin {
            Origin::Unknown => return false,
            Origin::Source(source) => {
                let declared = pipeline.sources.get(source);
                let record =
                    declared.and_then(|source| crate::ast::item::inner_type(&source.inner));
                return record.is_some_and(|record| bare(&record) == wanted);
            }
            Origin::Stream(stream) => {
                let makes = chain.paths.iter().find(|other| match &other.end {
                    End::Let(made) => *made == stream,
                    End::Tee { branches, .. } => branches.contains(&stream),
                    _ => false,
                });
                let Some(makes) = makes else { return false };
                for stage in makes.stages.iter().rev() {
                    let function = stage
                        .operator
                        .as_ref()
                        .and_then(|operator| pipeline.function(operator));
                    match (stage.kind, function) {
                        (kind, Some(function)) if kind.looks() => {
                            if looks_at(function).as_ref() == Some(&wanted) {
                                return true;
                            }
                        }
                        (Kind::Decode, _) => {}
                        (kind, _) if kind.looks() => {}
                        (Kind::Map, Some(function)) => {
                            return makes_type(function, stage.fallible).as_ref() == Some(&wanted);
                        }
                        _ => return false,
                    }
                }
                origin = makes.origin;
            }
        }
    }
    false
}

fn looks_at(function: &Function) -> Option<String> {
    match function.record()? {
        Type::Reference(reference) => Some(bare(&reference.elem)),
        _ => None,
    }
}

fn makes_type(function: &Function, fallible: bool) -> Option<String> {
    let returns = function.returns()?;
    if fallible {
        return crate::ast::item::inner_type(returns).map(|ty| bare(&ty));
    }
    Some(bare(returns))
}

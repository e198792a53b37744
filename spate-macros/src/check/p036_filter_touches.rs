//! P036: a filter looks at its record, it does not touch it.

use syn::{Pat, Type};

use crate::ast::first_span;
use crate::model::{Called, Function, Kind, Operator, Pipeline};
use crate::report::{Report, Rule};

const FILTER_TOUCHES: Rule = Rule { code: "P036", help: "" };

/// Reports each operator of a stage that only looks, or of `split_on`, that takes its record by `&mut`.
///
/// Points at the operator's name in the chain, or at the closure's parameter.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for Called { cfgs, stage, kind, operator, .. } in pipeline.calls() {
        if !kind.is_none_or(Kind::looks) {
            continue;
        }
        let (span, ty) = match operator {
            Operator::Closure(closure, _) => match closure.inputs.first() {
                Some(Pat::Type(pat)) => (first_span(&pat.ty), (*pat.ty).clone()),
                _ => continue,
            },
            _ => match pipeline
                .function(operator)
                .and_then(|function| function.record())
            {
                Some(ty) => (operator.span(), ty.clone()),
                None => continue,
            },
        };
        let Type::Reference(reference) = &ty else { continue };
        if reference.mutability.is_none() {
            continue;
        }
        // Two records are P037's: the `&mut` one was probably meant to be a state.
        let records = pipeline.function(operator).map_or(1, Function::records);
        if records > 1 {
            continue;
        }
        let name = operator.name();
        let (what, call) = match operator {
            Operator::Closure(..) => (name, "..".to_owned()),
            _ => (format!("`{name}`"), name),
        };
        let report = &mut *report.within(cfgs);
        report.push_with(
            span,
            &FILTER_TOUCHES,
            format!("{what} takes the record by `&mut`, `{stage}` only looks at it"),
            format!("change it before, in a `.map(..)`, and take `&` in `.{stage}({call})`"),
        );
    }
}

//! P034: a `flat_map` builds no `Vec` (as P033: a warning, or an error with `alloc = deny`).
//!
//! The loop drives whatever iterator it is given; nothing has to be collected for it.

use proc_macro2::{TokenStream, TokenTree};
use syn::{PathArguments, Type};

use super::p033_allocation::weigh;
use super::scan::{self, Scanned};
use crate::model::{Kind, Pipeline};
use crate::report::{Report, Rule};

const VEC_PER_RECORD: Rule = Rule { code: "P034", help: "" };

/// Warns of each operator of a `flat_map` that returns a `Vec`, at its name.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for operator in scan::operators(pipeline) {
        if operator.allow.alloc || !builds(&operator, pipeline) {
            continue;
        }
        let report = &mut *operator.within(report);
        let help = format!(
            "return `impl Iterator<Item = ..>` or an array, or {}",
            operator.hatch("alloc")
        );
        let message = format!("{} builds a `Vec` per record", operator.name);
        weigh(pipeline, report, operator.span, &VEC_PER_RECORD, message, help);
    }
}

/// Whether an operator of a `flat_map` builds a `Vec`: its type says so, or a closure's whole body.
pub(super) fn builds(operator: &Scanned<'_>, pipeline: &Pipeline) -> bool {
    if !operator.kinds.contains(&Some(Kind::FlatMap)) {
        return false;
    }
    let declared = pipeline.scope.declares("Vec");
    match operator.returns {
        Some(ty) => !declared && has_vec(ty),
        None => operator.closure && makes_vec(operator.body().clone()),
    }
}

/// `Vec<..>`, or a `Result` of one.
fn has_vec(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    match last.ident.to_string().as_str() {
        "Vec" => matches!(last.arguments, PathArguments::AngleBracketed(_)),
        "Result" => crate::ast::item::inner_type(ty).is_some_and(|ty| has_vec(&ty)),
        _ => false,
    }
}

/// `vec![..]`, or something that ends in `.collect::<Vec<..>>()`.
fn makes_vec(body: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(_)] => {
            name == "vec" && bang.as_char() == '!'
        }
        [.., TokenTree::Group(_)] => {
            let collect = tokens
                .iter()
                .rposition(|token| matches!(token, TokenTree::Ident(name) if name == "collect"));
            let behind = collect
                .and_then(|at| tokens.get(at + 1..))
                .unwrap_or_default();
            let groups = behind
                .iter()
                .filter(|token| matches!(token, TokenTree::Group(_)))
                .count();
            let vec = behind
                .iter()
                .any(|token| matches!(token, TokenTree::Ident(name) if name == "Vec"));
            vec && groups == 1
        }
        _ => false,
    }
}

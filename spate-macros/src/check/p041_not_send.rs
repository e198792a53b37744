//! P041: a state is `Send`, field by field.
//!
//! Reported here where the text leaves no doubt; elsewhere rustc says it with E0277, at the field's
//! type (`codegen::chain::sends` places it there).

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Field;

use crate::model::Pipeline;
use crate::report::{Report, Rule};

const NOT_SEND: Rule = Rule { code: "P041", help: "" };

/// Reports each field that holds an `Rc` of the standard library or a raw pointer, at its type.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for state in &pipeline.states {
        report.under(&state.cfgs, |report| {
            for (number, field) in state.item.fields.iter().enumerate() {
                let Some((span, what)) = culprit(pipeline, field) else { continue };
                let name = field
                    .ident
                    .as_ref()
                    .map_or_else(|| number.to_string(), ToString::to_string);
                let message = format!("field `{name}` of `{}` is not `Send`", state.ident);
                let help = format!("each lane owns its copy, {what} is not needed");
                report.push_with(span, &NOT_SEND, message, help);
            }
        });
    }
}

fn culprit(pipeline: &Pipeline, field: &Field) -> Option<(Span, &'static str)> {
    let imported = pipeline
        .scope
        .imports
        .iter()
        .any(|path| matches!(path.as_str(), "std::rc::Rc" | "alloc::rc::Rc"));
    find(field.ty.to_token_stream(), imported)
}

/// The first `std::rc::Rc`, `Rc` where that is imported, or raw pointer.
fn find(ty: TokenStream, imported: bool) -> Option<(Span, &'static str)> {
    let tokens: Vec<TokenTree> = ty.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                if let Some(found) = find(group.stream(), imported) {
                    return Some(found);
                }
            }
            TokenTree::Ident(ident) if ident == "Rc" => {
                let before = |back: usize| index.checked_sub(back).and_then(|at| tokens.get(at));
                let in_path = matches!(before(1), Some(TokenTree::Punct(p)) if p.as_char() == ':');
                let in_std = matches!(before(3), Some(TokenTree::Ident(rc)) if rc == "rc")
                    && matches!(before(6), Some(TokenTree::Ident(krate)) if krate == "std");
                if in_std || (imported && !in_path) {
                    return Some((ident.span(), "an `Rc`"));
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '*' => {
                return Some((punct.span(), "a raw pointer"));
            }
            _ => {}
        }
    }
    None
}

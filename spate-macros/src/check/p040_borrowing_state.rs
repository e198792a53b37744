//! P040: a state owns its data.
//!
//! It outlives the batch its records borrow from.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;

use crate::model::Pipeline;
use crate::report::{Report, Rule};

const BORROWING_STATE: Rule =
    Rule { code: "P040", help: "store an owned key, such as a `u64` or a `String`" };

/// Reports each state with a lifetime, at the first field that borrows or at the lifetime itself.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for state in &pipeline.states {
        let name = &state.ident;
        report.under(&state.cfgs, |report| {
            let field = state
                .item
                .fields
                .iter()
                .find_map(|field| borrows(field.ty.to_token_stream()));
            let lifetime = state.item.generics.lifetimes().next();
            let span = match (field, lifetime) {
                (Some(span), _) => span,
                (None, Some(lifetime)) => lifetime.lifetime.span(),
                (None, None) => {
                    if let Some(param) = state.item.generics.params.first() {
                        report.push_with(
                            crate::ast::first_span(param),
                            &BORROWING_STATE,
                            format!("state `{name}` is generic, nothing says what it holds"),
                            "write the types it holds",
                        );
                    }
                    return;
                }
            };
            let message =
                format!("state `{name}` outlives the batch and cannot borrow from a record");
            report.push(span, &BORROWING_STATE, message);
        });
    }
}

/// Where a type borrows for something shorter than `'static`.
fn borrows(ty: TokenStream) -> Option<Span> {
    let mut tokens = ty.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                if let Some(span) = borrows(group.stream()) {
                    return Some(span);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                let is_static =
                    matches!(tokens.peek(), Some(TokenTree::Ident(ident)) if ident == "static");
                if !is_static {
                    return Some(punct.span());
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                let lifetime = matches!(
                    tokens.peek(),
                    Some(TokenTree::Punct(next)) if next.as_char() == '\''
                );
                if !lifetime {
                    return Some(punct.span());
                }
            }
            _ => {}
        }
    }
    None
}

//! P031: no `.await` in a chain.
//!
//! On a path it is reported where the chain is read (`ast::chain`); here inside of closures.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;

use crate::model::{Operator, Pipeline};
use crate::report::{Report, Rule};

/// For `ast`, which reports it at an `.await` on a path.
pub(crate) const P031: Rule = Rule { code: "P031", help: "remove it, and move the I/O to a sink" };

/// Reports the first `.await` of each closure that is not async anywhere (which is P030).
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    for called in pipeline.calls() {
        let Operator::Closure(closure, _) = called.operator else { continue };
        let tokens = closure.to_token_stream();
        if first(&tokens, "async").is_some() {
            continue;
        }
        if let Some(token) = first(&tokens, "await") {
            let message = "operators run inside a synchronous loop, `.await` cannot stand in one";
            let report = &mut *report.within(called.cfgs);
            report.push(token.span(), &P031, message);
        }
    }
}

fn first(tokens: &TokenStream, word: &str) -> Option<Ident> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == word => Some(ident),
        TokenTree::Group(group) => first(&group.stream(), word),
        _ => None,
    })
}

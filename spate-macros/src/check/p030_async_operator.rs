//! P030: operators are not async.
//!
//! They run inside a synchronous loop on a pinned thread; a future would never be polled.

use syn::Expr;

use crate::model::{Operator, Pipeline};
use crate::report::{Report, Rule};

const ASYNC_OPERATOR: Rule =
    Rule { code: "P030", help: "remove `async`, and move the I/O to a sink" };

/// Reports each `async` function or closure that a stage calls, once, at its `async`.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let message = |what: &str| format!("{what} is async, operators run inside a synchronous loop");
    for function in &pipeline.functions {
        let Some(token) = function.sig.asyncness else { continue };
        let called = pipeline.calls().any(|called| {
            pipeline
                .function(called.operator)
                .is_some_and(|called| called.ident == function.ident)
        });
        if called {
            report.under(&function.cfgs, |report| {
                let what = format!("`{}`", function.ident);
                report.push(token.span, &ASYNC_OPERATOR, message(&what));
            });
        }
    }
    for called in pipeline.calls() {
        let Operator::Closure(closure, _) = called.operator else { continue };
        let token = match (&closure.asyncness, &*closure.body) {
            (Some(token), _) => token.span,
            (None, Expr::Async(body)) => body.async_token.span,
            _ => continue,
        };
        let report = &mut *report.within(called.cfgs);
        report.push(token, &ASYNC_OPERATOR, message("this closure"));
    }
}

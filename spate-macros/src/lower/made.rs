//! Arguments that are no operators of the module: what `apply` runs, and constant numbers.
//!
//! Pure. The type of what `apply` runs is read off the expression that makes it, because the lane
//! has to name it: `Latest`, `Latest::of(5)`, `Latest { depth: 5 }` and `Latest(5)` are all a
//! `Latest`.

use syn::{Expr, ExprPath, Lit};

use crate::ast::item::OpOptions;
use crate::check::{P005, P006};
use crate::model::{Made, Pipeline};
use crate::report::Report;

/// Reads what `apply` runs, or says why it cannot.
pub(super) fn read(expr: Expr, pipeline: &Pipeline, report: &mut Report) -> Option<Made> {
    match expr {
        Expr::Paren(expr) => read(*expr.expr, pipeline, report),
        Expr::Group(expr) => read(*expr.expr, pipeline, report),
        Expr::Path(mut path) => {
            let options = OpOptions::read(&std::mem::take(&mut path.attrs), report);
            let function = path.path.get_ident().is_some_and(|name| {
                pipeline
                    .functions
                    .iter()
                    .any(|function| function.ident == *name)
            });
            if function {
                return refused(&Expr::Path(path), "a function has no memory", report);
            }
            Some(Made { ty: path, init: None, options })
        }
        Expr::Call(mut call) => {
            let options = OpOptions::read(&std::mem::take(&mut call.attrs), report);
            let Expr::Path(of) = &*call.func else {
                return refused(&Expr::Call(call), "its type cannot be read off here", report);
            };
            let Some(ty) = of_constructor(of) else {
                return refused(&Expr::Call(call), "its type cannot be read off here", report);
            };
            Some(Made { ty, init: Some(Expr::Call(call)), options })
        }
        Expr::Struct(mut made) => {
            let options = OpOptions::read(&std::mem::take(&mut made.attrs), report);
            let ty = ExprPath { attrs: Vec::new(), qself: None, path: made.path.clone() };
            Some(Made { ty, init: Some(Expr::Struct(made)), options })
        }
        Expr::Closure(closure) => {
            let what = "a closure keeps nothing from record to record";
            refused(&Expr::Closure(closure), what, report)
        }
        other => refused(&other, "its type cannot be read off here", report),
    }
}

fn refused(expr: &Expr, why: &str, report: &mut Report) -> Option<Made> {
    report.push_with(
        crate::ast::first_span(expr),
        &P006,
        format!("this is no operator for `apply`: {why}"),
        "name a type that implements `Operator`, `.apply(Latest)`, or make one, \
         `.apply(Latest::of(5))`; a function goes into `map`, `flat_map`, ..",
    );
    None
}

/// `Latest` of `Latest::of`, and of `Latest` itself.
fn of_constructor(function: &ExprPath) -> Option<ExprPath> {
    let mut ty = function.clone();
    let is_type = |path: &ExprPath| {
        let last = path.path.segments.last();
        last.is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
    };
    if is_type(&ty) {
        return Some(ty);
    }
    ty.path.segments.pop();
    ty.path.segments.pop_punct();
    is_type(&ty).then_some(ty)
}

/// Whether a number is known when this compiles, as far as its text says; else a finding.
pub(super) fn is_constant(
    number: &Expr,
    stage: &proc_macro2::Ident,
    pipeline: &Pipeline,
    report: &mut Report,
) -> bool {
    let span = crate::ast::first_span(number);
    match number {
        Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)) => true,
        Expr::Lit(_) | Expr::Closure(_) | Expr::Unary(_) => {
            report.push_with(
                span,
                &P005,
                format!("`{stage}` takes a whole number here"),
                "write one, such as `100`, or the name of a constant",
            );
            false
        }
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return true };
            let called = path.path.get_ident().and_then(|name| {
                pipeline
                    .functions
                    .iter()
                    .find(|function| function.ident == *name)
            });
            let Some(function) = called.filter(|function| function.sig.constness.is_none()) else {
                return true;
            };
            report.push_with(
                span,
                &P005,
                format!("`{}` is not known when this compiles", function.ident),
                format!("write `const fn {}`, or a constant", function.ident),
            );
            false
        }
        _ => true,
    }
}

//! What can be said for certain of a type from the way it is written.
//!
//! A rule may only refuse what is wrong for certain: an alias or a type of the user's own that is
//! called `Result` is not the one of the standard library, so such names count only with their
//! type arguments and where the module does not declare them itself.

use syn::{Expr, ExprClosure, PathArguments, ReturnType, Type};

use crate::ast::Scope;
use crate::model::Function;

/// What a type is for certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Result,
    Option,
    Bool,
    /// Something else, and no `Result`, `Option` or `bool` for certain.
    Other,
    Unknown,
}

/// The shape of `ty` as written in a module with this scope.
pub(super) fn shape(ty: &Type, scope: &Scope) -> Shape {
    match ty {
        Type::Reference(_)
        | Type::Tuple(_)
        | Type::Array(_)
        | Type::Slice(_)
        | Type::Never(_)
        | Type::Ptr(_) => Shape::Other,
        Type::ImplTrait(_) => Shape::Other,
        Type::Paren(ty) => shape(&ty.elem, scope),
        Type::Group(ty) => shape(&ty.elem, scope),
        Type::Path(path) => {
            let segments = &path.path.segments;
            let Some(last) = segments.last() else { return Shape::Unknown };
            let first = segments.first().map(|first| first.ident.to_string());
            let from_std = matches!(first.as_deref(), Some("std" | "core")) && segments.len() > 1;
            let name = last.ident.to_string();
            let plain = segments.len() == 1 && !scope.declares(&name);
            if !(plain || from_std) {
                return Shape::Unknown;
            }
            let generic = matches!(last.arguments, PathArguments::AngleBracketed(_));
            match name.as_str() {
                "Result" if generic => Shape::Result,
                "Option" if generic => Shape::Option,
                "bool" => Shape::Bool,
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64"
                | "i128" | "isize" | "f32" | "f64" | "char" | "str" => Shape::Other,
                _ => Shape::Unknown,
            }
        }
        _ => Shape::Unknown,
    }
}

/// The shape of what a function returns.
pub(super) fn returned(function: &Function, scope: &Scope) -> Shape {
    function
        .returns()
        .map_or(Shape::Other, |ty| shape(ty, scope))
}

/// The shape of what a closure returns, if its text says so: a type, or a bare `Ok(..)`.
pub(super) fn answered(closure: &ExprClosure, scope: &Scope) -> Shape {
    if let ReturnType::Type(_, ty) = &closure.output {
        return shape(ty, scope);
    }
    answered_by(&closure.body, scope)
}

fn answered_by(body: &Expr, scope: &Scope) -> Shape {
    let of_block = |block: &syn::Block| match block.stmts.last() {
        Some(syn::Stmt::Expr(expr, None)) => answered_by(expr, scope),
        _ => Shape::Unknown,
    };
    let known = |a: Shape, b: Shape| if a == Shape::Unknown { b } else { a };
    match body {
        Expr::Block(block) => of_block(&block.block),
        Expr::Paren(expr) => answered_by(&expr.expr, scope),
        Expr::If(branch) => {
            let other = branch.else_branch.as_ref();
            let other = other.map_or(Shape::Unknown, |(_, expr)| answered_by(expr, scope));
            known(of_block(&branch.then_branch), other)
        }
        Expr::Match(arms) => arms
            .arms
            .iter()
            .map(|arm| answered_by(&arm.body, scope))
            .fold(Shape::Unknown, known),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => constructed(&path.path, scope),
            _ => Shape::Unknown,
        },
        Expr::Path(path) => constructed(&path.path, scope),
        _ => Shape::Unknown,
    }
}

fn constructed(path: &syn::Path, scope: &Scope) -> Shape {
    let Some(ident) = path.get_ident() else { return Shape::Unknown };
    let name = ident.to_string();
    match name.as_str() {
        _ if scope.declares(&name) => Shape::Unknown,
        "Ok" | "Err" => Shape::Result,
        "Some" | "None" => Shape::Option,
        _ => Shape::Unknown,
    }
}

/// Whether a function returns no `Result` for certain.
pub(super) fn never_fails(function: &Function, scope: &Scope) -> bool {
    matches!(returned(function, scope), Shape::Other | Shape::Bool | Shape::Option)
}

/// A type's text without lifetimes, for comparing types that were written in two places.
pub(super) fn bare(ty: &Type) -> String {
    let text = crate::text::of(ty);
    let mut bare = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\'' {
            while letters
                .peek()
                .is_some_and(|c| c.is_alphanumeric() || *c == '_')
            {
                letters.next();
            }
        } else if !letter.is_whitespace() {
            bare.push(letter);
        }
    }
    bare.replace("<>", "").replace(",>", ">").replace("<,", "<")
}

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
    let mut body = &*closure.body;
    while let Expr::Block(block) = body {
        match block.block.stmts.last() {
            Some(syn::Stmt::Expr(expr, None)) => body = expr,
            _ => return Shape::Unknown,
        }
    }
    let Expr::Call(call) = body else { return Shape::Unknown };
    let Expr::Path(path) = &*call.func else { return Shape::Unknown };
    let Some(ident) = path.path.get_ident() else { return Shape::Unknown };
    let name = ident.to_string();
    if scope.declares(&name) {
        return Shape::Unknown;
    }
    match name.as_str() {
        "Ok" | "Err" => Shape::Result,
        "Some" => Shape::Option,
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

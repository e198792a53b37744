//! A row's table as a constant, and one constant per thing that may be wrong with it (P048).
//!
//! rustc evaluates each of them by itself, so that all findings come in one build, each at its token:
//! a column that is not there at the field's name, another type at the field's type, a column
//! without a field at the file's name.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote_spanned;
use syn::Generics;

use super::paths::{Paths, at, emit};
use crate::check::p048_table::Held;

/// Where a field is refused.
pub(crate) struct Spans {
    pub(crate) named: Span,
    pub(crate) typed: Span,
}

/// Whether a row's types are known only where it is used.
pub(crate) fn is_generic(generics: &Generics) -> bool {
    generics.type_params().next().is_some() || generics.const_params().next().is_some()
}

/// The row as a type outside of its impl.
pub(crate) fn row_type(ident: &Ident, generics: &Generics) -> TokenStream {
    let lifetimes: Vec<TokenStream> = generics.lifetimes().map(|_| emit!('_)).collect();
    if lifetimes.is_empty() { emit!(#ident) } else { emit!(#ident<#(#lifetimes),*>) }
}

/// The checks of a row, beside its impl.
pub(crate) fn apart(
    held: &Held,
    row: &TokenStream,
    names: &[&str],
    spans: &[Spans],
    paths: &Paths,
) -> TokenStream {
    let [row_trait, column, table_type] =
        ["Row", "Column", "table::Table"].map(|name| paths.rt(name));
    let table = constant(held, paths);
    let fields = spans.iter().enumerate().map(|(index, spans)| {
        let index = Literal::usize_unsuffixed(index);
        let check = |name: &str, span: Span| {
            let (assert, span) = (paths.rt_at(name, span), at(span));
            quote_spanned!(span=> const _: () = #assert(NAME, &FIELDS[#index], &TABLE);)
        };
        let (named, typed) =
            (check("table::assert_column", spans.named), check("table::assert_type", spans.typed));
        emit!(#named #typed)
    });
    let span = held.file.span();
    let unwritten = held.columns.iter().enumerate();
    let unwritten = unwritten.filter(|(_, column)| !names.contains(&column.name.as_str()));
    let unwritten = unwritten.map(|(index, _)| {
        let (assert, index) =
            (paths.rt_at("table::assert_filled", span), Literal::usize_unsuffixed(index));
        quote_spanned!(at(span)=> const _: () = #assert(NAME, FIELDS, #index, &TABLE);)
    });
    let tracked = held.file.tracked();
    emit! {
        const _: () = {
            #tracked
            const TABLE: #table_type<'static> = #table;
            const NAME: &str = <#row as #row_trait>::NAME;
            const FIELDS: &[#column] = <#row as #row_trait>::COLUMNS;
            #(#fields)*
            #(#unwritten)*
        };
    }
}

/// The columns of a generic row, which are checked as soon as its types are known.
pub(crate) fn within(held: &Held, columns: &TokenStream, paths: &Paths) -> TokenStream {
    let column = paths.rt("Column");
    let table = constant(held, paths);
    let tracked = held.file.tracked();
    let assert = paths.rt_at("table::assert_row", held.file.span());
    emit! {
        {
            #tracked
            let columns: &'static [#column] = #columns;
            #assert(Self::NAME, columns, &#table);
            columns
        }
    }
}

/// What the table is sharded by, in the row's words; `fields` are columns and fields.
pub(crate) fn sharding(held: &Held, fields: &[(&str, String)], paths: &Paths) -> TokenStream {
    let Some(sharding) = &held.sharding else { return TokenStream::new() };
    let fields = fields
        .iter()
        .filter(|(column, _)| sharding.columns.iter().any(|named| named == column))
        .map(|(_, field)| field);
    let (ty, expression) = (paths.rt("Sharding"), &sharding.expression);
    let (line, col) = sharding.place;
    let place = held.file.place(line, col);
    emit! {
        const SHARDING: ::core::option::Option<#ty> = ::core::option::Option::Some(#ty {
            sink: "ClickHouse",
            at: #place,
            expression: #expression,
            fields: &[#(#fields),*],
        });
    }
}

fn constant(held: &Held, paths: &Paths) -> TokenStream {
    let [table, column] = ["table::Table", "table::TableColumn"].map(|name| paths.rt(name));
    let columns = held.columns.iter().map(|held| {
        let (name, ty, default_kind) = (&held.name, &held.ty, held.default_kind);
        let (line, col) = literals(held.place);
        emit! {
            #column { name: #name, ty: #ty, default_kind: #default_kind, line: #line, col: #col }
        }
    });
    let (file, name, (line, col)) = (&held.file.name, &held.name, literals(held.place));
    emit! {
        #table { file: #file, line: #line, col: #col, name: #name, columns: &[#(#columns),*] }
    }
}

fn literals((line, col): (usize, usize)) -> (Literal, Literal) {
    (Literal::usize_unsuffixed(line), Literal::usize_unsuffixed(col))
}

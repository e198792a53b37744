//! `#[derive(Record)]`: a struct or an enum as what a source's format decodes into.
//!
//! ```text
//! attrs.rs   what serde's attributes say         model.rs   the type, as they name it
//! shape.rs   names, types, nullability           scan.rs    the JSON decoder
//! ```

mod attrs;
mod case;
mod model;
mod scan;
mod shape;

use proc_macro2::TokenStream;
use syn::Item;

use crate::check::P067;
use crate::codegen::paths::{Paths, emit, without_self, written};
use crate::report::Report;
use model::Type;

/// Derives `Record`; findings come out as errors, and nothing beside them.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let item = match syn::parse2::<Item>(input.clone()) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let item = named(input, item);
    let read = match &item {
        Item::Struct(item) => model::of_struct(item, &mut report),
        Item::Enum(item) => model::of_enum(item, &mut report),
        Item::Union(item) => {
            let help = "write a struct or an enum";
            report.push_with(item.union_token.span, &P067, "a union is no record", help);
            return report.to_tokens();
        }
        _ => return TokenStream::new(),
    };
    let findings = report.to_tokens();
    if report.has_errors() {
        return findings;
    }
    let (ty, krate) = read;
    let paths = Paths::new(krate);
    let shape = shape::implement(&ty, &paths);
    let scan = if cfg!(feature = "json") { scan::implement(&ty, &paths) } else { emit!() };
    emit!(#shape #scan)
}

/// The type with its name for each `Self` in it: what is generated names fields' types elsewhere.
fn named(input: TokenStream, item: Item) -> Item {
    let (ident, generics) = match &item {
        Item::Struct(item) => (&item.ident, &item.generics),
        Item::Enum(item) => (&item.ident, &item.generics),
        _ => return item,
    };
    let (_, generics, _) = generics.split_for_impl();
    let name = emit!(#ident #generics);
    syn::parse2(without_self(input, &name)).unwrap_or(item)
}

/// The full parser is there: asked for at the type's name.
fn full_parser(ty: &Type, paths: &Paths) -> TokenStream {
    let full_parser = written(paths.rt("FullParser"), ty.ident.span());
    quote::quote_spanned!(ty.ident.span()=> <Self as #full_parser<'de>>::is_there();)
}

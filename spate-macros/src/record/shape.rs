//! What the record is, as constants: names, types, nullability.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::attrs::Reader;
use super::full_parser;
use super::model::{Body, Field, Fields, Kind, Names, Tag, Type, Variant};
use crate::codegen::paths::{Paths, at, emit};
use crate::names;

/// Implements `FieldType` and `Record`, and asks for `Deserialize`.
pub(super) fn implement(ty: &Type, paths: &Paths) -> TokenStream {
    let ident = &ty.ident;
    let name = names::plain(ident);
    let [record, field_type, shape] = ["Record", "FieldType", "Shape"].map(|name| paths.rt(name));
    let (impl_generics, type_generics, where_clause) = ty.generics.split_for_impl();
    let value = match &ty.body {
        _ if ty.opaque => emit!(#shape::Opaque),
        Body::Struct(fields) => of_fields(fields, paths),
        Body::Inside { fields, .. } => fields
            .read()
            .map(|field| of_field(field, paths))
            .collect::<TokenStream>(),
        Body::Enum { tag, variants } => of_enum(tag, variants, paths),
    };
    let parser = full_parser(ty, paths);
    let with_de = super::scan::with_de(&ty.generics);
    let (de_generics, ..) = with_de.split_for_impl();
    emit! {
        #[automatically_derived]
        impl #impl_generics #field_type for #ident #type_generics #where_clause {
            const SHAPE: #shape = #value;
        }

        #[automatically_derived]
        impl #impl_generics #record for #ident #type_generics #where_clause {
            const NAME: &'static str = #name;
        }

        const _: () = {
            trait Parsed<'de> {
                fn parsed();
            }
            impl #de_generics Parsed<'de> for #ident #type_generics #where_clause {
                fn parsed() {
                    #parser
                }
            }
        };
    }
}

fn of_fields(fields: &Fields, paths: &Paths) -> TokenStream {
    let [shape, field] = ["Shape", "Field"].map(|name| paths.rt(name));
    if fields.kind != Kind::Named {
        let each = fields.read().map(|field| of_field(field, paths));
        return emit!(#shape::Tuple(&[#(#each),*]));
    }
    let whole = fields.default.is_some();
    let each = fields.read().map(|of| {
        let Names { name, aliases } = &of.names;
        let (text, shape) = (crate::text::of(&of.ty), of_field(of, paths));
        let default = whole || of.default.is_some();
        emit! {
            #field {
                name: #name,
                aliases: &[#(#aliases),*],
                rust_type: #text,
                shape: #shape,
                default: #default,
            }
        }
    });
    emit!(#shape::Struct(&[#(#each),*]))
}

fn of_field(field: &Field, paths: &Paths) -> TokenStream {
    let [shape, field_type] = ["Shape", "FieldType"].map(|name| paths.rt(name));
    match field.reader {
        Reader::Scanner => {
            let ty = &field.ty;
            let span = at(crate::ast::first_span(ty));
            quote_spanned!(span=> <#ty as #field_type>::SHAPE)
        }
        Reader::Serde | Reader::Function(_) => emit!(#shape::Opaque),
    }
}

fn of_enum(tag: &Tag, variants: &[Variant], paths: &Paths) -> TokenStream {
    let [shape, tag_type, variant] = ["Shape", "Tag", "Variant"].map(|name| paths.rt(name));
    let tag = match tag {
        Tag::Outside => emit!(#tag_type::Outside),
        Tag::Inside(tag) => emit!(#tag_type::Inside(#tag)),
        Tag::Beside(tag, content) => emit!(#tag_type::Beside(#tag, #content)),
    };
    let each = variants.iter().map(|of| {
        let Names { name, aliases } = &of.names;
        let inside = match (of.fields.kind, of.fields.all.len()) {
            (Kind::Unit, _) => emit!(::core::option::Option::None),
            (Kind::Tuple, 1) => {
                let field = of.fields.read().map(|field| of_field(field, paths));
                emit!(::core::option::Option::Some(#(#field)*))
            }
            _ => {
                let fields = of_fields(&of.fields, paths);
                emit!(::core::option::Option::Some(#fields))
            }
        };
        emit!(#variant { name: #name, aliases: &[#(#aliases),*], shape: #inside })
    });
    emit!(#shape::Enum(#tag, &[#(#each),*]))
}

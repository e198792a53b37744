//! `#[derive(Row)]`: a struct as what a sink takes.
//!
//! ```text
//! row   := ("#[row(" ("ddl" "=" text | "crate" "=" path), .. ")]")? "struct" name generics fields
//! field := ("#[row(" ("rename" "=" text | "skip"), .. ")]")? name ":" type
//! ```

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Fields, ItemStruct, LitStr, Type, parse_quote};

use crate::ast::args::facade_path;
use crate::ast::options::{self, Value};
use crate::check::P066;
use crate::codegen::paths::{Paths, at, emit};
use crate::names;
use crate::report::Report;

/// A column: the field it is, and what it is called.
struct Column {
    field: proc_macro2::Ident,
    name: String,
    ty: Type,
}

/// Derives `Row`; findings come out as errors beside whatever could be derived.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let item = match syn::parse2::<ItemStruct>(input.clone()) {
        Ok(item) => item,
        Err(error) => {
            let ident = input.into_iter().find_map(|token| match token {
                proc_macro2::TokenTree::Ident(ident) if ident == "enum" || ident == "union" => {
                    Some(ident)
                }
                _ => None,
            });
            let span = ident.map_or_else(|| error.span(), |ident| ident.span());
            let help = "write `#[derive(Row)] struct Line { .. }`";
            report.push_with(span, &P066, "a row is a struct", help);
            return report.to_tokens();
        }
    };
    let krate = krate(&item, &mut report);
    let columns = columns(&item, &mut report);
    let paths = Paths::new(krate);
    let derived = implement(&item, &columns, &paths);
    let findings = report.to_tokens();
    emit!(#derived #findings)
}

fn krate(item: &ItemStruct, report: &mut Report) -> Option<TokenStream> {
    let mut krate = None;
    for attribute in item
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("row"))
    {
        for option in options::of_attribute(attribute, "row", &["ddl", "crate"], report) {
            if names::plain(&option.key) == "crate" {
                krate = facade_path(&option, report);
            } else {
                // The table's definition; held against the columns at start.
                let _file = option.text(report);
            }
        }
    }
    krate
}

fn columns(item: &ItemStruct, report: &mut Report) -> Vec<Column> {
    let Fields::Named(fields) = &item.fields else {
        report.push_with(
            item.ident.span(),
            &P066,
            format!("row `{}` has no named fields", item.ident),
            "write its columns by name: `struct Line { order_id: u64 }`",
        );
        return Vec::new();
    };
    let mut columns: Vec<Column> = Vec::new();
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let mut rename: Option<LitStr> = None;
        let mut skip = false;
        for attribute in field
            .attrs
            .iter()
            .filter(|attribute| attribute.path().is_ident("row"))
        {
            for option in options::of_attribute(attribute, "row", &["rename", "skip"], report) {
                if option.key == "rename" {
                    rename = option.text(report);
                } else if matches!(option.value, Value::Flag) {
                    skip = true;
                } else {
                    let message = "`skip` takes no value";
                    report.push_with(option.key.span(), &P066, message, "write `#[row(skip)]`");
                }
            }
        }
        if skip {
            continue;
        }
        let span = rename.as_ref().map_or_else(|| ident.span(), LitStr::span);
        let name = rename.map_or_else(|| names::plain(ident), |text| text.value());
        if columns.iter().any(|column| column.name == name) {
            report.push_with(
                span,
                &P066,
                format!("column `{name}` is there twice"),
                "rename one: `#[row(rename = \"..\")]`",
            );
        }
        columns.push(Column { field: ident.clone(), name, ty: field.ty.clone() });
    }
    columns
}

fn implement(item: &ItemStruct, columns: &[Column], paths: &Paths) -> TokenStream {
    let ident = &item.ident;
    let name = names::plain(ident);
    let [row, column, value, encoder, error] =
        ["Row", "Column", "Value", "ValueEncoder", "EncodeError"].map(|name| paths.rt(name));
    let mut generics = item.generics.clone();
    for param in &mut generics.params {
        if let syn::GenericParam::Type(param) = param {
            param.bounds.push(parse_quote!(#value));
        }
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let entries = columns.iter().map(|column_of| {
        let Column { name, ty, .. } = column_of;
        let text = crate::text::of(ty);
        let span = at(crate::ast::first_span(ty));
        let data_type = quote_spanned!(span=> <#ty as #value>::DATA_TYPE);
        emit!(#column { name: #name, rust_type: #text, data_type: #data_type })
    });
    let bounds = columns.iter().map(|column| {
        let field = &column.field;
        emit!(#value::binary_bound(&self.#field))
    });
    let writes = columns.iter().enumerate().map(|(index, column)| {
        let (field, name) = (&column.field, &column.name);
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        emit! {
            encoder.field(&Self::COLUMNS[#index])?;
            if let ::core::result::Result::Err(error) = #value::encode(&self.#field, encoder) {
                return ::core::result::Result::Err(error.in_column(#name));
            }
        }
    });
    emit! {
        #[automatically_derived]
        impl #impl_generics #row for #ident #type_generics #where_clause {
            const NAME: &'static str = #name;
            const COLUMNS: &'static [#column] = &[#(#entries),*];

            #[inline]
            fn binary_bound(&self) -> usize {
                0 #(+ #bounds)*
            }

            #[inline]
            fn encode<ENCODER: #encoder>(
                &self,
                encoder: &mut ENCODER,
            ) -> ::core::result::Result<(), #error> {
                #(#writes)*
                ::core::result::Result::Ok(())
            }
        }
    }
}

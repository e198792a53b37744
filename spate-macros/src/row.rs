//! `#[derive(Row)]`: a struct as what a sink takes.
//!
//! ```text
//! row   := ("#[row(" option, .. ")]")? "struct" name generics fields
//! option := "ddl" "=" text | "table" "=" text | "any_order" | "crate" "=" path
//! field := ("#[row(" ("rename" "=" text | "skip"), .. ")]")? name ":" type
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Fields, ItemStruct, LitStr, Type, parse_quote};

use crate::ast::args::facade_path;
use crate::ast::options::{self, Value};
use crate::check::P066;
use crate::check::p048_table::{self, Field, Held, Wanted};
use crate::check::p060_feature;
use crate::codegen::paths::{Paths, at, emit};
use crate::codegen::table::{self, Spans};
use crate::names;
use crate::report::Report;

/// A column: the field it is, and what it is called.
struct Column {
    field: Ident,
    name: String,
    /// Where the name is written: the field, or the text of a `rename`.
    named: Span,
    ty: Type,
}

impl Column {
    fn spans(&self) -> Spans {
        Spans { named: self.named, typed: crate::ast::first_span(&self.ty) }
    }
}

/// What stands in the attributes of the struct.
#[derive(Default)]
struct Options {
    krate: Option<TokenStream>,
    ddl: Option<LitStr>,
    table: Option<LitStr>,
    any_order: Option<Ident>,
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
    let options = options(&item, &mut report);
    let columns = columns(&item, &mut report);
    let held = held(&item, &columns, &options, &mut report);
    let paths = Paths::new(options.krate);
    let derived = implement(&item, &columns, held.as_ref(), &paths);
    let decoded = decode(&item, &columns, &paths);
    let findings = report.to_tokens();
    emit!(#derived #decoded #findings)
}

fn options(item: &ItemStruct, report: &mut Report) -> Options {
    let mut read = Options::default();
    for attribute in item
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("row"))
    {
        let known = ["ddl", "table", "any_order", "crate"];
        for option in options::of_attribute(attribute, "row", &known, report) {
            match names::plain(&option.key).as_str() {
                "crate" => read.krate = facade_path(&option, report),
                "ddl" => read.ddl = option.text(report),
                "table" => read.table = option.text(report),
                _ if matches!(option.value, Value::Flag) => read.any_order = Some(option.key),
                _ => {
                    let message = "`any_order` takes no value";
                    let help = "write `#[row(ddl = \"..\", any_order)]`";
                    report.push_with(option.key.span(), &P066, message, help);
                }
            }
        }
    }
    if read.ddl.is_none() {
        let table = read.table.as_ref().map(|table| ("table", table.span()));
        let any_order = read.any_order.as_ref().map(|key| ("any_order", key.span()));
        for (key, span) in table.into_iter().chain(any_order) {
            let message = format!("`{key}` says something about `ddl`, which is not there");
            let help = format!(
                "remove it, or write `ddl = \"schema/{}.sql\"`",
                names::snake(&names::plain(&item.ident))
            );
            report.push_with(span, &P066, message, help);
        }
    }
    read
}

/// The table of the DDL file, if the row names one.
fn held(
    item: &ItemStruct,
    columns: &[Column],
    options: &Options,
    report: &mut Report,
) -> Option<Held> {
    let file = options.ddl.clone()?;
    if !p060_feature::ddl_is_read(file.span(), p060_feature::CLICKHOUSE, report) {
        return None;
    }
    let (table, any_order) = (options.table.clone(), options.any_order.is_some());
    let fields: Vec<Field<'_>> = columns
        .iter()
        .map(|column| Field { name: &column.name, span: column.named })
        .collect();
    let wanted = Wanted { file, table, any_order };
    p048_table::check(&names::plain(&item.ident), &fields, &wanted, report)
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
        columns.push(Column { field: ident.clone(), name, named: span, ty: field.ty.clone() });
    }
    columns
}

fn implement(
    item: &ItemStruct,
    columns: &[Column],
    held: Option<&Held>,
    paths: &Paths,
) -> TokenStream {
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
        let (field, ty) = (&column.field, &column.ty);
        let bound = quote_spanned!(at(crate::ast::first_span(ty))=> <#ty as #value>::binary_bound);
        emit!(#bound(&self.#field))
    });
    let writes = columns.iter().enumerate().map(|(index, column)| {
        let Column { field, name, ty, .. } = column;
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        // Named by its type, and at it: what cannot be a value is said there, and once.
        let encode = quote_spanned!(at(crate::ast::first_span(ty))=> <#ty as #value>::encode);
        emit! {
            encoder.field(&Self::COLUMNS[#index])?;
            if let ::core::result::Result::Err(error) = #encode(&self.#field, encoder) {
                return ::core::result::Result::Err(error.in_column(#name));
            }
        }
    });
    let sharding = held.map(|held| {
        let fields: Vec<(&str, String)> = columns
            .iter()
            .map(|column| (column.name.as_str(), names::plain(&column.field)))
            .collect();
        table::sharding(held, &fields, paths)
    });
    let mut all = emit!(&[#(#entries),*]);
    let mut apart = TokenStream::new();
    if let Some(held) = held {
        if table::is_generic(&item.generics) {
            all = table::within(held, &all, paths);
        } else {
            let row = table::row_type(ident, &item.generics);
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            let spans: Vec<Spans> = columns.iter().map(Column::spans).collect();
            apart = table::apart(held, &row, &names, &spans, paths);
        }
    }
    emit! {
        #apart

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #impl_generics #row for #ident #type_generics #where_clause {
            const NAME: &'static str = #name;
            const COLUMNS: &'static [#column] = #all;
            #sharding

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

/// `DecodeRow`, where every field can be read back: what a field cannot, the `where` says, and only
/// who reads such a row is told.
fn decode(item: &ItemStruct, columns: &[Column], paths: &Paths) -> TokenStream {
    let Fields::Named(fields) = &item.fields else { return TokenStream::new() };
    let ident = &item.ident;
    let [row, value, skipped, reader, error] =
        ["DecodeRow", "DecodeValue", "DecodeSkipped", "RowReader", "DecodeError"]
            .map(|name| paths.rt(name));
    let mut generics = item.generics.clone();
    generics.params.insert(0, parse_quote!('captured));
    let mut seen = std::collections::BTreeSet::new();
    let mut values = Vec::new();
    for field in &fields.named {
        let (Some(name), ty) = (&field.ident, &field.ty) else { continue };
        let column = columns.iter().find(|column| column.field == *name);
        let cfgs = crate::ast::cfgs(&field.attrs);
        let (bound, read) = match column {
            Some(Column { name, .. }) => (&value, emit!(reader.column(#name)?)),
            None => (&skipped, emit!(reader.skipped()?)),
        };
        values.push(emit!(#(#cfgs)* #name: #read));
        if cfgs.is_empty() && seen.insert((column.is_some(), crate::text::of(ty))) {
            let clause = generics.make_where_clause();
            clause.predicates.push(parse_quote!(#ty: #bound<'captured>));
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = item.generics.split_for_impl();
    emit! {
        #[automatically_derived]
        impl #impl_generics #row<'captured> for #ident #type_generics #where_clause {
            #[inline]
            fn decode(
                reader: &mut #reader<'captured>,
            ) -> ::core::result::Result<Self, #error> {
                ::core::result::Result::Ok(Self { #(#values),* })
            }
        }
    }
}

//! The type that is derived for: its fields and variants under the names the input has for them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{GenericParam, Generics, ItemEnum, ItemStruct};

use super::attrs::{Attrs, Fallback, On, Reader};
use super::case::Case;
use crate::check::P067;
use crate::names;
use crate::report::Report;

/// A struct or an enum.
pub(super) struct Type {
    pub(super) ident: Ident,
    pub(super) generics: Generics,
    pub(super) body: Body,
    /// serde reads it always: an attribute says something that is not known here.
    pub(super) opaque: bool,
    /// All of it, for names that clash with nothing in it.
    pub(super) tokens: TokenStream,
}

pub(super) enum Body {
    Struct(Fields),
    /// What stands in its only field that counts.
    Inside {
        fields: Fields,
        transparent: bool,
    },
    Enum {
        tag: Tag,
        variants: Vec<Variant>,
    },
}

pub(super) enum Tag {
    Outside,
    Inside(String),
    Beside(String, String),
}

pub(super) struct Variant {
    pub(super) ident: Ident,
    pub(super) names: Names,
    pub(super) other: bool,
    pub(super) fields: Fields,
}

/// A name and the others that go for it.
pub(super) struct Names {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
}

/// The fields of a struct or a variant.
pub(super) struct Fields {
    pub(super) kind: Kind,
    pub(super) all: Vec<Field>,
    /// Fields without a value have it from the `Default` of the whole.
    pub(super) default: Option<Fallback>,
    pub(super) deny_unknown: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Named,
    Tuple,
    Unit,
}

pub(super) struct Field {
    /// The field's name or index.
    pub(super) member: TokenStream,
    pub(super) ty: syn::Type,
    pub(super) names: Names,
    pub(super) default: Option<Fallback>,
    pub(super) skip: bool,
    pub(super) reader: Reader,
}

impl Fields {
    /// The fields the input has.
    pub(super) fn read(&self) -> impl Iterator<Item = &Field> {
        self.all.iter().filter(|field| !field.skip)
    }
}

type Read = (Type, Option<TokenStream>);

pub(super) fn of_struct(item: &ItemStruct, report: &mut Report) -> Read {
    let attrs = Attrs::read(&item.attrs, On::Type, report);
    generics(&item.generics, report);
    let mut opaque = attrs.unknown;
    let fields = Fields {
        default: attrs.default.clone(),
        ..fields(&item.fields, attrs.rename_all, &attrs, &item.ident, &mut opaque, report)
    };
    let newtype = fields.kind == Kind::Tuple && fields.all.len() == 1;
    let body = if fields.read().count() == 1 && (newtype || attrs.transparent) {
        Body::Inside { fields, transparent: attrs.transparent }
    } else {
        Body::Struct(fields)
    };
    let (ident, generics) = (item.ident.clone(), item.generics.clone());
    let tokens = item.to_token_stream();
    (Type { ident, generics, body, opaque, tokens }, attrs.krate)
}

pub(super) fn of_enum(item: &ItemEnum, report: &mut Report) -> Read {
    let attrs = Attrs::read(&item.attrs, On::Type, report);
    generics(&item.generics, report);
    let mut opaque = attrs.unknown;
    let tag = match (attrs.tag.clone(), attrs.content.clone()) {
        (Some(tag), Some(content)) => Tag::Beside(tag, content),
        (Some(tag), None) => Tag::Inside(tag),
        _ => Tag::Outside,
    };
    let mut variants = Vec::new();
    for variant in &item.variants {
        let own = Attrs::read(&variant.attrs, On::Field, report);
        opaque |= own.unknown;
        if own.skip {
            continue;
        }
        let case = own.rename_all.or(attrs.rename_all_fields);
        let mut fields = fields(&variant.fields, case, &attrs, &item.ident, &mut opaque, report);
        if let Some(reader) = &own.reader {
            // Of the variant: what stands in it, as a whole.
            match (fields.kind, fields.all.as_mut_slice()) {
                (Kind::Tuple, [only]) => only.reader = reader.clone(),
                _ => opaque = true,
            }
        }
        let ident = variant.ident.clone();
        let plain = names::plain(&ident);
        let name = own.rename.unwrap_or_else(|| {
            attrs
                .rename_all
                .map_or_else(|| plain.clone(), |case| case.variant(&plain))
        });
        let names = Names { name, aliases: own.aliases };
        variants.push(Variant { ident, names, other: own.other, fields });
    }
    let (ident, generics) = (item.ident.clone(), item.generics.clone());
    let (body, tokens) = (Body::Enum { tag, variants }, item.to_token_stream());
    (Type { ident, generics, body, opaque, tokens }, attrs.krate)
}

fn generics(generics: &Generics, report: &mut Report) {
    for param in &generics.params {
        if let GenericParam::Type(param) = param {
            report.push_with(
                param.ident.span(),
                &P067,
                format!("a record is of one type, and `{}` may be any", param.ident),
                "write the type that is decoded, or derive `Deserialize` alone",
            );
        }
    }
}

fn fields(
    fields: &syn::Fields,
    case: Option<Case>,
    owner: &Attrs,
    of: &Ident,
    opaque: &mut bool,
    report: &mut Report,
) -> Fields {
    let kind = match fields {
        syn::Fields::Named(_) => Kind::Named,
        syn::Fields::Unnamed(_) => Kind::Tuple,
        syn::Fields::Unit => Kind::Unit,
    };
    let all = fields.iter().enumerate().map(|(index, field)| {
        let attrs = Attrs::read(&field.attrs, On::Field, report);
        *opaque |= attrs.unknown;
        let (member, plain) = match &field.ident {
            Some(ident) => (ident.to_token_stream(), names::plain(ident)),
            None => {
                let index = proc_macro2::Literal::usize_unsuffixed(index);
                (index.to_token_stream(), index.to_string())
            }
        };
        let name = attrs
            .rename
            .unwrap_or_else(|| case.map_or_else(|| plain.clone(), |case| case.field(&plain)));
        let reader = attrs.reader.unwrap_or(Reader::Scanner);
        if matches!(reader, Reader::Scanner)
            && !attrs.skip
            && let Some(span) = mention(field.ty.to_token_stream(), of)
        {
            report.push_with(
                span,
                &P067,
                format!("`{of}` contains itself, to any depth"),
                "leave this field to serde: `#[record(serde)]`",
            );
        }
        Field {
            member,
            ty: field.ty.clone(),
            names: Names { name, aliases: attrs.aliases },
            default: attrs.default,
            skip: attrs.skip,
            reader,
        }
    });
    let all = all.collect();
    Fields { kind, all, default: None, deny_unknown: owner.deny_unknown_fields }
}

/// Where a type mentions another by its name alone, or as `Self`.
fn mention(tokens: TokenStream, of: &Ident) -> Option<Span> {
    let mut before_is_path = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if !before_is_path && (ident == *of || ident == "Self") => {
                return Some(ident.span());
            }
            TokenTree::Group(group) => {
                if let Some(span) = mention(group.stream(), of) {
                    return Some(span);
                }
                before_is_path = false;
            }
            TokenTree::Punct(punct) => before_is_path = punct.as_char() == ':',
            _ => before_is_path = false,
        }
    }
    None
}

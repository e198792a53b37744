//! What `#[serde(..)]` and `#[record(..)]` say of a type, a variant or a field.
//!
//! serde's derive stands beside ours and reports what is misspelt. What is not known here, because
//! serde learnt it later, makes the type one that is always left to serde.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Path, Token};

use super::case::Case;
use crate::ast::args::facade_path;
use crate::ast::options::{self, Opt, Value};
use crate::check::{P066, P067};
use crate::names;
use crate::report::Report;

/// Where a value comes from that the input does not have.
#[derive(Clone)]
pub(super) enum Fallback {
    Default,
    Call(Path),
}

/// Who reads a field's value.
#[derive(Clone)]
pub(super) enum Reader {
    /// The scanner of its type.
    Scanner,
    /// serde, by the type's `Deserialize`.
    Serde,
    /// A function of the user, by `with` or `deserialize_with`.
    Function(TokenStream),
}

/// All attributes of one thing; which of them stand where is serde's to check.
#[derive(Default)]
pub(super) struct Attrs {
    pub(super) krate: Option<TokenStream>,
    pub(super) rename: Option<String>,
    pub(super) rename_all: Option<Case>,
    pub(super) rename_all_fields: Option<Case>,
    pub(super) aliases: Vec<String>,
    pub(super) default: Option<Fallback>,
    pub(super) reader: Option<Reader>,
    pub(super) skip: bool,
    pub(super) other: bool,
    pub(super) deny_unknown_fields: bool,
    pub(super) transparent: bool,
    pub(super) tag: Option<String>,
    pub(super) content: Option<String>,
    /// Something nobody here knows.
    pub(super) unknown: bool,
}

impl Attrs {
    pub(super) fn read(attributes: &[Attribute], on: On, report: &mut Report) -> Self {
        let mut attrs = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("record") {
                attrs.record(attribute, on, report);
            } else if attribute.path().is_ident("serde")
                && let Meta::List(list) = &attribute.meta
            {
                let parser = Punctuated::<Opt, Token![,]>::parse_terminated;
                match parser.parse2(list.tokens.clone()) {
                    Ok(options) => {
                        options
                            .iter()
                            .for_each(|option| attrs.serde(option, report));
                    }
                    Err(_) => attrs.unknown = true,
                }
            }
        }
        attrs
    }

    fn record(&mut self, attribute: &Attribute, on: On, report: &mut Report) {
        let known = match on {
            On::Type => "crate",
            On::Field => "serde",
        };
        for option in options::of_attribute(attribute, "record", &[known], report) {
            match (on, &option.value) {
                (On::Type, _) => self.krate = facade_path(&option, report),
                (On::Field, Value::Flag) => self.reader = Some(Reader::Serde),
                (On::Field, _) => report.push_with(
                    option.key.span(),
                    &P066,
                    "`serde` takes no value",
                    "write `#[record(serde)]`",
                ),
            }
        }
    }

    fn serde(&mut self, option: &Opt, report: &mut Report) {
        let key = &option.key;
        match names::plain(key).as_str() {
            "rename" => {
                self.rename = deserialize_text(&option.value).or_else(|| self.rename.take())
            }
            "rename_all" => self.rename_all = case(&option.value).or(self.rename_all),
            "rename_all_fields" => {
                self.rename_all_fields = case(&option.value).or(self.rename_all_fields);
            }
            "alias" => self.aliases.extend(text(&option.value)),
            "default" => {
                self.default = match path(&option.value) {
                    Some(path) => Some(Fallback::Call(path)),
                    None => Some(Fallback::Default),
                }
            }
            "skip" | "skip_deserializing" => self.skip = true,
            "other" => self.other = true,
            "deny_unknown_fields" => self.deny_unknown_fields = true,
            "transparent" => self.transparent = true,
            "tag" => self.tag = text(&option.value),
            "content" => self.content = text(&option.value),
            "with" => {
                self.reader = path(&option.value)
                    .map(|path| Reader::Function(quote::quote!(#path::deserialize)));
            }
            "deserialize_with" => {
                self.reader =
                    path(&option.value).map(|path| Reader::Function(path.into_token_stream()));
            }
            "borrow"
            | "bound"
            | "crate"
            | "expecting"
            | "into"
            | "getter"
            | "serialize_with"
            | "skip_serializing"
            | "skip_serializing_if" => {}
            "flatten" => refuse(
                key,
                "`flatten` gathers keys that no decoder can know before it sees them",
                "write the fields here, or derive `Deserialize` alone: `Json<T>` takes that too",
                report,
            ),
            "untagged" => refuse(
                key,
                "an untagged enum is found by trying one variant after the other",
                "give it a tag: `#[serde(tag = \"kind\")]`, or derive `Deserialize` alone and mark \
                 fields of it `#[record(serde)]`",
                report,
            ),
            other
            @ ("from" | "try_from" | "remote" | "variant_identifier" | "field_identifier") => {
                refuse(
                    key,
                    &format!("`{other}` decodes another type than this one"),
                    P067.help,
                    report,
                )
            }
            _ => self.unknown = true,
        }
    }
}

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    Type,
    Field,
}

fn refuse(key: &Ident, message: &str, help: &str, report: &mut Report) {
    let span: Span = key.span();
    report.push_with(span, &P067, message, help);
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Is(Expr::Lit(lit)) => match &lit.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// The text, or that of `deserialize` in a list.
fn deserialize_text(value: &Value) -> Option<String> {
    let Value::List(list) = value else { return text(value) };
    let parser = Punctuated::<Opt, Token![,]>::parse_terminated;
    let options = parser.parse2(list.clone()).ok()?;
    let of = options.iter().find(|option| option.key == "deserialize")?;
    text(&of.value)
}

fn case(value: &Value) -> Option<Case> {
    Case::of(&deserialize_text(value)?)
}

fn path(value: &Value) -> Option<Path> {
    syn::parse_str(&text(value)?).ok()
}

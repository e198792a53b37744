//! The options of our attributes: `key`, `key = value` and `key(list)`, separated by commas.
//!
//! ```text
//! options := (option ("," option)* ","?)?
//! option  := key | key "=" expr | key "(" tokens ")"
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitStr, Meta, Token, parenthesized};

use crate::check::P066;
use crate::names;
use crate::report::Report;

/// One option as written.
pub(crate) struct Opt {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// What stands behind an option's key.
pub(crate) enum Value {
    Flag,
    Is(Expr),
    List(TokenStream),
}

impl Parse for Opt {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Is(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let list;
            parenthesized!(list in input);
            Value::List(list.parse()?)
        } else {
            Value::Flag
        };
        Ok(Self { key, value })
    }
}

impl Opt {
    /// The value as a text, or a finding.
    pub(crate) fn text(&self, report: &mut Report) -> Option<LitStr> {
        if let Value::Is(Expr::Lit(lit)) = &self.value
            && let Lit::Str(text) = &lit.lit
        {
            return Some(text.clone());
        }
        let key = &self.key;
        report.push_with(
            key.span(),
            &P066,
            format!("`{key}` takes a text"),
            format!("write `{key} = \"..\"`"),
        );
        None
    }

    /// The value as an expression, or a finding.
    pub(crate) fn expr(&self, example: &str, report: &mut Report) -> Option<Expr> {
        if let Value::Is(expr) = &self.value {
            return Some(expr.clone());
        }
        let key = &self.key;
        report.push_with(
            key.span(),
            &P066,
            format!("`{key}` has no value"),
            format!("write `{key} = {example}`"),
        );
        None
    }
}

/// Reads the options among `tokens`; those not in `known` become findings.
pub(crate) fn read(
    tokens: TokenStream,
    attribute: &str,
    known: &[&str],
    report: &mut Report,
) -> Vec<Opt> {
    let options = match Punctuated::<Opt, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(options) => options,
        Err(error) => {
            report.push_with(
                error.span(),
                &P066,
                format!("`#[{attribute}(..)]` cannot be read: {error}"),
                format!("its options are {}", listed(known)),
            );
            return Vec::new();
        }
    };
    let mut seen: Vec<String> = Vec::new();
    options
        .into_iter()
        .filter(|option| {
            let key = names::plain(&option.key);
            if seen.contains(&key) {
                let message = format!("`{key}` is given twice");
                report.push_with(option.key.span(), &P066, message, "remove one of them");
                return false;
            }
            let fits = known.contains(&key.as_str());
            if !fits {
                let help = names::nearest(&key, known.iter().copied()).map_or_else(
                    || format!("its options are {}", listed(known)),
                    |near| format!("did you mean `{near}`?"),
                );
                let message = format!("`#[{attribute}(..)]` has no option `{key}`");
                report.push_with(option.key.span(), &P066, message, help);
            }
            seen.push(key);
            fits
        })
        .collect()
}

/// Reads the options of one of our attributes: `#[name]` or `#[name(options)]`.
pub(crate) fn of_attribute(
    attribute: &Attribute,
    name: &str,
    known: &[&str],
    report: &mut Report,
) -> Vec<Opt> {
    match &attribute.meta {
        Meta::Path(_) => Vec::new(),
        Meta::List(list) => read(list.tokens.clone(), name, known, report),
        Meta::NameValue(pair) => {
            let span: Span = pair.eq_token.span;
            report.push_with(
                span,
                &P066,
                format!("`#[{name}]` takes its options in brackets"),
                format!("write `#[{name}({} = ..)]`", known.first().unwrap_or(&"option")),
            );
            Vec::new()
        }
    }
}

fn listed(known: &[&str]) -> String {
    // What begins so is for our own tests.
    let told = known.iter().filter(|name| !name.starts_with("__"));
    let names: Vec<String> = told.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

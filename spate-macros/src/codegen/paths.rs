//! Absolute paths, spans and lifetimes of generated code.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{Attribute, Type};

/// `quote!` with the hygiene of the macro: its locals and the user's cannot see each other.
macro_rules! emit {
    ($($tokens:tt)*) => {
        quote::quote_spanned!(proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}
pub(crate) use emit;

/// Where the facade is.
pub(crate) struct Paths {
    pub(crate) krate: TokenStream,
}

impl Paths {
    /// The facade as the user's crate knows it.
    pub(crate) fn new(krate: Option<TokenStream>) -> Self {
        Self { krate: krate.unwrap_or_else(|| emit!(::spate)) }
    }

    /// An item of the facade's `__private`.
    pub(crate) fn rt(&self, name: &str) -> TokenStream {
        let krate = &self.krate;
        let names = name.split("::").map(|name| format_ident!("{}", name));
        emit!(#krate::__private #(::#names)*)
    }

    /// The same, placed at a token of the user.
    pub(crate) fn rt_at(&self, name: &str, span: Span) -> TokenStream {
        placed(self.rt(name), span)
    }

    /// A helper for closures, or a bound of one.
    pub(crate) fn op(&self, name: &str) -> TokenStream {
        let (krate, name) = (&self.krate, format_ident!("{}", name));
        emit!(#krate::__private::op::#name)
    }

    /// The same, as if it was written at a token of the user.
    pub(crate) fn op_at(&self, name: &str, span: Span) -> TokenStream {
        written(self.op(name), span)
    }
}

/// Our names, at the user's token: hygiene of the macro, place of the token.
pub(crate) fn at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// `tokens` as they resolve, placed at a token of the user: where rustc will point.
pub(crate) fn placed(tokens: impl ToTokens, span: Span) -> TokenStream {
    tokens
        .into_token_stream()
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), placed(group.stream(), span));
                inside.set_span(group.span().located_at(span));
                TokenTree::Group(inside)
            }
            mut other => {
                other.set_span(other.span().located_at(span));
                other
            }
        })
        .collect()
}

/// `tokens` as if the user had written them at `span`: where rustc points at them, it speaks of the
/// user's line alone. `$crate` is left to who wrote it.
pub(crate) fn written(tokens: TokenStream, span: Span) -> TokenStream {
    let at_span = tokens.into_iter().map(|mut token| {
        let known = if token.to_string() == "$crate" { token.span() } else { span };
        token.set_span(known.located_at(span));
        token
    });
    at_span.collect()
}

/// `(tokens)` as if the user had written it at `span`, whatever the tokens are: where rustc points
/// at all of it, it speaks of the user's line alone and not of an expansion.
pub(crate) fn bracketed(tokens: TokenStream, span: Span) -> TokenStream {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    TokenTree::Group(group).into()
}

/// `tokens` with `name` for every `Self`.
pub(crate) fn without_self(tokens: TokenStream, name: &TokenStream) -> TokenStream {
    let replaced = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(word) if word == "Self" => name.clone(),
        TokenTree::Group(group) => {
            let mut inside = Group::new(group.delimiter(), without_self(group.stream(), name));
            inside.set_span(group.span());
            TokenTree::Group(inside).into()
        }
        other => other.into(),
    });
    replaced.collect()
}

/// `tokens` with `'static` for every lifetime.
pub(crate) fn for_good(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut is_lifetime = false;
    for token in tokens {
        let token = match token {
            TokenTree::Ident(name) if is_lifetime => Ident::new("static", name.span()).into(),
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), for_good(group.stream()));
                inside.set_span(group.span());
                inside.into()
            }
            other => other,
        };
        is_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        out.extend([token]);
    }
    out
}

/// `ty` with `lifetime` for every `'_` and in every bare `&`.
pub(crate) fn with_lifetime(ty: &Type, lifetime: &str) -> TokenStream {
    replace(ty.to_token_stream(), lifetime)
}

/// `ty` as it stands behind a `&`: one of several traits in brackets.
pub(crate) fn behind_reference(ty: &Type) -> TokenStream {
    let named = with_lifetime(ty, "_");
    if matches!(ty, Type::TraitObject(_) | Type::ImplTrait(_)) { emit!((#named)) } else { named }
}

fn replace(tokens: TokenStream, lifetime: &str) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), replace(group.stream(), lifetime));
                inside.set_span(group.span());
                out.extend([TokenTree::Group(inside)]);
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                let elided = matches!(tokens.peek(), Some(TokenTree::Ident(name)) if name == "_");
                if elided {
                    tokens.next();
                    out.extend(named(lifetime, punct.span()));
                } else {
                    out.extend([TokenTree::Punct(punct)]);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                let span = punct.span();
                let has_lifetime = matches!(
                    tokens.peek(),
                    Some(TokenTree::Punct(next)) if next.as_char() == '\''
                );
                out.extend([TokenTree::Punct(Punct::new('&', Spacing::Alone))]);
                if !has_lifetime {
                    out.extend(named(lifetime, span));
                }
            }
            other => out.extend([other]),
        }
    }
    out
}

fn named(lifetime: &str, span: Span) -> [TokenTree; 2] {
    let mut tick = Punct::new('\'', Spacing::Joint);
    tick.set_span(span);
    [TokenTree::Punct(tick), TokenTree::Ident(Ident::new(lifetime, span))]
}

/// What stands in the brackets of these `cfg`s.
pub(crate) fn conditions(cfgs: &[Attribute]) -> Vec<TokenStream> {
    cfgs.iter()
        .filter_map(|cfg| match &cfg.meta {
            syn::Meta::List(list) => Some(list.tokens.clone()),
            _ => None,
        })
        .collect()
}

/// The index of what stands behind items with these `cfg`s: how many of them there are.
pub(crate) fn index<'a, I: Iterator<Item = &'a [Attribute]>>(before: I) -> TokenStream {
    let mut always = 0_usize;
    let mut sometimes = TokenStream::new();
    for cfgs in before {
        if cfgs.is_empty() {
            always += 1;
            continue;
        }
        let conditions = conditions(cfgs);
        sometimes.extend(emit!(+ ::core::cfg!(all(#(#conditions),*)) as usize));
    }
    let always = proc_macro2::Literal::usize_unsuffixed(always);
    emit!(#always #sometimes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elided_lifetimes_are_named() {
        for (ty, named) in [
            ("Kafka<Json<OrderEvent<'_>>>", "Kafka<Json<OrderEvent<'buf>>>"),
            ("Raw<&[u8]>", "Raw<&'buf [u8]>"),
            ("Pair<&'static str, u64>", "Pair<&'static str, u64>"),
            ("(&str, Cow<'_, str>)", "(&'buf str, Cow<'buf, str>)"),
        ] {
            let ty: Type = syn::parse_str(ty).unwrap();
            assert_eq!(crate::text::of(with_lifetime(&ty, "buf")), named);
        }
    }
}

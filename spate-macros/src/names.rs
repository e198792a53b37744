//! Names: what the user may have meant, and names for generated things that clash with nothing.
//!
//! Pure. Generated items and type parameters have no hygiene on stable, so a generated name is
//! free only if the user's module does not contain it as a token.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::format_ident;

/// The candidate nearest to `word`, if one is near enough to have been meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let within = if word.chars().count() < 5 { 1 } else { 2 };
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= within)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Edits from `a` to `b`: insertions, deletions, replacements, swapped neighbours.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let replaced = at(&last, j) + usize::from(x != y);
            let mut best = replaced.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

/// `did you mean `x`?`, or what there is to choose from.
pub(crate) fn suggestion(word: &str, candidates: &[String], what: &str) -> String {
    if let Some(near) = nearest(word, candidates.iter().map(String::as_str)) {
        return format!("did you mean `{near}`?");
    }
    let all: Vec<String> = candidates.iter().map(|name| format!("`{name}`")).collect();
    if all.is_empty() {
        format!("there is no {what}")
    } else {
        format!("{what}: {}", all.join(", "))
    }
}

/// Every identifier among `tokens`, at any depth.
pub(crate) fn collect(tokens: TokenStream, into: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(plain(&ident));
            }
            TokenTree::Group(group) => collect(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Every name behind `fn` or `macro_rules!` among `tokens`, at any depth.
pub(crate) fn functions(tokens: TokenStream, into: &mut BTreeSet<String>) {
    let mut named = false;
    for token in tokens {
        named = match token {
            TokenTree::Ident(ident) if named => {
                into.insert(plain(&ident));
                false
            }
            TokenTree::Ident(ident) => ident == "fn" || ident == "macro_rules",
            TokenTree::Punct(punct) => named && punct.as_char() == '!',
            TokenTree::Group(group) => {
                functions(group.stream(), into);
                false
            }
            TokenTree::Literal(_) => false,
        };
    }
}

/// An identifier's text without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#")
        .map_or_else(|| text.clone(), str::to_owned)
}

/// Gives names that are not taken, and takes them.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Names beside those in `taken`.
    pub(crate) fn beside(taken: BTreeSet<String>) -> Self {
        Self { taken }
    }

    /// `wanted`, or with a number behind it if that is taken.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let numbered = (2_u32..).map(|number| {
            let gap = if wanted.ends_with(|c: char| c.is_ascii_digit() || c.is_lowercase())
                && !wanted.contains('_')
                && wanted.starts_with(char::is_uppercase)
            {
                ""
            } else {
                "_"
            };
            format!("{wanted}{gap}{number}")
        });
        let name = std::iter::once(wanted.to_owned())
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// The same as an identifier.
    pub(crate) fn ident(&mut self, wanted: &str) -> Ident {
        let name = self.fresh(wanted);
        format_ident!("{}", name, span = proc_macro2::Span::mixed_site())
    }
}

/// `in_stock`, `Kind::Placed` or `orders-v1` as words: lower case, `_` between them.
pub(crate) fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut lower_before = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && lower_before {
                out.push('_');
            }
            lower_before = c.is_ascii_lowercase() || c.is_ascii_digit();
            out.push(c.to_ascii_lowercase());
        } else {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            lower_before = false;
        }
    }
    let trimmed = out.trim_matches('_');
    match trimmed.chars().next() {
        None => "x".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{trimmed}"),
        Some(_) => trimmed.to_owned(),
    }
}

/// `in_stock` as a constant's name.
pub(crate) fn constant(text: &str) -> String {
    snake(text).to_ascii_uppercase()
}

/// `order_lines` as a type's name.
pub(crate) fn camel(text: &str) -> String {
    snake(text)
        .split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_ascii_uppercase().to_string() + letters.as_str()
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_a_stranger_does_not() {
        let names = ["shipments", "orders", "lines"];
        assert_eq!(nearest("shipmnts", names), Some("shipments"));
        assert_eq!(nearest("ordres", names), Some("orders"));
        assert_eq!(nearest("line", names), Some("lines"));
        assert_eq!(nearest("customers", names), None);
    }

    #[test]
    fn words_become_constants_and_types() {
        for (text, snake_case, camel_case) in [
            ("in_stock", "in_stock", "InStock"),
            ("Kind::Placed", "kind_placed", "KindPlaced"),
            ("orders-v1", "orders_v1", "OrdersV1"),
            ("3rd", "n3rd", "N3rd"),
            ("ÄÖ", "x", "X"),
        ] {
            assert_eq!(snake(text), snake_case);
            assert_eq!(camel(text), camel_case);
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let mut names = Names::beside(["Ports".to_owned()].into());
        assert_eq!(names.fresh("Ports"), "Ports2");
        assert_eq!(names.fresh("filter"), "filter");
        assert_eq!(names.fresh("filter"), "filter_2");
        assert_eq!(names.fresh("IN_STOCK"), "IN_STOCK");
        assert_eq!(names.fresh("IN_STOCK"), "IN_STOCK_2");
    }
}

//! What a body says, token by token: what the scanning rules share.
//!
//! Only the operators that a chain calls are looked at: functions of the module and closures, never
//! what they call in turn. A rule names calls, by their last words or by their whole path; whether
//! `fs::read` is the standard library's is read off the module's imports, and a name that the
//! module declares itself is the user's own.
//!
//! ```text
//! looked into                          passed over
//! ----------------------------------   --------------------------------------------------------
//! calls, methods, blocks, closures     items in the body: fn, impl, const, static, use, ..
//! the macros of the standard library   other macros: their tokens mean what they make of them
//!                                      attributes, and a statement under `#[cfg]`
//! ```

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{Attribute, ReturnType, Type};

use crate::ast::Scope;
use crate::ast::item::Allow;
use crate::model::{Called, Function, Kind, Operator, Pipeline};
use crate::names;
use crate::report::Report;

/// An operator that some chain calls.
pub(super) struct Scanned<'a> {
    /// Its name in messages, with its backticks.
    pub(super) name: String,
    /// Where its hatch belongs, as a message says it.
    pub(super) place: String,
    /// Where findings about the whole of it point.
    pub(super) span: Span,
    pub(super) allow: Allow,
    pub(super) returns: Option<&'a Type>,
    /// Whether it is a closure.
    pub(super) closure: bool,
    /// The kinds of the stages that call it; `None` for the key function of a split.
    pub(super) kinds: Vec<Option<Kind>>,
    body: TokenStream,
    cfgs: Vec<Attribute>,
}

/// One call in a body.
pub(super) enum Call<'a> {
    /// `.name(args)`
    Method {
        name: &'a Ident,
        /// Between `::<` and `>`.
        types: Vec<String>,
        args: &'a TokenStream,
        /// Whether a `?` stands behind it.
        questioned: bool,
    },
    /// `a::b`, called or not.
    Path { last: &'a Ident, path: Path<'a> },
    /// `name!(args)`
    Macro { name: &'a Ident, args: &'a TokenStream },
}

/// A path as written, and the module it is written in.
pub(super) struct Path<'a> {
    text: String,
    scope: &'a Scope,
}

/// Whether to look into a call's arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Into {
    Arguments,
    Nothing,
}

/// Every operator that a chain calls, each function once.
pub(super) fn operators(pipeline: &Pipeline) -> Vec<Scanned<'_>> {
    let mut found: Vec<Scanned<'_>> = pipeline
        .functions
        .iter()
        .filter_map(|function| of_function(pipeline, function))
        .collect();
    found.extend(pipeline.calls().filter_map(of_closure));
    found
}

fn of_function<'a>(pipeline: &'a Pipeline, function: &'a Function) -> Option<Scanned<'a>> {
    let calls: Vec<Called<'_>> = pipeline
        .calls()
        .filter(|called| {
            pipeline
                .function(called.operator)
                .is_some_and(|called| std::ptr::eq(called, function))
        })
        .collect();
    let first = calls.first()?;
    let mut cfgs = function.cfgs.clone();
    // Called under a `cfg` only, it is an operator under that `cfg` only.
    if calls.iter().all(|called| !called.cfgs.is_empty()) {
        cfgs.extend_from_slice(first.cfgs);
    }
    Some(Scanned {
        name: format!("`{}`", function.ident),
        place: format!("on `{}`", function.ident),
        span: function.ident.span(),
        allow: function.options.allow,
        returns: function.returns(),
        closure: false,
        kinds: calls.iter().map(|called| called.kind).collect(),
        body: function.block.to_token_stream(),
        cfgs,
    })
}

fn of_closure(called: Called<'_>) -> Option<Scanned<'_>> {
    let Operator::Closure(closure, options) = called.operator else { return None };
    Some(Scanned {
        name: "this closure".to_owned(),
        place: "in front of the closure".to_owned(),
        span: called.operator.span(),
        allow: options.allow,
        returns: match &closure.output {
            ReturnType::Type(_, ty) => Some(ty),
            ReturnType::Default => None,
        },
        closure: true,
        kinds: vec![called.kind],
        body: closure.body.to_token_stream(),
        cfgs: called.cfgs.to_vec(),
    })
}

impl Scanned<'_> {
    /// Shows `visit` every call of the body, in order, and reports under the operator's `cfg`s.
    pub(super) fn each(
        &self,
        scope: &Scope,
        report: &mut Report,
        mut visit: impl FnMut(&Call<'_>, &mut Report) -> Into,
    ) {
        let report = &mut *report.within(&self.cfgs);
        walk(self.body.clone(), scope, &mut |call| visit(call, report));
    }

    /// All of it.
    pub(super) fn body(&self) -> &TokenStream {
        &self.body
    }

    /// Reports under the operator's `cfg`s.
    pub(super) fn within<'r>(&self, report: &'r mut Report) -> crate::report::Within<'r> {
        report.within(&self.cfgs)
    }

    /// How a help ends: what lets the body through as it is.
    pub(super) fn hatch(&self, word: &str) -> String {
        format!("put `#[op(allow({word}))]` {}", self.place)
    }
}

impl Path<'_> {
    /// Whether this is `whole`, such as `std::fs::read`, or its end where nothing says otherwise.
    ///
    /// A single name counts only if the module imports it from there.
    pub(super) fn is(&self, whole: &str) -> bool {
        let (first, rest) = match self.text.split_once("::") {
            Some((first, rest)) => (first, Some(rest)),
            None => (self.text.as_str(), None),
        };
        let imported = self
            .scope
            .imports
            .iter()
            .find(|path| path.rsplit("::").next() == Some(first));
        if let Some(from) = imported {
            let full = rest.map_or_else(|| from.clone(), |rest| format!("{from}::{rest}"));
            return same(&full, whole);
        }
        if self.scope.declares(first) {
            return false;
        }
        self.text == whole || (rest.is_some() && whole.ends_with(&format!("::{}", self.text)))
    }

    /// Its last two words, as a message names it.
    pub(super) fn short(&self) -> String {
        let words: Vec<&str> = self.text.split("::").collect();
        words
            .get(words.len().saturating_sub(2)..)
            .unwrap_or_default()
            .join("::")
    }
}

/// `std`, `core` and `alloc` are one library here.
fn same(path: &str, whole: &str) -> bool {
    let bare = |path: &str| {
        let (first, rest) = path.split_once("::").unwrap_or(("", ""));
        match first {
            "core" | "alloc" => format!("std::{rest}"),
            _ => path.to_owned(),
        }
    };
    bare(path) == bare(whole)
}

/// Macros of the standard library whose tokens are expressions.
const EXPRESSIONS: [&str; 17] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Words that begin an item, whose body is another's.
const ITEMS: [&str; 9] =
    ["fn", "impl", "trait", "mod", "struct", "enum", "union", "use", "macro_rules"];

fn walk(tokens: TokenStream, scope: &Scope, visit: &mut dyn FnMut(&Call<'_>) -> Into) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at = match token {
            TokenTree::Group(group) => {
                walk(group.stream(), scope, visit);
                at + 1
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => at + 2,
            TokenTree::Punct(punct) if punct.as_char() == '#' => past_attribute(&tokens, at),
            TokenTree::Punct(_) | TokenTree::Literal(_) => at + 1,
            TokenTree::Ident(word) => match past_item(&tokens, at, word) {
                Some(past) => past,
                None if is_behind_dot(&tokens, at) => method(&tokens, at, word, scope, visit),
                None => path(&tokens, at, scope, visit),
            },
        };
    }
}

/// Past an attribute, and past what it governs if that may not exist.
fn past_attribute(tokens: &[TokenTree], at: usize) -> usize {
    let Some(TokenTree::Group(group)) = tokens.get(at + 1) else { return at + 1 };
    let is_cfg =
        matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == "cfg");
    if is_cfg { past_statement(tokens, at + 2) } else { at + 2 }
}

/// Past the next `;` or `,`, or a block.
fn past_statement(tokens: &[TokenTree], from: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => matches!(punct.as_char(), ';' | ','),
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let rest = tokens.get(from..).unwrap_or_default();
    from + rest.iter().position(ends).map_or(rest.len(), |end| end + 1)
}

/// Past an item or a constant that begins with `word`, if one does.
fn past_item(tokens: &[TokenTree], at: usize, word: &Ident) -> Option<usize> {
    let next = tokens.get(at + 1);
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let begins =
        before.is_none_or(|before| !matches!(before, TokenTree::Punct(p) if p.as_char() != ';'));
    let named = matches!(next, Some(TokenTree::Ident(_)));
    if word == "const" || word == "static" {
        return match next {
            Some(TokenTree::Group(_)) => Some(at + 2),
            Some(TokenTree::Ident(_)) if begins => Some(past_statement(tokens, at + 1)),
            _ => None,
        };
    }
    let generic = word == "impl" && matches!(next, Some(TokenTree::Punct(_)));
    let rules = word == "macro_rules" && matches!(next, Some(TokenTree::Punct(_)));
    let item = ITEMS.iter().any(|known| word == known) && begins && (named || generic || rules);
    item.then(|| past_statement(tokens, at + 1))
}

/// Whether one dot stands before: two are a range.
fn is_behind_dot(tokens: &[TokenTree], at: usize) -> bool {
    let dot = |back: usize| {
        let before = at.checked_sub(back).and_then(|at| tokens.get(at));
        matches!(before, Some(TokenTree::Punct(punct)) if punct.as_char() == '.')
    };
    dot(1) && !dot(2)
}

fn method(
    tokens: &[TokenTree],
    at: usize,
    name: &Ident,
    scope: &Scope,
    visit: &mut dyn FnMut(&Call<'_>) -> Into,
) -> usize {
    let (types, next) = turbofish(tokens, at + 1);
    let Some(TokenTree::Group(group)) = tokens.get(next) else { return at + 1 };
    if group.delimiter() != Delimiter::Parenthesis {
        return at + 1;
    }
    let questioned =
        matches!(tokens.get(next + 1), Some(TokenTree::Punct(p)) if p.as_char() == '?');
    let args = group.stream();
    if visit(&Call::Method { name, types, args: &args, questioned }) == Into::Arguments {
        walk(args, scope, visit);
    }
    next + 1
}

fn path(
    tokens: &[TokenTree],
    mut at: usize,
    scope: &Scope,
    visit: &mut dyn FnMut(&Call<'_>) -> Into,
) -> usize {
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        words.push(names::plain(word));
        last = Some(word);
        at += 1;
        let (types, next) = turbofish(tokens, at);
        if !types.is_empty() {
            at = next;
        }
        if !is_double_colon(tokens, at) {
            break;
        }
        at += 2;
    }
    let Some(last) = last else { return at + 1 };
    let bang = matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == '!');
    if bang && let Some(TokenTree::Group(group)) = tokens.get(at + 1) {
        let args = group.stream();
        let known = EXPRESSIONS.iter().any(|name| last == name);
        if visit(&Call::Macro { name: last, args: &args }) == Into::Arguments && known {
            walk(args, scope, visit);
        }
        return at + 2;
    }
    let into = visit(&Call::Path { last, path: Path { text: words.join("::"), scope } });
    match tokens.get(at) {
        Some(TokenTree::Group(group)) if into == Into::Nothing => {
            at + usize::from(group.delimiter() == Delimiter::Parenthesis)
        }
        _ => at,
    }
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    colon(at) && colon(at + 1)
}

/// The words in `::<..>` at `at`, and what stands behind it.
fn turbofish(tokens: &[TokenTree], at: usize) -> (Vec<String>, usize) {
    let punct = |at: usize| match tokens.get(at) {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    };
    if !is_double_colon(tokens, at) || punct(at + 2) != Some('<') {
        return (Vec::new(), at);
    }
    let (mut depth, mut next, mut words) = (1_usize, at + 3, Vec::new());
    while let Some(token) = tokens.get(next) {
        match token {
            TokenTree::Punct(p) if p.as_char() == '<' => depth += 1,
            // The `>` of an arrow closes nothing.
            TokenTree::Punct(p) if p.as_char() == '>' && punct(next - 1) != Some('-') => {
                depth -= 1;
            }
            TokenTree::Ident(word) => words.push(names::plain(word)),
            _ => {}
        }
        next += 1;
        if depth == 0 {
            break;
        }
    }
    words.push(String::new());
    (words, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a body calls, as `.method`, `a::path` and `macro!`.
    fn calls(body: &str) -> Vec<String> {
        let mut found = Vec::new();
        let scope = Scope::default();
        walk(body.parse().unwrap(), &scope, &mut |call| {
            found.push(match call {
                Call::Method { name, .. } => format!(".{name}"),
                Call::Path { path, .. } => path.text.clone(),
                Call::Macro { name, .. } => format!("{name}!"),
            });
            Into::Arguments
        });
        found
    }

    #[test]
    fn calls_are_seen_where_they_are_and_nowhere_else() {
        for (body, seen) in [
            ("a.b(c.d())", &["a", ".b", "c", ".d"][..]),
            ("x.field + 0..y()", &["x", "y"]),
            ("a::b::<C>::d(e)", &["a::b::d", "e"]),
            ("s.iter().collect::<Vec<_>>()", &["s", ".iter", ".collect"]),
            ("format!(\"{}\", a.b())", &["format!", "a", ".b"]),
            ("mine!(a.unwrap())", &["mine!"]),
            ("\"x.unwrap()\" /* x.unwrap() */", &[]),
            ("fn f() { a.unwrap() } b", &["b"]),
            ("impl T for X { fn f() { a.unwrap() } } b", &["b"]),
            ("const N: u64 = a.unwrap(); b", &["b"]),
            ("const { a.unwrap() }; b", &["b"]),
            ("#[cfg(x)] a.unwrap(); b", &["b"]),
            ("#[inline] |x| x", &["x", "x"]),
            ("'a: loop { break 'a }", &["loop", "break"]),
            ("macro_rules! m { () => { a.unwrap() } } b", &["b"]),
        ] {
            assert_eq!(calls(body), seen, "in {body}");
        }
    }

    #[test]
    fn a_path_is_what_the_module_says_it_is() {
        let scope: Scope = Scope {
            names: vec![quote::format_ident!("fs"), quote::format_ident!("read")],
            imports: vec!["std::thread".to_owned(), "core::time".to_owned()],
            ..Scope::default()
        };
        let is = |text: &str, whole: &str| Path { text: text.to_owned(), scope: &scope }.is(whole);
        assert!(is("std::fs::read", "std::fs::read"));
        assert!(is("thread::sleep", "std::thread::sleep"));
        assert!(is("net::TcpStream::connect", "std::net::TcpStream::connect"));
        assert!(!is("fs::read", "std::fs::read"), "the module's own");
        assert!(!is("sleep", "std::thread::sleep"), "not imported");
        assert!(!is("mine::thread::sleep", "std::thread::sleep"));
    }
}

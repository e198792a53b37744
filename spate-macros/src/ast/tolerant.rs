//! Reads what can be read of a chain that is no Rust: someone is typing it.
//!
//! Pure. Used only where the block as a whole does not parse. Statements are read one by one, a
//! `match` arm by arm; what does not parse is one finding and a gap, and the rest keeps its
//! meaning. A dot with no name behind it gets the name [`MISSING`], and so do arguments that do not
//! parse: the path they stand in is whole again.
//!
//! ```text
//! let placed = events.decode().or_skip().;     a gap behind `or_skip()`, the stream is bound
//! placed.map(|e|).to(lines);                   a gap in the brackets, the path still ends
//! match placed.split_on(|e| e.kind) { A => placed.to(lines), B => , C => .. }   arm B is a gap
//! ```

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Block, Expr, Token};

use super::chain::{ArmAst, Body, MatchAst, PathAst, Statement};
use crate::check::{P005, P066};
use crate::report::Report;

/// The name behind a dot that has none.
pub(crate) const MISSING: &str = "__spate_missing";

/// Reads the statements of a block that does not parse as a whole; `error` is why.
pub(super) fn body(tokens: TokenStream, error: &syn::Error, report: &mut Report) -> Body {
    let before = report.len();
    let mended = mended(tokens, report);
    let statements: Vec<Statement> = runs(mended)
        .into_iter()
        .flat_map(|run| statements(run, report))
        .collect();
    if report.len() == before {
        // Read in parts nothing is wrong with it; what is wrong stands between the parts.
        cannot_be_read(error, "chain", None, report);
    }
    Body { statements }
}

/// Reports what a part of the chain cannot be read for; `last` is its last token, which an error
/// at the part's end points at.
fn cannot_be_read(error: &syn::Error, what: &str, last: Option<&TokenTree>, report: &mut Report) {
    let text = error.to_string();
    let at_end = text.starts_with("unexpected end of input");
    let span = last
        .filter(|_| at_end)
        .map_or_else(|| error.span(), TokenTree::span);
    report.push_with(
        span,
        &P066,
        format!("this {what} cannot be read: {text}"),
        "a chain is made of `let name = path;`, paths that end, and `match` on a split",
    );
}

/// The tokens, with a name behind every dot that has none, and [`MISSING`] in the place of
/// arguments that do not parse; reports each.
fn mended(tokens: TokenStream, report: &mut Report) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut is_call = false;
    while let Some(token) = tokens.next() {
        let behind_dot = is_call;
        is_call = false;
        match token {
            TokenTree::Group(group) => {
                let inside = mended(group.stream(), report);
                out.extend([rebuilt(&group, inside)]);
            }
            TokenTree::Punct(dot) if dot.as_char() == '.' => {
                let span = dot.span();
                let is_range = dot.spacing() == Spacing::Joint
                    && tokens.peek().is_some_and(|next| is_punct(next, '.'));
                out.extend([TokenTree::Punct(dot)]);
                if is_range {
                    out.extend(tokens.next());
                    continue;
                }
                is_call = true;
                let named =
                    matches!(tokens.peek(), Some(TokenTree::Ident(_) | TokenTree::Literal(_)));
                if !named {
                    report.push_with(
                        span,
                        &P005,
                        "nothing stands behind this dot",
                        "write the name of a stage, or remove the dot",
                    );
                    out.extend([TokenTree::Ident(Ident::new(MISSING, span))]);
                }
            }
            TokenTree::Ident(name) => {
                out.extend([TokenTree::Ident(name)]);
                let Some(TokenTree::Group(args)) = tokens.next_if(|next| {
                    behind_dot
                        && matches!(next, TokenTree::Group(group)
                            if group.delimiter() == Delimiter::Parenthesis)
                }) else {
                    continue;
                };
                out.extend([arguments(&args, report)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// The brackets behind a stage, with [`MISSING`] in them if they cannot be read.
fn arguments(args: &Group, report: &mut Report) -> TokenTree {
    let inside = mended(args.stream(), report);
    let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
    let Err(error) = parse.parse2(inside.clone()) else { return rebuilt(args, inside) };
    let last = inside.into_iter().last();
    cannot_be_read(&error, "argument", last.as_ref(), report);
    rebuilt(args, Ident::new(MISSING, args.span_open()).into_token_stream())
}

fn rebuilt(group: &Group, inside: TokenStream) -> TokenTree {
    let mut rebuilt = Group::new(group.delimiter(), inside);
    rebuilt.set_span(group.span());
    TokenTree::Group(rebuilt)
}

/// The tokens of each statement: up to its `;`, or to the braces of its `match`.
fn runs(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut runs = vec![Vec::new()];
    for token in tokens {
        let Some(run) = runs.last_mut() else { break };
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => {
                let is_match =
                    matches!(run.first(), Some(TokenTree::Ident(word)) if word == "match");
                group.delimiter() == Delimiter::Brace && is_match
            }
            _ => false,
        };
        run.push(token);
        if ends {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| {
        // A `;` alone stands behind the braces of a `match`.
        !matches!(run.as_slice(), [] | [TokenTree::Punct(_)])
    });
    runs
}

fn statements(run: Vec<TokenTree>, report: &mut Report) -> Vec<Statement> {
    let tokens: TokenStream = run.iter().cloned().collect();
    match Block::parse_within.parse2(tokens) {
        Ok(stmts) => Body::read(stmts, report).statements,
        Err(error) => {
            if let Some(statements) = split(&run, report) {
                return statements;
            }
            cannot_be_read(&error, "statement", run.last(), report);
            vec![match bound(&run) {
                Some(names) => Statement::Unread { names },
                None => Statement::Broken,
            }]
        }
    }
}

/// The names that `let name =` or `let (a, b) =` binds.
fn bound(run: &[TokenTree]) -> Option<Vec<Ident>> {
    match run {
        [TokenTree::Ident(word), TokenTree::Ident(name), ..] if word == "let" => {
            Some(vec![name.clone()])
        }
        [TokenTree::Ident(word), TokenTree::Group(names), ..] if word == "let" => {
            let names = names.stream().into_iter().filter_map(|token| match token {
                TokenTree::Ident(name) => Some(name),
                _ => None,
            });
            Some(names.collect())
        }
        _ => None,
    }
}

/// A `match` whose head can be read, arm by arm; with a gap where an arm is lost.
fn split(run: &[TokenTree], report: &mut Report) -> Option<Vec<Statement>> {
    let [TokenTree::Ident(word), head @ .., TokenTree::Group(arms)] = run else { return None };
    if word != "match" || arms.delimiter() != Delimiter::Brace {
        return None;
    }
    let head: TokenStream = head.iter().cloned().collect();
    let path = PathAst::read(syn::parse2::<Expr>(head).ok()?, report)?;
    let (arms, lost) = arms_of(arms.stream(), report);
    let split = Statement::Match(MatchAst { token: Token![match](word.span()), path, arms });
    Some(if lost { vec![split, Statement::Broken] } else { vec![split] })
}

/// The arms that can be read, and whether one could not.
fn arms_of(tokens: TokenStream, report: &mut Report) -> (Vec<ArmAst>, bool) {
    let mut arms = Vec::new();
    let mut lost = false;
    let mut tokens = tokens.into_iter().peekable();
    while tokens.peek().is_some() {
        let mut pattern: Vec<TokenTree> = Vec::new();
        let mut arrow = None;
        while let Some(token) = tokens.next() {
            if is_punct(&token, '=') && tokens.peek().is_some_and(|next| is_punct(next, '>')) {
                arrow = tokens.next().map(|token| token.span());
                break;
            }
            pattern.push(token);
        }
        let braced = matches!(
            tokens.peek(),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace
        );
        let mut body: Vec<TokenTree> = Vec::new();
        while let Some(token) = tokens.next_if(|token| !is_punct(token, ',')) {
            body.push(token);
            if braced {
                break;
            }
        }
        tokens.next_if(|token| is_punct(token, ','));
        let read = arm(pattern, arrow, body, report);
        lost |= read.is_none();
        arms.extend(read);
    }
    (arms, lost)
}

fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// One arm; `None` if its pattern cannot be read.
fn arm(
    pattern: Vec<TokenTree>,
    arrow: Option<Span>,
    body: Vec<TokenTree>,
    report: &mut Report,
) -> Option<ArmAst> {
    let last = pattern.last().map_or_else(Span::call_site, TokenTree::span);
    let body_span = body
        .first()
        .map_or_else(|| arrow.unwrap_or(last), TokenTree::span);
    let body_end = body.last().map_or(body_span, TokenTree::span);
    let body: TokenStream = body.into_iter().collect();
    let written: TokenStream = pattern.into_iter().collect();
    // With a body that parses for sure, rustc's own grammar reads attributes, pattern and guard.
    match syn::parse2::<syn::Arm>(quote::quote!(#written => ())) {
        Ok(mut arm) => {
            if let Ok(expr) = syn::parse2::<Expr>(body.clone()) {
                arm.body = Box::new(expr);
                let arm = ArmAst::read(arm, report);
                return Some(ArmAst { body_span, body_end, ..arm });
            }
            let mut arm = ArmAst::read(arm, report);
            let statements = if body.is_empty() {
                report.push_with(
                    body_span,
                    &P066,
                    "an arm without a path",
                    "write what its records do",
                );
                vec![Statement::Broken]
            } else {
                let inside = match body.clone().into_iter().next() {
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                        group.stream()
                    }
                    _ => body,
                };
                runs(inside)
                    .into_iter()
                    .flat_map(|run| statements(run, report))
                    .collect()
            };
            arm.body = Body { statements };
            Some(ArmAst { body_span, body_end, ..arm })
        }
        Err(error) => {
            cannot_be_read(&error, "arm", None, report);
            None
        }
    }
}

//! Whatever the tokens are, the macro answers, the same each time, and an answer without an error is
//! Rust (INV-M4).

#![no_main]
#![allow(dead_code, unreachable_pub, clippy::all, reason = "the macro crate, taken in as it is")]

include!(concat!(env!("OUT_DIR"), "/macros.rs"));

use libfuzzer_sys::{Corpus, fuzz_target};
use proc_macro2::{Delimiter, TokenTree};

/// A compiler that hands tokens to a macro has read them, and its reader ends somewhere too.
const DEPTH: usize = 64;

fuzz_target!(|text: &str| -> Corpus {
    let Ok(tokens) = text.parse::<TokenStream>() else { return Corpus::Reject };
    if depth(&tokens) > DEPTH {
        return Corpus::Reject;
    }
    let mut modules = Vec::new();
    find(&tokens, &mut modules);
    if modules.is_empty() {
        modules.push((TokenStream::new(), quote::quote!(mod orders { #tokens })));
    }
    for (args, module) in modules {
        let answer = run(args.clone(), module.clone()).to_string();
        assert!(
            answer.contains("compile_error") || syn::parse_str::<syn::File>(&answer).is_ok(),
            "neither Rust nor an error: {answer}"
        );
        assert_eq!(answer, run(args, module).to_string(), "another answer the second time");
    }
    drop(row::derive(tokens));
    Corpus::Keep
});

fn depth(tokens: &TokenStream) -> usize {
    let of = |token| match token {
        TokenTree::Group(group) => 1 + depth(&group.stream()),
        _ => 0,
    };
    tokens.clone().into_iter().map(of).max().unwrap_or_default()
}

/// Every `mod name { .. }`, with what stands in the brackets of an attribute in front of it.
fn find(tokens: &TokenStream, into: &mut Vec<(TokenStream, TokenStream)>) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, window) in tokens.windows(3).enumerate() {
        let [TokenTree::Ident(word), TokenTree::Ident(_), TokenTree::Group(body)] = window else {
            continue;
        };
        if word != "mod" || body.delimiter() != Delimiter::Brace {
            continue;
        }
        let attribute = at.checked_sub(1).and_then(|at| tokens.get(at));
        let args = match attribute {
            Some(TokenTree::Group(group)) => match group.stream().into_iter().nth(1) {
                Some(TokenTree::Group(args)) => args.stream(),
                _ => TokenStream::new(),
            },
            _ => TokenStream::new(),
        };
        into.push((args, window.iter().cloned().collect()));
    }
}

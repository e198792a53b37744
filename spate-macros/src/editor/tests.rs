//! While someone types: one finding for what is unfinished, and the rest keeps its meaning.

#![expect(clippy::expect_used, reason = "a test may fail where it stands")]

use proc_macro2::TokenStream;
use quote::quote;

use crate::run;
use crate::tests::{ORDERS, module_of};

/// What stands in the example, what someone has typed instead, what the one finding says, and
/// what an editor must still see.
const TYPING: [(&str, &str, &str, &str); 18] = [
    // Half a stage.
    (".filter(first_time)", ".fil", "`.fil` has no brackets", "(in_stock) . fil ;"),
    (".filter(in_stock).", ".filt.", "`.filt` has no brackets", ". filt . filter"),
    (".filter(in_stock)", ".filtr(in_stock)", "no stage named `filtr`", ". filtr (in_stock)"),
    (".filter(in_stock)", ".filter()", "`filter` takes one operator", ". filter ()"),
    (
        "placed.map(refund).to",
        "placed.ma.to",
        "`.ma` has no brackets",
        "placed . ma . to (refunds)",
    ),
    // A dot and nothing.
    (".filter(first_time);", ".;", "nothing stands behind this dot", "filter (in_stock) ;"),
    (".filter(in_stock)", ". ", "nothing stands behind this dot", "or_to (rejects)"),
    (".to(refunds)", ".", "nothing stands behind this dot", "placed . map (refund)"),
    (".to(lines),", ".to(lines).,", "nothing stands behind this dot", "to (lines)"),
    // Half an operator.
    ("|e| e.kind", "|e| e.", "nothing stands behind this dot", "split_on"),
    (
        "|e| e.kind",
        "|e|",
        "this argument cannot be read",
        "split_on () { Kind :: Placed => { placed",
    ),
    ("map(refund)", "map(|e: |)", "this argument cannot be read", "map () . to (refunds)"),
    ("try_map(price)", "try_map()", "`try_map` takes one operator", "try_map () . or_skip ()"),
    // Half a sink, half an end.
    (".to(lines)", ".to(lin)", "sink `lin` is not declared", ". to (lin)"),
    (".to(lines)", ".to()", "`to` takes the name of a sink", ". to ()"),
    (".or_to(rejects)", ".or_to()", "`or_to` takes the name of a sink", ". or_to () . filter"),
    // Half an arm, half a statement.
    ("placed.discard(\"heartbeat\")", "", "an arm without a path", "refund"),
    ("let placed = events", "let placed = events events", "cannot be read", "to (refunds)"),
];

/// The answer of the macro as an editor gets it.
fn typed(from: &str, to: &str) -> String {
    let chain = ORDERS.find("chain!(").expect("the example has a chain");
    let (before, chain) = ORDERS.split_at(chain);
    let end = chain.find("});").expect("the chain ends") + "});".len();
    let (chain, after) = chain.split_at(end);
    // What rustfmt has laid out over several lines counts as one.
    let chain: String = chain.lines().map(str::trim).collect();
    assert!(chain.contains(from), "the example's chain has no `{from}` in {chain}");
    let (_, module) = module_of(&format!("{before}{}{after}", chain.replacen(from, to, 1)));
    run(quote!(__editor), module).to_string()
}

/// Holds INV-M4.
#[test]
fn what_is_unfinished_is_one_finding_and_the_rest_keeps_its_meaning() {
    let mut wrong = Vec::new();
    for (from, to, message, seen) in TYPING {
        let text = typed(from, to);
        let findings = text.matches("compile_error").count();
        let skeleton = text.find("fn chain <").map_or("", |begins| &text[begins..]);
        if findings != 1 || !text.contains(message) || !skeleton.contains(seen) {
            let told: Vec<&str> = text.split("compile_error").skip(1).collect();
            wrong.push(format!("`{from}` -> `{to}`: {findings} findings: {told:#?}\n{skeleton}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_build_sees_nothing_of_what_an_editor_sees() {
    let (args, module) = module_of(ORDERS);
    let built = run(args.clone(), module.clone()).to_string();
    let edited = run(quote!(#args, __editor), module).to_string();
    assert!(!super::asks(), "a test is no language server");
    assert!(!built.contains("editor"), "{built}");
    assert!(edited.contains(":: editor :: source"), "{edited}");
}

#[test]
fn the_option_of_these_tests_is_not_told() {
    let (_, module) = module_of(ORDERS);
    let text = run(quote!(confg = "orders.yaml"), module.clone()).to_string();
    assert!(text.contains("did you mean `config`?"), "{text}");
    let text: TokenStream = run(quote!(nothing), module);
    assert!(!text.to_string().contains("__editor"), "{text}");
}

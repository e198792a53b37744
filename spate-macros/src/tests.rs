//! The macro as a whole, on tokens: it never panics, and what it writes reads like a loop.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use proptest::prelude::*;

use crate::{expand, expanded, record, row, run};

/// The example: what `golden/orders.expanded.rs` is made of.
pub(crate) const ORDERS: &str = include_str!("../../examples/src/bin/orders.rs");
const FIXTURES: [&str; 3] = [
    ORDERS,
    include_str!("../../ui-tests/pass/branches.rs"),
    include_str!("../../ui-tests/pass/every-stage.rs"),
];

/// More programs to break: with states, keys, hatches, contracts and `cfg`s.
const PROGRAMS: [&str; 8] = [
    ORDERS,
    include_str!("../../ui-tests/pass/branches.rs"),
    include_str!("../../ui-tests/pass/every-stage.rs"),
    include_str!("../../ui-tests/pass/cfg.rs"),
    include_str!("../../ui-tests/pass/contract.rs"),
    include_str!("../../ui-tests/pass/declarations.rs"),
    include_str!("../../ui-tests/pass/scans.rs"),
    include_str!("../../ui-tests/pass/state-and-keys.rs"),
];

/// The configuration of the example, as it is written there and as it is found from here.
const CONFIG: &str = "\"orders.yaml\"";
const FROM_HERE: &str = "\"../examples/orders.yaml\"";

/// The first `#[pipeline]` module of a file, and what stands in the attribute's brackets.
pub(crate) fn module_of(text: &str) -> (TokenStream, TokenStream) {
    modules_of(text).swap_remove(0)
}

/// All of them.
fn modules_of(text: &str) -> Vec<(TokenStream, TokenStream)> {
    // A test of this package looks for the example's file from here.
    let text = text.replace(CONFIG, FROM_HERE);
    let file = syn::parse_file(&text).unwrap();
    let mut modules = Vec::new();
    for item in file.items {
        let syn::Item::Mod(mut module) = item else { continue };
        let Some(at) = module
            .attrs
            .iter()
            .position(|attribute| attribute.path().is_ident("pipeline"))
        else {
            continue;
        };
        let args = match module.attrs.remove(at).meta {
            syn::Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        modules.push((args, quote::ToTokens::to_token_stream(&module)));
    }
    modules
}

fn expansion(text: &str) -> String {
    let (args, module) = module_of(text);
    expand::format(&run(args, module)).replace(FROM_HERE, CONFIG)
}

/// To write it anew: `SPATE_BLESS=1 cargo test -p spate-macros golden`.
#[test]
fn the_golden_expansion_of_orders_is_what_is_written() {
    let expanded = expansion(ORDERS);
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/orders.expanded.rs");
    if std::env::var_os("SPATE_BLESS").is_some() {
        std::fs::write(golden, &expanded).unwrap();
    }
    let written = std::fs::read_to_string(golden).unwrap();
    assert!(expanded == written, "the expansion changed; look at it with\n{expanded}");
}

/// The example's own test holds what its `GRAPH` prints against the same file.
#[test]
fn the_chains_in_the_documentation_are_what_is_written() {
    let (args, module) = module_of(ORDERS);
    let mut report = crate::report::Report::default();
    let Ok(ast) = crate::ast::read(args, &module, &mut report) else { panic!("it is a module") };
    let (pipeline, _) = crate::lower::lower(ast, &mut report);
    let text = crate::codegen::picture::lines(&pipeline).join("\n") + "\n";
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/orders.chains.txt");
    if std::env::var_os("SPATE_BLESS").is_some() {
        std::fs::write(golden, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(golden).unwrap());
}

/// Holds Shows 4 of the first issue: the loop is one a person would write.
#[test]
fn the_loop_has_no_indirection() {
    for fixture in FIXTURES {
        let expanded = expansion(fixture);
        assert!(!expanded.contains("compile_error"), "{expanded}");
        for word in
            ["dyn ", "Box<", "Box::", "Arc<", "Arc::", "Rc<", ".clone()", "vec!", "collect("]
        {
            assert!(!of_macro(&expanded).contains(word), "`{word}` in\n{expanded}");
        }
        assert!(expanded.contains("'record: {"), "{expanded}");
    }
}

/// What stands behind the user's own items.
fn of_macro(expanded: &str) -> &str {
    let begins = expanded.find("/// The sink `").unwrap();
    &expanded[begins..]
}

/// What `SPATE_EXPAND` writes: whatever was generated, also where a `cfg` may take it away.
#[test]
fn an_expansion_has_a_name_wherever_a_pipeline_was_generated() {
    let of = |chain: &str| {
        let (args, module) = module_of(&format!(
            "#[pipeline] mod orders {{ \
                 use super::*; \
                 #[source] fn events() -> Feed<Plain<Order<'_>>>; \
                 #[sink] fn lines() -> Table<Line<'_>>; \
                 chain!(bill, {{ events.decode().or_skip().map(line).to(lines) }}); \
                 {chain} \
             }}"
        ));
        let (tokens, name) = expanded(args, module);
        let says = tokens.to_string().contains("compile_error");
        (says, name)
    };
    for (chain, says, name) in [
        ("", false, Some("orders")),
        ("#[cfg(odd)] #[sink] fn lost() -> Table<Line<'_>>;", true, Some("orders")),
        ("#[sink] fn lost() -> Table<Line<'_>>;", true, None),
        ("#[cfg(odd)] #[sink] fn lost() -> Table<Line<'_>>; #[sink] fn gone();", true, None),
    ] {
        assert_eq!(of(chain), (says, name.map(str::to_owned)), "{chain}");
    }
}

#[test]
fn only_a_stage_with_a_limit_counts() {
    let with = |limit: &str| {
        expansion(&format!(
            "#[pipeline] mod orders {{ \
                 #[source] fn events() -> Feed<Plain<Order<'_>>>; \
                 #[sink] fn lines() -> Table<Line<'_>>; \
                 {limit} fn copies(order: Order<'_>) -> [Line<'_>; 2] {{ twice(order) }} \
                 chain!(bill, {{ events.decode().or_skip().flat_map(copies).to(lines) }}); \
             }}"
        ))
    };
    let limited = with("#[op(fan_out = MOST)]");
    for part in [
        "const COPIES_FAN_OUT: usize = MOST;",
        "if given == COPIES_FAN_OUT {",
        "return cx.over_fan_out(",
        "fan_out: ::core::option::Option::Some(::spate::__private::FanOut::of(",
        "&[&[COPIES_FAN_OUT]],",
    ] {
        assert!(limited.contains(part), "no `{part}` in\n{limited}");
    }
    let free = with("");
    for word in ["given", "over_fan_out", "FAN_OUT", "FanOut"] {
        assert!(!free.contains(word), "`{word}` in\n{free}");
    }
}

#[test]
fn a_finding_leaves_the_users_items_and_stubs() {
    let (args, module) = module_of(&ORDERS.replace(".to(lines)", ".to(lnes)"));
    let text = run(args, module).to_string();
    assert!(text.contains("sink `lnes` is not declared in `orders` [P002]"), "{text}");
    assert!(text.contains("did you mean `lines`?"), "{text}");
    for kept in ["fn in_stock", "struct Seen", "pub fn main ()", "pub type Config"] {
        assert!(text.contains(kept), "no `{kept}` in {text}");
    }
    assert!(!text.contains("fn push_lines"), "{text}");
}

/// What `benches/build-cost counts` counts the instructions of.
#[inline(never)]
fn expansion_that_is_counted(args: TokenStream, module: TokenStream) -> TokenStream {
    run(args, module)
}

#[test]
fn an_expansion_can_be_counted() {
    let file = std::env::var_os("SPATE_EXPAND_FILE");
    let text =
        file.map_or_else(|| ORDERS.to_owned(), |file| std::fs::read_to_string(file).unwrap());
    let (args, module) = module_of(&text);
    let out = expansion_that_is_counted(args, module).to_string();
    assert!(!out.contains("compile_error"), "{out}");
}

/// What `fuzz/run macro` found, each as it is held by now.
#[test]
fn what_fuzzing_found_is_answered() {
    for module in [
        // A row of several traits stands in brackets behind a `&`.
        "mod orders { #[source] fn events() -> Feed<Plain<Order<'_>>>; #[sink] fn lines() -> \
         Table<Line<'_> +>; chain!(bill, { events.raw().to(lines); }); }",
        "mod orders { #[source] fn events() -> Feed<Plain<Order<'_>>>; #[sink] fn lines() -> \
         Table<dyn A + B>; chain!(bill, { events.raw().to(lines); }); }",
    ] {
        answer(&TokenStream::new(), &module.parse().unwrap()).unwrap();
    }
}

/// Words of the language and of Rust, for tokens that nearly mean something.
const WORDS: [&str; 48] = [
    "events",
    "lines",
    "orders",
    "mod",
    "fn",
    "pub",
    "chain",
    "let",
    "match",
    "decode",
    "filter",
    "map",
    "flat_map",
    "try_map",
    "or_skip",
    "or_stop",
    "or_to",
    "to",
    "discard",
    "tee",
    "split",
    "split_on",
    "named",
    "source",
    "sink",
    "state",
    "op",
    "pipeline",
    "config",
    "crate",
    "self",
    "Self",
    "struct",
    "use",
    "super",
    "Kafka",
    "DeadLetter",
    "async",
    "await",
    "r#type",
    "cfg",
    "any",
    "label",
    "key",
    "impl",
    "Default",
    "if",
    "_",
];

const PUNCTS: [char; 18] =
    ['.', ',', ';', ':', '#', '!', '?', '=', '>', '<', '&', '|', '-', '+', '*', '@', '$', '/'];

fn leaf() -> impl Strategy<Value = TokenTree> {
    prop_oneof![
        4 => prop::sample::select(&WORDS[..]).prop_map(|word| {
            TokenTree::Ident(match word.strip_prefix("r#") {
                Some(raw) => Ident::new_raw(raw, Span::call_site()),
                None => Ident::new(word, Span::call_site()),
            })
        }),
        3 => (prop::sample::select(&PUNCTS[..]), any::<bool>()).prop_map(|(punct, joint)| {
            let spacing = if joint { Spacing::Joint } else { Spacing::Alone };
            TokenTree::Punct(Punct::new(punct, spacing))
        }),
        1 => "[a-z\\-: ]{0,8}".prop_map(|text| TokenTree::Literal(Literal::string(&text))),
        1 => any::<u32>().prop_map(|number| TokenTree::Literal(Literal::u32_unsuffixed(number))),
    ]
}

fn token() -> impl Strategy<Value = TokenTree> {
    leaf().prop_recursive(4, 48, 8, |inner| {
        let delimiter = prop::sample::select(
            &[Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None][..],
        );
        (delimiter, prop::collection::vec(inner, 0..8)).prop_map(|(delimiter, tokens)| {
            TokenTree::Group(Group::new(delimiter, tokens.into_iter().collect()))
        })
    })
}

/// One change to a list of tokens somewhere in a tree.
#[derive(Clone, Debug)]
enum Edit {
    Remove,
    Repeat,
    Swap,
    Put(TokenTree),
    Replace(TokenTree),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => Just(Edit::Remove),
        2 => Just(Edit::Repeat),
        2 => Just(Edit::Swap),
        2 => token().prop_map(Edit::Put),
        3 => token().prop_map(Edit::Replace),
    ]
}

/// Changes the token that is number `at` in reading order.
fn edited(tokens: TokenStream, at: &mut usize, edit: &Edit) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let here = *at == 0;
        *at = at.wrapping_sub(1);
        if here {
            match edit {
                Edit::Remove => {}
                Edit::Repeat => out.extend([token.clone(), token]),
                Edit::Swap => {
                    out.extend(tokens.next());
                    out.push(token);
                }
                Edit::Put(new) => out.extend([new.clone(), token]),
                Edit::Replace(new) => out.push(new.clone()),
            }
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let inside = edited(group.stream(), at, edit);
                out.push(TokenTree::Group(Group::new(group.delimiter(), inside)));
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

fn count(tokens: TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => 1 + count(group.stream()),
            _ => 1,
        })
        .sum()
}

/// How many cases each property is given: `SPATE_MACRO_CASES`, or few enough for every run.
fn config() -> ProptestConfig {
    let asked = std::env::var("SPATE_MACRO_CASES").ok();
    let cases = asked.and_then(|cases| cases.parse().ok()).unwrap_or(400);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// What the macro answers, held against what it always promises.
///
/// The answer is the same the second time; it is Rust with a program in it, or has an error; and
/// every item that is the user's own stands in it as it was written.
fn answer(args: &TokenStream, item: &TokenStream) -> Result<(), TestCaseError> {
    let out = run(args.clone(), item.clone());
    let text = out.to_string();
    prop_assert_eq!(&text, &run(args.clone(), item.clone()).to_string(), "another answer");
    let is_program = || {
        let file = syn::parse2::<syn::File>(out.clone()).ok()?;
        let [syn::Item::Mod(module)] = file.items.as_slice() else { return None };
        let (_, items) = module.content.as_ref()?;
        let main = |item: &syn::Item| matches!(item, syn::Item::Fn(f) if f.sig.ident == "main");
        items.iter().any(main).then_some(())
    };
    prop_assert!(
        text.contains("compile_error") || is_program().is_some(),
        "neither a program nor an error: {}",
        text
    );
    for item in own_items(item) {
        prop_assert!(text.contains(&item), "lost: {}\nin {}", item, text);
    }
    Ok(())
}

/// The texts of the items of a module that are none of ours, or all of it if it is no module.
fn own_items(item: &TokenStream) -> Vec<String> {
    let Ok(module) = syn::parse2::<syn::ItemMod>(item.clone()) else {
        return vec![item.to_string()];
    };
    let Some((_, items)) = module.content else { return Vec::new() };
    let ours = |attrs: &[syn::Attribute]| {
        let words = ["source", "sink", "state", "op", "lookup"];
        attrs
            .iter()
            .any(|attr| words.iter().any(|word| attr.path().is_ident(word)))
    };
    items
        .into_iter()
        .filter(|item| match item {
            syn::Item::Fn(item) => !ours(&item.attrs),
            syn::Item::Struct(item) => !ours(&item.attrs),
            syn::Item::Macro(item) => !item.mac.path.is_ident("chain"),
            syn::Item::Use(_) | syn::Item::Type(_) | syn::Item::ForeignMod(_) => true,
            // What stands on these may be ours, and then it is taken off.
            _ => false,
        })
        .map(|item| quote::ToTokens::to_token_stream(&item).to_string())
        .collect()
}

proptest! {
    #![proptest_config(config())]

    /// Holds INV-M4: whatever the tokens are, the macro answers.
    #[test]
    fn arbitrary_tokens_never_panic(
        args in prop::collection::vec(token(), 0..6),
        item in prop::collection::vec(token(), 0..40),
    ) {
        let (args, item): (TokenStream, TokenStream) =
            (args.into_iter().collect(), item.into_iter().collect());
        answer(&args, &item)?;
        drop(row::derive(item.clone()));
        drop(record::derive(item.clone()));
        drop(record::derive(quote::quote!(enum Event { #item })));
        drop(record::derive(quote::quote!(#[serde(#item)] struct Event { #item })));
        // The same inside of what is a module, and inside of a chain.
        answer(&args, &quote::quote!(mod orders { #item }))?;
        let module = quote::quote! {
            mod orders {
                #[source] fn events() -> Feed<Plain<Order<'_>>>;
                #[sink] fn lines() -> Table<Line<'_>>;
                chain!(bill, { #item });
            }
        };
        answer(&TokenStream::new(), &module)?;
    }

    /// Holds INV-M4: nearly right programs are read whole, and the answer is Rust or an error.
    #[test]
    fn nearly_right_programs_never_panic(
        program in 0..PROGRAMS.len(),
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), edit()), 1..4),
    ) {
        let mut programs = modules_of(PROGRAMS[program]);
        let (args, mut module) = programs.swap_remove(which.index(programs.len()));
        for (at, edit) in edits {
            let mut at = at.index(count(module.clone()));
            module = edited(module, &mut at, &edit);
        }
        answer(&args, &module)?;
    }
}

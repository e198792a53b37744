//! The mistakes a newcomer makes first, and how many lines the compiler needs for one.
//!
//! `SPATE_BLESS=1 cargo test -p spate-docs` writes the fixtures and their answers into the page.

use std::fs;

use crate::errors::{excerpt, names_in, plain};
use crate::markdown::root;

const PAGE: &str = "docs/guide/ten-mistakes.md";
const FIXTURES: &str = "ui-tests/fail";

/// What a newcomer forgets or misspells, and the fixture that does.
const FIRST: [(&str, &str); 10] = [
    ("A policy is forgotten", "p020-decode"),
    ("A sink is misspelt", "p002-typo"),
    ("A record goes into a sink of another row", "p047-other-row"),
    ("A `?` stands in a chain", "p024-question-mark"),
    ("An operator is async", "p030-async-fn"),
    ("A sharded sink has no key", "p045-shards-without-key"),
    ("A sink is declared and not used", "p011-sink"),
    ("A case of a split is forgotten", "p012-missing-variant"),
    ("A key in the YAML is misspelt", "p059-unknown-key"),
    ("A column of the table is missing in the row", "p048-no-field"),
];

/// More lines than this for one mistake are a wall.
const WALL: usize = 15;

/// Fixtures with several mistakes on purpose.
const SEVERAL: [&str; 3] = ["p048-scale", "p048-several-findings", "two-findings"];

/// Where rustc itself says more, how much it says: no more than that.
///
/// An E0004 on the record shows the enum down to the case that is missing: a key is matched within
/// a tuple, which hides its enum, but a record would have to be moved into one. An E0308 of two
/// references says expected and found twice.
const OF_RUSTC: [(&str, usize); 2] =
    [("p012-missing-variant-of-the-record", 16), ("p037-other-record", 16)];

fn answer(fixture: &str) -> String {
    fs::read_to_string(root().join(FIXTURES).join(format!("{fixture}.stderr"))).expect(fixture)
}

#[test]
fn each_of_the_first_mistakes_is_told_in_fewer_than_fifteen_lines() {
    for (mistake, fixture) in FIRST {
        let lines = answer(fixture).lines().count();
        assert!(lines < 15, "{mistake}: {lines} lines in {fixture}.stderr");
    }
}

/// Everything the compiler says is counted, its warnings and its empty lines too.
#[test]
fn no_single_mistake_is_answered_by_a_wall() {
    let walls: Vec<(String, usize)> = names_in(FIXTURES, ".stderr")
        .into_iter()
        .filter(|name| !SEVERAL.contains(&name.as_str()))
        .map(|name| {
            let lines = answer(&name).lines().count();
            (name, lines)
        })
        .filter(|(name, lines)| {
            let known = OF_RUSTC.iter().find(|(known, _)| name == known);
            *lines > known.map_or(WALL, |&(_, lines)| lines)
        })
        .collect();
    assert!(walls.is_empty(), "more than {WALL} lines for one mistake: {walls:?}");
}

#[test]
fn the_page_of_first_mistakes_shows_what_the_compiler_says() {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).unwrap();
    let (head, _) = page
        .split_once("\n## 1 ")
        .expect("the page counts the mistakes");
    let mut fresh = format!("{}\n", head.trim_end());
    for (number, (mistake, fixture)) in FIRST.into_iter().enumerate() {
        let number = number + 1;
        let program = fs::read_to_string(root().join(FIXTURES).join(format!("{fixture}.rs")));
        let program = plain(&excerpt(&program.expect(fixture), fixture.starts_with("p045")));
        let code = fixture.get(..4).unwrap_or_default().to_uppercase();
        fresh.push_str(&format!(
            "\n## {number} {mistake}\n\n```rust,ignore\n{program}```\n\n```text\n{}```\n\n\
             More in [{code}](errors/{code}.md).\n",
            plain(&answer(fixture))
        ));
    }
    if std::env::var_os("SPATE_BLESS").is_some() {
        fs::write(&path, fresh).unwrap();
    } else {
        assert!(
            page == fresh,
            "{PAGE} differs from the fixtures, write it anew with SPATE_BLESS=1"
        );
    }
}

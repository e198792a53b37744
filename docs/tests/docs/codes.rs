//! Every code that a program can show stands on a page of the guide.

use std::collections::BTreeSet;
use std::path::Path;

use crate::markdown::{pages, root};

/// The codes between quotes in the sources under `folder`: `P0xx` and `S0xx`.
pub(crate) fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in folder.read_dir().expect("a folder of the repository") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source is text");
            let between = text.split('"').filter(|quoted| is_code(quoted));
            found.extend(between.map(str::to_owned));
        }
    }
}

fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix(['P', 'S']);
    digits.is_some_and(|digits| digits.len() == 3 && digits.parse::<u16>().is_ok())
}

/// Whether `text` names `code`, by itself or within a range such as `S010 to S027`.
pub(crate) fn names(text: &str, code: &str) -> bool {
    let ranges = text.match_indices(" to ").filter_map(|(at, to)| {
        let (before, after) = (&text[..at], &text[at + to.len()..]);
        let from = before.get(before.len().checked_sub(4)?..)?;
        Some((from, after.get(..4)?))
    });
    let in_range =
        |(from, to): (&str, &str)| is_code(from) && is_code(to) && from <= code && code <= to;
    text.contains(code) || ranges.into_iter().any(in_range)
}

#[test]
fn every_code_is_on_a_page() {
    let mut codes = BTreeSet::new();
    for folder in ["spate", "spate-macros/src", "spate-runtime/src", "connectors"] {
        codes_in(&root().join(folder), &mut codes);
    }
    assert!(codes.len() > 40, "{codes:?}");
    let pages = pages();
    let guide = pages
        .iter()
        .filter(|page| page.path.starts_with("docs/guide"));
    let guide: Vec<&str> = guide.map(|page| page.text.as_str()).collect();
    let missing = codes
        .iter()
        .filter(|code| !guide.iter().any(|text| names(text, code)));
    let missing: Vec<&String> = missing.collect();
    assert!(missing.is_empty(), "no page of the guide names {missing:?}");
}

#[test]
fn a_range_names_what_is_in_it() {
    assert!(names("| S010 to S027 | tables |", "S024"));
    assert!(!names("| S010 to S027 | tables |", "S040"));
    assert!(names("see P001", "P001"));
}

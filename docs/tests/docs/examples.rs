//! The code on the pages is the code of the examples.

use std::path::Path;

use crate::markdown::{Page, pages, root};

/// Which program the code of a page is taken from.
const TAKEN_FROM: [(&str, &str, &str); 5] = [
    ("README.md", "rust", "examples/src/bin/orders.rs"),
    ("docs/guide/first-pipeline.md", "rust", "examples/src/bin/lines.rs"),
    ("docs/guide/language.md", "rust", "docs/tests/docs/accepted.rs"),
    ("docs/guide/testing.md", "rust", "examples/src/bin/orders.rs"),
    ("docs/guide/first-pipeline.md", "yaml", "examples/lines.yaml"),
];

/// The code blocks of `page` in `language`.
fn blocks<'a>(page: &'a Page, language: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = page.text.as_str();
    while let Some((_, after)) = rest.split_once("```") {
        let (head, body) = after.split_once('\n').expect("a fence has a line");
        let (code, after) = body.split_once("```").expect("a fence has an end");
        if head.split(',').next() == Some(language) {
            found.push(code);
        }
        rest = after;
    }
    found
}

/// Whether the lines of `code` come in `program` in their order; `{ .. }` and `..` stand for any.
fn is_taken_from(code: &str, program: &str) -> Result<(), String> {
    let mut lines = program.lines().map(str::trim);
    for line in code.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (begin, end) = line.split_once("{ .. }").unwrap_or((line, ""));
        let whole = begin.len() == line.len();
        let is = |other: &str| {
            if whole { other == line } else { other.starts_with(begin) && other.len() >= end.len() }
        };
        if !lines.any(is) {
            return Err(line.to_owned());
        }
    }
    Ok(())
}

#[test]
fn code_on_pages_is_code_of_programs() {
    let pages = pages();
    for (path, language, program) in TAKEN_FROM {
        let page = pages
            .iter()
            .find(|page| page.path == Path::new(path))
            .unwrap();
        let text = std::fs::read_to_string(root().join(program)).unwrap();
        let blocks = blocks(page, language);
        assert!(!blocks.is_empty(), "{path} has no {language}");
        for block in blocks {
            if let Err(line) = is_taken_from(block, &text) {
                panic!("{path}: `{line}` is not in {program}, or not in this order");
            }
        }
    }
}

#[test]
fn lines_are_looked_for_in_their_order() {
    let program = "use a;\n\nfn b(x: u8) -> u8 {\n    x\n}\nfn c() {}\n";
    assert_eq!(is_taken_from("use a;\nfn b(x: u8) -> u8 { .. }\nfn c() {}", program), Ok(()));
    assert_eq!(is_taken_from("fn c() {}\nuse a;", program), Err("use a;".to_owned()));
    assert_eq!(is_taken_from("fn d() {}", program), Err("fn d() {}".to_owned()));
}

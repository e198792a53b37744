//! Tidy: what no compiler checks. Every check is tested itself, at the end of this file.
//!
//! Reads the checkout, no build products. A check that cries wolf is mended or taken out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the checkout: its path from the root, with `/`, and its text.
struct File {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every text file of the checkout whose name ends so; `target` and what begins with a dot is not.
fn files(ends: &[&str]) -> Vec<File> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with('.') || name == "target" || name == "node_modules" {
                continue;
            }
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if ends.iter().any(|end| name.ends_with(end)) {
                let from_root = path.strip_prefix(root()).unwrap();
                let path = from_root.to_str().unwrap().replace('\\', "/");
                found.push(File { text: fs::read_to_string(entry.path()).unwrap(), path });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(!found.is_empty(), "no file that ends in {ends:?}");
    found
}

/// Rust of ours: no fixtures of the UI tests, no golden files.
fn rust() -> Vec<File> {
    let mut files = files(&[".rs"]);
    files.retain(|file| {
        !["ui-tests/fail/", "ui-tests/pass/", "ui-tests/fixtures/", "spate-macros/golden/"]
            .iter()
            .any(|not| file.path.starts_with(not))
    });
    files
}

fn report(what: &str, broken: Vec<String>) {
    assert!(broken.is_empty(), "{what}:\n  {}", broken.join("\n  "));
}

#[test]
fn every_file_says_what_it_is() {
    let without = rust()
        .into_iter()
        .filter(|file| !file.text.starts_with("//! "));
    report("the first line is no `//!`", without.map(|file| file.path).collect());
}

#[test]
fn nothing_is_left_over() {
    let mut broken = Vec::new();
    for file in files(&[".rs", ".md", ".toml", ".yaml", ".sh", ".py"]) {
        let tidy = file.path == "tests/tests/tidy.rs";
        for (line, text) in left_over(&file.text) {
            if !tidy || text == "a trailing blank" {
                broken.push(format!("{}:{line}: {text}", file.path));
            }
        }
    }
    report("left over", broken);
}

fn left_over(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (line, text) in text.lines().enumerate() {
        if text.ends_with([' ', '\t']) {
            found.push((line + 1, "a trailing blank"));
        }
        if text.contains("dbg!(") {
            found.push((line + 1, "dbg!"));
        }
        if text.contains("FIXME") {
            found.push((line + 1, "FIXME"));
        }
    }
    found
}

/// Words that style bars, as parts of public names.
const BARRED: &[&str] = &["manager", "handler", "process", "info", "do"];

#[test]
fn public_names_use_the_words_of_the_glossary() {
    let mut broken = Vec::new();
    for file in rust().iter().filter(|file| file.path.contains("src/")) {
        for name in public_names(&file.text) {
            if let Some(word) = words(&name)
                .iter()
                .find(|word| BARRED.contains(&word.as_str()))
            {
                broken.push(format!("{}: `{name}` has `{word}` in it", file.path));
            }
        }
    }
    report("words that say nothing", broken);
}

fn public_names(text: &str) -> Vec<String> {
    let kinds = ["fn ", "struct ", "enum ", "trait ", "mod ", "type ", "const "];
    let declared = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub "));
    let names = declared.filter_map(|line| {
        let line = line
            .trim_start_matches("async ")
            .trim_start_matches("unsafe ");
        let line = line
            .strip_prefix("const ")
            .filter(|rest| rest.starts_with("fn "))
            .unwrap_or(line);
        let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// The words of a name in either case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// One invariant as `docs/INVARIANTS.md` defines it.
struct Invariant {
    id: String,
    proofs: Vec<String>,
}

fn defined(text: &str) -> Vec<Invariant> {
    let mut found: Vec<Invariant> = Vec::new();
    for line in text.lines() {
        if line.starts_with("INV-") {
            let id = line.split_whitespace().next().unwrap().to_owned();
            found.push(Invariant { id, proofs: Vec::new() });
        }
        if let Some(proofs) = line.strip_prefix("Proof:")
            && let Some(invariant) = found.last_mut()
        {
            invariant.proofs = proofs
                .split(';')
                .map(|proof| proof.trim().to_owned())
                .collect();
        }
    }
    found
}

/// Every id in `text`.
fn ids(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices("INV-") {
        let rest = &text[at + 4..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let (area, number) = rest[..end].split_at(rest[..end].len().min(1));
        if area.chars().all(|c| c.is_ascii_uppercase())
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
        {
            found.insert(format!("INV-{area}{number}"));
        }
    }
    found
}

/// The ids that tests hold: in `Holds INV-..` of a doc comment, up to its colon or full stop, or as
/// the panic that a test expects.
fn held(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut docs = String::new();
    for line in text.lines().map(str::trim_start).chain([""]) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(' ');
            docs.push_str(doc.trim());
            continue;
        }
        if let Some((_, claim)) = docs.split_once("Holds INV-") {
            let end = claim.find([':', '.']).unwrap_or(claim.len());
            found.extend(ids(&format!("INV-{}", &claim[..end])));
        }
        docs.clear();
        if line.contains("expected = \"INV-") {
            found.extend(ids(line));
        }
    }
    found
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/")
        || path.contains("/sim/")
        || ["tests.rs", "model.rs", "loom.rs", "testing.rs"]
            .iter()
            .any(|end| path.ends_with(end))
}

#[test]
fn the_three_sets_of_invariants_agree() {
    let text = fs::read_to_string(root().join("docs/INVARIANTS.md")).unwrap();
    let (defined, rust) = (defined(&text), rust());
    let fixtures = files(&[".rs"]);
    let mut cited: BTreeMap<String, String> = BTreeMap::new();
    let (mut guarded, mut held_ids) = (BTreeSet::new(), BTreeSet::new());
    for file in rust
        .iter()
        .filter(|file| file.path != "tests/tests/tidy.rs")
    {
        for id in ids(&file.text) {
            cited.insert(id, file.path.clone());
        }
        if !is_test_file(&file.path) {
            guarded.extend(ids(&file.text));
        }
        held_ids.extend(held(&file.text));
    }

    let mut broken = Vec::new();
    let known: BTreeSet<&str> = defined
        .iter()
        .map(|invariant| invariant.id.as_str())
        .collect();
    assert_eq!(known.len(), defined.len(), "an id is defined twice");
    for (id, path) in &cited {
        if !known.contains(id.as_str()) {
            broken.push(format!("{id} is cited in {path} and defined nowhere"));
        }
    }
    for Invariant { id, proofs } in &defined {
        if !guarded.contains(id) {
            broken.push(format!("{id} is guarded nowhere in src"));
        }
        if proofs.is_empty() {
            broken.push(format!("{id} names no proof"));
        }
        for proof in proofs {
            let exists = if proof.contains('/') {
                fixtures.iter().any(|file| file.path.starts_with(proof))
            } else {
                let declared = format!("fn {proof}(");
                rust.iter().any(|file| file.text.contains(&declared))
            };
            if !exists {
                broken.push(format!("{id}: there is no proof `{proof}`"));
            }
        }
        let by_fixture = proofs.iter().any(|proof| proof.contains('/'));
        if !held_ids.contains(id) && !by_fixture {
            broken.push(format!("no test says that it holds {id}"));
        }
    }
    report("the sets of invariants differ", broken);
}

#[test]
fn every_rule_of_the_macro_has_a_fixture_and_every_fixture_a_rule() {
    let rust = rust();
    let codes = |folder: &str| -> BTreeSet<String> {
        let names = fs::read_dir(root().join(folder)).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|name| code_of(&name)).collect()
    };
    let (rules, fixtures) = (codes("spate-macros/src/check"), codes("ui-tests/fail"));
    let mut broken: Vec<String> = rules
        .difference(&fixtures)
        .map(|code| format!("{code} has no fixture in ui-tests/fail"))
        .collect();
    for code in &fixtures {
        let named = |file: &File| !file.path.starts_with("tests/") && file.text.contains(code);
        // What rustc says by itself, such as P012, has a page and no rule.
        let page = root().join(format!("docs/guide/errors/{code}.md"));
        if !rust.iter().any(named) && !page.exists() {
            broken.push(format!("no rule is called {code}, which has fixtures"));
        }
    }
    report("rules and fixtures", broken);
}

/// `P004` of `p004_after_end.rs` and of `p004-after-to.rs`.
fn code_of(name: &str) -> Option<String> {
    let digits = name.strip_prefix('p')?.get(..3)?;
    digits
        .chars()
        .all(|c| c.is_ascii_digit())
        .then(|| format!("P{digits}"))
}

#[test]
fn every_page_is_linked_from_another() {
    let pages = files(&[".md"]);
    let mut broken = Vec::new();
    for page in pages.iter().filter(|page| page.path.starts_with("docs/")) {
        let name = page.path.rsplit('/').next().unwrap();
        let folder = page.path.rsplit('/').nth(1).unwrap();
        let link =
            if name == "README.md" { format!("{folder}/README.md") } else { name.to_owned() };
        let links = |other: &File| other.path != page.path && other.text.contains(&link);
        if !pages.iter().any(links) {
            broken.push(page.path.clone());
        }
    }
    report("nothing links to", broken);
}

/// Reports, and fails nothing: a long function asks whether one reader can hold it.
#[test]
fn long_functions_are_reported() {
    for file in rust() {
        for (name, lines) in long_functions(&file.text) {
            println!("{}: `{name}` has {lines} lines", file.path);
        }
    }
}

fn long_functions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if let Some((name, start, at)) = &open
            && line.trim_end() == format!("{}}}", " ".repeat(*at))
        {
            if number - start > 70 {
                found.push((name.clone(), number - start));
            }
            open = None;
        } else if open.is_none()
            && let Some((_, rest)) = line.split_once("fn ")
            && !line.trim_start().starts_with("//")
        {
            let end = rest.find(['(', '<']).unwrap_or(rest.len());
            open = Some((rest[..end].to_owned(), number, indent));
        }
    }
    found
}

mod the_checks {
    //! A check that cannot fail checks nothing.

    use super::*;

    #[test]
    fn left_overs_are_found() {
        let text = concat!("fine\nblank \n    dbg", "!(x)\n// FIX", "ME later\n");
        let found: Vec<usize> = left_over(text).iter().map(|(line, _)| *line).collect();
        assert_eq!(found, [2, 3, 4]);
    }

    #[test]
    fn barred_words_are_found_in_public_names_only() {
        let text = "pub struct LaneManager;\nfn do_it() {}\npub const fn do_it() {}\npub fn domain() {}\n\
                    pub const LIMIT: u8 = 1;\npub(crate) fn handler() {}\n";
        let names = public_names(text);
        assert_eq!(names, ["LaneManager", "do_it", "domain", "LIMIT"]);
        let barred = |name: &String| {
            words(name)
                .iter()
                .any(|word| BARRED.contains(&word.as_str()))
        };
        assert_eq!(names.iter().filter(|name| barred(name)).count(), 2);
    }

    #[test]
    fn invariants_are_read_from_their_page() {
        let text = "INV-Q2  A frame.\nExcept:   INV-L1.\nProof:    one; two\n\nINV-W1  Another.\n";
        let found = defined(text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].id.as_str(), &found[0].proofs[..]),
            ("INV-Q2", &["one".into(), "two".into()][..])
        );
        assert!(found[1].proofs.is_empty());
    }

    #[test]
    fn what_tests_hold_is_read_from_their_docs() {
        let text = "/// Holds INV-W1, INV-W2 and\n/// INV-A1: as INV-Q1 does not.\nfn a() {}\n\
                    //! Holds: INV-S1.\n/// INV-S2 is named.\nfn b() {}\n\
                    #[should_panic(expected = \"INV-L3: no\")]\nfn c() {}\n";
        let expected = ["INV-A1", "INV-L3", "INV-W1", "INV-W2"].map(str::to_owned);
        assert_eq!(held(text), BTreeSet::from(expected));
        assert!(ids("INV-.. INV- INV-W INV-w1 INV-WW1").is_empty());
    }

    #[test]
    fn codes_are_read_from_file_names() {
        assert_eq!(code_of("p004_after_end.rs").as_deref(), Some("P004"));
        assert_eq!(code_of("p004-after-to.stderr").as_deref(), Some("P004"));
        assert_eq!(code_of("two-findings.rs"), None);
        assert_eq!(code_of("path.rs"), None);
    }

    #[test]
    fn long_functions_are_measured() {
        let body = "    x();\n".repeat(71);
        let text = format!("fn short() {{\n}}\nfn long<T>() {{\n{body}}}\n");
        assert_eq!(long_functions(&text), [("long".to_owned(), 72)]);
    }
}

//! As much of Markdown as the checks need: lines outside of code, links, headings. Pure.

use std::path::{Path, PathBuf};

/// One page of the repository.
pub(crate) struct Page {
    /// Relative to the root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// A link on a page.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) line: usize,
    pub(crate) text: &'a str,
    /// Without its anchor.
    pub(crate) target: &'a str,
    pub(crate) anchor: Option<&'a str>,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .parent()
        .expect("docs is a folder of the root")
        .to_owned()
}

/// Every Markdown page at the root and under `docs`.
pub(crate) fn pages() -> Vec<Page> {
    let root = root();
    let mut found = Vec::new();
    collect(&root, false, &mut found);
    collect(&root.join("docs"), true, &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| Page {
            text: std::fs::read_to_string(&path).expect("a page is text"),
            path: path.strip_prefix(&root).expect("found below it").to_owned(),
        })
        .collect()
}

fn collect(folder: &Path, deep: bool, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().expect("a folder of the repository") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() && deep {
            collect(&path, true, found);
        } else if path.extension().is_some_and(|ext| ext == "md") {
            found.push(path);
        }
    }
}

impl Page {
    /// The lines outside of fenced code, with their numbers from 1.
    pub(crate) fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut fenced = false;
        self.text
            .lines()
            .enumerate()
            .filter_map(move |(index, line)| {
                let fence = line.trim_start().starts_with("```");
                fenced ^= fence;
                (!fenced && !fence).then_some((index + 1, line))
            })
    }

    /// The links outside of fenced code.
    pub(crate) fn links(&self) -> Vec<Link<'_>> {
        self.prose()
            .flat_map(|(line, text)| links_in(line, text))
            .collect()
    }

    /// What the headings can be linked by.
    pub(crate) fn anchors(&self) -> Vec<String> {
        self.prose()
            .filter(|(_, line)| line.starts_with('#'))
            .map(|(_, line)| slug(line.trim_start_matches('#')))
            .collect()
    }
}

fn links_in(line: usize, text: &str) -> Vec<Link<'_>> {
    text.match_indices("](")
        .filter_map(|(at, _)| {
            let target = &text[at + 2..];
            let target = &target[..target.find(')')?];
            let before = &text[..at];
            let words = &before[before.rfind('[')? + 1..];
            let (target, anchor) = match target.split_once('#') {
                Some((target, anchor)) => (target, Some(anchor)),
                None => (target, None),
            };
            Some(Link { line, text: words, target, anchor })
        })
        .collect()
}

/// A heading as it is linked: lower case, words joined by hyphens.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// Whether a line of prose holds more than one sentence.
pub(crate) fn has_two_sentences(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with(['|', '#', '<']) {
        return false;
    }
    let line = line
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
        .trim_start();
    let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("x");
    // A word in bold with a full stop opens a paragraph.
    let outside = match outside
        .strip_prefix("- ")
        .unwrap_or(&outside)
        .strip_prefix("**")
    {
        Some(bold) => bold
            .split_once("**")
            .map_or(bold, |(_, after)| after)
            .to_owned(),
        None => outside,
    };
    let bytes = outside.as_bytes();
    bytes
        .windows(3)
        .any(|three| matches!(three, [b'.' | b'?' | b'!', b' ', next] if next.is_ascii_uppercase()))
}

#[test]
fn links_are_found_with_their_parts() {
    let line = "see [`Lane`](../src/a.rs), [here](b.md#two-words) and `[not](this";
    let found = links_in(7, line);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[0].text, found[0].target, found[0].anchor), ("`Lane`", "../src/a.rs", None));
    assert_eq!((found[1].target, found[1].anchor), ("b.md", Some("two-words")));
}

#[test]
fn headings_become_anchors() {
    assert_eq!(slug(" From `chain!` to a commit"), "from-chain-to-a-commit");
}

#[test]
fn sentences_are_counted() {
    for (line, two) in [
        ("One sentence.", false),
        ("One. Two.", true),
        ("Is it? It is.", true),
        ("**Bold.** One sentence.", false),
        ("- **Bold.** One. Two.", true),
        ("It says `a. B` in code.", false),
        ("| a. B | in a table |", false),
        ("1.5 s and e.g. this", false),
        ("1. A step of a list.", false),
        ("2. A step. Another.", true),
    ] {
        assert_eq!(has_two_sentences(line), two, "{line}");
    }
}

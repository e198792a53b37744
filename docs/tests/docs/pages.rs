//! What every page has to keep: links that lead somewhere, names that exist, one sentence a line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::markdown::{Page, has_two_sentences, pages, root};

/// Collects complaints and fails with all of them.
#[derive(Default)]
struct Complaints(Vec<String>);

impl Complaints {
    fn at(&mut self, page: &Page, line: usize, text: impl std::fmt::Display) {
        self.0
            .push(format!("{}:{line}: {text}", page.path.display()));
    }

    fn none(self) {
        assert!(self.0.is_empty(), "\n{}", self.0.join("\n"));
    }
}

fn is_outside(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// Where a link of `page` leads, relative to the root.
fn resolve(page: &Page, target: &str) -> PathBuf {
    if target.is_empty() {
        return page.path.clone();
    }
    let mut path = page.path.parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(target) {
        if part == ".." {
            assert!(path.pop(), "a link out of the repository: {target}");
        } else {
            path.push(part);
        }
    }
    path
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut complaints = Complaints::default();
    for page in &pages {
        for link in page.links() {
            if is_outside(link.target) {
                continue;
            }
            let path = resolve(page, link.target);
            if !root().join(&path).exists() {
                complaints.at(page, link.line, format!("`{}` is not there", link.target));
            } else if let Some(anchor) = link.anchor {
                let other = pages.iter().find(|other| other.path == path);
                if !other.is_some_and(|other| other.anchors().iter().any(|known| known == anchor)) {
                    complaints.at(page, link.line, format!("no heading for `#{anchor}`"));
                }
            }
        }
    }
    complaints.none();
}

/// A name in backticks that links to a source file is a word of that file.
#[test]
fn every_name_that_is_linked_is_in_its_file() {
    let mut complaints = Complaints::default();
    for page in &pages() {
        for link in page.links() {
            let name = link
                .text
                .strip_prefix('`')
                .and_then(|text| text.strip_suffix('`'));
            let Some(name) = name.filter(|_| link.target.ends_with(".rs")) else { continue };
            let path = root().join(resolve(page, link.target));
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let is_file = link.target.ends_with(name) || path.ends_with(name);
            let mut words = name
                .split("::")
                .map(|word| word.trim_end_matches(['(', ')', '!']));
            if !is_file && !words.all(|word| has_word(&text, word)) {
                complaints.at(page, link.line, format!("`{name}` is not in `{}`", link.target));
            }
        }
    }
    complaints.none();
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

#[test]
fn every_page_is_linked_from_another() {
    let pages = pages();
    let linked: BTreeSet<PathBuf> = pages
        .iter()
        .flat_map(|page| {
            let links = page
                .links()
                .into_iter()
                .filter(|link| !is_outside(link.target));
            let paths = links.map(|link| resolve(page, link.target));
            paths.filter(|path| *path != page.path).collect::<Vec<_>>()
        })
        .collect();
    let lonely = pages
        .iter()
        .filter(|page| page.path != Path::new("README.md"));
    let lonely: Vec<&Path> = lonely
        .map(|page| page.path.as_path())
        .filter(|path| !linked.contains(*path))
        .collect();
    assert!(lonely.is_empty(), "nothing links to {lonely:?}");
}

#[test]
fn a_line_holds_one_sentence() {
    let mut complaints = Complaints::default();
    for page in &pages() {
        for (line, text) in page.prose().filter(|(_, text)| has_two_sentences(text)) {
            complaints.at(page, line, text);
        }
    }
    complaints.none();
}

#[test]
fn a_page_begins_with_its_title_and_ends_with_one_newline() {
    let mut complaints = Complaints::default();
    for page in &pages() {
        if !page.text.starts_with("# ") {
            complaints.at(page, 1, "no title");
        }
        if !page.text.ends_with('\n') || page.text.ends_with("\n\n") {
            complaints.at(page, page.text.lines().count(), "ends in another way");
        }
        let trailing = page
            .text
            .lines()
            .enumerate()
            .filter(|(_, text)| text.ends_with(' '));
        for (index, _) in trailing {
            complaints.at(page, index + 1, "a blank at the end");
        }
    }
    complaints.none();
}

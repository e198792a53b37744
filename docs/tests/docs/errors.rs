//! A page per compile-time rule, with what the fixture of the rule holds and what rustc answers.
//!
//! `SPATE_BLESS=1 cargo test -p spate-docs` writes both into the pages anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::markdown::root;

const PAGES: &str = "docs/guide/errors";

/// What every fixture declares, and no page has to repeat.
const EVERYWHERE: [&str; 2] = [
    "#[source]\nfn events() -> Feed<Plain<Order<'_>>>;\n\n",
    "#[sink]\nfn lines() -> Table<Line<'_>>;\n\n",
];

/// Pages that show it all the same, because it is what they are about.
const KEEP_ALL: [&str; 3] = ["P045", "P057", "P064"];

/// The codes of the fixtures that fail, such as `P001`.
fn codes_of_fixtures() -> BTreeSet<String> {
    names_in("ui-tests/fail", ".rs")
        .iter()
        .filter_map(|name| {
            let code = name.split('-').next()?;
            let digits = code.strip_prefix('p')?;
            digits.parse::<u32>().ok().map(|_| code.to_uppercase())
        })
        .collect()
}

fn codes_of_pages() -> BTreeSet<String> {
    let names = names_in(PAGES, ".md").into_iter();
    names.filter(|name| name.starts_with('P')).collect()
}

/// The names of the files of a folder with this ending, without it.
pub(crate) fn names_in(folder: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder of the repository");
    let names = entries.map(|entry| entry.expect("an entry of it").file_name());
    names
        .filter_map(|name| {
            name.to_string_lossy()
                .strip_suffix(ending)
                .map(str::to_owned)
        })
        .collect()
}

/// The rules of the compiler, as the index lists them: those with a page.
fn codes_of_index() -> BTreeSet<String> {
    let index =
        fs::read_to_string(root().join(PAGES).join("README.md")).expect("the index is there");
    let rows = index
        .lines()
        .filter_map(|line| line.strip_prefix("| [P")?.get(..3));
    rows.map(|digits| format!("P{digits}")).collect()
}

/// The codes that a program can show: in quotes, and in the text of a bound or of a `const` check.
fn codes_of_sources() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for folder in ["spate/src", "spate-macros/src", "spate-runtime/src", "connectors"] {
        crate::codes::codes_in(&root().join(folder), &mut codes);
    }
    for folder in ["spate/src", "spate-macros/src", "spate-runtime/src"] {
        in_brackets(&root().join(folder), &mut codes);
    }
    codes.retain(|code| code.starts_with('P'));
    codes
}

/// `[P0xx]`.
fn in_brackets(folder: &Path, codes: &mut BTreeSet<String>) {
    for entry in folder.read_dir().expect("a folder of the repository") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            in_brackets(&path, codes);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source is text");
        codes.extend(text.split("[P").skip(1).filter_map(|rest| {
            let (digits, rest) = rest.split_at_checked(3)?;
            let closed = rest.starts_with(']') && digits.parse::<u16>().is_ok();
            closed.then(|| format!("P{digits}"))
        }));
    }
}

/// The rules that a twin passes, by the programs that are called accepted and what `pass/` says it
/// holds.
fn codes_that_pass(programs: &str) -> BTreeSet<String> {
    let digits = |line: &str| {
        let digits = line.trim().strip_prefix("mod p")?.get(..3)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| format!("P{digits}"))
    };
    let mut codes: BTreeSet<String> = programs
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(digits)
        .collect();
    for name in names_in("ui-tests/pass", ".rs") {
        let text = fs::read_to_string(root().join(format!("ui-tests/pass/{name}.rs")))
            .expect("the twin is there");
        codes.extend(text.lines().filter_map(digits));
    }
    codes
}

/// Rules that rustc's own errors speak for: no code of ours is in them.
const OF_RUSTC: [&str; 1] = ["P012"];

#[test]
fn rules_fixtures_twins_and_pages_are_the_same_set() {
    let rules = codes_of_index();
    assert!(rules.len() >= 40, "{rules:?}");
    assert_eq!(rules, codes_of_pages(), "the index and the pages");
    assert_eq!(rules, codes_of_fixtures(), "the index and ui-tests/fail");
    let mut sources = codes_of_sources();
    sources.extend(OF_RUSTC.map(str::to_owned));
    assert_eq!(rules, sources, "the index and the sources");
    let programs = fs::read_to_string(root().join("docs/tests/docs/accepted.rs")).unwrap();
    let mut twins = codes_that_pass(&programs);
    // One program with a good file is the twin of all that is said of files; every program here is
    // built with macro and runtime of one version.
    let head = fs::read_to_string(root().join("ui-tests/pass/configuration.rs")).unwrap();
    let of_files = rules
        .iter()
        .filter(|code| crate::codes::names(head.lines().next().unwrap(), code));
    twins.extend(of_files.cloned().chain(["P068".to_owned()]));
    assert_eq!(rules, twins, "the index and the programs that pass");
}

#[test]
fn there_are_at_least_120_failing_fixtures() {
    let fixtures = names_in("ui-tests/fail", ".rs");
    assert!(fixtures.len() >= 120, "{}", fixtures.len());
    for name in &fixtures {
        let answer = root().join(format!("ui-tests/fail/{name}.stderr"));
        assert!(answer.exists(), "{name} has no answer");
    }
}

#[test]
fn the_index_lists_every_page() {
    let index =
        fs::read_to_string(root().join(PAGES).join("README.md")).expect("the index is there");
    for code in codes_of_pages() {
        assert!(index.contains(&format!("| [{code}]({code}.md) | ")), "{code} is not listed");
    }
}

#[test]
fn what_is_refused_is_a_fixture_and_what_is_accepted_builds() {
    let programs = root().join("docs/tests/docs/accepted.rs");
    let programs = fs::read_to_string(programs).unwrap();
    for code in codes_of_pages() {
        let path = root().join(PAGES).join(format!("{code}.md"));
        let page = fs::read_to_string(&path).unwrap();
        let fresh = with_accepted(&with_fixture(&page, &code), &code, &programs);
        if std::env::var_os("SPATE_BLESS").is_some() {
            fs::write(&path, fresh).unwrap();
        } else {
            assert!(
                page == fresh,
                "{PAGES}/{code}.md differs from its programs, write it anew with SPATE_BLESS=1"
            );
        }
    }
}

/// The page with the text between its markers made from the fixture that the marker names.
fn with_fixture(page: &str, code: &str) -> String {
    let (before, rest) = page
        .split_once("<!-- fixture: ")
        .expect("a page names its fixture");
    let (name, rest) = rest.split_once(" -->").expect("a marker is closed");
    let (_, after) = rest
        .split_once("<!-- end -->")
        .expect("a marker has an end");
    assert!(name.to_uppercase().starts_with(&format!("{code}-")), "{code} shows `{name}`");
    let folder = root().join("ui-tests/fail");
    let program = fs::read_to_string(folder.join(format!("{name}.rs"))).expect(name);
    let answer = fs::read_to_string(folder.join(format!("{name}.stderr"))).expect(name);
    let keeps_all = KEEP_ALL.contains(&code);
    let (yaml, answer) = (configuration(&program), finding(&answer, code));
    // Where the mistake is in the file, the module is the one of every fixture.
    let program = match yaml.is_empty() || keeps_all {
        true => format!("```rust,ignore\n{}```\n\n", excerpt(&program, keeps_all)),
        false => String::new(),
    };
    format!(
        "{before}<!-- fixture: {name} -->\n\n{program}{yaml}```text\n{answer}```\n\n\
         <!-- end -->{after}"
    )
}

/// The file that a fixture names, as a block of a page; empty if it names none that is there.
fn configuration(program: &str) -> String {
    let file = program
        .split_once("ui-tests/fixtures/")
        .and_then(|(_, rest)| rest.split_once('"'));
    let text = file
        .and_then(|(name, _)| fs::read_to_string(root().join("ui-tests/fixtures").join(name)).ok());
    text.map_or_else(String::new, |text| format!("```yaml\n{text}```\n\n"))
}

/// What a fixture is about: what stands before its module and in it, or all of it where it has no
/// module; without what every fixture has.
pub(crate) fn excerpt(program: &str, keeps_all: bool) -> String {
    let module = program
        .split_once("mod orders {\n    use ")
        .and_then(|(before, rest)| Some((before, rest.split_once("\n\n")?.1)))
        .and_then(|(before, rest)| Some((before, rest.split_once("\n}\n")?.0)));
    let (before, inside) = match module {
        Some((before, inside)) => (before.split("#[pipeline").next().unwrap_or_default(), inside),
        None => (program.split("fn main()").next().unwrap_or_default(), ""),
    };
    let common = ["//!", "use ", "#!["];
    let before = before
        .lines()
        .filter(|line| !common.iter().any(|begin| line.starts_with(begin)));
    let inside = inside
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line));
    let parts = [before.collect::<Vec<_>>().join("\n"), inside.collect::<Vec<_>>().join("\n")];
    let parts: Vec<&str> = parts
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
        .collect();
    let mut text = format!("{}\n", parts.join("\n\n"));
    for folder in ["../../../../ui-tests/fixtures/", "../ui-tests/fixtures/"] {
        text = text.replace(folder, "");
    }
    if !keeps_all {
        for declaration in EVERYWHERE {
            text = text.replace(declaration, "");
        }
    }
    text
}

/// The finding of this rule (or the first one), as a user would see it, cut short.
fn finding(answer: &str, code: &str) -> String {
    let code = format!("[{code}]");
    let mut findings = answer.split("\n\n");
    let first = findings.clone().next().unwrap_or_default();
    let found = findings
        .find(|finding| finding.contains(&code))
        .unwrap_or(first);
    let text: String = found
        .trim_matches('\n')
        .lines()
        .take_while(|line| !AT_THE_END.iter().any(|begin| line.starts_with(begin)))
        .filter(|line| !IN_BETWEEN.iter().any(|part| line.contains(part)))
        .flat_map(|line| [line, "\n"])
        .collect();
    plain(&text)
}

/// An answer with the paths a user would see.
pub(crate) fn plain(text: &str) -> String {
    text.replace("--> fail/", "--> ")
        .replace("../../../../ui-tests/fixtures/", "")
        .replace("ui_tests::", "")
}

/// What rustc adds of its own, and nobody needs on a page: from there on, or line by line.
const AT_THE_END: [&str; 4] =
    ["help: the trait", "note: required by", "note: `ui_tests", "note: the lint level"];
const IN_BETWEEN: [&str; 3] =
    ["this error originates", "help: the trait `spate::__private", "= note: required for"];

/// The page with its accepted program taken from `accepted.rs`, which is built with these tests.
fn with_accepted(page: &str, code: &str, programs: &str) -> String {
    let begin = format!("\nmod {} {{\n", code.to_lowercase());
    let Some((_, program)) = programs.split_once(&begin) else {
        let mended = page.split_once("## Accepted\n").map(|(_, mended)| mended);
        let shown = mended
            .is_some_and(|mended| mended.contains("```toml\n") || mended.contains("```yaml\n"));
        assert!(shown, "{code} has no program in `accepted.rs`");
        return page.to_owned();
    };
    let (program, _) = program.split_once("\n}\n").expect("a module has an end");
    let lines = program
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line));
    let program = format!("{}\n", lines.collect::<Vec<_>>().join("\n"));
    let (before, _) = page
        .split_once("## Accepted\n")
        .expect("a page says what is accepted");
    let program = excerpt(&program, KEEP_ALL.contains(&code));
    format!("{before}## Accepted\n\n```rust,ignore\n{program}```\n")
}

//! The configuration reference: its tables are written from the schemas.
//!
//! `SPATE_BLESS=1 cargo test -p spate-docs` writes them anew.

use std::fmt::Write as _;

use spate_datagen::Datagen;
use spate_file::File;
use spate_runtime::chain::dead_letter::DeadLetter;
use spate_runtime::config::{Key, PIPELINE_KEYS, SINK_KEYS, Type};
use spate_runtime::connector::SourceConnector;
use spate_runtime::sink::SinkConnector;

use crate::markdown::root;

const PAGE: &str = "docs/guide/configuration.md";

/// The tables of the page, by the name in their marker.
fn tables() -> [(&'static str, &'static [Key]); 5] {
    [
        ("pipeline", PIPELINE_KEYS),
        ("sinks", SINK_KEYS),
        ("file-source", <File<()> as SourceConnector>::SCHEMA.keys),
        ("file-sink", <File<DeadLetter<'static>> as SinkConnector>::SCHEMA.keys),
        ("datagen", <Datagen<()> as SourceConnector>::SCHEMA.keys),
    ]
}

#[test]
fn the_reference_is_written_from_the_schemas() {
    let path = root().join(PAGE);
    let page = std::fs::read_to_string(&path).unwrap();
    let mut fresh = page.clone();
    for (name, keys) in tables() {
        fresh = with_table(&fresh, name, keys);
    }
    if std::env::var_os("SPATE_BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    let differs = page
        .lines()
        .zip(fresh.lines())
        .find(|(old, new)| old != new);
    assert!(
        page == fresh,
        "{PAGE} differs from the schemas, write it anew with SPATE_BLESS=1: {differs:?}"
    );
}

/// `page` with the table between the markers of `name` written from `keys`.
fn with_table(page: &str, name: &str, keys: &[Key]) -> String {
    let begin = format!("<!-- keys: {name} -->\n");
    let end = "<!-- end -->";
    let (before, rest) = page
        .split_once(&begin)
        .unwrap_or_else(|| panic!("{PAGE} has no `{begin}`"));
    let (_, after) = rest.split_once(end).expect("a marker has an end");
    format!("{before}{begin}\n{}\n{end}{after}", table(keys))
}

fn table(keys: &[Key]) -> String {
    let mut text = String::from("| key | value | default | meaning |\n|---|---|---|---|\n");
    rows(keys, "", &mut text);
    text
}

fn rows(keys: &[Key], prefix: &str, text: &mut String) {
    for key in keys {
        let default = match key.default {
            Some(default) => format!("`{default}`"),
            None if key.required => "required".to_owned(),
            None => String::new(),
        };
        let min = key
            .min
            .map_or(String::new(), |min| format!(", at least `{min}`"));
        let secret = if key.secret { ", secret" } else { "" };
        let (name, ty) = (key.name, kind(&key.ty));
        writeln!(text, "| `{prefix}{name}` | {ty}{min}{secret} | {default} | {} |", key.doc)
            .expect("a string takes all text");
        if let Type::Section(inner) = key.ty {
            rows(inner, &format!("{prefix}{name}."), text);
        }
    }
}

fn kind(ty: &Type) -> String {
    match ty {
        Type::Bool => "`true` or `false`".to_owned(),
        Type::Integer { min, max } if *max >= u64::from(u32::MAX) => {
            format!("number, at least {min}")
        }
        Type::Integer { min, max } => format!("number, {min} to {max}"),
        Type::Duration => "duration".to_owned(),
        Type::Size => "size".to_owned(),
        Type::Text => "text".to_owned(),
        Type::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(", ")
        }
        Type::List(item) => format!("list: {}", kind(item)),
        Type::Either(a, b) => format!("{}, or {}", kind(a), kind(b)),
        Type::TextMap => "map of texts".to_owned(),
        Type::Section(_) => "section".to_owned(),
    }
}

/// Every key has a line that says what it is for.
#[test]
fn every_key_is_documented() {
    for (name, keys) in tables() {
        for key in keys {
            assert!(key.doc.len() > 8, "{name}.{} has no text", key.name);
            assert!(!key.doc.contains('|'), "{name}.{} would break the table", key.name);
        }
    }
}

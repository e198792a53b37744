//! From YAML text to nodes: the file as written, with places. Pure.
//!
//! Takes the part of YAML that a configuration needs: one document, maps with plain or quoted
//! keys, lists, single values. Anchors, aliases and tags are refused, each with what to do instead;
//! every value stays the text that is written there.
//!
//! ```text
//! lines:               depth 0  key "lines"   Map
//!   shards: [a, b]     depth 1  key "shards"  List
//!                      depth 2  key ""        Text a
//!                      depth 2  key ""        Text b
//! ```

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use super::check::{Entry, Value};
use super::error::{ConfigError, ConfigErrors};
use super::vars::{Filled, fill};

/// An [`Entry`] that owns its texts.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) depth: usize,
    pub(super) key: String,
    pub(super) value: Owned,
    shown: String,
    key_at: (u32, u32),
    pub(super) value_at: (u32, u32),
}

/// A [`Value`] that owns its texts.
#[derive(Clone)]
pub(super) enum Owned {
    Empty,
    Text(String),
    Unset(String),
    Map,
    List,
}

impl Node {
    /// Makes a section of that name, for tests of connectors.
    pub(super) fn section(key: &str) -> Self {
        let shown = String::new();
        Self {
            depth: 0,
            key: key.to_owned(),
            value: Owned::Map,
            shown,
            key_at: (1, 1),
            value_at: (1, 1),
        }
    }

    /// Whether it is a value that stands in the file itself, not in a variable.
    pub(super) fn is_literal(&self) -> bool {
        matches!(&self.value, Owned::Text(text) if *text == self.shown && !text.is_empty())
    }

    /// Where its key stands: line and column, from 1.
    pub(super) const fn key_at(&self) -> (u32, u32) {
        self.key_at
    }

    /// The node as the check sees it.
    pub(super) fn entry(&self) -> Entry<'_> {
        Entry {
            depth: self.depth,
            key: &self.key,
            value: match &self.value {
                Owned::Empty => Value::Empty,
                Owned::Text(text) => Value::Text(text),
                Owned::Unset(variable) => Value::Unset(variable),
                Owned::Map => Value::Map,
                Owned::List => Value::List,
            },
            shown: &self.shown,
            line: self.key_at.0,
            col: self.key_at.1,
            value_line: self.value_at.0,
            value_col: self.value_at.1,
        }
    }
}

/// Reads `text` and fills in its variables.
pub(super) fn read(
    file: &str,
    text: &str,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Node>, ConfigErrors> {
    let mut reader = Reader {
        file,
        env,
        nodes: Vec::new(),
        open: Vec::new(),
        documents: 0,
        errors: ConfigErrors::default(),
    };
    let mut parser = Parser::new_from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => reader.event(event, span),
            Err(error) => {
                let text = format!("not YAML: {}", error.info());
                reader.error(*error.marker(), text, "");
                break;
            }
        }
        if reader.documents > 1 {
            break;
        }
    }
    reader.errors.or_ok(reader.nodes)
}

/// A map or list that is being read.
enum Open {
    /// The document itself: its only value must be a map.
    Map {
        key: Option<(String, (u32, u32))>,
    },
    List,
    /// A key that is a map or list, with how many of these are open.
    Refused,
}

struct Reader<'a> {
    file: &'a str,
    env: &'a dyn Fn(&str) -> Option<String>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    documents: usize,
    errors: ConfigErrors,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) {
        let at = span.start;
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.error(at, "a second document", "write one document only, without `---`");
                }
            }
            Event::Alias(_) => {
                self.error(at, "an alias (`*name`)", "write the value out where it is used");
                self.value(at, Owned::Empty, String::new());
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_only(at, anchor, tag.is_some());
                self.scalar(at, &text, style);
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain_only(at, anchor, tag.is_some());
                self.begin(at, Owned::List, Open::List);
            }
            Event::MappingStart(anchor, tag) => {
                self.plain_only(at, anchor, tag.is_some());
                self.begin(at, Owned::Map, Open::Map { key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }

    fn plain_only(&mut self, at: Marker, anchor: usize, tagged: bool) {
        if anchor != 0 {
            self.error(at, "an anchor (`&name`)", "write the value out where it is used");
        }
        if tagged {
            self.error(at, "a tag (`!name`)", "remove it: the key says what type its value has");
        }
    }

    fn begin(&mut self, at: Marker, value: Owned, open: Open) {
        match self.open.last() {
            None if matches!(open, Open::Map { .. }) => self.open.push(open),
            None => {
                let help = "write `name:` sections, one per declared name";
                self.error(at, "a list instead of sections", help);
                self.open.push(Open::Refused);
            }
            Some(Open::Map { key: None }) => {
                self.error(at, "a key that is no text", "");
                self.open.push(Open::Refused);
                // The value that follows belongs to it.
                let below = self.open.len() - 2;
                self.open[below] = Open::Map { key: Some((String::new(), position(at))) };
            }
            Some(Open::Refused) => self.open.push(Open::Refused),
            Some(_) => {
                self.value(at, value, String::new());
                self.open.push(open);
            }
        }
    }

    fn scalar(&mut self, at: Marker, text: &str, style: ScalarStyle) {
        match self.open.last_mut() {
            Some(Open::Map { key: key @ None }) => {
                *key = Some((text.to_owned(), position(at)));
                return;
            }
            Some(Open::Refused) => return,
            None => {
                // An empty file is a document that holds one empty value.
                if !(text.is_empty() || text == "~") {
                    let help = "write `name:` sections, one per declared name";
                    self.error(at, "a single value instead of sections", help);
                }
                return;
            }
            Some(_) => {}
        }
        let value = match fill(text, self.env) {
            Filled::Text(filled) => Owned::Text(filled),
            Filled::Unset(variable) => Owned::Unset(variable),
            Filled::Plain if style == ScalarStyle::Plain && is_null(text) => Owned::Empty,
            Filled::Plain => Owned::Text(text.to_owned()),
            Filled::Malformed(why) => {
                self.error(
                    at,
                    why,
                    "write `${NAME}`, `${NAME:-default}`, or `$${` for `${` itself",
                );
                Owned::Empty
            }
        };
        self.value(at, value, text.to_owned());
    }

    fn value(&mut self, at: Marker, value: Owned, shown: String) {
        let depth = self.open.len().saturating_sub(1);
        let value_at = position(at);
        let (key, key_at) = match self.open.last_mut() {
            Some(Open::Map { key }) => match key.take() {
                Some(key) => key,
                // An alias as a key: refused above, its value is still to come.
                None => {
                    *key = Some((String::new(), value_at));
                    return;
                }
            },
            Some(Open::List) => (String::new(), value_at),
            Some(Open::Refused) | None => return,
        };
        // The parser puts a value that is not there at the colon.
        let value_at = if matches!(value, Owned::Empty) { key_at } else { value_at };
        self.nodes
            .push(Node { depth, key, value, shown, key_at, value_at });
    }

    fn error(&mut self, at: Marker, text: impl Into<String>, help: &str) {
        let (line, col) = position(at);
        self.errors.0.push(ConfigError {
            at: format!("{}:{line}:{col}", self.file),
            code: "P059",
            text: text.into(),
            help: help.to_owned(),
        });
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Line and column from 1; the parser counts columns from 0.
fn position(at: Marker) -> (u32, u32) {
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (narrow(at.line()), narrow(at.col() + 1))
}

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

use std::collections::HashMap;
use std::fmt;

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, Span, options};

use crate::Fault;
use crate::vars::{Filled, fill};

/// One key of a map, or one item of a list, and what it holds; children follow, one deeper.
#[derive(Clone)]
pub struct Node {
    /// How deep it lies; sections are at 0.
    pub depth: usize,
    /// Its key; empty for an item of a list.
    pub key: String,
    /// What it holds.
    pub value: Value,
    /// The value as written, before variables were filled in; empty for maps and lists.
    pub shown: String,
    /// Line and column of the key (or the item), from 1.
    pub key_at: (u32, u32),
    /// Line and column of the value, from 1.
    pub value_at: (u32, u32),
    /// The line this map had this key on first, if that was another one.
    pub twin: Option<u32>,
}

/// What a [`Node`] holds.
#[derive(Clone)]
pub enum Value {
    /// Nothing: an empty plain value, `~` or `null`.
    Empty,
    /// A single value, variables filled in.
    Text(String),
    /// A single value with variables that are filled in at start.
    Later,
    /// A single value with a variable of this name that is not set.
    Unset(String),
    /// A map.
    Map,
    /// A list.
    List,
}

/// What becomes of `${VAR}` in a value.
#[derive(Clone, Copy)]
pub enum Vars<'a> {
    /// It is left to the start: the value is [`Value::Later`].
    Later,
    /// It is filled in from here.
    From(&'a dyn Fn(&str) -> Option<String>),
}

impl fmt::Debug for Node {
    /// Shows where it is, never what it holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.key_at.0, self.key_at.1, self.key)
    }
}

impl fmt::Debug for Value {
    /// Shows what it is, never what it holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "Empty",
            Self::Text(_) => "Text(***)",
            Self::Later => "Later",
            Self::Unset(_) => "Unset",
            Self::Map => "Map",
            Self::List => "List",
        })
    }
}

impl fmt::Debug for Vars<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Later => "Later",
            Self::From(_) => "From(..)",
        })
    }
}

impl Node {
    /// Whether it is a value that stands in the file itself, not in a variable.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        matches!(&self.value, Value::Text(text) if *text == self.shown && !text.is_empty())
    }
}

/// The text of a file without its byte order mark.
///
/// # Errors
///
/// Where it is not UTF-8.
pub fn utf8(bytes: Vec<u8>) -> Result<String, Fault> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let good = String::from_utf8_lossy(error.as_bytes().get(..good).unwrap_or_default());
        let last = good.rsplit('\n').next().unwrap_or_default();
        Fault {
            line: narrow(good.matches('\n').count() + 1),
            col: narrow(last.chars().count() + 1),
            text: "not UTF-8".to_owned(),
            help: "save it as UTF-8".to_owned(),
        }
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Reads `text`; a variable becomes what `vars` says.
///
/// # Errors
///
/// Text that is not YAML, and more of YAML than a configuration needs.
pub fn read(text: &str, vars: Vars<'_>) -> Result<Vec<Node>, Vec<Fault>> {
    let mut reader =
        Reader { vars, nodes: Vec::new(), open: Vec::new(), documents: 0, faults: Vec::new() };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = options! { emit_anchor_events: true, emit_unresolved_aliases: true };
    let mut parser = Parser::new_from_str_with_options(text, options);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => reader.event(event, span),
            Err(error) => {
                let line = text.lines().nth(error.marker().line().saturating_sub(1));
                let tabs = line.is_some_and(|line| line.trim_start_matches(' ').starts_with('\t'));
                let help =
                    if tabs { "indent with blanks, not with tabs" } else { help(error.kind()) };
                reader.fault(*error.marker(), format!("not YAML: {}", error.info()), help);
                break;
            }
        }
        if reader.documents > 1 {
            break;
        }
    }
    if reader.faults.is_empty() { Ok(reader.nodes) } else { Err(reader.faults) }
}

/// What to do about text that is not YAML, where its own words do not say it.
fn help(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::MappingValueNotAllowed => {
            "a value that holds `: ` needs quotes; a map begins on a line of its own"
        }
        ErrorKind::ExpectedDocumentStart | ErrorKind::ExpectedBlockMappingKey => {
            "indent the keys of one map alike"
        }
        ErrorKind::UnexpectedCharacter { .. } => "put the value in quotes",
        _ => "",
    }
}

/// A map or list that is being read.
enum Open {
    /// The document itself: its only value must be a map.
    Map {
        key: Option<(String, (u32, u32))>,
        /// The keys there were, and their lines.
        seen: HashMap<String, u32>,
    },
    List,
    /// A key that is a map or list, with how many of these are open.
    Refused,
}

struct Reader<'a> {
    vars: Vars<'a>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    documents: usize,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) {
        let at = span.start;
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.fault(at, "a second document", "write one document only, without `---`");
                }
            }
            Event::Anchor(..) => {
                self.fault(at, "an anchor (`&name`)", "write the value out where it is used");
            }
            Event::Alias(_) => {
                self.fault(at, "an alias (`*name`)", "write the value out where it is used");
                self.value(at, Value::Empty, String::new());
            }
            Event::UnresolvedAlias(name) => {
                let text = format!("an alias (`*{name}`) of nothing");
                self.fault(at, text, "a value that begins with `*` needs quotes");
                self.value(at, Value::Empty, String::new());
            }
            Event::Scalar(text, style, _, tag) => {
                self.untagged(at, tag.is_some());
                self.scalar(at, &text, style);
            }
            Event::SequenceStart(_, _, tag) => {
                self.untagged(at, tag.is_some());
                self.begin(at, Value::List, Open::List);
            }
            Event::MappingStart(_, _, tag) => {
                self.untagged(at, tag.is_some());
                self.begin(at, Value::Map, Open::Map { key: None, seen: HashMap::new() });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
            }
            // The begin and end of the stream and of a document.
            _ => {}
        }
    }

    fn untagged(&mut self, at: Marker, tagged: bool) {
        if tagged {
            self.fault(at, "a tag (`!name`)", "remove it: the key says what type its value has");
        }
    }

    fn begin(&mut self, at: Marker, value: Value, open: Open) {
        match self.open.last() {
            None if matches!(open, Open::Map { .. }) => self.open.push(open),
            None => {
                let help = "write `name:` sections, one per declared name";
                self.fault(at, "a list instead of sections", help);
                self.open.push(Open::Refused);
            }
            Some(Open::Map { key: None, .. }) => {
                self.fault(at, "a key that is no text", "");
                self.open.push(Open::Refused);
                // The value that follows belongs to it.
                let below = self.open.len() - 2;
                if let Some(Open::Map { key, .. }) = self.open.get_mut(below) {
                    *key = Some((String::new(), position(at)));
                }
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
            Some(Open::Map { key: key @ None, .. }) => {
                *key = Some((text.to_owned(), position(at)));
                return;
            }
            Some(Open::Refused) => return,
            None => {
                // An empty file is a document that holds one empty value.
                if !(text.is_empty() || text == "~") {
                    let help = if text.contains(':') {
                        "put a blank behind the colon"
                    } else {
                        "write `name:` sections, one per declared name"
                    };
                    self.fault(at, "a single value instead of sections", help);
                }
                return;
            }
            Some(_) => {}
        }
        let value = match fill(text, self.vars) {
            Filled::Later => Value::Later,
            Filled::Text(filled) => Value::Text(filled),
            Filled::Unset(variable) => Value::Unset(variable),
            Filled::Plain if style == ScalarStyle::Plain && is_null(text) => Value::Empty,
            Filled::Plain => Value::Text(text.to_owned()),
            Filled::Malformed(why) => {
                self.fault(
                    at,
                    why,
                    "write `${NAME}`, `${NAME:-default}`, or `$${` for `${` itself",
                );
                Value::Empty
            }
        };
        self.value(at, value, text.to_owned());
    }

    fn value(&mut self, at: Marker, value: Value, shown: String) {
        let depth = self.open.len().saturating_sub(1);
        let value_at = position(at);
        let mut twin = None;
        let (key, key_at) = match self.open.last_mut() {
            Some(Open::Map { key, seen }) => match key.take() {
                Some((key, key_at)) => {
                    twin = seen.get(&key).copied();
                    seen.entry(key.clone()).or_insert(key_at.0);
                    (key, key_at)
                }
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
        let value_at = if matches!(value, Value::Empty) { key_at } else { value_at };
        self.nodes
            .push(Node { depth, key, value, shown, key_at, value_at, twin });
    }

    fn fault(&mut self, at: Marker, text: impl Into<String>, help: &str) {
        let (line, col) = position(at);
        self.faults
            .push(Fault { line, col, text: text.into(), help: help.to_owned() });
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Line and column from 1; the parser counts columns from 0.
fn position(at: Marker) -> (u32, u32) {
    (narrow(at.line()), narrow(at.col() + 1))
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

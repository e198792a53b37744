//! A checked section as its connector reads it.

use std::fmt;
use std::time::Duration;

use spate_yaml::{Node, Value};

use super::error::{ConfigError, ConfigErrors};
use super::file::Config;
use super::scalar;
use super::schema::{Key, Schema, Type};
use super::secret::Secret;
use crate::preflight::Findings;

/// How many sets of keys a section may be checked against.
const SETS: usize = 3;

/// A section that passed its schema: every key known, every value of its type, defaults filled in.
///
/// The getters name keys of the section's schema. `Debug` shows the names of the keys that were
/// written, never a value.
///
/// # Panics
///
/// Every getter panics (INV-M1) when the schema has no such key or another type for it: a bug of
/// the connector, found by its first test.
#[derive(Clone)]
pub struct Section<'a> {
    config: &'a Config,
    name: &'a str,
    /// Where it is in the file; `None` if it was not written.
    node: Option<usize>,
    keys: [&'static [Key]; SETS],
}

impl<'a> Section<'a> {
    pub(super) fn new(config: &'a Config, name: &'a str, sets: &[&'static [Key]]) -> Self {
        assert!(sets.len() <= SETS, "INV-M1: more than {SETS} sets of keys for `{name}`");
        let mut keys: [&'static [Key]; SETS] = [&[]; SETS];
        keys[..sets.len()].copy_from_slice(sets);
        let node = config
            .nodes
            .iter()
            .position(|node| node.depth == 0 && node.key == name);
        Self { config, name, node, keys }
    }

    /// A section named `test`, for a connector's own tests: `yaml` holds its keys, not indented.
    ///
    /// No variable is set. The configuration is leaked, so that the section can be kept.
    ///
    /// ```
    /// use spate_runtime::config::{Key, Schema, Section, Type};
    ///
    /// static SCHEMA: Schema = Schema {
    ///     kind: "Example",
    ///     keys: &[Key::new("path", Type::Text, "where the files are").required()],
    /// };
    /// let section = Section::for_test(&SCHEMA, "path: /tmp/in").unwrap();
    /// assert_eq!(section.text("path"), "/tmp/in");
    /// let errors = Section::for_test(&SCHEMA, "pth: /tmp/in").unwrap_err();
    /// assert_eq!(errors.0[0].help, "did you mean `path`?");
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with `yaml`; lines and columns are those of `yaml`.
    pub fn for_test(schema: &'static Schema, yaml: &str) -> Result<Section<'static>, ConfigErrors> {
        let mut config = Config::parse("test.yaml", yaml, &|_| None)?;
        for node in &mut config.nodes {
            node.depth += 1;
        }
        let node = Node {
            depth: 0,
            key: "test".to_owned(),
            value: Value::Map,
            shown: String::new(),
            key_at: (1, 1),
            value_at: (1, 1),
            twin: None,
        };
        config.nodes.insert(0, node);
        let config: &'static Config = Box::leak(Box::new(config));
        config.section("test", &[schema.keys])
    }

    /// The name it was declared with.
    #[must_use]
    pub const fn name(&self) -> &'a str {
        self.name
    }

    /// Whether the key was written (not filled in from its default).
    #[must_use]
    pub fn is_set(&self, key: &str) -> bool {
        self.key(key);
        self.child(key).is_some()
    }

    /// A boolean with a default.
    #[must_use]
    pub fn bool(&self, key: &str) -> bool {
        needed(self.bool_opt(key), key)
    }

    /// A boolean that may be left out.
    #[must_use]
    pub fn bool_opt(&self, key: &str) -> Option<bool> {
        let text = self.scalar(key, |ty| matches!(ty, Type::Bool))?;
        Some(checked(scalar::boolean(text), key))
    }

    /// An integer that is required or has a default.
    #[must_use]
    pub fn integer(&self, key: &str) -> u64 {
        needed(self.integer_opt(key), key)
    }

    /// An integer that may be left out; `None` also where the other one of two types was written.
    #[must_use]
    pub fn integer_opt(&self, key: &str) -> Option<u64> {
        let text = self.scalar(key, |ty| matches!(ty, Type::Integer { .. }))?;
        match (self.key(key).ty, scalar::integer(text)) {
            (Type::Either(..), read) => read.ok(),
            (_, read) => Some(checked(read, key)),
        }
    }

    /// A duration that is required or has a default.
    #[must_use]
    pub fn duration(&self, key: &str) -> Duration {
        needed(self.duration_opt(key), key)
    }

    /// A duration that may be left out.
    #[must_use]
    pub fn duration_opt(&self, key: &str) -> Option<Duration> {
        let text = self.scalar(key, |ty| matches!(ty, Type::Duration))?;
        Some(Duration::from_micros(checked(scalar::micros(text), key)))
    }

    /// Bytes, required or with a default.
    #[must_use]
    pub fn size(&self, key: &str) -> u64 {
        needed(self.size_opt(key), key)
    }

    /// Bytes that may be left out.
    #[must_use]
    pub fn size_opt(&self, key: &str) -> Option<u64> {
        let text = self.scalar(key, |ty| matches!(ty, Type::Size))?;
        Some(checked(scalar::bytes(text), key))
    }

    /// A text or choice that is required or has a default.
    #[must_use]
    pub fn text(&self, key: &str) -> &'a str {
        needed(self.text_opt(key), key)
    }

    /// A text that may be left out.
    ///
    /// # Panics
    ///
    /// INV-M1, also for a secret: that is read with [`Section::secret_opt`].
    #[must_use]
    pub fn text_opt(&self, key: &str) -> Option<&'a str> {
        assert!(!self.key(key).secret, "INV-M1: `{key}` is secret, read it with `secret_opt`");
        self.scalar(key, |ty| matches!(ty, Type::Text | Type::Choice(_)))
    }

    /// A secret text that may be left out.
    #[must_use]
    pub fn secret_opt(&self, key: &str) -> Option<Secret> {
        self.scalar(key, |ty| matches!(ty, Type::Text))
            .map(|text| Secret::new(text.to_owned()))
    }

    /// A list of texts; empty if left out.
    #[must_use]
    pub fn texts(&self, key: &str) -> Vec<&'a str> {
        self.list(key, |item| matches!(item, Type::Text | Type::Choice(_)))
    }

    /// A list of integers; empty if left out, or where the other one of two types was written.
    #[must_use]
    pub fn integers(&self, key: &str) -> Vec<u64> {
        let texts = self.list(key, |item| matches!(item, Type::Integer { .. }));
        texts
            .into_iter()
            .filter_map(|text| scalar::integer(text).ok())
            .collect()
    }

    /// A list of lists of texts (`shards: [[a, b], [c]]`, or `[a, c]` for one replica each).
    #[must_use]
    pub fn text_lists(&self, key: &str) -> Vec<Vec<&'a str>> {
        let is_lists = |ty: &Type| matches!(ty, Type::List(Type::List(Type::Text)));
        self.expect(key, is_lists);
        match self.child(key) {
            None => self
                .key(key)
                .default
                .into_iter()
                .map(|text| vec![text])
                .collect(),
            Some(at) if matches!(self.config.nodes[at].value, Value::List) => self
                .children(at)
                .map(|(item, _)| self.scalars(item))
                .collect(),
            Some(at) => vec![self.scalars(at)],
        }
    }

    /// Pairs of a text map, in the order written; empty if left out.
    #[must_use]
    pub fn text_map(&self, key: &str) -> Vec<(&'a str, &'a str)> {
        self.expect(key, |ty| matches!(ty, Type::TextMap));
        let Some(at) = self.child(key) else { return Vec::new() };
        self.children(at)
            .map(|(at, node)| (node.key.as_str(), self.text_at(at)))
            .collect()
    }

    /// A section within this one, if it was written.
    ///
    /// # Panics
    ///
    /// INV-M1, as every getter.
    #[must_use]
    pub fn section(&self, key: &str) -> Option<Self> {
        let Type::Section(keys) = self.key(key).ty else {
            panic!("INV-M1: `{key}` is no section of `{}`", self.name)
        };
        let at = self.child(key)?;
        let name = self.config.nodes[at].key.as_str();
        Some(Section { config: self.config, name, node: Some(at), keys: [keys, &[], &[]] })
    }

    /// An error at `key` (or at the section when the key was not written), for what the schema
    /// cannot say.
    #[must_use]
    pub fn error(
        &self,
        key: &str,
        code: &'static str,
        text: impl Into<String>,
        help: impl Into<String>,
    ) -> ConfigErrors {
        let file = self.config.file();
        let place = match (self.child(key), self.node) {
            (Some(at), _) => Some(self.config.nodes[at].value_at),
            (None, Some(at)) => Some(self.config.nodes[at].key_at),
            (None, None) => None,
        };
        let at = match place {
            Some((line, col)) => format!("{file}:{line}:{col}"),
            None => self.config.top(),
        };
        ConfigErrors::from(ConfigError { at, code, text: text.into(), help: help.into() })
    }

    /// A warning for every secret that is written in the file itself.
    #[must_use]
    pub fn plain_secrets(&self) -> Findings {
        let mut findings = Findings::default();
        let keys = self.keys.iter().flat_map(|keys| keys.iter());
        for key in keys.filter(|key| key.secret) {
            let written = self.child(key.name).map(|at| &self.config.nodes[at]);
            if let Some(node) = written.filter(|node| node.is_literal()) {
                let ((line, col), file) = (node.value_at, self.config.file());
                let name = format!("{}.{}", self.name, key.name);
                findings.warning(
                    "P059",
                    format!("{file}:{line}:{col}: secret `{name}` is written in plain text"),
                    "write `${NAME}` and set the variable, so that the file can be shown",
                );
            }
        }
        findings
    }

    fn key(&self, name: &str) -> &'static Key {
        let mut keys = self.keys.iter().flat_map(|keys| keys.iter());
        let Some(key) = keys.find(|key| key.name == name) else {
            panic!("INV-M1: the schema of `{}` has no key `{name}`", self.name)
        };
        key
    }

    fn expect(&self, name: &str, is: impl Fn(&Type) -> bool) {
        let ty = self.key(name).ty;
        let fits = match ty {
            Type::Either(a, b) => is(a) || is(b),
            ty => is(&ty),
        };
        assert!(fits, "INV-M1: key `{name}` of `{}` is {ty:?}", self.name);
    }

    /// The text of a single value, or its default; `None` for a list where two types are allowed.
    fn scalar(&self, name: &str, is: impl Fn(&Type) -> bool) -> Option<&'a str> {
        self.expect(name, is);
        match self.child(name) {
            None => self.key(name).default,
            Some(at) if matches!(self.config.nodes[at].value, Value::List) => None,
            Some(at) => Some(self.text_at(at)),
        }
    }

    fn list(&self, name: &str, item: impl Fn(&Type) -> bool) -> Vec<&'a str> {
        self.expect(name, |ty| matches!(ty, Type::List(ty) if item(ty)));
        match self.child(name) {
            None => self.key(name).default.into_iter().collect(),
            Some(at) => self.scalars(at),
        }
    }

    /// The items of a list of single values, or a single value as a list of one.
    fn scalars(&self, at: usize) -> Vec<&'a str> {
        match self.config.nodes[at].value {
            Value::List => self.children(at).map(|(at, _)| self.text_at(at)).collect(),
            Value::Empty => Vec::new(),
            _ => vec![self.text_at(at)],
        }
    }

    fn text_at(&self, at: usize) -> &'a str {
        match &self.config.nodes[at].value {
            Value::Text(text) => text,
            // Only in a section that was checked as unread.
            _ => "",
        }
    }

    /// Whether a key is missing that must be there.
    pub(super) fn lacks_required(&self) -> bool {
        let mut required = self
            .keys
            .iter()
            .flat_map(|keys| keys.iter())
            .filter(|key| key.required);
        required.any(|key| self.child(key.name).is_none())
    }

    fn child(&self, name: &str) -> Option<usize> {
        let found = self.children(self.node?).find(|(_, node)| node.key == name);
        found.map(|(at, _)| at)
    }

    fn children(&self, at: usize) -> impl Iterator<Item = (usize, &'a Node)> + use<'a> {
        let depth = self.config.nodes[at].depth + 1;
        let below = self.config.nodes.iter().enumerate().skip(at + 1);
        below
            .take_while(move |(_, node)| node.depth >= depth)
            .filter(move |(_, node)| node.depth == depth)
    }
}

impl fmt::Debug for Section<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written: Vec<_> = self
            .node
            .into_iter()
            .flat_map(|at| self.children(at))
            .map(|(_, node)| node.key.as_str())
            .collect();
        f.debug_struct("Section")
            .field("name", &self.name)
            .field("written", &written)
            .finish()
    }
}

fn needed<T>(value: Option<T>, key: &str) -> T {
    let Some(value) = value else {
        panic!("INV-M1: key `{key}` is neither required nor has it a default")
    };
    value
}

fn checked<T>(read: Result<T, scalar::Why>, key: &str) -> T {
    let Ok(value) = read else { panic!("INV-M1: the default of key `{key}` is not of its type") };
    value
}

#[cfg(test)]
mod tests;

//! A configuration file that was read: its nodes, and the sections checked out of it.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use spate_yaml::{Node, Vars};

use super::check::{self, Entry, Expected, Faults, Purpose, Role, Value};
use super::error::{ConfigError, ConfigErrors};
use super::fit::{LANES_ASSUMED, Loads, share};
use super::message;
use super::schema::Key;
use super::section::Section;

/// A configuration as read from a file: YAML, variables filled in, not yet checked against any
/// schema. `Debug` shows the file's name only.
#[derive(Clone)]
pub struct Config {
    file: String,
    pub(super) nodes: Vec<Node>,
}

impl Config {
    /// A configuration without sections: every setting has its default.
    #[must_use]
    pub fn empty() -> Self {
        Self { file: "(no configuration)".to_owned(), nodes: Vec::new() }
    }

    /// Reads `text`; messages call it `file_name`. `env` gives the value of a variable.
    ///
    /// A variable that is not set is an error of the section that needs it, not of this call.
    ///
    /// # Errors
    ///
    /// Text that is not YAML, or more of YAML than a configuration needs.
    pub fn parse(
        file_name: &str,
        text: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigErrors> {
        let nodes = spate_yaml::read(text, Vars::From(env)).map_err(|faults| {
            ConfigErrors(
                faults
                    .into_iter()
                    .map(|fault| of_text(file_name, fault))
                    .collect(),
            )
        })?;
        Ok(Self { file: file_name.to_owned(), nodes })
    }

    /// Reads the file at `path` with the process's environment.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, and what [`Config::parse`] refuses.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigErrors> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let unread = |text: String| ConfigError {
            at: format!("{name}:1:1"),
            code: "P059",
            text,
            help: String::new(),
        };
        if path.is_dir() {
            return Err(unread("a folder, not a file".to_owned()).into());
        }
        let bytes = std::fs::read(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => unread("there is no such file".to_owned()),
            _ => unread(format!("it could not be read: {error}")),
        })?;
        let text = spate_yaml::utf8(bytes).map_err(|fault| of_text(&name, fault))?;
        Self::parse(&name, &text, &|variable| std::env::var(variable).ok())
    }

    /// The name that messages begin with.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The part of it that `keep` says yes to, asked with a section's name and each key in it;
    /// what stands in a variable that is not set is left out as well.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&str, &str) -> bool) -> Self {
        let mut nodes = Vec::new();
        let (mut section, mut kept) = ("", false);
        for node in &self.nodes {
            match node.depth {
                0 => section = &node.key,
                1 => {
                    kept = keep(section, &node.key)
                        && !matches!(node.value, spate_yaml::Value::Unset(_))
                }
                _ => {}
            }
            if node.depth == 0 || kept {
                nodes.push(node.clone());
            }
        }
        // A section of which nothing is left is not there.
        let empty = |at: usize| {
            let next: Option<&Node> = nodes.get(at + 1);
            nodes[at].depth == 0 && next.is_none_or(|next| next.depth == 0)
        };
        let nodes = (0..nodes.len())
            .filter(|at| !empty(*at))
            .map(|at| nodes[at].clone());
        Self { file: self.file.clone(), nodes: nodes.collect() }
    }

    /// This configuration, and from `other` the sections that this one does not have.
    #[must_use]
    pub fn over(self, other: &Self) -> Self {
        let own = |name: &str| {
            self.nodes
                .iter()
                .any(|node| node.depth == 0 && node.key == name)
        };
        let mut kept = false;
        let others = other.nodes.iter().filter(|node| {
            if node.depth == 0 {
                kept = !own(&node.key);
            }
            kept
        });
        let others: Vec<Node> = others.cloned().collect();
        Self { file: self.file, nodes: self.nodes.into_iter().chain(others).collect() }
    }

    /// Checks the section of a declared name against its sets of keys (at most three).
    ///
    /// A section that is not there is one with defaults only.
    ///
    /// # Errors
    ///
    /// Everything that is wrong in it; a missing section that requires a key.
    pub fn section<'a>(
        &'a self,
        name: &'a str,
        keys: &[&'static [Key]],
    ) -> Result<Section<'a>, ConfigErrors> {
        self.checked(name, keys, Purpose::Declared)
    }

    /// As [`Config::section`], for a section whose texts are not going to be used in this run: its
    /// variables need not be set, and read as empty.
    ///
    /// # Errors
    ///
    /// As [`Config::section`].
    pub fn section_unread<'a>(
        &'a self,
        name: &'a str,
        keys: &[&'static [Key]],
    ) -> Result<Section<'a>, ConfigErrors> {
        self.checked(name, keys, Purpose::ToFiles)
    }

    /// What is wrong with the names of the sections: each must be declared, or `pipeline`.
    #[must_use]
    pub fn check_names(&self, declared: &[&str]) -> ConfigErrors {
        let expected: Vec<_> = declared
            .iter()
            .map(|name| Expected { name, keys: &[], role: Role::Own })
            .collect();
        let entries = self.entries();
        self.faults(&entries, |skip| check::check_names(&expected, &entries, skip))
    }

    /// Everything that is wrong with it, as a build finds it: names, sections, and what does not
    /// go together.
    #[must_use]
    pub fn check(&self, sections: &[Expected<'_>], purpose: Purpose) -> ConfigErrors {
        let entries = self.entries();
        self.faults(&entries, |skip| check::check(sections, &entries, purpose, skip))
    }

    /// What does not go together in sections that are right by themselves; gives the bytes at
    /// which the batches of each sink are sealed, given the budget.
    ///
    /// # Errors
    ///
    /// Each pair of values that do not go together.
    pub fn fit(
        &self,
        sections: &[Expected<'_>],
        purpose: Purpose,
        memory: u64,
    ) -> Result<Vec<u64>, ConfigErrors> {
        let entries = self.entries();
        let errors =
            self.faults(&entries, |skip| check::check_fit(sections, &entries, purpose, skip));
        errors.or_ok(())?;
        let threads = sections.iter().find_map(|section| match section.role {
            Role::Pipeline { threads } => threads,
            _ => None,
        });
        let lanes = threads.unwrap_or(LANES_ASSUMED).max(LANES_ASSUMED);
        let loads = Loads { sections, entries: &entries, lanes };
        let share = share(memory, &loads);
        let sinks = (0..sections.len()).filter_map(|index| loads.get(index));
        Ok(sinks.map(|load| load.batch_bytes(share)).collect())
    }

    /// An error at a section; at the file where the section is not there.
    #[must_use]
    pub fn error_in(
        &self,
        section: &str,
        code: &'static str,
        text: impl Into<String>,
        help: impl Into<String>,
    ) -> ConfigError {
        let node = self
            .nodes
            .iter()
            .find(|node| node.depth == 0 && node.key == section);
        let at = match node.map(|node| node.key_at) {
            Some((line, col)) => format!("{}:{line}:{col}", self.file),
            None => self.top(),
        };
        ConfigError { at, code, text: text.into(), help: help.into() }
    }

    fn checked<'a>(
        &'a self,
        name: &'a str,
        keys: &[&'static [Key]],
        purpose: Purpose,
    ) -> Result<Section<'a>, ConfigErrors> {
        let entries = self.entries();
        let expected = Expected { name, keys, role: Role::Source { session: None } };
        let errors =
            self.faults(&entries, |skip| check::check_section(&expected, &entries, purpose, skip));
        errors.or_ok(())?;
        let section = Section::new(self, name, keys);
        if purpose == Purpose::Declared && section.lacks_required() {
            // Told elsewhere: the section's own name is misspelt, say.
            return Err(ConfigErrors::default());
        }
        Ok(section)
    }

    /// The place that stands for the file as a whole.
    pub(super) fn top(&self) -> String {
        if self.file.starts_with('(') { self.file.clone() } else { format!("{}:1:1", self.file) }
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        self.nodes.iter().map(entry).collect()
    }

    fn faults<'a>(
        &self,
        entries: &[Entry<'_>],
        from: impl Fn(usize) -> Faults<'a>,
    ) -> ConfigErrors {
        let mut errors = ConfigErrors::default();
        loop {
            let faults = from(errors.0.len());
            let found = (0..).map_while(|nth| faults.get(nth));
            errors.0.extend(found.map(|fault| {
                ConfigError {
                    at: message::place(&fault, &self.file, entries)
                        .as_str()
                        .to_owned(),
                    code: fault.kind.code(),
                    text: message::text(&fault, entries).as_str().to_owned(),
                    help: message::help(&fault).as_str().to_owned(),
                }
            }));
            if faults.len() < Faults::MOST {
                return errors;
            }
        }
    }
}

/// What is wrong with the text of `file`.
fn of_text(file: &str, fault: spate_yaml::Fault) -> ConfigError {
    let spate_yaml::Fault { line, col, text, help } = fault;
    ConfigError { at: format!("{file}:{line}:{col}"), code: "P059", text, help }
}

/// A node as the check sees it.
fn entry(node: &Node) -> Entry<'_> {
    Entry {
        depth: node.depth,
        key: &node.key,
        value: match &node.value {
            spate_yaml::Value::Empty => Value::Empty,
            spate_yaml::Value::Text(text) => Value::Text(text),
            spate_yaml::Value::Later => Value::Later,
            spate_yaml::Value::Unset(variable) => Value::Unset(variable),
            spate_yaml::Value::Map => Value::Map,
            spate_yaml::Value::List => Value::List,
        },
        shown: &node.shown,
        line: node.key_at.0,
        col: node.key_at.1,
        value_line: node.value_at.0,
        value_col: node.value_at.1,
        twin: node.twin,
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

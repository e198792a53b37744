//! A configuration file that was read: its nodes, and the sections checked out of it.

use std::fmt;
use std::path::Path;

use super::check::{self, Entry, Expected, Fault};
use super::error::{ConfigError, ConfigErrors};
use super::message;
use super::schema::Key;
use super::section::Section;
use super::yaml::{self, Node, Owned};

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
        let nodes = yaml::read(file_name, text, env)?;
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
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&name, &text, &|variable| std::env::var(variable).ok()),
            Err(error) => Err(ConfigErrors::from(ConfigError {
                at: name,
                code: "P059",
                text: format!("could not read the configuration: {error}"),
                help: String::new(),
            })),
        }
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
                1 => kept = keep(section, &node.key) && !matches!(node.value, Owned::Unset(_)),
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
        self.checked(name, keys, false)
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
        self.checked(name, keys, true)
    }

    /// What is wrong with the names of the sections: each must be declared, or `pipeline`.
    #[must_use]
    pub fn check_names(&self, declared: &[&str]) -> ConfigErrors {
        let expected: Vec<_> = declared
            .iter()
            .map(|name| Expected { name, keys: &[] })
            .collect();
        let entries = self.entries();
        self.faults(&entries, |nth| check::check_names(&expected, &entries, nth))
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
        let at = match node.map(Node::key_at) {
            Some((line, col)) => format!("{}:{line}:{col}", self.file),
            None => self.file.clone(),
        };
        ConfigError { at, code, text: text.into(), help: help.into() }
    }

    fn checked<'a>(
        &'a self,
        name: &'a str,
        keys: &[&'static [Key]],
        unread: bool,
    ) -> Result<Section<'a>, ConfigErrors> {
        let entries = self.entries();
        let expected = Expected { name, keys };
        let errors =
            self.faults(&entries, |nth| check::check_section(&expected, &entries, nth, unread));
        errors.or_ok(())?;
        Ok(Section::new(self, name, keys))
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        self.nodes.iter().map(Node::entry).collect()
    }

    fn faults<'a>(
        &self,
        entries: &[Entry<'_>],
        nth: impl Fn(usize) -> Option<Fault<'a>>,
    ) -> ConfigErrors {
        let faults = (0..).map_while(nth);
        let errors = faults.map(|fault| ConfigError {
            at: message::place(&fault, &self.file, entries)
                .as_str()
                .to_owned(),
            code: fault.kind.code(),
            text: message::text(&fault, entries).as_str().to_owned(),
            help: message::help(&fault).as_str().to_owned(),
        });
        ConfigErrors(errors.collect())
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

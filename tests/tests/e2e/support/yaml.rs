//! A configuration file, key by key.

use std::collections::BTreeMap;
use std::fmt;

/// Sections of keys with their values as they are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Yaml(BTreeMap<String, BTreeMap<String, String>>);

impl Yaml {
    /// Sets `section.key`, in place of what was there.
    pub(crate) fn set(mut self, path: &str, value: impl fmt::Display) -> Self {
        let (section, key) = path.split_once('.').unwrap();
        let section = self.0.entry(section.to_owned()).or_default();
        section.insert(key.to_owned(), value.to_string());
        self
    }
}

impl fmt::Display for Yaml {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (section, keys) in &self.0 {
            writeln!(f, "{section}:")?;
            for (key, value) in keys {
                writeln!(f, "  {key}: {value}")?;
            }
        }
        Ok(())
    }
}

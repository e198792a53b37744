//! What is wrong with a configuration, as people read it.

use std::fmt;

/// One thing that is wrong with a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// `file:line:col` of the value or key; the file's name alone if something is missing in it.
    pub at: String,
    /// The rule's code.
    pub code: &'static str,
    /// What is wrong.
    pub text: String,
    /// What to write instead; may be empty.
    pub help: String,
}

/// Everything that is wrong with a configuration; empty while errors are being collected.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the errors of `result`, gives its value if there is one.
    pub fn collect<T>(&mut self, result: Result<T, Self>) -> Option<T> {
        result.map_err(|errors| self.0.extend(errors.0)).ok()
    }

    /// `value` if nothing is wrong.
    ///
    /// # Errors
    ///
    /// Everything that was collected.
    pub fn or_ok<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: {} [{}]", error.at, error.text, error.code)?;
            if !error.help.is_empty() {
                write!(f, "\n  help: {}", error.help)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

//! What the world looks like before a record is read: findings, all of them in one report.

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The pipeline does not start.
    Error,
    /// The other side does not answer: a start waits for it, `check` fails.
    Unreachable,
    /// The pipeline starts; the operator should read this.
    Warning,
    /// What was found and is as it should be.
    Note,
}

/// One thing the preflight found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The rule's stable code: `S0xx`, or the `P0xx` of a rule that is checked again at start.
    pub code: &'static str,
    /// What is wrong, a lower-case fragment: kind of object, then the value in backticks.
    pub text: String,
    /// What to do about it; may be empty.
    pub help: String,
}

/// Everything a check found; empty means nothing to say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Adds an error.
    pub fn error(&mut self, code: &'static str, text: impl Into<String>, help: impl Into<String>) {
        self.push(Severity::Error, code, text.into(), help.into());
    }

    /// Adds that the other side does not answer (yet).
    pub fn unreachable(
        &mut self,
        code: &'static str,
        text: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Unreachable, code, text.into(), help.into());
    }

    /// Adds a warning.
    pub fn warning(
        &mut self,
        code: &'static str,
        text: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Warning, code, text.into(), help.into());
    }

    /// Adds a note.
    pub fn note(&mut self, code: &'static str, text: impl Into<String>) {
        self.push(Severity::Note, code, text.into(), String::new());
    }

    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|finding| finding.severity == Severity::Error)
    }

    /// Whether the other side did not answer somewhere.
    #[must_use]
    pub fn has_unreachable(&self) -> bool {
        self.0
            .iter()
            .any(|finding| finding.severity == Severity::Unreachable)
    }

    fn push(&mut self, severity: Severity, code: &'static str, text: String, help: String) {
        self.0.push(Finding { severity, code, text, help });
    }
}

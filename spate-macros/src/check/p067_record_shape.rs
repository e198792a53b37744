//! P067: a record is what a decoder can be derived for.
//!
//! Reported where `#[derive(Record)]` is read (`record`). What serde does by buffering a record, or
//! by asking the record's type at run time, no decoder can be derived for.

use crate::report::Rule;

/// For `record`, which reports it at the attribute or the type.
pub(crate) const P067: Rule = Rule {
    code: "P067",
    help: "leave it to serde: derive `Deserialize` alone, and mark fields of it `#[record(serde)]`",
};

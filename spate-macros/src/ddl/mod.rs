//! The table that a DDL file creates, as far as a row has to know it.
//!
//! Pure: text in, table out. A file may hold many statements. Those that make or change tables are
//! read (`CREATE TABLE`, `ALTER TABLE`, `RENAME`, `EXCHANGE`, `DROP`, `USE`), in order, as a server
//! would run them; all others are passed over up to their `;`. Of a table the list of columns is
//! read, and where an engine is Distributed what it shards by; expressions, codecs, indices and
//! settings are passed over by their brackets.
//!
//! ```text
//! text → token → cursor → statement → types → Table
//! ```
//!
//! This is no grammar of SQL, on purpose: that would cost every build more than all of `syn`, and
//! none has all of ClickHouse's corners (ADR-0015). What is read here is compared with what the
//! engine itself says in `tests.rs`.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unreachable
)]

mod cursor;
mod statement;
#[cfg(test)]
mod tests;
mod token;
mod types;

use statement::Tables;

/// Why a file could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    /// The byte it is about.
    pub(crate) at: usize,
    pub(crate) text: String,
    pub(crate) help: String,
    /// Whether it is about the table that was asked for, not about what the file says.
    pub(crate) of_table: bool,
}

impl Fault {
    fn new(at: usize, text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, text: text.into(), help: help.into(), of_table: false }
    }
}

/// A table as its file leaves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// The byte where its name stands.
    pub(crate) at: usize,
    pub(crate) columns: Vec<Column>,
    /// What a Distributed table over it shards by.
    pub(crate) sharding: Option<Sharding>,
}

/// A column as the server would list it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// As the server prints it; empty where it is that of the default's expression.
    pub(crate) ty: String,
    /// Empty, `DEFAULT`, `MATERIALIZED`, `ALIAS` or `EPHEMERAL`.
    pub(crate) default_kind: &'static str,
    /// The byte where its name stands.
    pub(crate) at: usize,
    /// The `Nested` it is a column of: name and type.
    nested: Option<(String, String)>,
}

/// The sharding expression of a Distributed table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sharding {
    /// As written.
    pub(crate) expression: String,
    /// The columns it names.
    pub(crate) columns: Vec<String>,
    /// The byte where it stands.
    pub(crate) at: usize,
}

/// Reads the table `wanted`, or the only one there is.
pub(crate) fn read(file: &str, wanted: Option<&str>) -> Result<Table, Fault> {
    let tokens = token::tokens(file)?;
    let mut tables = Tables::default();
    let mut rest = cursor::Cursor::new(&tokens, file.len());
    while !rest.is_empty() {
        tables.run(rest.statement())?;
    }
    tables.choose(wanted)
}

/// Line and column of byte `at`, both from 1; columns in characters.
pub(crate) fn place(file: &str, at: usize) -> (usize, usize) {
    let before = file.get(..at).unwrap_or(file);
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line, last.chars().count() + 1)
}

impl Table {
    /// The columns for a row that has these: a `Nested` is one column where the row has one for it,
    /// and else the arrays that the server makes of it.
    pub(crate) fn columns_for(&self, row: &[&str]) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for column in &self.columns {
            let whole = column
                .nested
                .as_ref()
                .filter(|(name, _)| row.contains(&name.as_str()));
            let Some((name, ty)) = whole else {
                columns.push(column.clone());
                continue;
            };
            if columns.last().is_none_or(|last| last.name != *name) {
                let (name, ty) = (name.clone(), ty.clone());
                columns.push(Column { name, ty, nested: None, ..column.clone() });
            }
        }
        columns
    }
}

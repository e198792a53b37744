//! A row's fields against a table's columns: one comparison and one set of words, all `const`.
//!
//! ```text
//! a DDL file, read by derive(Row) --+
//!                                   +--> Table --> Fault --> the message of a build, or a Finding
//! system.columns, read at start ----+
//! ```
//!
//! Columns are matched by name. What ClickHouse fills itself needs no field; a column that has
//! neither a default nor a field is a fault, although the server would write zeros: nobody asked for
//! them.

use spate_runtime::chain::row::Column;
use spate_runtime::config::nearest::{near, same};
use spate_runtime::line::Line;

use crate::types::{Misfit, column_type, field_type, fits};

/// A table, as its DDL file or the server has it.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The file it was read from; empty if it is a server's.
    pub file: &'a str,
    /// Line of its name in the file, from 1.
    pub line: u32,
    /// Column of its name in the file, from 1, in characters.
    pub col: u32,
    /// Its name.
    pub name: &'a str,
    /// Its columns, in order.
    pub columns: &'a [TableColumn<'a>],
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type as the server prints it; empty if only the server knows it.
    pub ty: &'a str,
    /// Empty, `DEFAULT`, `MATERIALIZED`, `ALIAS` or `EPHEMERAL`.
    pub default_kind: &'a str,
    /// Line of its name in the file, from 1.
    pub line: u32,
    /// Column of its name in the file, from 1, in characters.
    pub col: u32,
}

/// One difference between a row and a table (P048).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Fault<'a> {
    /// The table has no column for a field.
    NoColumn(&'a Column),
    /// The column of a field is computed and cannot be written.
    Computed(&'a Column, &'a TableColumn<'a>),
    /// The bytes of a field are not those of its column.
    Misfit(&'a Column, &'a TableColumn<'a>, Misfit),
    /// The row has no field for a column that nothing else fills.
    NoField(&'a TableColumn<'a>),
}

/// What is wrong with a field.
#[must_use]
pub const fn field_fault<'a>(field: &'a Column, table: &Table<'a>) -> Option<Fault<'a>> {
    let Some(column) = find(field.name, table.columns) else {
        return Some(Fault::NoColumn(field));
    };
    if same(column.default_kind, "MATERIALIZED") || same(column.default_kind, "ALIAS") {
        return Some(Fault::Computed(field, column));
    }
    if column.ty.is_empty() {
        return None;
    }
    match fits(&field.data_type, column.ty) {
        Ok(()) => None,
        Err(misfit) => Some(Fault::Misfit(field, column, misfit)),
    }
}

/// What is wrong with a column, seen from the fields of a row.
///
/// A column that a misspelt field was meant for is not reported: the field is.
#[must_use]
pub const fn column_fault<'a>(
    fields: &[Column],
    column: &'a TableColumn<'a>,
    table: &Table<'a>,
) -> Option<Fault<'a>> {
    if !column.default_kind.is_empty() || fills_itself(column.ty) {
        return None;
    }
    let mut i = 0;
    while i < fields.len() {
        let meant = match find(fields[i].name, table.columns) {
            Some(column) => Some(column),
            None => nearest(fields[i].name, table.columns),
        };
        if let Some(meant) = meant
            && same(meant.name, column.name)
        {
            return None;
        }
        i += 1;
    }
    Some(Fault::NoField(column))
}

/// Whether a column without a default has a value all the same: NULL, or a state nobody can write.
const fn fills_itself(ty: &str) -> bool {
    begins(ty, "Nullable(")
        || begins(ty, "LowCardinality(Nullable(")
        || begins(ty, "AggregateFunction(")
}

const fn begins(text: &str, with: &str) -> bool {
    text.len() >= with.len() && same_bytes(text.as_bytes().split_at(with.len()).0, with.as_bytes())
}

const fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

const fn find<'a>(name: &str, columns: &'a [TableColumn<'a>]) -> Option<&'a TableColumn<'a>> {
    let mut i = 0;
    while i < columns.len() {
        if same(columns[i].name, name) {
            return Some(&columns[i]);
        }
        i += 1;
    }
    None
}

impl Fault<'_> {
    /// What is wrong.
    #[must_use]
    pub const fn text(&self, row: &str, table: &Table<'_>) -> Line {
        self.write_text(Line::new(), row, table)
    }

    const fn write_text(&self, to: Line, row: &str, table: &Table<'_>) -> Line {
        match self {
            Self::NoColumn(field) => to
                .push("table `")
                .push(table.name)
                .push("` has no column `")
                .push(field.name)
                .push("` for a field of `")
                .push(row)
                .push("`"),
            Self::Computed(_, column) => column_of(to, column, table)
                .push(" is ")
                .push(column.default_kind)
                .push(" and cannot be written"),
            Self::Misfit(field, column, _) => column_of(to, column, table)
                .push(" is `")
                .push_short(column.ty, SHOWN)
                .push("`, but field `")
                .push(field.name)
                .push(": ")
                .push_short(field.rust_type, SHOWN)
                .push("` of `")
                .push(row)
                .push("` is written as `")
                .push_short(column_type(&field.data_type).as_str(), SHOWN)
                .push("`"),
            Self::NoField(column) => column_of(to, column, table)
                .push(" has no DEFAULT and `")
                .push(row)
                .push("` no field for it"),
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn help(&self, row: &str, table: &Table<'_>) -> Line {
        self.write_help(Line::new(), row, table)
    }

    const fn write_help(&self, to: Line, row: &str, table: &Table<'_>) -> Line {
        match self {
            Self::NoColumn(field) => write_similar(to, field.name, table.columns),
            Self::Computed(..) => to.push("remove the field from `").push(row).push("`"),
            Self::Misfit(field, column, misfit) => write_advice(to, *misfit, field, column.ty),
            Self::NoField(column) => match field_type(column.ty) {
                Some(field) => to
                    .push("add a field `")
                    .push(column.name)
                    .push(": ")
                    .push(field.as_str())
                    .push("`, or a DEFAULT to the column"),
                None => to.push("add a DEFAULT to the column"),
            },
        }
    }

    /// `file:line:col: text [P048]` and the help.
    #[must_use]
    pub const fn message(&self, row: &str, table: &Table<'_>) -> Line {
        let (line, col) = match self {
            Self::NoColumn(_) => (table.line, table.col),
            Self::Computed(_, column) | Self::Misfit(_, column, _) | Self::NoField(column) => {
                (column.line, column.col)
            }
        };
        let to = Line::new()
            .push(table.file)
            .push(":")
            .number(line as u64)
            .push(":")
            .number(col as u64)
            .push(": ");
        let to = self.write_text(to, row, table).push(" [P048]\n  help: ");
        self.write_help(to, row, table)
    }
}

/// Characters of a type that are shown; enums have many.
const SHOWN: usize = 120;

const fn column_of(to: Line, column: &TableColumn<'_>, table: &Table<'_>) -> Line {
    to.push("column `")
        .push(column.name)
        .push("` of `")
        .push(table.name)
        .push("`")
}

/// What to do about a field that does not fit its column.
const fn write_advice(to: Line, misfit: Misfit, field: &Column, ty: &str) -> Line {
    if let Misfit::EnumAsText = misfit {
        return to.push("declare the field as the number of the name (`i8`, `i16`), or the column as `LowCardinality(String)`");
    }
    if let Misfit::Unreadable = misfit {
        return to.push("the column's type is not known to this version");
    }
    let Some(rust) = field_type(ty) else {
        return to
            .push("declare the column as `")
            .push(column_type(&field.data_type).as_str())
            .push("`");
    };
    let to = to
        .push("declare the field as `")
        .push(field.name)
        .push(": ")
        .push(rust.as_str())
        .push("`");
    match misfit {
        Misfit::NeverNull => to.push(", or the column as Nullable"),
        Misfit::Scale => to.push(", and convert with `rescale`"),
        _ => to
            .push(", or the column as `")
            .push(column_type(&field.data_type).as_str())
            .push("`"),
    }
}

/// A column that is written a little differently, or all there are.
const fn write_similar(mut to: Line, name: &str, columns: &[TableColumn<'_>]) -> Line {
    if let Some(column) = nearest(name, columns) {
        return to.push("did you mean `").push(column.name).push("`?");
    }
    to = to.push("it has: ");
    let mut i = 0;
    while i < columns.len() {
        to = if i == 0 { to } else { to.push(", ") }.push(columns[i].name);
        i += 1;
    }
    to
}

/// The column whose name is written a little differently, if there is one.
const fn nearest<'a>(name: &str, columns: &'a [TableColumn<'a>]) -> Option<&'a TableColumn<'a>> {
    let (mut nearest, mut least) = (None, usize::MAX);
    let mut i = 0;
    while i < columns.len() {
        let distance = if same_letters(name.as_bytes(), columns[i].name.as_bytes()) {
            0
        } else {
            near(name, columns[i].name)
        };
        if distance < least {
            (nearest, least) = (Some(&columns[i]), distance);
        }
        i += 1;
    }
    nearest
}

/// Whether two names differ in case, `_` and `-` only.
const fn same_letters(a: &[u8], b: &[u8]) -> bool {
    let (mut i, mut j) = (0, 0);
    loop {
        while i < a.len() && matches!(a[i], b'_' | b'-') {
            i += 1;
        }
        while j < b.len() && matches!(b[j], b'_' | b'-') {
            j += 1;
        }
        if i == a.len() || j == b.len() {
            return i == a.len() && j == b.len();
        }
        if !a[i].eq_ignore_ascii_case(&b[j]) {
            return false;
        }
        (i, j) = (i + 1, j + 1);
    }
}

/// Refuses a field whose column is not there or cannot be written. For builds.
///
/// # Panics
///
/// With the message of the fault.
#[track_caller]
pub const fn assert_column(row: &str, field: &Column, table: &Table<'_>) {
    if let Some(fault @ (Fault::NoColumn(_) | Fault::Computed(..))) = field_fault(field, table) {
        refuse(&fault, row, table);
    }
}

/// Refuses a field whose bytes are not those of its column. For builds.
///
/// # Panics
///
/// With the message of the fault.
#[track_caller]
pub const fn assert_type(row: &str, field: &Column, table: &Table<'_>) {
    if let Some(fault @ Fault::Misfit(..)) = field_fault(field, table) {
        refuse(&fault, row, table);
    }
}

/// Refuses a column that nothing fills. For builds.
///
/// # Panics
///
/// With the message of the fault.
#[track_caller]
pub const fn assert_filled(row: &str, fields: &[Column], column: usize, table: &Table<'_>) {
    if let Some(fault) = column_fault(fields, &table.columns[column], table) {
        refuse(&fault, row, table);
    }
}

/// Refuses a row with its first fault. For builds, where a row's types are known only in use.
///
/// # Panics
///
/// With the message of the fault.
#[track_caller]
pub const fn assert_row(row: &str, fields: &[Column], table: &Table<'_>) {
    let mut i = 0;
    while i < fields.len() {
        if let Some(fault) = field_fault(&fields[i], table) {
            refuse(&fault, row, table);
        }
        i += 1;
    }
    i = 0;
    while i < table.columns.len() {
        assert_filled(row, fields, i, table);
        i += 1;
    }
}

#[track_caller]
const fn refuse(fault: &Fault<'_>, row: &str, table: &Table<'_>) -> ! {
    panic!("{}", fault.message(row, table).as_str())
}

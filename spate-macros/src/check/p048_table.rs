//! P048: the row fits the table that its DDL file creates.
//!
//! Here the file is found and read, and the order of names is compared. What the fields' types are
//! only rustc knows: `codegen::table` writes the rest as constants that the connector's own `const fn`
//! refuses, the one that the start asks as well.
//!
//! Order: an insert names its columns, so ClickHouse itself does not care. People do, who read both
//! texts, and so does whoever reads rows by place; `any_order` says that nobody does.

use syn::LitStr;

use crate::ddl::{self, Column, Table};
use crate::file::File;
use crate::report::{Report, Rule};

pub(crate) const P048: Rule = Rule { code: "P048", help: "" };

/// A row and the table it is held against.
pub(crate) struct Held {
    pub(crate) file: File,
    pub(crate) name: String,
    /// Line and column of the table's name.
    pub(crate) place: (usize, usize),
    pub(crate) columns: Vec<HeldColumn>,
    pub(crate) sharding: Option<HeldSharding>,
}

/// A column of the table.
pub(crate) struct HeldColumn {
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) default_kind: &'static str,
    pub(crate) place: (usize, usize),
}

/// What a Distributed table over it shards by.
pub(crate) struct HeldSharding {
    pub(crate) expression: String,
    pub(crate) columns: Vec<String>,
    pub(crate) place: (usize, usize),
}

/// What the attribute says.
pub(crate) struct Wanted {
    pub(crate) file: LitStr,
    pub(crate) table: Option<LitStr>,
    pub(crate) any_order: bool,
}

/// A field as the table sees it.
pub(crate) struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: proc_macro2::Span,
}

/// Reads the table for a row with these fields; `None` after a finding at the file's name.
pub(crate) fn check(
    row: &str,
    fields: &[Field<'_>],
    wanted: &Wanted,
    report: &mut Report,
) -> Option<Held> {
    let file = File::read(&wanted.file, &P048, report)?;
    let asked = wanted.table.as_ref().map(LitStr::value);
    let table = match ddl::read(&file.text, asked.as_deref()) {
        Ok(table) => table,
        Err(fault) => {
            // A table that is asked for and not there is wrong where it is asked for.
            let span = wanted
                .table
                .as_ref()
                .filter(|_| fault.of_table)
                .map_or_else(|| file.span(), LitStr::span);
            let message = format!("{}: {}", place(&file, fault.at), fault.text);
            report.push_with(span, &P048, message, fault.help);
            return None;
        }
    };
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let columns = table.columns_for(&names);
    if !wanted.any_order {
        for moved in moved(fields, &columns) {
            let (name, there) = (&moved.column.name, &moved.there);
            report.push_with(
                moved.field.span,
                &P048,
                format!(
                    "{}: column `{name}` stands {there} in `{}`, field `{name}` of `{row}` does not",
                    place(&file, moved.column.at),
                    table.name
                ),
                format!(
                    "move the field {there}, or write `any_order` beside `ddl`: an insert names its columns"
                ),
            );
        }
    }
    Some(Held::new(file, table, columns))
}

fn place(file: &File, at: usize) -> String {
    let (line, col) = ddl::place(&file.text, at);
    file.place(line, col)
}

impl Held {
    fn new(file: File, table: Table, columns: Vec<Column>) -> Self {
        let place = |at: usize| ddl::place(&file.text, at);
        let column = |column: Column| HeldColumn {
            name: column.name,
            ty: column.ty,
            default_kind: column.default_kind,
            place: place(column.at),
        };
        let sharding = table.sharding.map(|sharding| HeldSharding {
            expression: sharding.expression,
            columns: sharding.columns,
            place: place(sharding.at),
        });
        let columns = columns.into_iter().map(column).collect();
        Self { place: place(table.at), name: table.name, columns, sharding, file }
    }
}

/// A field that stands elsewhere than its column, and where it belongs.
struct Moved<'a> {
    field: &'a Field<'a>,
    column: &'a Column,
    there: String,
}

/// The fewest fields that have to move for fields and columns to be in one order.
fn moved<'a>(fields: &'a [Field<'a>], columns: &'a [Column]) -> Vec<Moved<'a>> {
    let column_of =
        |field: &&Field<'_>| columns.iter().position(|column| column.name == field.name);
    let places: Vec<usize> = fields
        .iter()
        .filter_map(|field| column_of(&field))
        .collect();
    let kept = longest_rise(&places);
    let name_at = |at: usize| columns.get(at).map_or("", |column| column.name.as_str());
    let behind = |at: &usize, other: &usize| {
        places.iter().rposition(|place| place == at)
            > places.iter().position(|place| place == other)
    };
    fields
        .iter()
        .filter_map(|field| {
            let at = column_of(&field).filter(|at| !kept.contains(at))?;
            let before = kept.iter().rfind(|kept| **kept < at);
            let after = kept.iter().find(|kept| **kept > at);
            // Of its two neighbours, the one that it stands on the wrong side of.
            let there = match (before, after) {
                (Some(before), _) if !behind(&at, before) => {
                    format!("behind `{}`", name_at(*before))
                }
                (_, Some(after)) => format!("before `{}`", name_at(*after)),
                _ => return None,
            };
            Some(Moved { field, column: columns.get(at)?, there })
        })
        .collect()
}

/// The longest rising selection of `numbers`.
fn longest_rise(numbers: &[usize]) -> Vec<usize> {
    let mut ending: Vec<Vec<usize>> = Vec::new();
    for number in numbers {
        let mut best: Vec<usize> = ending
            .iter()
            .filter(|rise| rise.last().is_some_and(|last| last < number))
            .max_by_key(|rise| rise.len())
            .cloned()
            .unwrap_or_default();
        best.push(*number);
        ending.push(best);
    }
    // Of several the first, so that what moved is said to have moved down.
    ending
        .into_iter()
        .rev()
        .max_by_key(Vec::len)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_fields_are_said_to_have_moved_and_where_they_belong() {
        for (row, said) in [
            ("a b c d", ""),
            ("a c", ""),
            ("b c d a", "a before b"),
            ("d a b c", "d behind c"),
            ("a c b d", "c behind b"),
            ("x b a", "a before b"),
            ("a d c", "c before d"),
            ("d c b a", "c before d, b before d, a before d"),
        ] {
            let column = |name: &str| {
                ddl::read(&format!("CREATE TABLE t ({name} UInt8)"), None)
                    .unwrap()
                    .columns
                    .remove(0)
            };
            let columns = ["a", "b", "c", "d"].map(column);
            let span = proc_macro2::Span::call_site();
            let fields: Vec<Field<'_>> = row.split(' ').map(|name| Field { name, span }).collect();
            let found: Vec<String> = moved(&fields, &columns)
                .iter()
                .map(|moved| format!("{} {}", moved.field.name, moved.there.replace('`', "")))
                .collect();
            assert_eq!(found.join(", "), said, "of {row}");
        }
    }
}

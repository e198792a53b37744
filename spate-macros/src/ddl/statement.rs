//! Statements run one after the other over the tables there are so far.
//!
//! Pure. A fault in a table is kept with it and matters only if that table is the one asked for; a
//! fault elsewhere in the file is nobody's business here.

use super::cursor::Cursor;
use super::token::{Kind, Token};
use super::types::{self, Argument, Ty};
use super::{Column, Fault, Sharding, Table};

/// The tables a file has made so far.
#[derive(Default)]
pub(super) struct Tables {
    tables: Vec<Made>,
    /// What is no table to write to, such as a view: its name and what it is.
    others: Vec<(String, &'static str)>,
    /// The database of `USE`.
    database: Option<String>,
}

/// A table and where it comes from.
#[derive(Clone)]
struct Made {
    name: Name,
    at: usize,
    columns: Result<Vec<Column>, Fault>,
    engine: Option<Distributed>,
}

/// A table's name, with its database where it is known.
#[derive(Clone, PartialEq, Eq)]
struct Name {
    database: Option<String>,
    table: String,
}

/// What a Distributed table stands before.
#[derive(Clone)]
struct Distributed {
    over: Option<Name>,
    sharding: Option<(String, Vec<String>, usize)>,
}

/// What may stand behind a column's type.
const PROPERTIES: [&str; 13] = [
    "NULL",
    "NOT",
    "DEFAULT",
    "MATERIALIZED",
    "ALIAS",
    "EPHEMERAL",
    "AUTO_INCREMENT",
    "COMMENT",
    "CODEC",
    "STATISTICS",
    "TTL",
    "COLLATE",
    "PRIMARY",
];

/// The same, behind a default's expression.
const BEHIND_DEFAULT: [&str; 8] =
    ["COMMENT", "CODEC", "STATISTICS", "TTL", "COLLATE", "PRIMARY", "SETTINGS", "AUTO_INCREMENT"];

const DEFAULTS: [&str; 4] = ["DEFAULT", "MATERIALIZED", "ALIAS", "EPHEMERAL"];

const WITH_COMMAS: &str = "write it as `name Type`, with a comma behind it";

impl Name {
    /// Whether this is the table meant by `other`; a database that is not given fits any.
    fn fits(&self, other: &Self) -> bool {
        let databases = self.database.as_ref().zip(other.database.as_ref());
        self.table == other.table && databases.is_none_or(|(a, b)| a == b)
    }

    fn shown(&self) -> String {
        match &self.database {
            Some(database) => format!("{database}.{}", self.table),
            None => self.table.clone(),
        }
    }
}

impl Tables {
    /// Runs one statement.
    pub(super) fn run(&mut self, mut statement: Cursor<'_, '_>) -> Result<(), Fault> {
        if statement.words(&["USE"]) {
            self.database = statement.name().ok();
            return Ok(());
        }
        for begin in [&["CREATE"][..], &["CREATE", "OR", "REPLACE"], &["REPLACE"], &["ATTACH"]] {
            let mut rest = statement.clone();
            if rest.words(begin) {
                rest.words(&["TEMPORARY"]);
                if rest.words(&["TABLE"]) {
                    return self.create(rest, begin.contains(&"REPLACE"));
                }
                self.other(rest);
            }
        }
        if statement.words(&["ALTER", "TABLE"]) || statement.words(&["ALTER", "TEMPORARY", "TABLE"])
        {
            return self.alter(statement);
        }
        if statement.words(&["DROP", "TABLE"]) {
            statement.words(&["IF", "EXISTS"]);
            for mut part in statement.parts() {
                let name = self.name(&mut part)?;
                self.tables.retain(|table| !table.name.fits(&name));
            }
            return Ok(());
        }
        if statement.words(&["RENAME", "TABLE"]) {
            return self.rename(&statement);
        }
        if statement.words(&["EXCHANGE", "TABLES"]) {
            return self.exchange(statement);
        }
        Ok(())
    }

    fn name(&self, cursor: &mut Cursor<'_, '_>) -> Result<Name, Fault> {
        let (database, table) = cursor.qualified()?;
        Ok(Name { database: database.or_else(|| self.database.clone()), table })
    }

    fn find(&mut self, name: &Name) -> Option<&mut Made> {
        self.tables.iter_mut().find(|table| table.name.fits(name))
    }

    /// Remembers a view or dictionary by its name.
    fn other(&mut self, mut rest: Cursor<'_, '_>) {
        for (words, what) in [
            (&["MATERIALIZED", "VIEW"][..], "materialized view"),
            (&["VIEW"], "view"),
            (&["DICTIONARY"], "dictionary"),
        ] {
            if rest.words(words) {
                rest.words(&["IF", "NOT", "EXISTS"]);
                if let Ok(name) = self.name(&mut rest) {
                    self.others.push((name.table, what));
                }
            }
        }
    }

    /// What stands behind `CREATE TABLE`.
    fn create(&mut self, mut rest: Cursor<'_, '_>, replaces: bool) -> Result<(), Fault> {
        let keeps = rest.words(&["IF", "NOT", "EXISTS"]);
        let at = rest.at();
        let name = self.name(&mut rest)?;
        let known = self.tables.iter().any(|table| table.name == name);
        if known && keeps {
            return Ok(());
        }
        self.tables.retain(|table| table.name != name);
        if rest.words(&["UUID"]) {
            rest.skip(1);
        }
        on_cluster(&mut rest);
        let open = rest.clone();
        let list = rest.group('(');
        let columns = if known && !replaces {
            let text = format!("table `{}` is created a second time", name.shown());
            Err(Fault::new(at, text, "remove one of them, or put `DROP TABLE` between them"))
        } else {
            match &list {
                Some(_) if !open.is_closed() => {
                    let text = format!("the columns of `{}` are not closed", name.shown());
                    Err(Fault::new(open.at(), text, "write `)` behind the last one"))
                }
                Some(list) => columns_of(list),
                None => self.columns_as(&name, rest.clone(), at),
            }
        };
        self.tables
            .push(Made { engine: distributed(rest), name, at, columns });
        Ok(())
    }

    /// The columns of a table that has none of its own: those of another one.
    fn columns_as(
        &mut self,
        name: &Name,
        mut rest: Cursor<'_, '_>,
        at: usize,
    ) -> Result<Vec<Column>, Fault> {
        rest.until(|token| token.is_word("AS"));
        let help =
            "write the columns out, `(name Type, ..)`, so that the row can be held against them";
        if !rest.words(&["AS"]) {
            let text = format!("table `{}` is created without columns", name.shown());
            return Err(Fault::new(at, text, help));
        }
        let other = self.name(&mut rest);
        let of_query = format!("the columns of `{}` are those of a query", name.shown());
        match other {
            Ok(other) if !rest.peek().is_some_and(|next| next.is_mark('(')) => {
                if let Some(known) = self.find(&other) {
                    return known.columns.clone();
                }
                if ["SELECT", "WITH"]
                    .iter()
                    .any(|word| other.table.eq_ignore_ascii_case(word))
                {
                    return Err(Fault::new(at, of_query, help));
                }
                let text = format!(
                    "the columns of `{}` are those of `{}`, which this file does not create",
                    name.shown(),
                    other.shown()
                );
                Err(Fault::new(at, text, help))
            }
            _ => Err(Fault::new(at, of_query, help)),
        }
    }

    fn rename(&mut self, statement: &Cursor<'_, '_>) -> Result<(), Fault> {
        for mut part in statement.parts() {
            part.words(&["IF", "EXISTS"]);
            let from = self.name(&mut part)?;
            if !part.words(&["TO"]) {
                return Err(part.unexpected("`TO`"));
            }
            let to = self.name(&mut part)?;
            if let Some(table) = self.find(&from) {
                table.name = to;
            }
        }
        Ok(())
    }

    fn exchange(&mut self, mut rest: Cursor<'_, '_>) -> Result<(), Fault> {
        let first = self.name(&mut rest)?;
        if !rest.words(&["AND"]) {
            return Err(rest.unexpected("`AND`"));
        }
        let second = self.name(&mut rest)?;
        for table in &mut self.tables {
            if table.name.fits(&first) {
                table.name = second.clone();
            } else if table.name.fits(&second) {
                table.name = first.clone();
            }
        }
        Ok(())
    }

    /// What stands behind `ALTER TABLE`.
    fn alter(&mut self, mut rest: Cursor<'_, '_>) -> Result<(), Fault> {
        rest.words(&["IF", "EXISTS"]);
        let name = self.name(&mut rest)?;
        on_cluster(&mut rest);
        let Some(table) = self.find(&name) else { return Ok(()) };
        for part in rest.parts() {
            let Ok(columns) = &mut table.columns else { return Ok(()) };
            // One command may stand in brackets.
            let command = part.clone().group('(').unwrap_or(part);
            if let Err(fault) = change(columns, command) {
                table.columns = Err(fault);
            }
        }
        Ok(())
    }

    /// The table asked for, or the only one.
    pub(super) fn choose(self, wanted: Option<&str>) -> Result<Table, Fault> {
        let names = |tables: &[&Made]| {
            let names: Vec<String> = tables
                .iter()
                .map(|table| format!("`{}`", table.name.shown()))
                .collect();
            names.join(", ")
        };
        let tables: Vec<&Made> = self.tables.iter().collect();
        let chosen: Vec<&Made> = match wanted {
            Some(wanted) => {
                let name = match wanted.split_once('.') {
                    Some((database, table)) => {
                        Name { database: Some(database.to_owned()), table: table.to_owned() }
                    }
                    None => Name { database: None, table: wanted.to_owned() },
                };
                tables
                    .iter()
                    .copied()
                    .filter(|table| table.name.fits(&name))
                    .collect()
            }
            None => {
                let local = |table: &&&Made| table.engine.is_none();
                let local: Vec<&Made> = tables.iter().filter(local).copied().collect();
                if local.is_empty() { tables.clone() } else { local }
            }
        };
        match (&*chosen, wanted) {
            ([table], _) => self.table(table),
            ([], None) => {
                let text = "the file creates no table";
                Err(Fault::new(0, text, "it should hold the table's `CREATE TABLE`"))
            }
            ([], Some(wanted)) => {
                let other = self.others.iter().find(|(name, _)| name == wanted);
                let text = match other {
                    Some((_, what)) => format!("`{wanted}` is a {what}, not a table"),
                    None => format!("the file creates no table `{wanted}`"),
                };
                let help = if tables.is_empty() {
                    "it should hold the table's `CREATE TABLE`".to_owned()
                } else {
                    format!("it creates {}", names(&tables))
                };
                Err(Fault { of_table: true, ..Fault::new(0, text, help) })
            }
            ([first, second, ..], _) => {
                let text = format!("the file creates several tables: {}", names(&chosen));
                let help =
                    format!("say which one the row is for: `table = \"{}\"`", first.name.shown());
                Err(Fault::new(second.at, text, help))
            }
        }
    }

    fn table(&self, made: &Made) -> Result<Table, Fault> {
        let columns = made.columns.clone()?;
        if columns.is_empty() {
            let text = format!("table `{}` has no columns", made.name.shown());
            return Err(Fault::new(made.at, text, WITH_COMMAS));
        }
        let over = |table: &&Made| {
            let over = table
                .engine
                .as_ref()
                .and_then(|engine| engine.over.as_ref());
            over.is_some_and(|over| over.fits(&made.name))
        };
        let sharding = self
            .tables
            .iter()
            .filter(over)
            .find_map(|table| table.engine.as_ref()?.sharding.clone())
            .map(|(expression, words, at)| Sharding {
                expression,
                columns: columns
                    .iter()
                    .map(|column| column.name.clone())
                    .filter(|name| words.contains(name))
                    .collect(),
                at,
            });
        Ok(Table { name: made.name.shown(), at: made.at, columns, sharding })
    }
}

fn on_cluster(rest: &mut Cursor<'_, '_>) {
    if rest.words(&["ON", "CLUSTER"]) && rest.name().is_err() {
        rest.skip(1);
    }
}

/// What the table is Distributed over, if it is.
fn distributed(mut rest: Cursor<'_, '_>) -> Option<Distributed> {
    rest.until(|token| token.is_word("ENGINE"));
    rest.skip(1);
    rest.mark('=');
    if !rest.words(&["Distributed"]) {
        return None;
    }
    let parts = rest.group('(')?.parts();
    let mut parts = parts.into_iter().skip(1);
    let mut named = || {
        let mut part = parts.next()?;
        // A function, as in `currentDatabase()`, stands for some name.
        let is_function = part.ahead().nth(1).is_some_and(|token| token.is_mark('('));
        let name = part.text().or_else(|_fault| part.name()).ok()?;
        (!is_function).then_some(name)
    };
    let (database, table) = (named().filter(|name| !name.is_empty()), named());
    let over = table.map(|table| Name { database, table });
    let sharding = parts.next().map(|part| {
        let words = part.ahead().filter_map(|token| match &token.kind {
            Kind::Name(name) => Some(name.clone()),
            Kind::Word => Some(token.text.to_owned()),
            _ => None,
        });
        (part.raw(), words.collect(), part.at())
    });
    Some(Distributed { over, sharding })
}

/// The columns of a list that also holds indices, constraints, projections and keys.
fn columns_of(list: &Cursor<'_, '_>) -> Result<Vec<Column>, Fault> {
    let mut columns = Vec::new();
    for mut part in list.parts() {
        let is_column = !["INDEX", "CONSTRAINT", "PROJECTION"]
            .iter()
            .any(|word| part.sees(&[word]))
            && !part.sees(&["PRIMARY", "KEY"])
            && !part.sees(&["FOREIGN", "KEY"]);
        if is_column {
            add(&mut columns, column(&mut part, &[])?)?;
        }
    }
    Ok(columns)
}

fn add(columns: &mut Vec<Column>, new: Vec<Column>) -> Result<(), Fault> {
    for column in new {
        if columns.iter().any(|known| known.name == column.name) {
            let text = format!("column `{}` is there twice", column.name);
            return Err(Fault::new(column.at, text, "remove one of them"));
        }
        columns.push(column);
    }
    Ok(())
}

/// A column as it is declared: one, or those of a `Nested`. `more` may follow as well.
fn column(part: &mut Cursor<'_, '_>, more: &[&str]) -> Result<Vec<Column>, Fault> {
    let at = part.at();
    if part.is_empty() {
        return Err(Fault::new(at, "a column is missing before this comma", WITH_COMMAS));
    }
    let name = part.dotted()?;
    if part.is_empty() {
        return Err(Fault::new(at, format!("column `{name}` has no type"), WITH_COMMAS));
    }
    let untyped = DEFAULTS.iter().any(|word| part.sees(&[word]));
    let ty = if untyped { None } else { Some(types::read(part)?) };
    let behind = format!("the type of column `{name}`");
    if !PROPERTIES.iter().chain(more).any(|word| part.sees(&[word])) && !part.sees(&["SETTINGS"]) {
        part.end(&behind)?;
    }
    let (mut nullable, mut default_kind) = (false, "");
    while !part.is_empty() {
        if part.words(&["NULL"]) {
            nullable = true;
        } else if part.words(&["NOT", "NULL"]) {
            // As it is without.
        } else if part.words(&["COLLATE"]) {
            part.skip(1);
        } else if let Some(kind) = DEFAULTS.iter().find(|kind| part.words(&[kind])) {
            default_kind = kind;
            let stops = |token: &Token<'_>| {
                BEHIND_DEFAULT
                    .iter()
                    .chain(more)
                    .any(|word| token.is_word(word))
            };
            nullable |= ends_nullable(&part.until(stops));
        } else {
            break;
        }
    }
    Ok(spread(&name, ty, nullable, default_kind, at))
}

/// Whether a default makes its column nullable: `NULL` alone, or behind the expression.
fn ends_nullable(expression: &Cursor<'_, '_>) -> bool {
    let mut tokens = expression.ahead().rev();
    if !tokens.next().is_some_and(|last| last.is_word("NULL")) {
        return false;
    }
    match tokens.next() {
        None => true,
        Some(before) => match before.kind {
            Kind::Mark(mark) => matches!(mark, ')' | ']'),
            _ => !["IS", "NOT", "AND", "OR", "IN", "LIKE", "THEN", "ELSE", "WHEN", "FROM"]
                .iter()
                .any(|word| before.is_word(word)),
        },
    }
}

/// A column, or the arrays of a `Nested`.
fn spread(
    name: &str,
    ty: Option<Ty>,
    nullable: bool,
    default_kind: &'static str,
    at: usize,
) -> Vec<Column> {
    if let Some(ty) = ty.as_ref().filter(|ty| ty.name == "Nested") {
        let nested = (name.to_owned(), ty.to_string());
        let array = |argument: &Argument| match argument {
            Argument::Named(inner, ty) => Some(Column {
                name: format!("{name}.{inner}"),
                ty: format!("Array({ty})"),
                default_kind,
                at,
                nested: Some(nested.clone()),
            }),
            _ => None,
        };
        return ty.arguments.iter().filter_map(array).collect();
    }
    let text = ty.map_or_else(String::new, |ty| {
        if nullable && ty.name != "Nullable" { format!("Nullable({ty})") } else { ty.to_string() }
    });
    vec![Column { name: name.to_owned(), ty: text, default_kind, at, nested: None }]
}

/// One command of `ALTER TABLE`; those that are about no column change nothing here.
fn change(columns: &mut Vec<Column>, mut command: Cursor<'_, '_>) -> Result<(), Fault> {
    let at = command.at();
    let found = |columns: &[Column], name: &str| columns.iter().any(|column| is_of(column, name));
    let unknown = |name: &str| {
        let text = format!("column `{name}` is changed, but there is none");
        Fault::new(at, text, "correct its name")
    };
    if command.words(&["ADD", "COLUMN"]) {
        let keeps = command.words(&["IF", "NOT", "EXISTS"]);
        let new = column(&mut command, &["AFTER", "FIRST"])?;
        if keeps && new.iter().any(|column| found(columns, &column.name)) {
            return Ok(());
        }
        let before = columns.len();
        add(columns, new)?;
        return place(columns, before, command);
    }
    if command.words(&["DROP", "COLUMN"]) {
        let may_lack = command.words(&["IF", "EXISTS"]);
        let name = command.dotted()?;
        if !found(columns, &name) && !may_lack {
            return Err(unknown(&name));
        }
        columns.retain(|column| !is_of(column, &name));
        return Ok(());
    }
    if command.words(&["RENAME", "COLUMN"]) {
        let may_lack = command.words(&["IF", "EXISTS"]);
        let from = command.dotted()?;
        if !command.words(&["TO"]) {
            return Err(command.unexpected("`TO`"));
        }
        let to = command.dotted()?;
        return match columns.iter_mut().find(|column| column.name == from) {
            Some(column) => {
                (column.name, column.nested) = (to, None);
                Ok(())
            }
            None if may_lack => Ok(()),
            None => Err(unknown(&from)),
        };
    }
    if command.words(&["MODIFY", "COLUMN"]) || command.words(&["ALTER", "COLUMN"]) {
        let may_lack = command.words(&["IF", "EXISTS"]);
        let name = command.clone().dotted()?;
        return match columns.iter().position(|column| column.name == name) {
            Some(index) => modify(columns, index, command),
            None if may_lack => Ok(()),
            None => Err(unknown(&name)),
        };
    }
    Ok(())
}

/// Whether a column has this name, or is one of the `Nested` of this name.
fn is_of(column: &Column, name: &str) -> bool {
    column.name == name
        || column
            .nested
            .as_ref()
            .is_some_and(|(outer, _)| outer == name)
}

/// What stands behind `MODIFY COLUMN`, from the column's name on.
fn modify(
    columns: &mut Vec<Column>,
    index: usize,
    mut command: Cursor<'_, '_>,
) -> Result<(), Fault> {
    let mut declared = command.clone();
    let name = command.dotted()?;
    let mut changed = columns.remove(index);
    // `ALTER COLUMN x TYPE T` is the same as `MODIFY COLUMN x T`.
    let typed = command.words(&["TYPE"]);
    let untouched = ["MODIFY", "RESET", "COMMENT", "CODEC", "TTL", "AFTER", "FIRST", "SETTINGS"];
    if command.words(&["REMOVE"]) {
        if command.sees(&[changed.default_kind]) {
            changed.default_kind = "";
        }
    } else if !untouched.iter().any(|word| command.sees(&[word])) {
        let new = if typed {
            spread(&name, Some(types::read(&mut command)?), false, "", changed.at)
        } else {
            column(&mut declared, &["AFTER", "FIRST"])?
        };
        for new in new {
            if !new.ty.is_empty() {
                (changed.ty, changed.at) = (new.ty, new.at);
            }
            if !new.default_kind.is_empty() {
                changed.default_kind = new.default_kind;
            }
        }
    }
    command.until(is_place);
    if command.is_empty() {
        columns.insert(index, changed);
        return Ok(());
    }
    columns.push(changed);
    place(columns, columns.len().saturating_sub(1), command)
}

/// Whether a keyword says where a column goes.
fn is_place(token: &Token<'_>) -> bool {
    token.is_word("AFTER") || token.is_word("FIRST")
}

/// Moves the columns from `from` on to where `AFTER` or `FIRST` says, if anything does.
fn place(columns: &mut Vec<Column>, from: usize, mut rest: Cursor<'_, '_>) -> Result<(), Fault> {
    rest.until(is_place);
    let new = columns.split_off(from);
    let to = if rest.words(&["FIRST"]) {
        0
    } else if rest.words(&["AFTER"]) {
        let at = rest.at();
        let name = rest.dotted()?;
        let Some(index) = columns.iter().rposition(|column| is_of(column, &name)) else {
            let text = format!("there is no column `{name}` to stand behind");
            return Err(Fault::new(at, text, "correct its name"));
        };
        index + 1
    } else {
        columns.len()
    };
    columns.splice(to..to, new);
    Ok(())
}

//! A column's type as the server prints it, from however the file writes it.
//!
//! Pure. `BIGINT UNSIGNED` is `UInt64`, `Decimal32(4)` is `Decimal(9, 4)`, `DATETIME(3)` is
//! `DateTime64(3)`, `Enum('a', 'b')` is `Enum8('a' = 1, 'b' = 2)`. A type that is not known here stays
//! as it is written: newer servers have more.
//!
//! Source: `system.data_type_families` of ClickHouse 26.9; what the engine prints is compared in
//! `tests.rs`.

use std::fmt;

use super::Fault;
use super::cursor::Cursor;
use super::token::Kind;

/// A type: its name and what stands in its brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ty {
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
}

/// What may stand in a type's brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Argument {
    Type(Ty),
    Named(String, Ty),
    Raw(String),
}

/// Types in types that are read; nobody has more.
const DEEPEST: usize = 50;

/// Other names of types, in upper case, with what they mean. Several words are one name.
const ALIASES: [(&str, &str); 67] = [
    ("BIGINT", "Int64"),
    ("BIGINT SIGNED", "Int64"),
    ("BIGINT UNSIGNED", "UInt64"),
    ("BINARY", "FixedString"),
    ("BINARY LARGE OBJECT", "String"),
    ("BINARY VARYING", "String"),
    ("BIT", "UInt64"),
    ("BLOB", "String"),
    ("BOOL", "Bool"),
    ("BOOLEAN", "Bool"),
    ("BYTE", "Int8"),
    ("BYTEA", "String"),
    ("CHAR", "String"),
    ("CHAR LARGE OBJECT", "String"),
    ("CHAR VARYING", "String"),
    ("CHARACTER", "String"),
    ("CHARACTER LARGE OBJECT", "String"),
    ("CHARACTER VARYING", "String"),
    ("CLOB", "String"),
    ("DEC", "Decimal"),
    ("DOUBLE", "Float64"),
    ("DOUBLE PRECISION", "Float64"),
    ("FIXED", "Decimal"),
    ("FLOAT", "Float32"),
    ("GEOMETRY", "Geometry"),
    ("INET4", "IPv4"),
    ("INET6", "IPv6"),
    ("INT", "Int32"),
    ("INT SIGNED", "Int32"),
    ("INT UNSIGNED", "UInt32"),
    ("INT1", "Int8"),
    ("INT1 SIGNED", "Int8"),
    ("INT1 UNSIGNED", "UInt8"),
    ("INTEGER", "Int32"),
    ("INTEGER SIGNED", "Int32"),
    ("INTEGER UNSIGNED", "UInt32"),
    ("LONGBLOB", "String"),
    ("LONGTEXT", "String"),
    ("MEDIUMBLOB", "String"),
    ("MEDIUMINT", "Int32"),
    ("MEDIUMINT SIGNED", "Int32"),
    ("MEDIUMINT UNSIGNED", "UInt32"),
    ("MEDIUMTEXT", "String"),
    ("NATIONAL CHAR", "String"),
    ("NATIONAL CHAR VARYING", "String"),
    ("NATIONAL CHARACTER", "String"),
    ("NATIONAL CHARACTER LARGE OBJECT", "String"),
    ("NATIONAL CHARACTER VARYING", "String"),
    ("NCHAR", "String"),
    ("NCHAR LARGE OBJECT", "String"),
    ("NCHAR VARYING", "String"),
    ("NUMERIC", "Decimal"),
    ("NVARCHAR", "String"),
    ("REAL", "Float32"),
    ("SET", "UInt64"),
    ("SIGNED", "Int64"),
    ("SINGLE", "Float32"),
    ("SMALLINT", "Int16"),
    ("SMALLINT SIGNED", "Int16"),
    ("SMALLINT UNSIGNED", "UInt16"),
    ("TEXT", "String"),
    ("TIMESTAMP", "DateTime"),
    ("TINYBLOB", "String"),
    ("TINYINT", "Int8"),
    ("TINYINT SIGNED", "Int8"),
    ("TINYINT UNSIGNED", "UInt8"),
    ("TINYTEXT", "String"),
];

/// More of them, behind the table above only because it is long.
const MORE_ALIASES: [(&str, &str); 5] = [
    ("UNSIGNED", "UInt64"),
    ("VARBINARY", "String"),
    ("VARCHAR", "String"),
    ("VARCHAR2", "String"),
    ("YEAR", "UInt16"),
];

/// Types the server knows in whatever case.
const ANY_CASE: [&str; 14] = [
    "Date",
    "Date32",
    "DateTime",
    "DateTime32",
    "DateTime64",
    "Decimal",
    "Decimal32",
    "Decimal64",
    "Decimal128",
    "Decimal256",
    "Enum",
    "JSON",
    "Time",
    "Time64",
];

/// Reads a type.
pub(super) fn read(cursor: &mut Cursor<'_, '_>) -> Result<Ty, Fault> {
    read_within(cursor, DEEPEST)
}

fn read_within(cursor: &mut Cursor<'_, '_>, deeper: usize) -> Result<Ty, Fault> {
    let at = cursor.at();
    let Some(deeper) = deeper.checked_sub(1) else {
        return Err(Fault::new(at, "a type is nested too deeply", "it cannot be read"));
    };
    let name = read_name(cursor)?;
    let inside = cursor.group('(');
    let mut arguments = Vec::new();
    for (number, mut part) in inside.iter().flat_map(Cursor::parts).enumerate() {
        arguments.push(match (&*name, number) {
            ("Nullable" | "Array" | "LowCardinality" | "Map" | "Variant", _)
            | ("SimpleAggregateFunction", 1..) => Argument::Type(read_whole(&mut part, deeper)?),
            ("Tuple" | "Nested", _) => read_element(&mut part, deeper)?,
            _ => Argument::Raw(part.raw()),
        });
    }
    let wanted = match &*name {
        "Nullable" | "Array" | "LowCardinality" => Some(1),
        "Map" => Some(2),
        _ => None,
    };
    if wanted.is_some_and(|wanted| wanted != arguments.len()) {
        let wanted_types = if name == "Map" { "two types" } else { "one type" };
        let text = format!("`{name}` takes {wanted_types}");
        return Err(Fault::new(at, text, "write it as in `Map(String, UInt64)`, `Array(UInt64)`"));
    }
    let inside = inside.unwrap_or_else(|| cursor.nothing());
    plain(name, arguments, &inside, at)
}

/// A type and nothing behind it.
fn read_whole(part: &mut Cursor<'_, '_>, deeper: usize) -> Result<Ty, Fault> {
    let ty = read_within(part, deeper)?;
    part.end("the type")?;
    Ok(ty)
}

/// An element of a tuple: a type, or a name and a type.
fn read_element(part: &mut Cursor<'_, '_>, deeper: usize) -> Result<Argument, Fault> {
    let mut behind = part.clone();
    let quoted = matches!(part.peek().map(|token| &token.kind), Some(Kind::Name(_)));
    let named = quoted || (read_name(&mut behind).is_ok() && behind.sees_name());
    if !named {
        return Ok(Argument::Type(read_whole(part, deeper)?));
    }
    let name = part.name()?;
    Ok(Argument::Named(name, read_whole(part, deeper)?))
}

/// The name of a type, of as many words as it has.
fn read_name(cursor: &mut Cursor<'_, '_>) -> Result<String, Fault> {
    let words: Vec<String> = cursor
        .ahead()
        .take(4)
        .map_while(|token| (token.kind == Kind::Word).then(|| token.text.to_ascii_uppercase()))
        .collect();
    let Some(written) = cursor.peek().filter(|_| !words.is_empty()) else {
        return Err(cursor.unexpected("a type"));
    };
    let written = written.text.to_owned();
    for count in (1..=words.len()).rev() {
        let name = words.get(..count).unwrap_or_default().join(" ");
        let alias = ALIASES
            .iter()
            .chain(&MORE_ALIASES)
            .find(|(alias, _)| *alias == name);
        if let Some((_, means)) = alias {
            cursor.skip(count);
            return Ok((*means).to_owned());
        }
    }
    cursor.skip(1);
    let known = ANY_CASE
        .iter()
        .find(|known| known.eq_ignore_ascii_case(&written));
    Ok(known.map_or(written, |known| (*known).to_owned()))
}

/// The type as the server prints it.
fn plain(
    name: String,
    arguments: Vec<Argument>,
    inside: &Cursor<'_, '_>,
    at: usize,
) -> Result<Ty, Fault> {
    let raw = |index: usize| match arguments.get(index) {
        Some(Argument::Raw(text)) => Some(text.clone()),
        _ => None,
    };
    let of = |name: &str, arguments: Vec<String>| {
        let arguments = arguments.into_iter().map(Argument::Raw).collect();
        Ok(Ty { name: name.to_owned(), arguments })
    };
    let or = |index: usize, otherwise: &str| raw(index).unwrap_or_else(|| otherwise.to_owned());
    match &*name {
        // The length of a text and the width of a number are read and forgotten.
        "String" | "Int8" | "Int16" | "Int32" | "Int64" | "UInt8" | "UInt16" | "UInt32"
        | "UInt64" | "Float32" | "Float64" => of(&name, Vec::new()),
        "Decimal" => of("Decimal", vec![or(0, "10"), or(1, "0")]),
        "Decimal32" => of("Decimal", vec!["9".to_owned(), or(0, "0")]),
        "Decimal64" => of("Decimal", vec!["18".to_owned(), or(0, "0")]),
        "Decimal128" => of("Decimal", vec!["38".to_owned(), or(0, "0")]),
        "Decimal256" => of("Decimal", vec!["76".to_owned(), or(0, "0")]),
        "DateTime32" => of("DateTime", raw(0).into_iter().collect()),
        "DateTime" => match raw(0) {
            Some(scale) if scale == "0" => of("DateTime", raw(1).into_iter().collect()),
            Some(scale) if scale.starts_with(|c: char| c.is_ascii_digit()) => {
                of("DateTime64", std::iter::once(scale).chain(raw(1)).collect())
            }
            zone => of("DateTime", zone.into_iter().collect()),
        },
        "DateTime64" | "Time64" if arguments.is_empty() => of(&name, vec!["3".to_owned()]),
        "Enum" | "Enum8" | "Enum16" => enumeration(&name, inside, at),
        _ => Ok(Ty { name, arguments }),
    }
}

/// An enum with every number written out.
fn enumeration(name: &str, inside: &Cursor<'_, '_>, at: usize) -> Result<Ty, Fault> {
    let mut entries: Vec<(String, i64)> = Vec::new();
    for mut part in inside.parts() {
        let place = part.at();
        let text = part.text()?;
        let number = if part.mark('=') {
            part.number()?
        } else {
            entries
                .last()
                .map_or(1, |(_, number)| number.saturating_add(1))
        };
        part.end("the number of a name")?;
        let fault = |text: String| Err(Fault::new(place, text, "give every name its own number"));
        if entries.iter().any(|(known, _)| *known == text) {
            return fault(format!("`{name}` has the name `{text}` twice"));
        }
        if let Some((other, _)) = entries.iter().find(|(_, known)| *known == number) {
            return fault(format!(
                "`{name}` has the number {number} twice: `{other}` and `{text}`"
            ));
        }
        entries.push((text, number));
    }
    if entries.is_empty() {
        return Err(Fault::new(at, format!("`{name}` has no names"), "write `Enum8('a' = 1)`"));
    }
    let within = |low: i64, high: i64| entries.iter().all(|(_, n)| (low..=high).contains(n));
    let name = match name {
        "Enum" if within(-128, 127) => "Enum8",
        "Enum" => "Enum16",
        given => given,
    };
    let (low, high) = if name == "Enum8" { (-128, 127) } else { (-32_768, 32_767) };
    if let Some((text, number)) = entries.iter().find(|(_, n)| !(low..=high).contains(n)) {
        let text = format!("`{text}` = {number} is out of the range of `{name}`, {low} to {high}");
        return Err(Fault::new(at, text, "use a smaller number, or `Enum16`"));
    }
    let entry = |(text, number): (String, i64)| {
        let text = text.replace('\\', "\\\\").replace('\'', "\\'");
        Argument::Raw(format!("'{text}' = {number}"))
    };
    Ok(Ty { name: name.to_owned(), arguments: entries.into_iter().map(entry).collect() })
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return if self.name == "Tuple" { f.write_str("()") } else { Ok(()) };
        }
        for (number, argument) in self.arguments.iter().enumerate() {
            f.write_str(if number == 0 { "(" } else { ", " })?;
            match argument {
                Argument::Type(ty) => ty.fmt(f)?,
                Argument::Named(name, ty) => write!(f, "{} {ty}", Quoted(name))?,
                Argument::Raw(text) => f.write_str(text)?,
            }
        }
        f.write_str(")")
    }
}

/// A name, in backticks where it needs them.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let digit_first = self.0.starts_with(|c: char| c.is_ascii_digit());
        if !self.0.is_empty() && self.0.chars().all(plain) && !digit_first {
            return f.write_str(self.0);
        }
        write!(f, "`{}`", self.0.replace('\\', "\\\\").replace('`', "\\`"))
    }
}

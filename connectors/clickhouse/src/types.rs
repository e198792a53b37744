//! Whether a row's field may be written to a column: one `const fn`, for start and for compile time.
//!
//! A column's type is read as the tree it is, never searched for a part of its text (R090), and
//! walked together with the field's [`DataType`]. What RowBinary writes carries no types, so a pair
//! fits only if both sides mean the same bytes: same width, same scale, same nullability.
//!
//! ```text
//! type:      Name | Name(argument, ..)      argument: type | `name` type | number | 'text' = number
//! ```
//!
//! `LowCardinality` and `SimpleAggregateFunction` leave no trace in the bytes and are looked through.

use spate_runtime::chain::row::DataType;
use spate_runtime::line::Line;

/// Why a field does not fit a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Misfit {
    /// Another type, or another width of it.
    Type,
    /// The field may be absent, the column cannot be NULL.
    NeverNull,
    /// The column may be NULL: every value has a byte before it that the field does not write.
    Nullable,
    /// Another scale: every value would be off by a power of ten.
    Scale,
    /// The field has more digits than the column.
    Precision,
    /// Another count of bytes or of a tuple's elements.
    Length,
    /// Text into an `Enum`, which RowBinary stores as the number of the name.
    EnumAsText,
    /// The type's text could not be read.
    Unreadable,
}

/// Whether a field of `data` may be written to a column of type `ty`, as `system.columns` prints it.
///
/// ```
/// use spate_clickhouse::types::{Misfit, fits};
/// use spate_runtime::chain::row::DataType;
///
/// const { assert!(fits(&DataType::DateTime64(3), "DateTime64(3, 'UTC')").is_ok()) };
/// assert_eq!(fits(&DataType::Int64, "Array(Int64)"), Err(Misfit::Type));
/// ```
///
/// # Errors
///
/// The first reason found, from the outermost type inwards.
pub const fn fits(data: &DataType, ty: &str) -> Result<(), Misfit> {
    match_type(data, ty.as_bytes())
}

/// Unwraps a value or returns a misfit; `?` is not const.
macro_rules! or {
    ($option:expr, $misfit:ident) => {
        match $option {
            Some(value) => value,
            None => return Err(Misfit::$misfit),
        }
    };
}

const fn match_type(data: &DataType, ty: &[u8]) -> Result<(), Misfit> {
    let Node { name, arguments } = or!(node(ty), Unreadable);
    if is(name, b"LowCardinality") {
        return match_type(data, arguments);
    }
    if is(name, b"SimpleAggregateFunction") {
        let (_, inner) = or!(split(arguments, b','), Unreadable);
        return match_type(data, inner);
    }
    if let DataType::LowCardinality(inner) = data {
        return match_type(inner, ty);
    }
    if let Some(same) = same_in_bytes(name) {
        return match_type(data, same);
    }
    match (data, is(name, b"Nullable")) {
        (DataType::Nullable(inner), true) => return match_type(inner, arguments),
        (DataType::Nullable(_), false) => return Err(Misfit::NeverNull),
        (_, true) => return Err(Misfit::Nullable),
        (_, false) => {}
    }
    let same = match data {
        DataType::Array(item) => return match_array(item, name, arguments),
        DataType::Map(key, value) => {
            if !is(name, b"Map") {
                return Err(Misfit::Type);
            }
            let (key_type, value_type) = or!(split(arguments, b','), Unreadable);
            return match match_type(key, key_type) {
                Ok(()) => match_type(value, value_type),
                misfit => misfit,
            };
        }
        DataType::Tuple(items) => {
            if !is(name, b"Tuple") {
                return Err(Misfit::Type);
            }
            return match_tuple(items, arguments);
        }
        DataType::String | DataType::Bytes => {
            if is(name, b"Enum8") || is(name, b"Enum16") {
                return Err(Misfit::EnumAsText);
            }
            is(name, b"String")
        }
        DataType::FixedBytes(len) => {
            if is(name, b"FixedString") && or!(number(arguments), Unreadable) != *len as u64 {
                return Err(Misfit::Length);
            }
            is(name, b"FixedString")
        }
        DataType::DateTime64(scale) => {
            if is(name, b"DateTime64") {
                let scale_text = match split(arguments, b',') {
                    Some((scale, _)) => scale,
                    None => arguments,
                };
                if or!(number(scale_text), Unreadable) != *scale as u64 {
                    return Err(Misfit::Scale);
                }
            }
            is(name, b"DateTime64")
        }
        DataType::Decimal { precision, scale } => {
            if is(name, b"Decimal") {
                return match_decimal(*precision, *scale, arguments);
            }
            false
        }
        DataType::Bool => is(name, b"Bool") || is(name, b"UInt8"),
        DataType::Int8 => is(name, b"Int8") || is(name, b"Enum8"),
        DataType::Int16 => is(name, b"Int16") || is(name, b"Enum16"),
        scalar => match plain_name(scalar) {
            Some(plain) => is(name, plain.as_bytes()),
            None => false,
        },
    };
    if same { Ok(()) } else { Err(Misfit::Type) }
}

/// What a type with a name of its own is made of.
const fn same_in_bytes(name: &[u8]) -> Option<&'static [u8]> {
    Some(match name {
        b"Point" => b"Tuple(Float64, Float64)",
        b"Ring" | b"LineString" | b"MultiPoint" => b"Array(Point)",
        b"Polygon" | b"MultiLineString" => b"Array(Ring)",
        b"MultiPolygon" => b"Array(Polygon)",
        _ => return None,
    })
}

/// `Array(T)`, and what is the same in bytes: a `String` of bytes, a `Nested` of tuples.
const fn match_array(item: &DataType, name: &[u8], arguments: &[u8]) -> Result<(), Misfit> {
    if is(name, b"Array") {
        return match_type(item, arguments);
    }
    match item {
        DataType::UInt8 if is(name, b"String") => Ok(()),
        DataType::Tuple(items) if is(name, b"Nested") => match_tuple(items, arguments),
        _ => Err(Misfit::Type),
    }
}

const fn match_tuple(items: &[DataType], types: &[u8]) -> Result<(), Misfit> {
    let mut rest = Some(types);
    let mut i = 0;
    while let Some(types) = rest {
        let (ty, after) = match split(types, b',') {
            Some((ty, after)) => (ty, Some(after)),
            None => (types, None),
        };
        if i == items.len() {
            return Err(Misfit::Length);
        }
        // An element may have a name before its type.
        let ty = match split(trim(ty), b' ') {
            Some((_name, ty)) => ty,
            None => ty,
        };
        if let Err(misfit) = match_type(&items[i], ty) {
            return Err(misfit);
        }
        rest = after;
        i += 1;
    }
    if i == items.len() { Ok(()) } else { Err(Misfit::Length) }
}

const fn match_decimal(precision: u8, scale: u8, arguments: &[u8]) -> Result<(), Misfit> {
    let (digits, point) = or!(split(arguments, b','), Unreadable);
    let (digits, point) = (or!(number(digits), Unreadable), or!(number(point), Unreadable));
    if point != scale as u64 {
        Err(Misfit::Scale)
    } else if precision as u64 > digits {
        Err(Misfit::Precision)
    } else if decimal_width(precision as u64) != decimal_width(digits) {
        Err(Misfit::Type)
    } else {
        Ok(())
    }
}

/// Bytes of a decimal of so many digits.
const fn decimal_width(digits: u64) -> u8 {
    match digits {
        0..=9 => 4,
        10..=18 => 8,
        19..=38 => 16,
        _ => 32,
    }
}

/// The name of a type that has no arguments.
const fn plain_name(data: &DataType) -> Option<&'static str> {
    Some(match data {
        DataType::Bool => "Bool",
        DataType::UInt8 => "UInt8",
        DataType::UInt16 => "UInt16",
        DataType::UInt32 => "UInt32",
        DataType::UInt64 => "UInt64",
        DataType::UInt128 => "UInt128",
        DataType::UInt256 => "UInt256",
        DataType::Int8 => "Int8",
        DataType::Int16 => "Int16",
        DataType::Int32 => "Int32",
        DataType::Int64 => "Int64",
        DataType::Int128 => "Int128",
        DataType::Int256 => "Int256",
        DataType::Float32 => "Float32",
        DataType::Float64 => "Float64",
        DataType::String | DataType::Bytes => "String",
        DataType::Uuid => "UUID",
        DataType::Ipv4 => "IPv4",
        DataType::Ipv6 => "IPv6",
        DataType::Date => "Date",
        DataType::Date32 => "Date32",
        DataType::DateTime => "DateTime",
        _ => return None,
    })
}

/// The column type a field of `data` asks for.
#[must_use]
pub const fn column_type(data: &DataType) -> Line {
    write_column_type(Line::new(), data)
}

const fn write_column_type(to: Line, data: &DataType) -> Line {
    match data {
        DataType::FixedBytes(len) => to.push("FixedString(").number(*len as u64).push(")"),
        DataType::DateTime64(scale) => to.push("DateTime64(").number(*scale as u64).push(")"),
        DataType::Decimal { precision, scale } => to
            .push("Decimal(")
            .number(*precision as u64)
            .push(", ")
            .number(*scale as u64)
            .push(")"),
        DataType::LowCardinality(inner) => {
            write_column_type(to.push("LowCardinality("), inner).push(")")
        }
        DataType::Nullable(inner) => write_column_type(to.push("Nullable("), inner).push(")"),
        DataType::Array(item) => write_column_type(to.push("Array("), item).push(")"),
        DataType::Map(key, value) => {
            let to = write_column_type(to.push("Map("), key).push(", ");
            write_column_type(to, value).push(")")
        }
        DataType::Tuple(items) => {
            let mut to = to.push("Tuple(");
            let mut i = 0;
            while i < items.len() {
                to = write_column_type(if i == 0 { to } else { to.push(", ") }, &items[i]);
                i += 1;
            }
            to.push(")")
        }
        plain => match plain_name(plain) {
            Some(name) => to.push(name),
            None => to.push("?"),
        },
    }
}

/// The Rust type of a field for a column of type `ty`, where there is one to recommend.
#[must_use]
pub const fn field_type(ty: &str) -> Option<Line> {
    write_field_type(Line::new(), ty.as_bytes())
}

/// Unwraps a value or returns `None`; `?` is not const.
macro_rules! some {
    ($option:expr) => {
        match $option {
            Some(value) => value,
            None => return None,
        }
    };
}

const fn write_field_type(to: Line, ty: &[u8]) -> Option<Line> {
    let Node { name, arguments } = some!(node(ty));
    if let Some(plain) = plain_field(name) {
        return Some(to.push(plain));
    }
    let first = match split(arguments, b',') {
        Some((first, _)) => first,
        None => arguments,
    };
    let to = match name {
        b"FixedString" => to.push("FixedBytes<").push(some!(text(arguments))),
        b"DateTime64" => to.push("DateTime64<").push(some!(text(first))),
        b"Decimal" => to.push("Decimal<").push(some!(text(arguments))),
        b"LowCardinality" => some!(write_field_type(to.push("LowCardinality<"), arguments)),
        b"Nullable" => some!(write_field_type(to.push("Option<"), arguments)),
        b"Array" => some!(write_field_type(to.push("Vec<"), arguments)),
        b"SimpleAggregateFunction" => {
            return write_field_type(to, some!(split(arguments, b',')).1);
        }
        b"Map" => {
            let (key, value) = some!(split(arguments, b','));
            let to = some!(write_field_type(to.push("BTreeMap<"), key)).push(", ");
            some!(write_field_type(to, value))
        }
        _ => return None,
    };
    Some(to.push(">"))
}

const fn text(part: &[u8]) -> Option<&str> {
    match std::str::from_utf8(trim(part)) {
        Ok(text) => Some(text),
        Err(_) => None,
    }
}

/// The field for a type without arguments.
const fn plain_field(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"Bool" => "bool",
        b"UInt8" => "u8",
        b"UInt16" => "u16",
        b"UInt32" => "u32",
        b"UInt64" => "u64",
        b"UInt128" => "u128",
        b"UInt256" => "UInt256",
        b"Int8" | b"Enum8" => "i8",
        b"Int16" | b"Enum16" => "i16",
        b"Int32" => "i32",
        b"Int64" => "i64",
        b"Int128" => "i128",
        b"Int256" => "Int256",
        b"Float32" => "f32",
        b"Float64" => "f64",
        b"String" => "&str",
        b"UUID" => "Uuid",
        b"IPv4" => "Ipv4Addr",
        b"IPv6" => "Ipv6Addr",
        b"Date" => "Date",
        b"Date32" => "Date32",
        b"DateTime" => "DateTime",
        _ => return None,
    })
}

/// A type's name and what stands between its brackets; no brackets, no arguments.
struct Node<'a> {
    name: &'a [u8],
    arguments: &'a [u8],
}

const fn node(text: &[u8]) -> Option<Node<'_>> {
    let text = trim(text);
    let mut open = 0;
    while open < text.len() && text[open] != b'(' {
        if !text[open].is_ascii_alphanumeric() && text[open] != b'_' {
            return None;
        }
        open += 1;
    }
    let (name, rest) = text.split_at(open);
    if name.is_empty() {
        return None;
    }
    match rest {
        [] => Some(Node { name, arguments: rest }),
        [b'(', arguments @ .., b')'] => Some(Node { name, arguments }),
        _ => None,
    }
}

/// What stands before and behind the first `at` outside of brackets and quotes.
const fn split(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let mut depth = 0u32;
    let mut quote = 0;
    let mut i = 0;
    while i < text.len() {
        let byte = text[i];
        if quote != 0 {
            if byte == b'\\' {
                i += 1;
            } else if byte == quote {
                // A doubled quote ends and begins again, with nothing in between.
                quote = 0;
            }
        } else if byte == at && depth == 0 {
            let (before, rest) = text.split_at(i);
            let (_, after) = rest.split_at(1);
            return Some((before, after));
        } else {
            match byte {
                b'\'' | b'`' | b'"' => quote = byte,
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        i += 1;
    }
    None
}

const fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

const fn number(text: &[u8]) -> Option<u64> {
    let text = trim(text);
    let mut number = 0u64;
    let mut i = 0;
    while i < text.len() {
        if !text[i].is_ascii_digit() || number > 1_000_000_000 {
            return None;
        }
        number = number * 10 + (text[i] - b'0') as u64;
        i += 1;
    }
    if text.is_empty() { None } else { Some(number) }
}

const fn is(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::DataType as D;
    use super::*;

    const LIST: &[D] = &[D::UInt8, D::String];

    #[test]
    fn equal_types_fit() {
        for (data, ty) in [
            (D::UInt64, "UInt64"),
            (D::Bool, "Bool"),
            (D::String, "String"),
            (D::Bytes, "LowCardinality(String)"),
            (D::LowCardinality(&D::String), "String"),
            (D::LowCardinality(&D::Nullable(&D::String)), "LowCardinality(Nullable(String))"),
            (D::Nullable(&D::Int32), "Nullable(Int32)"),
            (D::FixedBytes(16), "FixedString(16)"),
            (D::DateTime, "DateTime('Europe/Berlin')"),
            (D::DateTime64(3), "DateTime64(3)"),
            (D::DateTime64(6), "DateTime64(6, 'UTC')"),
            (D::Decimal { precision: 18, scale: 4 }, "Decimal(18, 4)"),
            (D::Decimal { precision: 12, scale: 4 }, "Decimal(18, 4)"),
            (D::Array(&D::Nullable(&D::UInt8)), "Array(Nullable(UInt8))"),
            (D::Array(&D::UInt8), "String"),
            (D::Map(&D::String, &D::Array(&D::UInt16)), "Map(String, Array(UInt16))"),
            (D::Tuple(LIST), "Tuple(UInt8, String)"),
            (D::Tuple(LIST), "Tuple(a UInt8, `b, c` LowCardinality(String))"),
            (D::Array(&D::Tuple(LIST)), "Nested(a UInt8, b String)"),
            (D::Tuple(&[D::Float64, D::Float64]), "Point"),
            (D::Array(&D::Array(&D::Tuple(&[D::Float64, D::Float64]))), "Polygon"),
            (D::Int8, "Enum8('a, (' = 1, 'b\\'' = 2)"),
            (D::UInt64, "SimpleAggregateFunction(sum, UInt64)"),
            (D::Nullable(&D::UInt64), "SimpleAggregateFunction(anyLast, Nullable(UInt64))"),
        ] {
            assert_eq!(fits(&data, ty), Ok(()), "{data:?} into {ty}");
        }
    }

    /// R081, R090: types are trees; a type within another one is not that type.
    #[test]
    fn r090_other_types_do_not_fit() {
        for (data, ty, misfit) in [
            (D::Int64, "Array(Int64)", Misfit::Type),
            (D::String, "Map(String, String)", Misfit::Type),
            (D::Int32, "Nullable(Int32)", Misfit::Nullable),
            (D::Nullable(&D::Int32), "Int32", Misfit::NeverNull),
            (D::Array(&D::Int32), "Array(Nullable(Int32))", Misfit::Nullable),
            (D::String, "LowCardinality(Nullable(String))", Misfit::Nullable),
            (D::UInt64, "Int64", Misfit::Type),
            (D::UInt64, "UInt32", Misfit::Type),
            (D::UInt32, "DateTime", Misfit::Type),
            (D::DateTime64(3), "DateTime64(6)", Misfit::Scale),
            (D::DateTime64(3), "DateTime", Misfit::Type),
            (D::DateTime, "DateTime64(0)", Misfit::Type),
            (D::Decimal { precision: 18, scale: 2 }, "Decimal(18, 4)", Misfit::Scale),
            (D::Decimal { precision: 18, scale: 4 }, "Decimal(12, 4)", Misfit::Precision),
            (D::Decimal { precision: 9, scale: 4 }, "Decimal(18, 4)", Misfit::Type),
            (D::FixedBytes(3), "FixedString(4)", Misfit::Length),
            (D::String, "FixedString(4)", Misfit::Type),
            (D::String, "Enum8('x' = 1)", Misfit::EnumAsText),
            (D::Tuple(LIST), "Tuple(UInt8)", Misfit::Length),
            (D::Tuple(LIST), "Tuple(UInt8, String, String)", Misfit::Length),
            (D::Tuple(LIST), "Tuple(UInt8, Nullable(String))", Misfit::Nullable),
            (D::Map(&D::String, &D::UInt8), "Map(String, UInt16)", Misfit::Type),
            (D::String, "JSON(max_dynamic_paths = 8)", Misfit::Type),
            (D::UInt64, "AggregateFunction(sum, UInt64)", Misfit::Type),
            (D::UInt64, "", Misfit::Unreadable),
            (D::UInt64, "UInt64)", Misfit::Unreadable),
            (D::DateTime64(3), "DateTime64()", Misfit::Unreadable),
        ] {
            assert_eq!(fits(&data, ty), Err(misfit), "{data:?} into {ty}");
        }
    }

    #[test]
    fn what_a_field_asks_for_fits_it() {
        for data in [
            D::Nullable(&D::Decimal { precision: 76, scale: 20 }),
            D::Map(&D::LowCardinality(&D::String), &D::Array(&D::DateTime64(9))),
            D::Tuple(&[D::Uuid, D::FixedBytes(2), D::Ipv6]),
        ] {
            assert_eq!(fits(&data, column_type(&data).as_str()), Ok(()));
        }
    }

    #[test]
    fn columns_have_a_field_to_recommend() {
        for (ty, field) in [
            ("Nullable(Decimal(18, 4))", Some("Option<Decimal<18, 4>>")),
            ("LowCardinality(String)", Some("LowCardinality<&str>")),
            ("DateTime64(3, 'UTC')", Some("DateTime64<3>")),
            ("Map(String, Array(Int8))", Some("BTreeMap<&str, Vec<i8>>")),
            ("Enum8('a' = 1)", Some("i8")),
            ("Dynamic", None),
        ] {
            assert_eq!(field_type(ty).map(|line| line.to_string()).as_deref(), field, "{ty}");
        }
    }
}

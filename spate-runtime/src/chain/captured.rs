//! Captured rows: the row format of tests, which says what every value is and can be read back.
//!
//! A harness gives every sink this encoder in place of its connector's; rows are read back as they
//! are typed ([`DecodeRow`], which `derive(Row)` implements) or by the names of their columns
//! ([`Values`]). Not a format for anything that lasts: it has no version.
//!
//! ```text
//! row    := value*                          in order of the columns
//! value  := tag, then a number in little-endian, or length and bytes, or length and values
//! ```

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Index;

use super::frame_buf::FrameBuf;
use super::int256::{Int256, UInt256};
use super::row::{Column, EncodeError, Row, RowEncoder, ValueEncoder};
use crate::config::nearest;

/// A row that can be read back out of captured bytes; implemented by `#[derive(Row)]` where every
/// field can be.
#[diagnostic::on_unimplemented(
    message = "rows of type `{Self}` cannot be read back as they are typed",
    note = "every field of the row must be readable: texts and bytes may borrow, a slice may not \
            (`Cow<'_, [T]>` or `Vec<T>` can)",
    note = "`values()` reads any row by the names of its columns"
)]
pub trait DecodeRow<'de>: Sized {
    /// Reads the next row; what can borrow from the captured bytes does.
    ///
    /// # Errors
    ///
    /// A value of another type than the row has, or an end of the bytes in between.
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError>;
}

/// A field of a row that can be read back.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be read back",
    note = "`values()` reads any row by the names of its columns"
)]
pub trait DecodeValue<'de>: Sized {
    /// Reads the next value.
    ///
    /// # Errors
    ///
    /// A value of another type, or the end of the bytes.
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError>;
}

/// What a field without a column reads back as: its default.
#[diagnostic::on_unimplemented(
    message = "a skipped field of type `{Self}` cannot be read back: it has no default",
    note = "`values()` reads any row by the names of its columns"
)]
pub trait DecodeSkipped<'de>: Sized {
    /// The value of a field that no column holds.
    fn skipped() -> Self;
}

impl<T: Default> DecodeSkipped<'_> for T {
    fn skipped() -> Self {
        T::default()
    }
}

/// Captured bytes do not hold the row that was asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a captured row holds {found} where {wanted} is read")]
pub struct DecodeError {
    wanted: &'static str,
    found: &'static str,
    column: Option<&'static str>,
}

impl DecodeError {
    /// The column it was read for, if it is known.
    #[must_use]
    pub const fn column(&self) -> Option<&'static str> {
        self.column
    }

    pub(super) const fn wanted(wanted: &'static str, found: &Token<'_>) -> Self {
        Self { wanted, found: found.name(), column: None }
    }
}

/// The row format of tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Captured;

impl RowEncoder for Captured {
    const NAME: &'static str = "Captured";

    fn encode<R: Row>(&mut self, row: &R, out: &mut FrameBuf) -> Result<(), EncodeError> {
        row.encode(&mut Writer(out))
    }
}

struct Writer<'a>(&'a mut FrameBuf);

/// What stands at the front of captured bytes: a scalar, or the head of what follows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'de> {
    None,
    Some,
    Array(usize),
    Map(usize),
    Tuple(usize),
    Bool(bool),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    U256(UInt256),
    I256(Int256),
    F32(f32),
    F64(f64),
    Str(&'de str),
    Bytes(&'de [u8]),
    Fixed(&'de [u8]),
    Uuid([u8; 16]),
    Ipv4(Ipv4Addr),
    Ipv6(Ipv6Addr),
    Date(i32),
    Date32(i32),
    DateTime(i64),
    DateTime64(i64, u8),
    Decimal(i128, u8, u8),
}

/// Tag, name, token and bytes of every scalar of fixed width.
macro_rules! fixed {
    ($($tag:literal $name:literal $token:ident $method:ident($t:ty) = $size:literal,
        $to:expr, $from:expr;)*) => {
        impl Token<'_> {
            const fn name(&self) -> &'static str {
                match self {
                    $(Token::$token(..) => $name,)*
                    Token::None => "null",
                    Token::Some => "a nullable value",
                    Token::Array(_) => "an array",
                    Token::Map(_) => "a map",
                    Token::Tuple(_) => "a tuple",
                    Token::Bool(_) => "a bool",
                    Token::Str(_) => "a text",
                    Token::Bytes(_) => "bytes",
                    Token::Fixed(_) => "fixed bytes",
                    Token::DateTime64(..) => "a DateTime64",
                    Token::Decimal(..) => "a Decimal",
                }
            }
        }

        impl<'de> RowReader<'de> {
            fn fixed(&mut self, tag: u8) -> Option<Token<'de>> {
                Some(match tag {
                    $($tag => Token::$token($from(self.array::<$size>()?)),)*
                    _ => return None,
                })
            }
        }

        /// The scalars of fixed width.
        impl Writer<'_> {
            $(fn $method(&mut self, v: $t) -> Result<(), EncodeError> {
                self.put($tag, &$to(v))
            })*
        }
    };
}

fixed! {
    10 "a u8" U8 put_u8(u8) = 1, u8::to_le_bytes, u8::from_le_bytes;
    11 "a u16" U16 put_u16(u16) = 2, u16::to_le_bytes, u16::from_le_bytes;
    12 "a u32" U32 put_u32(u32) = 4, u32::to_le_bytes, u32::from_le_bytes;
    13 "a u64" U64 put_u64(u64) = 8, u64::to_le_bytes, u64::from_le_bytes;
    14 "a u128" U128 put_u128(u128) = 16, u128::to_le_bytes, u128::from_le_bytes;
    15 "an i8" I8 put_i8(i8) = 1, i8::to_le_bytes, i8::from_le_bytes;
    16 "an i16" I16 put_i16(i16) = 2, i16::to_le_bytes, i16::from_le_bytes;
    17 "an i32" I32 put_i32(i32) = 4, i32::to_le_bytes, i32::from_le_bytes;
    18 "an i64" I64 put_i64(i64) = 8, i64::to_le_bytes, i64::from_le_bytes;
    19 "an i128" I128 put_i128(i128) = 16, i128::to_le_bytes, i128::from_le_bytes;
    20 "an Int256" I256 put_i256(Int256) = 32, Int256::to_le_bytes, Int256::from_le_bytes;
    21 "a UInt256" U256 put_u256(UInt256) = 32, UInt256::to_le_bytes, UInt256::from_le_bytes;
    22 "an f32" F32 put_f32(f32) = 4, f32::to_le_bytes, f32::from_le_bytes;
    23 "an f64" F64 put_f64(f64) = 8, f64::to_le_bytes, f64::from_le_bytes;
    24 "a Uuid" Uuid put_uuid([u8; 16]) = 16, std::convert::identity, std::convert::identity;
    25 "an Ipv4Addr" Ipv4 put_ipv4(Ipv4Addr) = 4, |v: Ipv4Addr| v.octets(), Ipv4Addr::from;
    26 "an Ipv6Addr" Ipv6 put_ipv6(Ipv6Addr) = 16, |v: Ipv6Addr| v.octets(), Ipv6Addr::from;
    27 "a Date" Date put_date(i32) = 4, i32::to_le_bytes, i32::from_le_bytes;
    28 "a Date32" Date32 put_date32(i32) = 4, i32::to_le_bytes, i32::from_le_bytes;
    29 "a DateTime" DateTime put_datetime(i64) = 8, i64::to_le_bytes, i64::from_le_bytes;
}

const NONE: u8 = 0;
const SOME: u8 = 1;
const ARRAY: u8 = 2;
const MAP: u8 = 3;
const TUPLE: u8 = 4;
const FALSE: u8 = 5;
const TRUE: u8 = 6;
const STR: u8 = 7;
const BYTES: u8 = 8;
const FIXED: u8 = 9;
const DATETIME64: u8 = 30;
const DECIMAL: u8 = 31;

impl Writer<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "what a `ValueEncoder` returns")]
    fn put(&mut self, tag: u8, bytes: &[u8]) -> Result<(), EncodeError> {
        self.0.push(tag);
        self.0.extend(bytes);
        Ok(())
    }

    fn long(&mut self, tag: u8, bytes: &[u8]) -> Result<(), EncodeError> {
        self.head(tag, bytes.len())?;
        self.0.extend(bytes);
        Ok(())
    }

    fn head(&mut self, tag: u8, len: usize) -> Result<(), EncodeError> {
        self.put(tag, &(len as u64).to_le_bytes())
    }
}

macro_rules! forward {
    ($($method:ident($t:ty) = $put:ident;)*) => {$(
        fn $method(&mut self, v: $t) -> Result<(), EncodeError> {
            self.$put(v)
        }
    )*};
}

/// What the format says nothing of.
macro_rules! silent {
    ($($method:ident($($arg:ident: $t:ty)?);)*) => {$(
        fn $method(&mut self $(, $arg: $t)?) -> Result<(), EncodeError> {
            $(let _ = $arg;)?
            Ok(())
        }
    )*};
}

impl ValueEncoder for Writer<'_> {
    forward! {
        u8(u8) = put_u8;
        u16(u16) = put_u16;
        u32(u32) = put_u32;
        u64(u64) = put_u64;
        u128(u128) = put_u128;
        i8(i8) = put_i8;
        i16(i16) = put_i16;
        i32(i32) = put_i32;
        i64(i64) = put_i64;
        i128(i128) = put_i128;
        int256(Int256) = put_i256;
        uint256(UInt256) = put_u256;
        f32(f32) = put_f32;
        f64(f64) = put_f64;
        uuid([u8; 16]) = put_uuid;
        ipv4(Ipv4Addr) = put_ipv4;
        ipv6(Ipv6Addr) = put_ipv6;
        date(i32) = put_date;
        date32(i32) = put_date32;
        datetime(i64) = put_datetime;
    }

    silent! {
        field(column: &'static Column);
        item();
        array_end();
        map_key();
        map_value();
        map_end();
        tuple_end();
    }

    fn bool(&mut self, v: bool) -> Result<(), EncodeError> {
        self.put(if v { TRUE } else { FALSE }, &[])
    }

    fn str(&mut self, v: &str) -> Result<(), EncodeError> {
        self.long(STR, v.as_bytes())
    }

    fn bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        self.long(BYTES, v)
    }

    fn fixed_bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        self.long(FIXED, v)
    }

    fn datetime64(&mut self, ticks: i64, scale: u8) -> Result<(), EncodeError> {
        self.put(DATETIME64, &ticks.to_le_bytes())?;
        self.0.push(scale);
        Ok(())
    }

    fn decimal(&mut self, unscaled: i128, precision: u8, scale: u8) -> Result<(), EncodeError> {
        self.put(DECIMAL, &unscaled.to_le_bytes())?;
        self.0.extend(&[precision, scale]);
        Ok(())
    }

    fn none(&mut self) -> Result<(), EncodeError> {
        self.put(NONE, &[])
    }

    fn some(&mut self) -> Result<(), EncodeError> {
        self.put(SOME, &[])
    }

    fn array_begin(&mut self, len: usize) -> Result<(), EncodeError> {
        self.head(ARRAY, len)
    }

    fn map_begin(&mut self, len: usize) -> Result<(), EncodeError> {
        self.head(MAP, len)
    }

    fn tuple_begin(&mut self, len: usize) -> Result<(), EncodeError> {
        self.head(TUPLE, len)
    }
}

/// Reads captured rows, one value after the other.
#[derive(Clone, Debug)]
pub struct RowReader<'de> {
    rest: &'de [u8],
}

impl<'de> RowReader<'de> {
    /// Reads from the front of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'de [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Whether everything is read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads the value of `column`.
    ///
    /// # Errors
    ///
    /// As [`DecodeValue::decode`]; the error names the column.
    pub fn column<T: DecodeValue<'de>>(&mut self, column: &'static str) -> Result<T, DecodeError> {
        T::decode(self).map_err(|error| DecodeError { column: Some(column), ..error })
    }

    /// Reads a field that no column holds.
    ///
    /// # Errors
    ///
    /// None: the signature is that of [`RowReader::column`].
    pub fn skipped<T: DecodeSkipped<'de>>(&mut self) -> Result<T, DecodeError> {
        Ok(T::skipped())
    }

    pub(super) fn token(&mut self) -> Result<Token<'de>, DecodeError> {
        let ended = DecodeError { wanted: "a value", found: "its end", column: None };
        self.read().ok_or(ended)
    }

    fn read(&mut self) -> Option<Token<'de>> {
        let [tag] = self.array::<1>()?;
        Some(match tag {
            NONE => Token::None,
            SOME => Token::Some,
            ARRAY => Token::Array(self.len()?),
            MAP => Token::Map(self.len()?),
            TUPLE => Token::Tuple(self.len()?),
            FALSE => Token::Bool(false),
            TRUE => Token::Bool(true),
            STR => Token::Str(std::str::from_utf8(self.long()?).ok()?),
            BYTES => Token::Bytes(self.long()?),
            FIXED => Token::Fixed(self.long()?),
            DATETIME64 => {
                let ticks = i64::from_le_bytes(self.array()?);
                let [scale] = self.array()?;
                Token::DateTime64(ticks, scale)
            }
            DECIMAL => {
                let unscaled = i128::from_le_bytes(self.array()?);
                let [precision, scale] = self.array()?;
                Token::Decimal(unscaled, precision, scale)
            }
            tag => self.fixed(tag)?,
        })
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*array)
    }

    fn len(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.array()?)).ok()
    }

    fn long(&mut self) -> Option<&'de [u8]> {
        let len = self.len()?;
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }
}

/// A value of a captured row, whatever its type: compares with numbers, texts, bytes and bools.
///
/// Days, seconds and ticks are the numbers they count; decimals, UUIDs, addresses and integers of
/// more than 127 bits are the texts they print as.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Datum<'de> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(&'de str),
    Bytes(&'de [u8]),
    Printed(String),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

impl<'de> DecodeValue<'de> for Datum<'de> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        let list = |reader: &mut RowReader<'de>, len| {
            (0..len)
                .map(|_| Self::decode(reader))
                .collect::<Result<_, _>>()
        };
        Ok(match reader.token()? {
            Token::None => Self::Null,
            Token::Some => Self::decode(reader)?,
            Token::Array(len) | Token::Tuple(len) => Self::List(list(reader, len)?),
            Token::Map(len) => {
                let pairs = (0..len).map(|_| Ok((Self::decode(reader)?, Self::decode(reader)?)));
                Self::Map(pairs.collect::<Result<_, _>>()?)
            }
            Token::Bool(v) => Self::Bool(v),
            Token::U8(v) => Self::Int(v.into()),
            Token::U16(v) => Self::Int(v.into()),
            Token::U32(v) => Self::Int(v.into()),
            Token::U64(v) => Self::Int(v.into()),
            Token::U128(v) => match i128::try_from(v) {
                Ok(v) => Self::Int(v),
                Err(_) => Self::Printed(v.to_string()),
            },
            Token::I8(v) => Self::Int(v.into()),
            Token::I16(v) => Self::Int(v.into()),
            Token::I32(v) | Token::Date(v) | Token::Date32(v) => Self::Int(v.into()),
            Token::I64(v) | Token::DateTime(v) | Token::DateTime64(v, _) => Self::Int(v.into()),
            Token::I128(v) => Self::Int(v),
            Token::U256(v) => Self::Printed(v.to_string()),
            Token::I256(v) => Self::Printed(v.to_string()),
            Token::F32(v) => Self::Float(v.into()),
            Token::F64(v) => Self::Float(v),
            Token::Str(v) => Self::Text(v),
            Token::Bytes(v) | Token::Fixed(v) => Self::Bytes(v),
            Token::Uuid(v) => Self::Printed(super::types::Uuid(v).to_string()),
            Token::Ipv4(v) => Self::Printed(v.to_string()),
            Token::Ipv6(v) => Self::Printed(v.to_string()),
            Token::Decimal(unscaled, _, scale) => Self::Printed(decimal(unscaled, scale)),
        })
    }
}

/// `unscaled` times 10^-`scale`, all digits written.
fn decimal(unscaled: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

impl fmt::Debug for Datum<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(v) => v.fmt(f),
            Self::Int(v) => v.fmt(f),
            Self::Float(v) => v.fmt(f),
            Self::Text(v) => v.fmt(f),
            Self::Bytes(v) => write!(f, "b\"{}\"", v.escape_ascii()),
            Self::Printed(v) => f.write_str(v),
            Self::List(v) => f.debug_list().entries(v).finish(),
            Self::Map(v) => f
                .debug_map()
                .entries(v.iter().map(|(k, v)| (k, v)))
                .finish(),
        }
    }
}

macro_rules! compares {
    ($($t:ty)*) => {$(
        impl PartialEq<$t> for Datum<'_> {
            fn eq(&self, other: &$t) -> bool {
                matches!(self, Self::Int(own) if i128::try_from(*other) == Ok(*own))
            }
        }
    )*};
}

compares! { i32 i8 i16 i64 i128 u8 u16 u32 u64 u128 usize isize }

macro_rules! compares_as_text {
    ($($t:ty)*) => {$(
        impl PartialEq<$t> for Datum<'_> {
            fn eq(&self, other: &$t) -> bool {
                self.is_text(other)
            }
        }
    )*};
}

compares_as_text! { str &str String }

impl Datum<'_> {
    /// The number it is, if it is a whole one.
    #[must_use]
    pub const fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The text it is, or prints as.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Printed(text) => Some(text),
            _ => None,
        }
    }

    fn is_text(&self, other: &str) -> bool {
        self.as_text() == Some(other)
    }
}

impl PartialEq<bool> for Datum<'_> {
    fn eq(&self, other: &bool) -> bool {
        matches!(self, Self::Bool(own) if own == other)
    }
}

impl PartialEq<f64> for Datum<'_> {
    fn eq(&self, other: &f64) -> bool {
        matches!(self, Self::Float(own) if own == other)
    }
}

impl PartialEq<[u8]> for Datum<'_> {
    fn eq(&self, other: &[u8]) -> bool {
        matches!(self, Self::Bytes(own) if *own == other)
    }
}

impl<const N: usize> PartialEq<&[u8; N]> for Datum<'_> {
    fn eq(&self, other: &&[u8; N]) -> bool {
        *self == other[..]
    }
}

/// A captured row by the names of its columns.
#[derive(Clone, PartialEq)]
pub struct Values<'de> {
    name: &'static str,
    columns: &'static [Column],
    values: Vec<Datum<'de>>,
}

impl<'de> Values<'de> {
    /// Reads the next row of type `R`.
    ///
    /// # Errors
    ///
    /// An end of the bytes within the row.
    pub fn read<R: Row>(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        let values = R::COLUMNS.iter().map(|column| reader.column(column.name));
        Ok(Self { name: R::NAME, columns: R::COLUMNS, values: values.collect::<Result<_, _>>()? })
    }

    /// The value of a column; `None` if there is no such column.
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&Datum<'de>> {
        let at = self.columns.iter().position(|own| own.name == column)?;
        self.values.get(at)
    }
}

impl<'de> Index<&str> for Values<'de> {
    type Output = Datum<'de>;

    /// The value of a column.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    fn index(&self, column: &str) -> &Datum<'de> {
        self.get(column).unwrap_or_else(|| {
            let names = self.columns.iter().map(|column| column.name);
            panic!("row `{}` has no column `{column}`{}", self.name, nearest(column, names))
        })
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(self.name);
        for (column, value) in self.columns.iter().zip(&self.values) {
            shown.field(column.name, value);
        }
        shown.finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::borrow::Cow;
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use super::*;
    use crate::chain::decimal::Decimal;
    use crate::chain::pool::Pool;
    use crate::chain::row::Value;
    use crate::chain::time::{Date, Date32, DateTime, DateTime64};
    use crate::chain::types::{Bytes, FixedBytes, Map, Uuid};
    use crate::chain::value::LowCardinality;

    fn captured(value: &impl Value) -> Vec<u8> {
        let mut buf = FrameBuf::new(Pool::new(1 << 20));
        value
            .encode(&mut Writer(&mut buf))
            .expect("it can be encoded");
        buf.as_slice().to_vec()
    }

    /// Reads back what was written, as its type and as a datum that shows as `shown`.
    #[track_caller]
    fn check<T>(value: &T, shown: &str)
    where
        T: Value + for<'de> DecodeValue<'de> + PartialEq + Debug,
    {
        let bytes = captured(value);
        let mut reader = RowReader::new(&bytes);
        assert_eq!(T::decode(&mut reader).as_ref(), Ok(value));
        assert!(reader.is_empty(), "{value:?} is not read to its end");
        let mut reader = RowReader::new(&bytes);
        let datum = Datum::decode(&mut reader).expect("it was encoded");
        assert_eq!(format!("{datum:?}"), shown);
        assert!(reader.is_empty(), "{datum:?} is not read to its end");
        for cut in 0..bytes.len() {
            assert!(T::decode(&mut RowReader::new(&bytes[..cut])).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn every_value_reads_back_as_it_was_written() {
        check(&true, "true");
        check(&u8::MAX, "255");
        check(&u16::MAX, "65535");
        check(&u32::MAX, "4294967295");
        check(&u64::MAX, "18446744073709551615");
        check(&u128::MAX, &u128::MAX.to_string());
        check(&i8::MIN, "-128");
        check(&i16::MIN, "-32768");
        check(&i32::MIN, "-2147483648");
        check(&i64::MIN, "-9223372036854775808");
        check(&i128::MIN, &i128::MIN.to_string());
        check(&Int256::from_halves(-1, u128::MAX), "-1");
        check(&UInt256::from_le_bytes([0; 32]), "0");
        check(&1.5f32, "1.5");
        check(&f64::MIN_POSITIVE, "2.2250738585072014e-308");
        check(&"a\"b".to_owned(), r#""a\"b""#);
        check(&FixedBytes(*b"ab\0"), r#"b"ab\x00""#);
        check(&Uuid::from_u128(1), "00000000-0000-0000-0000-000000000001");
        check(&Ipv4Addr::LOCALHOST, "127.0.0.1");
        check(&Ipv6Addr::LOCALHOST, "::1");
        check(&Date::from_days(3), "3");
        check(&Date32::from_days(-3), "-3");
        check(&DateTime::from_unix_seconds(9), "9");
        check(&DateTime64::<3>::from_ticks(-9), "-9");
        check(&Decimal::<9, 2>::from_unscaled(-5), "-0.05");
        check(&Decimal::<9, 0>::from_unscaled(50), "50");
        check(&Some(7u8), "7");
        check(&None::<u8>, "null");
        check(&vec![Some(1u8), None], "[1, null]");
        check(&[1u16, 2], "[1, 2]");
        check(&(1u8, "x".to_owned()), r#"[1, "x"]"#);
        check(&BTreeMap::from([(1u8, true)]), "{1: true}");
        check(&Map(vec![("k".to_owned(), 1u8)]), r#"{"k": 1}"#);
        check(&LowCardinality("x".to_owned()), r#""x""#);
        check(&Box::new(1u8), "1");
    }

    #[test]
    fn texts_and_bytes_borrow_from_what_was_captured() {
        let bytes = captured(&(Cow::Borrowed("ada"), Bytes(b"\xff"), "x"));
        let mut reader = RowReader::new(&bytes);
        let (text, raw, plain): (Cow<'_, str>, Bytes<'_>, &str) =
            DecodeValue::decode(&mut reader).unwrap();
        assert!(matches!(text, Cow::Borrowed("ada")));
        assert_eq!((raw.0, plain), (&b"\xff"[..], "x"));
    }

    #[test]
    fn another_type_is_named_with_what_is_there() {
        let bytes = captured(&7u32);
        let error = RowReader::new(&bytes).column::<u64>("total").unwrap_err();
        assert_eq!(error.to_string(), "a captured row holds a u32 where a u64 is read");
        assert_eq!(error.column(), Some("total"));
    }

    #[test]
    fn a_datum_compares_with_numbers_texts_and_bytes() {
        let bytes = captured(&(500u64, "ada", Bytes(b"x"), Some(true), 0.5f64));
        let datum = Datum::decode(&mut RowReader::new(&bytes)).unwrap();
        let Datum::List(data) = datum else { panic!("a tuple is a list: {datum:?}") };
        assert_eq!(data[0], 500);
        assert_ne!(data[0], 244u8);
        assert_eq!(data[1], "ada");
        assert_eq!(data[2], b"x");
        assert_eq!(data[3], true);
        assert_eq!(data[4], 0.5);
        assert_eq!((data[0].as_int(), data[1].as_text()), (Some(500), Some("ada")));
    }
}

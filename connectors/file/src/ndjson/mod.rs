//! Rows as NDJSON: one object a line, the columns in order.
//!
//! Lane thread. Everything a row can hold has one form, and none of them loses anything:
//!
//! | value | form |
//! |---|---|
//! | integers of every width, decimals | a number, every digit of it |
//! | floats | a number, the shortest that reads back the same |
//! | NaN and the infinities | `"NaN"`, `"Infinity"`, `"-Infinity"` (never `null`, never 0) |
//! | text, bytes that are UTF-8 | a string |
//! | other bytes | `{"base64":".."}` |
//! | uuid, addresses | a string in the usual notation |
//! | days | `"2026-01-31"` |
//! | times | RFC 3339 in UTC: `"2026-01-31T23:59:59Z"`, with as many decimals as the scale says |
//! | years before 0 or after 9999 | a sign and at least six digits: `"+010000-01-01"` |
//! | absent | `null` |
//! | arrays, tuples | an array |
//! | maps | an object; keys that are no text stand in quotes |
//!
//! A key of a map must be one scalar; bytes that are no UTF-8 and absent values cannot be keys.
//!
//! Source: NaN and the infinities as in the JSON mapping of Protocol Buffers; RFC 8259, RFC 3339;
//! years by ISO 8601, expanded representation.

mod escape;
mod time;

use std::fmt::{self, Display, Write};
use std::net::{Ipv4Addr, Ipv6Addr};

use spate_runtime::chain::frame_buf::FrameBuf;
use spate_runtime::chain::int256::{Int256, UInt256};
use spate_runtime::chain::row::{Column, EncodeError, Row, RowEncoder, RowWidth, ValueEncoder};

use escape::{put_base64, put_string};

/// Encodes rows as one JSON object a line; the module's table says how.
///
/// Allocates nothing beyond the frame it writes to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ndjson;

impl RowEncoder for Ndjson {
    const NAME: &'static str = "NDJSON";
    const WIDTH: RowWidth = RowWidth::Named;

    fn encode<R: Row>(&mut self, row: &R, out: &mut FrameBuf) -> Result<(), EncodeError> {
        out.push(b'{');
        let mut writer = Writer { out, first: true, place: Place::Value, column: None };
        if let Err(error) = row.encode(&mut writer) {
            return Err(match writer.column {
                Some(column) => error.in_column(column),
                None => error,
            });
        }
        out.extend(b"}\n");
        Ok(())
    }
}

/// Where the next value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Value,
    /// The key of a map: only scalars, and all of them in quotes.
    Key,
}

struct Writer<'a> {
    out: &'a mut FrameBuf,
    /// No comma before the next field, item or key.
    first: bool,
    place: Place,
    column: Option<&'static str>,
}

impl Writer<'_> {
    fn separate(&mut self) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
    }

    /// A number or `true`/`false`: bare as a value, quoted as a key.
    #[inline]
    fn bare(&mut self, text: &str) -> Result<(), EncodeError> {
        match self.place {
            Place::Value => self.out.extend(text.as_bytes()),
            Place::Key => self.quoted(text),
        }
        Ok(())
    }

    /// Text that needs no escapes.
    fn quoted(&mut self, text: impl Display) {
        self.out.push(b'"');
        write!(Utf8(self.out), "{text}").expect("writing to a frame does not fail");
        self.out.push(b'"');
    }

    fn integer(&mut self, number: impl itoa::Integer) -> Result<(), EncodeError> {
        self.bare(itoa::Buffer::new().format(number))
    }

    fn float(&mut self, number: impl zmij::Float, class: Class) -> Result<(), EncodeError> {
        match class {
            Class::Finite => self.bare(zmij::Buffer::new().format(number)),
            Class::Nan => self.text("NaN"),
            Class::Infinite { negative: false } => self.text("Infinity"),
            Class::Infinite { negative: true } => self.text("-Infinity"),
        }
    }

    fn text(&mut self, text: impl Display) -> Result<(), EncodeError> {
        self.quoted(text);
        Ok(())
    }

    fn open(&mut self, bracket: u8) -> Result<(), EncodeError> {
        if self.place == Place::Key {
            return Err(EncodeError::new("a list or map cannot be the key of a JSON object"));
        }
        self.out.push(bracket);
        self.first = true;
        Ok(())
    }

    fn close(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.first = false;
    }
}

/// What a float is, of either width.
enum Class {
    Finite,
    Nan,
    Infinite { negative: bool },
}

macro_rules! class {
    ($number:expr) => {
        if $number.is_finite() {
            Class::Finite
        } else if $number.is_nan() {
            Class::Nan
        } else {
            Class::Infinite { negative: $number.is_sign_negative() }
        }
    };
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        #[inline]
        fn $t(&mut self, v: $t) -> Result<(), EncodeError> {
            self.integer(v)
        }
    )*};
}

impl ValueEncoder for Writer<'_> {
    #[inline]
    fn field(&mut self, column: &'static Column) -> Result<(), EncodeError> {
        self.column = Some(column.name);
        self.separate();
        put_string(self.out, column.name);
        self.out.push(b':');
        Ok(())
    }

    fn bool(&mut self, v: bool) -> Result<(), EncodeError> {
        self.bare(if v { "true" } else { "false" })
    }

    integers! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 }

    fn int256(&mut self, v: Int256) -> Result<(), EncodeError> {
        self.wide(v)
    }

    fn uint256(&mut self, v: UInt256) -> Result<(), EncodeError> {
        self.wide(v)
    }

    fn f32(&mut self, v: f32) -> Result<(), EncodeError> {
        self.float(v, class!(v))
    }

    fn f64(&mut self, v: f64) -> Result<(), EncodeError> {
        self.float(v, class!(v))
    }

    #[inline]
    fn str(&mut self, v: &str) -> Result<(), EncodeError> {
        put_string(self.out, v);
        Ok(())
    }

    fn bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        match (std::str::from_utf8(v), self.place) {
            (Ok(text), _) => put_string(self.out, text),
            (Err(_), Place::Key) => {
                return Err(EncodeError::new("bytes that are no UTF-8 cannot be a key in JSON"));
            }
            (Err(_), Place::Value) => {
                self.out.extend(b"{\"base64\":\"");
                put_base64(self.out, v);
                self.out.extend(b"\"}");
            }
        }
        Ok(())
    }

    fn fixed_bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        self.bytes(v)
    }

    fn uuid(&mut self, v: [u8; 16]) -> Result<(), EncodeError> {
        self.text(spate_runtime::chain::types::Uuid(v))
    }

    fn ipv4(&mut self, v: Ipv4Addr) -> Result<(), EncodeError> {
        self.text(v)
    }

    fn ipv6(&mut self, v: Ipv6Addr) -> Result<(), EncodeError> {
        self.text(v)
    }

    fn date(&mut self, days: i32) -> Result<(), EncodeError> {
        self.text(time::Day(i64::from(days)))
    }

    fn date32(&mut self, days: i32) -> Result<(), EncodeError> {
        self.text(time::Day(i64::from(days)))
    }

    fn datetime(&mut self, seconds: i64) -> Result<(), EncodeError> {
        self.text(time::Instant { ticks: seconds, scale: 0 })
    }

    fn datetime64(&mut self, ticks: i64, scale: u8) -> Result<(), EncodeError> {
        if scale > time::SCALE_MAX {
            return Err(EncodeError::new("a time has more than 18 decimals"));
        }
        self.text(time::Instant { ticks, scale })
    }

    fn decimal(&mut self, unscaled: i128, _precision: u8, scale: u8) -> Result<(), EncodeError> {
        let quote = self.place == Place::Key;
        if quote {
            self.out.push(b'"');
        }
        put_decimal(self.out, unscaled, usize::from(scale));
        if quote {
            self.out.push(b'"');
        }
        Ok(())
    }

    fn none(&mut self) -> Result<(), EncodeError> {
        if self.place == Place::Key {
            return Err(EncodeError::new("an absent value cannot be a key in JSON"));
        }
        self.bare("null")
    }

    fn some(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }

    fn array_begin(&mut self, _len: usize) -> Result<(), EncodeError> {
        self.open(b'[')
    }

    fn array_end(&mut self) -> Result<(), EncodeError> {
        self.close(b']');
        Ok(())
    }

    fn item(&mut self) -> Result<(), EncodeError> {
        self.separate();
        Ok(())
    }

    fn map_begin(&mut self, _len: usize) -> Result<(), EncodeError> {
        self.open(b'{')
    }

    fn map_key(&mut self) -> Result<(), EncodeError> {
        self.separate();
        self.place = Place::Key;
        Ok(())
    }

    fn map_value(&mut self) -> Result<(), EncodeError> {
        self.place = Place::Value;
        self.out.push(b':');
        Ok(())
    }

    fn map_end(&mut self) -> Result<(), EncodeError> {
        self.close(b'}');
        Ok(())
    }

    fn tuple_begin(&mut self, _len: usize) -> Result<(), EncodeError> {
        self.open(b'[')
    }

    fn tuple_end(&mut self) -> Result<(), EncodeError> {
        self.close(b']');
        Ok(())
    }
}

impl Writer<'_> {
    fn wide(&mut self, number: impl Display) -> Result<(), EncodeError> {
        match self.place {
            Place::Value => {
                write!(Utf8(self.out), "{number}").expect("writing to a frame does not fail");
            }
            Place::Key => self.quoted(number),
        }
        Ok(())
    }
}

/// A frame as a place to format to.
struct Utf8<'a>(&'a mut FrameBuf);

impl Write for Utf8<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend(text.as_bytes());
        Ok(())
    }
}

/// Writes `unscaled` times ten to the power of minus `scale`, with exactly `scale` decimals.
fn put_decimal(out: &mut FrameBuf, unscaled: i128, scale: usize) {
    if unscaled < 0 {
        out.push(b'-');
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(unscaled.unsigned_abs()).as_bytes();
    let (whole, decimals) = digits.split_at(digits.len().saturating_sub(scale));
    out.extend(if whole.is_empty() { b"0" } else { whole });
    if scale > 0 {
        out.push(b'.');
        for _ in decimals.len()..scale {
            out.push(b'0');
        }
        out.extend(decimals);
    }
}

#[cfg(test)]
mod tests;

//! RowBinary: one size computation, one reserve, plain stores.
//!
//! Lane thread, once per row; allocates nothing. A row's columns follow each other without names,
//! separators or padding: integers and floats little-endian, strings with a LEB128 length, a
//! nullable value behind one byte that is 1 for NULL.
//!
//! Every store is held against the room the row asked for, because `binary_bound` is safe code that
//! anyone may write and get wrong. For a row of fixed width the compiler folds these comparisons
//! away, and the row costs less than a loop written by hand; behind a string each costs two
//! instructions.
//!
//! Source: <https://clickhouse.com/docs/interfaces/formats/RowBinary>; the bytes are checked
//! against a server in `tests/engine.rs`.

#![expect(unsafe_code, reason = "stores into the room that `FrameBuf::write_within` reserves")]

use std::net::{Ipv4Addr, Ipv6Addr};

use spate_runtime::chain::decimal::power_of_ten;
use spate_runtime::chain::frame_buf::FrameBuf;
use spate_runtime::chain::int256::{Int256, UInt256};
use spate_runtime::chain::row::{
    Column, DataType, EncodeError, Row, RowEncoder, RowWidth, ValueEncoder,
};

/// Encodes rows as ClickHouse's RowBinary.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowBinary;

impl RowEncoder for RowBinary {
    const NAME: &'static str = "RowBinary";
    const WIDTH: RowWidth = RowWidth::Native;

    #[inline]
    fn encode<R: Row>(&mut self, row: &R, out: &mut FrameBuf) -> Result<(), EncodeError> {
        if const { has_nested(R::COLUMNS) } {
            encode_with(row, out, NestedLengths::default())
        } else {
            encode_with(row, out, ())
        }
    }
}

#[inline]
fn encode_with<R: Row, N: Nested>(
    row: &R,
    out: &mut FrameBuf,
    nested: N,
) -> Result<(), EncodeError> {
    let bound = row.binary_bound();
    let mut result = Ok(());
    // SAFETY: the writer gets the room `write_within` hands out, exclusively, and lives no longer. It
    // stores front to back and never more than `bound` bytes (`Writer::put`); what is returned is
    // the number of bytes it stored, or 0, of which no byte need be initialised.
    unsafe {
        out.write_within(bound, |room| {
            let mut writer = Writer::new(room, bound, nested);
            result = row.encode(&mut writer);
            if result.is_ok() { bound - writer.left() } else { 0 }
        });
    }
    result
}

/// Whether a row has columns of a `Nested`: arrays with dotted names, which must be equally long.
const fn has_nested(columns: &[Column]) -> bool {
    let mut i = 0;
    while i < columns.len() {
        if matches!(columns[i].data_type, DataType::Array(_))
            && dot(columns[i].name.as_bytes()).is_some()
        {
            return true;
        }
        i += 1;
    }
    false
}

const fn dot(name: &[u8]) -> Option<usize> {
    let mut i = 0;
    while i < name.len() {
        if name[i] == b'.' {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// What a writer does about the columns of a `Nested`.
trait Nested {
    fn field(&mut self, column: &'static Column);
    /// Whether an array of `len` items may stand in the column just begun.
    fn array(&mut self, len: usize) -> bool;
}

impl Nested for () {
    #[inline(always)]
    fn field(&mut self, _column: &'static Column) {}

    #[inline(always)]
    fn array(&mut self, _len: usize) -> bool {
        true
    }
}

/// The lengths seen so far, by the name before the dot. Rows have few such groups; of more than
/// [`NestedLengths::GROUPS`] the server finds the unequal ones, for the price of the whole batch.
#[derive(Default)]
struct NestedLengths {
    groups: [(&'static str, usize); Self::GROUPS],
    /// The group of the column just begun, until its outermost array comes.
    begun: Option<&'static str>,
}

impl NestedLengths {
    const GROUPS: usize = 8;
}

impl Nested for NestedLengths {
    fn field(&mut self, column: &'static Column) {
        let array = matches!(column.data_type, DataType::Array(_));
        let group = column.name.split_once('.').map(|(group, _)| group);
        self.begun = group.filter(|_| array);
    }

    fn array(&mut self, len: usize) -> bool {
        let Some(group) = self.begun.take() else { return true };
        for (known, known_len) in &mut self.groups {
            if known.is_empty() {
                (*known, *known_len) = (group, len);
            }
            if *known == group {
                return *known_len == len;
            }
        }
        true
    }
}

/// Stores values one behind the other into room that was reserved for the whole row.
///
/// One counter says both where the next byte goes and how much room there is: it runs up to 0 at
/// the end of the room.
struct Writer<N> {
    /// The end of the room.
    end: *mut u8,
    /// From `end` to where the next byte goes: never positive.
    at: isize,
    /// The column in hand, for errors.
    column: &'static str,
    nested: N,
}

/// The first second and the one after the last of `DateTime64` and `Date32`: 1900 to 2299.
const FIRST_SECOND: i64 = -2_208_988_800;
const END_SECOND: i64 = 10_413_792_000;
const FIRST_DAY: i32 = -25_567;
const LAST_DAY: i32 = 120_529;

impl<N> Writer<N> {
    /// A writer into the `len` bytes at `room`.
    ///
    /// # Safety
    ///
    /// They are writable, of one allocation, and nothing else refers to them while it lives.
    #[inline(always)]
    unsafe fn new(room: *mut u8, len: usize, nested: N) -> Self {
        // SAFETY: `room` has `len` bytes, so its end lies within or one past the same allocation,
        // whose size fits an isize.
        let (end, at) = unsafe { (room.add(len), -len.cast_signed()) };
        Self { end, at, column: "", nested }
    }

    /// Bytes of room left.
    #[inline(always)]
    const fn left(&self) -> usize {
        // Never positive, so this is its magnitude; `unsigned_abs` would test the sign.
        self.at.wrapping_neg().cast_unsigned()
    }

    #[inline(always)]
    fn put<const LEN: usize>(&mut self, bytes: [u8; LEN]) -> Result<(), EncodeError> {
        if self.at > -LEN.cast_signed() {
            return Err(refused(self.column, OVERRUN));
        }
        // SAFETY: at least `LEN` bytes are left, as was checked.
        unsafe { self.put_unchecked(bytes.as_ptr(), LEN) };
        Ok(())
    }

    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        if self.left() < bytes.len() {
            return Err(refused(self.column, OVERRUN));
        }
        // SAFETY: at least that many bytes are left, as was checked.
        unsafe { self.put_unchecked(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// # Safety
    ///
    /// At least `len` bytes are left, and `len` bytes can be read at `bytes`.
    #[inline(always)]
    unsafe fn put_unchecked(&mut self, bytes: *const u8, len: usize) {
        // SAFETY: `end + at` has `-at >= len` writable bytes behind it (`new`, and the caller), and
        // `bytes` lies outside of that room, which nothing else refers to.
        unsafe {
            self.end
                .offset(self.at)
                .copy_from_nonoverlapping(bytes, len);
        }
        self.at += len.cast_signed();
    }

    /// An unsigned LEB128 number.
    #[inline(always)]
    fn put_len(&mut self, len: usize) -> Result<(), EncodeError> {
        if len < 0x80 {
            return self.put([low_byte(len)]);
        }
        let (bytes, count) = leb128(len);
        self.put_slice(&bytes[..count])
    }

    /// A length below 128 and as many bytes, with one check for both.
    #[inline(always)]
    fn put_short(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        if self.left() <= bytes.len() {
            return Err(refused(self.column, OVERRUN));
        }
        let len = [low_byte(bytes.len())];
        // SAFETY: at least one byte more than `bytes` has is left, as was checked.
        unsafe {
            self.put_unchecked(len.as_ptr(), 1);
            self.put_unchecked(bytes.as_ptr(), bytes.len());
        }
        Ok(())
    }
}

/// A long length as LEB128. Not a method, for the same reason as [`refused`].
#[inline(never)]
fn leb128(len: usize) -> ([u8; 10], usize) {
    let (mut bytes, mut count, mut rest) = ([0; 10], 0, len);
    while rest >= 0x80 {
        bytes[count] = low_byte(rest) | 0x80;
        count += 1;
        rest >>= 7;
    }
    bytes[count] = low_byte(rest);
    (bytes, count + 1)
}

/// Takes the column and not the writer: a reference to it would keep it out of registers.
#[cold]
#[inline(never)]
fn refused(column: &'static str, reason: &'static str) -> EncodeError {
    EncodeError::new(reason).in_column(column)
}

const OVERRUN: &str = "row needs more bytes than its `binary_bound` says";

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the low byte is meant")]
const fn low_byte(v: usize) -> u8 {
    v as u8
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        #[inline(always)]
        fn $method(&mut self, v: $method) -> Result<(), EncodeError> {
            self.put(v.to_le_bytes())
        }
    )*};
}

impl<N: Nested> ValueEncoder for Writer<N> {
    numbers! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

    #[inline(always)]
    fn field(&mut self, column: &'static Column) -> Result<(), EncodeError> {
        self.column = column.name;
        self.nested.field(column);
        Ok(())
    }

    #[inline(always)]
    fn bool(&mut self, v: bool) -> Result<(), EncodeError> {
        self.put([u8::from(v)])
    }

    #[inline(always)]
    fn int256(&mut self, v: Int256) -> Result<(), EncodeError> {
        self.put(v.to_le_bytes())
    }

    #[inline(always)]
    fn uint256(&mut self, v: UInt256) -> Result<(), EncodeError> {
        self.put(v.to_le_bytes())
    }

    #[inline(always)]
    fn str(&mut self, v: &str) -> Result<(), EncodeError> {
        self.bytes(v.as_bytes())
    }

    #[inline(always)]
    fn bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        if v.len() < 0x80 {
            return self.put_short(v);
        }
        self.put_len(v.len())?;
        self.put_slice(v)
    }

    #[inline(always)]
    fn fixed_bytes(&mut self, v: &[u8]) -> Result<(), EncodeError> {
        self.put_slice(v)
    }

    /// Two little-endian halves, the first one first (R075).
    #[inline(always)]
    fn uuid(&mut self, v: [u8; 16]) -> Result<(), EncodeError> {
        let number = u128::from_be_bytes(v);
        self.put(number.rotate_left(64).to_le_bytes())
    }

    #[inline(always)]
    fn ipv4(&mut self, v: Ipv4Addr) -> Result<(), EncodeError> {
        self.put(v.to_bits().to_le_bytes())
    }

    #[inline(always)]
    fn ipv6(&mut self, v: Ipv6Addr) -> Result<(), EncodeError> {
        self.put(v.octets())
    }

    #[inline(always)]
    fn date(&mut self, days: i32) -> Result<(), EncodeError> {
        match u16::try_from(days) {
            Ok(days) => self.put(days.to_le_bytes()),
            Err(_) => {
                Err(refused(self.column, "day is outside of `Date`, 1970-01-01 to 2149-06-06"))
            }
        }
    }

    #[inline(always)]
    fn date32(&mut self, days: i32) -> Result<(), EncodeError> {
        if !(FIRST_DAY..=LAST_DAY).contains(&days) {
            return Err(refused(
                self.column,
                "day is outside of `Date32`, 1900-01-01 to 2299-12-31",
            ));
        }
        self.put(days.to_le_bytes())
    }

    #[inline(always)]
    fn datetime(&mut self, seconds: i64) -> Result<(), EncodeError> {
        match u32::try_from(seconds) {
            Ok(seconds) => self.put(seconds.to_le_bytes()),
            Err(_) => {
                Err(refused(self.column, "instant is outside of `DateTime`, 1970 to 2106-02-07"))
            }
        }
    }

    #[inline(always)]
    fn datetime64(&mut self, ticks: i64, scale: u8) -> Result<(), EncodeError> {
        let unit = 10i64.saturating_pow(u32::from(scale));
        // At scale 9 the end lies beyond an i64, and every tick up to its maximum is valid.
        let (first, end) = (FIRST_SECOND * unit, END_SECOND.saturating_mul(unit));
        if ticks < first || (ticks >= end && end != i64::MAX) {
            return Err(refused(self.column, "instant is outside of `DateTime64`, 1900 to 2299"));
        }
        self.put(ticks.to_le_bytes())
    }

    #[inline(always)]
    fn decimal(&mut self, unscaled: i128, precision: u8, _scale: u8) -> Result<(), EncodeError> {
        // Above 38 digits every i128 fits.
        if let Some(limit) = power_of_ten(precision)
            && (unscaled <= -limit || unscaled >= limit)
        {
            return Err(refused(self.column, "number has more digits than its `Decimal`"));
        }
        let bytes = unscaled.to_le_bytes();
        match precision {
            0..=9 => self.put_slice(&bytes[..4]),
            10..=18 => self.put_slice(&bytes[..8]),
            19..=38 => self.put(bytes),
            _ => self.put(Int256::from(unscaled).to_le_bytes()),
        }
    }

    #[inline(always)]
    fn none(&mut self) -> Result<(), EncodeError> {
        self.put([1])
    }

    #[inline(always)]
    fn some(&mut self) -> Result<(), EncodeError> {
        self.put([0])
    }

    #[inline(always)]
    fn array_begin(&mut self, len: usize) -> Result<(), EncodeError> {
        if !self.nested.array(len) {
            return Err(refused(self.column, "array is not as long as the others of its `Nested`"));
        }
        self.put_len(len)
    }

    #[inline(always)]
    fn array_end(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline(always)]
    fn item(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline(always)]
    fn map_begin(&mut self, len: usize) -> Result<(), EncodeError> {
        self.put_len(len)
    }

    #[inline(always)]
    fn map_key(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline(always)]
    fn map_value(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline(always)]
    fn map_end(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline(always)]
    fn tuple_begin(&mut self, _len: usize) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline(always)]
    fn tuple_end(&mut self) -> Result<(), EncodeError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

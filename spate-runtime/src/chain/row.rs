//! Rows and the encoders that write them.
//!
//! `derive(Row)` implements [`Row`]; a field is a [`Value`]; a connector's encoder implements
//! [`RowEncoder`] by driving the row over its [`ValueEncoder`]. The runtime knows no wire format.
//!
//! ```text
//! Row::encode(&row, e)   for each column:  e.field(column)?;  Value::encode(&row.field, e)?
//! ```

use super::frame_buf::FrameBuf;
use super::int256::{Int256, UInt256};

/// A column of a row, known when the program compiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The column's name in the warehouse.
    pub name: &'static str,
    /// The field's type as written in the source text.
    pub rust_type: &'static str,
    /// What the field is, independent of any warehouse.
    pub data_type: DataType,
}

/// What a field is, independent of any warehouse. A connector maps it to its own types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum DataType {
    Bool,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    UInt128,
    UInt256,
    Int8,
    Int16,
    Int32,
    Int64,
    Int128,
    Int256,
    Float32,
    Float64,
    /// UTF-8 text.
    String,
    /// Bytes of any length and content.
    Bytes,
    /// Exactly so many bytes.
    FixedBytes(usize),
    Uuid,
    Ipv4,
    Ipv6,
    /// Days since 1970-01-01, in a warehouse's short form (unsigned 16 bit in ClickHouse).
    Date,
    /// Days since 1970-01-01, signed.
    Date32,
    /// Seconds since the epoch.
    DateTime,
    /// Ticks of 10^-scale seconds since the epoch.
    DateTime64(u8),
    /// A number of so many digits in all, so many of them after the point.
    Decimal {
        precision: u8,
        scale: u8,
    },
    /// Stored with a dictionary where the warehouse has one.
    LowCardinality(&'static Self),
    Nullable(&'static Self),
    Array(&'static Self),
    Map(&'static Self, &'static Self),
    Tuple(&'static [Self]),
}

/// A row was not encoded: one of its values has no representation in the sink.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct EncodeError {
    reason: &'static str,
    column: Option<&'static str>,
}

impl EncodeError {
    /// Makes an error; `reason` is a lower-case fragment without a final dot.
    #[must_use]
    pub const fn new(reason: &'static str) -> Self {
        Self { reason, column: None }
    }

    /// Names the column, unless it is named already.
    #[must_use]
    pub fn in_column(mut self, column: &'static str) -> Self {
        self.column.get_or_insert(column);
        self
    }

    /// The column that could not be encoded, if it is known.
    #[must_use]
    pub const fn column(&self) -> Option<&'static str> {
        self.column
    }
}

/// What a warehouse's own table shards by, as its DDL file says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sharding {
    /// The kind of connector whose tables this is about, as its schema calls it.
    pub sink: &'static str,
    /// Where it is said: `file:line:col`.
    pub at: &'static str,
    /// The expression as written.
    pub expression: &'static str,
    /// The fields of the row whose columns it names.
    pub fields: &'static [&'static str],
}

/// What a sink takes. Implemented by `#[derive(Row)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no row",
    label = "a sink takes rows",
    note = "derive it: `#[derive(Row)]`"
)]
pub trait Row {
    /// The row type's name, for messages.
    const NAME: &'static str;
    /// The columns in the order they are encoded.
    const COLUMNS: &'static [Column];
    /// What its table is sharded by, where that is known when the program compiles.
    const SHARDING: Option<Sharding> = None;

    /// An upper bound of the bytes a binary row format needs (LEB128 lengths, native widths).
    fn binary_bound(&self) -> usize;

    /// Drives `encoder` over all columns in order.
    ///
    /// # Errors
    ///
    /// When a value has no representation in the encoder's format; what was written is cut again
    /// by the caller.
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError>;
}

/// A field of a row, or a part of one.
#[diagnostic::on_unimplemented(
    message = "a row cannot hold `{Self}`",
    label = "this is no type of a column",
    note = "make a column's type of it, or leave the field out of the row: `#[row(skip)]`"
)]
pub trait Value {
    /// What it is, independent of any warehouse.
    const DATA_TYPE: DataType;

    /// An upper bound of the bytes a binary row format needs for this value.
    fn binary_bound(&self) -> usize;

    /// Writes the value.
    ///
    /// # Errors
    ///
    /// When it has no representation in the encoder's format.
    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError>;
}

/// A wire format, value by value: implemented by a connector, driven by [`Value::encode`].
///
/// Containers announce themselves first: `array_begin(n)`, then n values, each preceded by
/// `item()`, then `array_end()`; `some()` precedes a present nullable value. All methods may fail
/// with a value the format cannot hold.
#[expect(missing_docs, reason = "one method per scalar; the names are the documentation")]
#[expect(clippy::missing_errors_doc, reason = "one contract for all, in the trait's text")]
pub trait ValueEncoder {
    /// Begins a column.
    fn field(&mut self, column: &'static Column) -> Result<(), EncodeError>;
    fn bool(&mut self, v: bool) -> Result<(), EncodeError>;
    fn u8(&mut self, v: u8) -> Result<(), EncodeError>;
    fn u16(&mut self, v: u16) -> Result<(), EncodeError>;
    fn u32(&mut self, v: u32) -> Result<(), EncodeError>;
    fn u64(&mut self, v: u64) -> Result<(), EncodeError>;
    fn u128(&mut self, v: u128) -> Result<(), EncodeError>;
    fn i8(&mut self, v: i8) -> Result<(), EncodeError>;
    fn i16(&mut self, v: i16) -> Result<(), EncodeError>;
    fn i32(&mut self, v: i32) -> Result<(), EncodeError>;
    fn i64(&mut self, v: i64) -> Result<(), EncodeError>;
    fn i128(&mut self, v: i128) -> Result<(), EncodeError>;
    fn int256(&mut self, v: Int256) -> Result<(), EncodeError> {
        let _ = v;
        Err(EncodeError::new("this format has no 256-bit integers"))
    }
    fn uint256(&mut self, v: UInt256) -> Result<(), EncodeError> {
        let _ = v;
        Err(EncodeError::new("this format has no 256-bit integers"))
    }
    fn f32(&mut self, v: f32) -> Result<(), EncodeError>;
    fn f64(&mut self, v: f64) -> Result<(), EncodeError>;
    fn str(&mut self, v: &str) -> Result<(), EncodeError>;
    /// Bytes of any length and content.
    fn bytes(&mut self, v: &[u8]) -> Result<(), EncodeError>;
    /// Exactly as many bytes as the type says; no length is written.
    fn fixed_bytes(&mut self, v: &[u8]) -> Result<(), EncodeError>;
    /// In network order, as the text form reads.
    fn uuid(&mut self, v: [u8; 16]) -> Result<(), EncodeError>;
    fn ipv4(&mut self, v: std::net::Ipv4Addr) -> Result<(), EncodeError>;
    fn ipv6(&mut self, v: std::net::Ipv6Addr) -> Result<(), EncodeError>;
    /// Days since 1970-01-01, short form.
    fn date(&mut self, days: i32) -> Result<(), EncodeError>;
    /// Days since 1970-01-01, signed.
    fn date32(&mut self, days: i32) -> Result<(), EncodeError>;
    /// Seconds since the epoch.
    fn datetime(&mut self, seconds: i64) -> Result<(), EncodeError>;
    /// Ticks of 10^-scale seconds since the epoch.
    fn datetime64(&mut self, ticks: i64, scale: u8) -> Result<(), EncodeError>;
    fn decimal(&mut self, unscaled: i128, precision: u8, scale: u8) -> Result<(), EncodeError>;
    /// An absent nullable value.
    fn none(&mut self) -> Result<(), EncodeError>;
    /// A present nullable value follows.
    fn some(&mut self) -> Result<(), EncodeError>;
    fn array_begin(&mut self, len: usize) -> Result<(), EncodeError>;
    fn array_end(&mut self) -> Result<(), EncodeError>;
    /// The next value of an array or tuple follows.
    fn item(&mut self) -> Result<(), EncodeError>;
    fn map_begin(&mut self, len: usize) -> Result<(), EncodeError>;
    /// The next key of a map follows.
    fn map_key(&mut self) -> Result<(), EncodeError>;
    /// The value of the key just written follows.
    fn map_value(&mut self) -> Result<(), EncodeError>;
    fn map_end(&mut self) -> Result<(), EncodeError>;
    fn tuple_begin(&mut self, len: usize) -> Result<(), EncodeError>;
    fn tuple_end(&mut self) -> Result<(), EncodeError>;
}

/// What the columns of a row tell about its least size in a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowWidth {
    /// Nothing: a row is one byte at least.
    Unknown,
    /// Values stand behind each other in their native widths; a text, a list, a map and an absent
    /// value are one byte at least.
    Native,
    /// Each value stands behind the name of its column, as in JSON: `{"id":1}`.
    Named,
}

impl RowWidth {
    /// The fewest bytes of a row with these columns; at least 1.
    #[must_use]
    pub const fn least(self, columns: &[Column]) -> u64 {
        let (mut bytes, mut i) = (0, 0);
        while i < columns.len() {
            bytes += match self {
                Self::Unknown => 0,
                Self::Native => columns[i].data_type.native_width(),
                // Two quotes, a colon, one of the value, and a comma or a bracket.
                Self::Named => columns[i].name.len() as u64 + 5,
            };
            i += 1;
        }
        if bytes == 0 { 1 } else { bytes }
    }
}

impl DataType {
    /// The fewest bytes of a value in its native width.
    const fn native_width(&self) -> u64 {
        match self {
            Self::Bool | Self::UInt8 | Self::Int8 => 1,
            Self::UInt16 | Self::Int16 | Self::Date => 2,
            Self::UInt32
            | Self::Int32
            | Self::Float32
            | Self::Date32
            | Self::DateTime
            | Self::Ipv4 => 4,
            Self::UInt64 | Self::Int64 | Self::Float64 | Self::DateTime64(_) => 8,
            Self::UInt128 | Self::Int128 | Self::Uuid | Self::Ipv6 => 16,
            Self::UInt256 | Self::Int256 => 32,
            Self::String | Self::Bytes | Self::Nullable(_) | Self::Array(_) | Self::Map(..) => 1,
            Self::FixedBytes(bytes) => *bytes as u64,
            Self::Decimal { precision: 0..=9, .. } => 4,
            Self::Decimal { precision: 10..=18, .. } => 8,
            Self::Decimal { precision: 19..=38, .. } => 16,
            Self::Decimal { .. } => 32,
            Self::LowCardinality(of) => of.native_width(),
            Self::Tuple(parts) => {
                let (mut bytes, mut i) = (0, 0);
                while i < parts.len() {
                    bytes += parts[i].native_width();
                    i += 1;
                }
                bytes
            }
        }
    }
}

/// A row format: appends whole rows to a frame. One per open port, so it may keep scratch space.
pub trait RowEncoder: Default + Send + 'static {
    /// The format's name, such as `RowBinary`, for metrics and messages.
    const NAME: &'static str;
    /// How wide a row is at least, as far as its columns tell.
    const WIDTH: RowWidth = RowWidth::Unknown;

    /// Appends `row` to `out`.
    ///
    /// # Errors
    ///
    /// When a value has no representation in this format. The caller cuts `out` back.
    fn encode<R: Row>(&mut self, row: &R, out: &mut FrameBuf) -> Result<(), EncodeError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_as_wide_as_its_columns_tell_at_least() {
        const fn column(name: &'static str, data_type: DataType) -> Column {
            Column { name, rust_type: "", data_type }
        }
        const ROW: &[Column] = &[
            column("id", DataType::UInt64),
            column("at", DataType::DateTime64(3)),
            column("name", DataType::LowCardinality(&DataType::String)),
            column("note", DataType::Nullable(&DataType::UInt64)),
            column("price", DataType::Decimal { precision: 18, scale: 4 }),
            column("pair", DataType::Tuple(&[DataType::Bool, DataType::Uuid])),
            column("tag", DataType::FixedBytes(3)),
        ];
        for (width, columns, least) in [
            (RowWidth::Native, ROW, 8 + 8 + 1 + 1 + 8 + 17 + 3),
            (RowWidth::Named, ROW, "id at name note price pair tag".len() as u64 - 6 + 7 * 5),
            (RowWidth::Named, &ROW[..1], r#"{"id":1}"#.len() as u64 - 1),
            (RowWidth::Unknown, ROW, 1),
            (RowWidth::Native, &[], 1),
        ] {
            assert_eq!(width.least(columns), least, "{width:?}");
        }
    }
}

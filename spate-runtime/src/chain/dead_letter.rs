//! The dead letter: a payload that a stage failed on, with the reason and where it came from.
//!
//! A row like any other: written by the sink that `.or_to(..)` names, resolved the same way.

use std::borrow::Cow;

use super::captured::{DecodeError, DecodeRow, RowReader};
use super::row::{Column, DataType, EncodeError, Row, Value, ValueEncoder};
use crate::batch::Meta;

/// A payload that a stage failed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadLetter<'a> {
    /// The topic it came from.
    pub topic: &'a str,
    /// The partition within the topic.
    pub partition: u32,
    /// Its offset in the partition.
    pub offset: u64,
    /// Milliseconds since the Unix epoch, as the source told them.
    pub timestamp_ms: Option<i64>,
    /// The label of the stage that failed.
    pub stage: &'a str,
    /// The error and its causes.
    pub reason: &'a str,
    /// Index of the item within the payload, from 0.
    pub item: u32,
    /// The record's key as bytes; absent if it had none.
    pub key: Option<&'a [u8]>,
    /// The payload as bytes; absent for a tombstone.
    pub payload: Option<&'a [u8]>,
    /// Names of the headers, in order.
    pub header_names: Cow<'a, [String]>,
    /// Values of the headers as bytes, in order; an absent value is empty.
    pub header_values: Cow<'a, [Vec<u8>]>,
}

/// Bytes as a value: any content, any length.
struct Bytes<'a>(&'a [u8]);

impl Value for Bytes<'_> {
    const DATA_TYPE: DataType = DataType::Bytes;

    fn binary_bound(&self) -> usize {
        10 + self.0.len()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.bytes(self.0)
    }
}

const fn column(name: &'static str, rust_type: &'static str, data_type: DataType) -> Column {
    Column { name, rust_type, data_type }
}

const COLUMNS: [Column; 11] = [
    column("topic", "&str", DataType::String),
    column("partition", "u32", DataType::UInt32),
    column("offset", "u64", DataType::UInt64),
    column("timestamp_ms", "Option<i64>", DataType::Nullable(&DataType::Int64)),
    column("stage", "&str", DataType::String),
    column("reason", "&str", DataType::String),
    column("item", "u32", DataType::UInt32),
    column("key", "Option<&[u8]>", DataType::Nullable(&DataType::Bytes)),
    column("payload", "Option<&[u8]>", DataType::Nullable(&DataType::Bytes)),
    column("header_names", "&[String]", DataType::Array(&DataType::String)),
    column("header_values", "&[Vec<u8>]", DataType::Array(&DataType::Bytes)),
];

#[diagnostic::do_not_recommend]
impl Row for DeadLetter<'_> {
    const NAME: &'static str = "DeadLetter";
    const COLUMNS: &'static [Column] = &COLUMNS;

    fn binary_bound(&self) -> usize {
        let headers: usize = self
            .header_names
            .iter()
            .map(|name| 10 + name.len())
            .chain(self.header_values.iter().map(|value| 10 + value.len()))
            .sum();
        let bytes = self.key.map_or(1, |key| 11 + key.len())
            + self.payload.map_or(1, |payload| 11 + payload.len());
        10 + self.topic.len()
            + 10
            + self.stage.len()
            + 10
            + self.reason.len()
            + bytes
            + headers
            + 64
    }

    fn encode<E: ValueEncoder>(&self, e: &mut E) -> Result<(), EncodeError> {
        let [topic, partition, offset, timestamp, stage, reason, item, key, payload, names, values] =
            &COLUMNS;
        e.field(topic)?;
        e.str(self.topic)?;
        e.field(partition)?;
        e.u32(self.partition)?;
        e.field(offset)?;
        e.u64(self.offset)?;
        e.field(timestamp)?;
        self.timestamp_ms.encode(e)?;
        e.field(stage)?;
        e.str(self.stage)?;
        e.field(reason)?;
        e.str(self.reason)?;
        e.field(item)?;
        e.u32(self.item)?;
        e.field(key)?;
        self.key.map(Bytes).encode(e)?;
        e.field(payload)?;
        self.payload.map(Bytes).encode(e)?;
        e.field(names)?;
        e.array_begin(self.header_names.len())?;
        for name in &*self.header_names {
            e.item()?;
            e.str(name)?;
        }
        e.array_end()?;
        e.field(values)?;
        e.array_begin(self.header_values.len())?;
        for value in &*self.header_values {
            e.item()?;
            e.bytes(value)?;
        }
        e.array_end()
    }
}

impl<'de: 'a, 'a> DecodeRow<'de> for DeadLetter<'a> {
    fn decode(reader: &mut RowReader<'de>) -> Result<Self, DecodeError> {
        let bytes = |bytes: Option<crate::chain::types::Bytes<'a>>| bytes.map(|bytes| bytes.0);
        Ok(Self {
            topic: reader.column("topic")?,
            partition: reader.column("partition")?,
            offset: reader.column("offset")?,
            timestamp_ms: reader.column("timestamp_ms")?,
            stage: reader.column("stage")?,
            reason: reader.column("reason")?,
            item: reader.column("item")?,
            key: bytes(reader.column("key")?),
            payload: bytes(reader.column("payload")?),
            header_names: reader.column("header_names")?,
            header_values: {
                let values: Vec<crate::chain::types::Bytes<'a>> = reader.column("header_values")?;
                values.into_iter().map(|value| value.0.to_vec()).collect()
            },
        })
    }
}

/// Memory that the dead letters of one lane share: reused, so that poison allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct LetterScratch {
    reason: String,
    names: Vec<String>,
    values: Vec<Vec<u8>>,
    headers: usize,
}

impl LetterScratch {
    /// Starts a letter: collects the headers and empties the reason.
    pub(crate) fn begin(&mut self, meta: &Meta<'_>) {
        self.reason.clear();
        self.headers = 0;
        meta.headers(&mut |name, value| {
            if self.names.len() == self.headers {
                self.names.push(String::new());
                self.values.push(Vec::new());
            }
            self.names[self.headers].clear();
            self.names[self.headers].push_str(name);
            self.values[self.headers].clear();
            self.values[self.headers].extend_from_slice(value.unwrap_or_default());
            self.headers += 1;
        });
    }

    /// Where the reason is written.
    pub(crate) fn reason(&mut self) -> &mut String {
        &mut self.reason
    }

    /// The finished letter.
    pub(crate) fn letter<'a>(
        &'a self,
        stage: &'static str,
        meta: &Meta<'a>,
        item: u32,
    ) -> DeadLetter<'a> {
        DeadLetter {
            topic: meta.topic(),
            partition: meta.partition(),
            offset: meta.offset().0,
            timestamp_ms: meta.timestamp_ms(),
            stage,
            reason: &self.reason,
            item,
            key: meta.key(),
            payload: meta.value(),
            header_names: Cow::Borrowed(&self.names[..self.headers]),
            header_values: Cow::Borrowed(&self.values[..self.headers]),
        }
    }
}

//! What one fill of one lane returned: a slice of borrowed payloads.
//!
//! Lanes build a [`PayloadSlots`]; the fused loop reads a [`Batch`] of it. The bytes belong to the
//! lane and live until its next `release`.

#![expect(unsafe_code, reason = "slots that borrow from their own lane; see `PayloadSlots`")]

use crate::id::{Offset, Partition};

/// Undecoded bytes of one source record, borrowed from the lane.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'buf> {
    /// The value; `None` is a tombstone, `Some(&[])` an empty value.
    pub value: Option<&'buf [u8]>,
    /// The key, if the record has one.
    pub key: Option<&'buf [u8]>,
    /// Where the record stands in its partition.
    pub offset: Offset,
    /// Milliseconds since the Unix epoch as the source tells them; `i64::MIN` if it tells none.
    pub timestamp_ms: i64,
    /// What the lane's [`HeaderReader`] knows this record by.
    pub token: usize,
}

/// Reads the headers of a payload on demand: most chains never look at them.
pub trait HeaderReader {
    /// Calls `each` with name and value of every header, in order; a value may be absent.
    fn headers(&self, token: usize, each: &mut dyn FnMut(&str, Option<&[u8]>));
}

/// A batch: the payloads of one fill, in offset order.
#[derive(Clone, Copy)]
pub struct Batch<'buf> {
    payloads: &'buf [Payload<'buf>],
    partition: &'buf Partition,
    headers: Option<&'buf dyn HeaderReader>,
}

impl std::fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batch")
            .field("partition", self.partition)
            .field("len", &self.payloads.len())
            .finish_non_exhaustive()
    }
}

impl<'buf> Batch<'buf> {
    /// Makes a batch of `payloads`, which belong to `partition`.
    #[must_use]
    pub const fn new(
        payloads: &'buf [Payload<'buf>],
        partition: &'buf Partition,
        headers: Option<&'buf dyn HeaderReader>,
    ) -> Self {
        Self { payloads, partition, headers }
    }

    /// All payloads, in offset order; may be empty.
    #[inline]
    #[must_use]
    pub const fn payloads(&self) -> &'buf [Payload<'buf>] {
        self.payloads
    }

    /// The partition all payloads belong to.
    #[inline]
    #[must_use]
    pub const fn partition(&self) -> &'buf Partition {
        self.partition
    }

    /// Where a payload of this batch comes from.
    #[inline]
    #[must_use]
    pub const fn meta(&self, payload: &'buf Payload<'buf>) -> Meta<'buf> {
        Meta { payload, partition: self.partition, headers: self.headers }
    }
}

/// Where a record comes from: topic, partition, offset, timestamp, key and headers.
#[derive(Clone, Copy)]
pub struct Meta<'buf> {
    payload: &'buf Payload<'buf>,
    partition: &'buf Partition,
    headers: Option<&'buf dyn HeaderReader>,
}

impl std::fmt::Debug for Meta<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} offset {}", self.partition, self.payload.offset)
    }
}

impl<'buf> Meta<'buf> {
    /// The topic, as the source names it.
    #[must_use]
    pub fn topic(&self) -> &'buf str {
        &self.partition.topic
    }

    /// The partition's number within the topic.
    #[must_use]
    pub const fn partition(&self) -> u32 {
        self.partition.id
    }

    /// Where the payload stands in its partition.
    #[must_use]
    pub const fn offset(&self) -> Offset {
        self.payload.offset
    }

    /// Milliseconds since the Unix epoch as the source tells them.
    #[must_use]
    pub const fn timestamp_ms(&self) -> Option<i64> {
        if self.payload.timestamp_ms == i64::MIN { None } else { Some(self.payload.timestamp_ms) }
    }

    /// The record's key, undecoded.
    #[must_use]
    pub const fn key(&self) -> Option<&'buf [u8]> {
        self.payload.key
    }

    /// The payload's undecoded value; `None` for a tombstone.
    #[must_use]
    pub const fn value(&self) -> Option<&'buf [u8]> {
        self.payload.value
    }

    /// Calls `each` with name and value of every header, in order.
    pub fn headers(&self, each: &mut dyn FnMut(&str, Option<&[u8]>)) {
        if let Some(reader) = self.headers {
            reader.headers(self.payload.token, each);
        }
    }
}

/// A payload as it is, for `.raw()` and `.decode(f)`: the bytes and where they come from.
pub type Raw<'buf> = Meta<'buf>;

/// The storage behind a lane's batch: payloads that borrow from memory the lane itself owns.
#[derive(Debug, Default)]
pub struct PayloadSlots {
    slots: Vec<Payload<'static>>,
}

impl PayloadSlots {
    /// Makes slots with room for `capacity` payloads; they grow past it if they must.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self { slots: Vec::with_capacity(capacity) }
    }

    /// Appends a payload.
    ///
    /// # Safety
    ///
    /// The bytes `payload` borrows stay valid and unmoved until the next [`clear`](Self::clear) or
    /// until these slots are dropped, whichever comes first.
    #[inline]
    pub unsafe fn push(&mut self, payload: Payload<'_>) {
        // SAFETY: only the lifetime changes; the caller keeps the bytes alive until `clear`, and
        // `as_slice` never lends a payload beyond a borrow of `self`.
        let payload = unsafe { std::mem::transmute::<Payload<'_>, Payload<'static>>(payload) };
        self.slots.push(payload);
    }

    /// The payloads pushed since the last clear.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[Payload<'_>] {
        &self.slots
    }

    /// Forgets all payloads and keeps the room.
    pub fn clear(&mut self) {
        self.slots.clear();
    }
}

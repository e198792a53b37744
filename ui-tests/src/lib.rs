//! What the compiler says to a user who got it wrong: fixtures under `fail/` and `pass/`.
//!
//! `fail/p001-<case>.rs` holds one mistake, `fail/p001-<case>.stderr` what is said about it;
//! `pass/` holds the twins that are let through. This library is what the fixtures stand on: a
//! source, a format, a sink and an orders' world, small enough to be read in one go.

pub mod pedantic;

use spate::prelude::*;
use spate_runtime::chain::format::Format;
use spate_runtime::config::{Ban, ConfigErrors, Key, Means, Refuses, Schema, Section, Type};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::{Class, SourceError};
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::lane::source::Source;
use spate_runtime::preflight::Findings;
use spate_runtime::sink::{BoxFuture, Layout, SealedBatch, Sink, SinkConnector, WriteError};

/// A source that can be declared; it is never run.
#[derive(Debug)]
pub struct Feed<F>(std::marker::PhantomData<F>);

const FEED: Schema = Schema {
    kind: "Feed",
    keys: &[
        Key::new("topic", Type::List(&Type::Text), "what is read").means(Means::Place("topic")),
        Key::new("session_timeout", Type::Duration, "how long the group waits")
            .or("45s")
            .means(Means::SessionTimeout),
        Key::new("settings", Type::TextMap, "passed through").bans(&[Ban {
            name: "enable.auto.commit",
            refuses: Refuses::Any,
            unless: None,
            code: "P061",
            why: "offsets are committed by spate, when rows are durable",
            help: "leave it out",
        }]),
    ],
};

const TABLE: Schema = Schema {
    kind: "Table",
    keys: &[
        Key::new("shards", Type::List(&Type::List(&Type::Text)), "the servers")
            .means(Means::Shards { by_partition: true }),
        Key::new("table", Type::Text, "where rows go"),
        Key::new("topic", Type::Text, "where rows go, too").means(Means::Place("topic")),
        Key::new("password", Type::Text, "of the user").secret(),
        Key::new("compression", Type::Choice(&["none", "lz4"]), "how").or("lz4"),
        Key::new("delivery", Type::Choice(&["at_least_once", "at_most_once"]), "what is promised")
            .or("at_least_once"),
        Key::new("settings", Type::TextMap, "passed through").bans(&[Ban {
            name: "acks",
            refuses: Refuses::Only(&["0"]),
            unless: Some(("delivery", "at_most_once")),
            code: "P062",
            why: "rows would be acknowledged before they are durable",
            help: "remove it, or write `delivery: at_most_once` beside `settings`",
        }]),
    ],
};

impl<F: 'static> SourceConnector for Feed<F> {
    type Format = F;
    const SCHEMA: &'static Schema = &FEED;

    fn from_section(_section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self(std::marker::PhantomData))
    }

    fn into_source(self) -> Result<Box<dyn Source>, SourceError> {
        Err(SourceError::new(Class::Bug, "a feed is not to be run"))
    }
}

impl<F> Feed<F> {
    /// A feed built by hand, for declarations with a body.
    #[must_use]
    pub const fn made() -> Self {
        Self(std::marker::PhantomData)
    }
}

/// A format for what can be read from bytes.
#[derive(Debug)]
pub struct Plain<T>(std::marker::PhantomData<T>);

/// What [`Plain`] decodes.
pub trait FromBytes<'buf>: Sized {
    /// Reads one record.
    ///
    /// # Errors
    ///
    /// When the bytes are no text.
    fn from_bytes(bytes: &'buf [u8]) -> Result<Self, std::str::Utf8Error>;
}

impl<'buf, T: FromBytes<'buf>> Format<'buf> for Plain<T> {
    type Record = T;
    type Error = std::str::Utf8Error;
    type Decoder = ();

    fn records<'dec>(
        _decoder: &'dec mut Self::Decoder,
        value: &'buf [u8],
    ) -> impl Iterator<Item = Result<T, Self::Error>> + use<'dec, 'buf, T> {
        std::iter::once(T::from_bytes(value))
    }
}

/// A sink that can be declared; it is never run.
#[derive(Debug)]
pub struct Table<R>(std::marker::PhantomData<R>);

impl<R: Row + 'static> SinkConnector for Table<R> {
    type Row = R;
    type Encoder = spate::__private::Ndjson;
    const SCHEMA: &'static Schema = &TABLE;

    fn from_section(_section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self(std::marker::PhantomData))
    }

    fn into_sink(self) -> std::sync::Arc<dyn Sink> {
        std::sync::Arc::new(Nowhere)
    }
}

/// What a table is once it was made: nothing is written to it.
struct Nowhere;

impl Sink for Nowhere {
    fn layout(&self) -> Layout {
        Layout { replicas: vec![1], deduplicates: true, replicas_share_tokens: false }
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(async { Findings::default() })
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async { Ok(()) })
    }

    fn write(
        &self,
        _: ShardId,
        _: ReplicaId,
        _: std::sync::Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async { Ok(()) })
    }
}

/// What happened to an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    Placed,
    Refunded,
    Ping,
}

/// One order as it arrives.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// Its number.
    pub id: u64,
    /// Who ordered, borrowed from the payload.
    pub customer: &'a str,
    /// How many.
    pub qty: u32,
    /// What happened.
    pub kind: Kind,
}

impl Order<'_> {
    /// Whether anything was ordered.
    #[must_use]
    pub const fn is_some(&self) -> bool {
        self.qty > 0
    }
}

impl<'buf> FromBytes<'buf> for Order<'buf> {
    fn from_bytes(bytes: &'buf [u8]) -> Result<Self, std::str::Utf8Error> {
        let customer = std::str::from_utf8(bytes)?;
        Ok(Self { id: bytes.len() as u64, customer, qty: 1, kind: Kind::Placed })
    }
}

/// An order or something else, for splits on the record itself.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Event<'a> {
    Order(Order<'a>),
    Named { order: Order<'a>, name: &'a str },
    Ping,
}

impl<'buf> FromBytes<'buf> for Event<'buf> {
    fn from_bytes(bytes: &'buf [u8]) -> Result<Self, std::str::Utf8Error> {
        Order::from_bytes(bytes).map(Self::Order)
    }
}

/// One row of a table of orders.
#[derive(Row, Debug)]
pub struct Line<'a> {
    /// The order's number.
    pub id: u64,
    /// Who ordered.
    pub customer: &'a str,
}

/// Why a line cannot be made.
#[derive(Debug)]
pub struct Refused;

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

/// The line of an order.
#[must_use]
pub const fn line(order: Order<'_>) -> Line<'_> {
    Line { id: order.id, customer: order.customer }
}

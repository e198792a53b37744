//! What the compiler says to a user who got it wrong: fixtures under `fail/` and `pass/`.
//!
//! `fail/p001-<case>.rs` holds one mistake, `fail/p001-<case>.stderr` what is said about it;
//! `pass/` holds the twins that are let through. This library is what the fixtures stand on: a
//! source, a format, a sink and an orders' world, small enough to be read in one go.

pub mod pedantic;

use spate::prelude::*;
use spate_runtime::chain::format::Format;
use spate_runtime::config::{ConfigErrors, Schema, Section};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::{Class, SourceError};
use spate_runtime::lane::source::Source;
use spate_runtime::sink::{Sink, SinkConnector};

/// A source that can be declared; it is never run.
#[derive(Debug)]
pub struct Feed<F>(std::marker::PhantomData<F>);

const NO_KEYS: Schema = Schema { kind: "Feed", keys: &[] };

impl<F: 'static> SourceConnector for Feed<F> {
    type Format = F;
    const SCHEMA: &'static Schema = &NO_KEYS;

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
    const SCHEMA: &'static Schema = &NO_KEYS;

    fn from_section(_section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self(std::marker::PhantomData))
    }

    fn into_sink(self) -> std::sync::Arc<dyn Sink> {
        unreachable!("a table of the fixtures is not to be run")
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

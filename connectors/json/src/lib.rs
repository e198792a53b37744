//! JSON records for spate, borrowed from the payload.
//!
//! A payload holds one record, or several: one per line (NDJSON). What is read, and what is not:
//!
//! | input | outcome |
//! |---|---|
//! | a document over several lines | one record |
//! | CRLF, blank lines, a last line without its end, a byte order mark at the start | passed over |
//! | an empty or blank payload | malformed |
//! | anything but blanks between a record and the end of its line | malformed, the record with it |
//! | integers | exact in every width; one that does not fit its field is an error, never rounded |
//! | floats | the nearest value; `NaN` and `Infinity` are malformed |
//! | a key of a struct twice | an error, at any depth; in a map the last one counts |
//! | unknown keys | passed over, unless the type says `#[serde(deny_unknown_fields)]` |
//! | more than 127 levels | malformed; what an unknown key holds may be deeper |
//! | bytes that are no UTF-8 | malformed, that line only |
//! | strings with escapes | decoded: take `Cow<str>`; a `&str` field refuses them |
//!
//! After a malformed record decoding goes on at the next line; after one whose fields do not fit,
//! behind that record. Errors name the field:
//! ``qty: invalid type: string "x", expected u32 at line 1 column 17``. Lines and columns count
//! from the start of the record.
//!
//! Nothing is allocated for records of numbers, `&str` and `Cow<str>` without escapes.
//!
//! ```
//! use serde::Deserialize;
//! use spate_json::Json;
//! use spate_runtime::chain::format::Format;
//!
//! #[derive(Deserialize)]
//! struct Order<'a> {
//!     order_id: u64,
//!     customer: &'a str,
//! }
//!
//! let payload = br#"{"order_id":9007199254740993,"customer":"Ann"}"#;
//! let mut decoder = Default::default();
//! let orders: Vec<_> = Json::<Order<'_>>::records(&mut decoder, payload).collect();
//! let order = orders[0].as_ref().unwrap();
//! assert_eq!((order.order_id, order.customer), (9_007_199_254_740_993, "Ann"));
//! ```

mod error;
mod records;
pub mod scan;

use std::marker::PhantomData;

use serde::Deserialize;
use spate_runtime::chain::format::{Derived, Format};
use spate_runtime::chain::record::Record;

pub use error::{JsonError, Kind};
use records::Records;
use scan::Scan;

/// JSON decoded into `T`, which may borrow from the payload.
#[derive(Debug)]
pub struct Json<T>(PhantomData<fn() -> T>);

/// What decoding keeps between payloads: nothing so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonDecoder {
    _private: (),
}

impl<'buf, T: Deserialize<'buf>> Format<'buf> for Json<T> {
    type Record = T;
    type Error = JsonError;
    type Decoder = JsonDecoder;

    #[inline]
    fn records<'dec>(
        _decoder: &'dec mut JsonDecoder,
        value: &'buf [u8],
    ) -> impl Iterator<Item = Result<T, JsonError>> + use<'dec, 'buf, T> {
        Records::new(value, records::Serde)
    }
}

/// JSON decoded into the record `T` by the decoder that `#[derive(Record)]` made for it.
///
/// A pipeline takes it by itself where its source says `Json<T>` and `T` is a record; by hand it
/// is a [`Format`] as any other. What it gives, values and errors, is what [`Json`] gives.
#[derive(Debug)]
pub struct JsonRecord<T>(PhantomData<fn() -> T>);

impl<T: Record> Derived for Json<T> {
    type Format = JsonRecord<T>;
}

/// What a derived decoder keeps between payloads: the order of keys it saw last.
pub struct RecordDecoder<P>(P);

impl<P: Default> Default for RecordDecoder<P> {
    fn default() -> Self {
        Self(P::default())
    }
}

impl<P> std::fmt::Debug for RecordDecoder<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordDecoder").finish_non_exhaustive()
    }
}

impl<'buf, T: Scan<'buf> + Deserialize<'buf>> Format<'buf> for JsonRecord<T> {
    type Record = T;
    type Error = JsonError;
    type Decoder = RecordDecoder<T::Plan>;

    #[inline]
    fn records<'dec>(
        decoder: &'dec mut RecordDecoder<T::Plan>,
        value: &'buf [u8],
    ) -> impl Iterator<Item = Result<T, JsonError>> + use<'dec, 'buf, T> {
        Records::new(value, records::Derived(&mut decoder.0))
    }
}

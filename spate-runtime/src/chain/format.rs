//! The trait a format implements: from the bytes of one payload to records that borrow from them.

/// Decodes payloads into records that live as long as the batch.
///
/// Implemented by the format a source is declared with, such as `Json<OrderEvent<'buf>>`. Runs on
/// lane threads inside the fused loop; never waits, allocates nothing in steady state.
pub trait Format<'buf> {
    /// What one payload decodes into, once or several times.
    type Record;
    /// Why an item could not be decoded; its text goes into logs and dead letters.
    type Error: std::error::Error;
    /// What decoding keeps between payloads of one lane: scratch space, learned key order.
    type Decoder: Default + Send + 'static;

    /// Decodes every item of `value`, in order; at least one, be it an error.
    fn records<'dec>(
        decoder: &'dec mut Self::Decoder,
        value: &'buf [u8],
    ) -> impl Iterator<Item = Result<Self::Record, Self::Error>> + use<'dec, 'buf, Self>;
}

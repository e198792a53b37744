//! The trait a format implements: from the bytes of one payload to records that borrow from them.

/// Decodes payloads into records that live as long as the batch.
///
/// Implemented by the format a source is declared with, such as `Json<OrderEvent<'buf>>`. Runs on
/// lane threads inside the fused loop; never waits, allocates nothing in steady state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no format",
    label = "nothing says how payloads become records",
    note = "write the record within its format, as in `Json<{Self}>`"
)]
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

/// A format that has a decoder derived for its record, such as `Json<T>` where `T` derives
/// `Record`.
pub trait Derived {
    /// The format that decodes by it; the records and the errors are the same.
    type Format;
}

/// Names the format a chain decodes with: `F` itself, or the one derived for its record.
///
/// `<Choose<F, { derived::<F> }> as Chosen>::Format`; whether there is one says [`Probe`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Choose<F, const DERIVED: bool>(std::marker::PhantomData<F>);

/// What [`Choose`] names.
#[doc(hidden)]
pub trait Chosen {
    /// The format.
    type Format;
}

impl<F> Chosen for Choose<F, false> {
    type Format = F;
}

impl<F: Derived> Chosen for Choose<F, true> {
    type Format = F::Format;
}

/// Tells whether `F` is [`Derived`]: `<Probe<F>>::DERIVED`, with [`NotDerived`] in scope.
///
/// The constant of the type itself goes before the trait's, and is there only if the bound holds.
#[doc(hidden)]
#[derive(Debug)]
pub struct Probe<F>(std::marker::PhantomData<F>);

impl<F: Derived> Probe<F> {
    /// It is.
    pub const DERIVED: bool = true;
}

/// What [`Probe`] says where its own constant is not there.
#[doc(hidden)]
pub trait NotDerived {
    /// It is not.
    const DERIVED: bool = false;
}

impl<F> NotDerived for Probe<F> {}

//! Derived decoders against serde_json: the first byte picks the record, the rest is the payload.
//!
//! `the_corpus_reads_as_serde_json_reads_it` runs what is kept in `connectors/json/tests/record/corpus`
//! without a fuzzer.

#![no_main]

#[path = "../../connectors/json/tests/record/shapes.rs"]
mod shapes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((shape, payload)) = bytes.split_first() else { return };
    let shape = &shapes::SHAPES[usize::from(*shape) % shapes::SHAPES.len()];
    let mut twins = (shape.twins)();
    // Twice: the second time with what the first one taught.
    for _ in 0..2 {
        let twin = twins(payload);
        assert_eq!(twin.derived, twin.serde_json, "{}", shape.name);
    }
});

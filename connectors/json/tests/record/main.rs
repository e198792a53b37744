//! The derived decoder is held against serde_json: equal in value and in the text of the error.
//!
//! ```text
//! SPATE_CASES=100000 cargo test --release -p spate-json --test record   # more cases
//! SPATE_SEED=17 cargo test -p spate-json --test record                  # one seed, as a failure prints it
//! ```

mod mutate;
mod shapes;

use mutate::{Random, document};
use shapes::{SHAPES, Shape, Twin};

/// Payloads a decoder reads in turn: enough to learn an order of keys, and to lose it.
const TURN: usize = 50;

#[track_caller]
fn check(shape: &Shape, twin: &Twin, payload: &[u8], seed: u64) {
    assert_eq!(
        twin.derived,
        twin.serde_json,
        "{} reads {:?} otherwise than serde_json: SPATE_SEED={seed}",
        shape.name,
        String::from_utf8_lossy(payload)
    );
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
    )
}

#[test]
fn examples_read_as_serde_json_reads_them() {
    for shape in SHAPES {
        let mut twins = (shape.twins)();
        for example in shape.examples.iter().chain(shape.examples) {
            check(shape, &twins(example.as_bytes()), example.as_bytes(), 0);
        }
    }
}

/// Values or errors: no exception is made.
#[test]
fn mutated_documents_read_as_serde_json_reads_them() {
    let cases = number("SPATE_CASES").unwrap_or(20_000);
    let only = number("SPATE_SEED");
    let turns = cases.div_ceil(TURN as u64);
    let (mut read, mut refused, mut scanned) = (0_u64, 0_u64, 0_u64);
    for seed in only.map_or(0..turns, |seed| seed..seed + 1) {
        let mut random = Random::new(seed);
        let shape = &SHAPES[random.below(SHAPES.len())];
        let mut twins = (shape.twins)();
        for _ in 0..TURN {
            let payload = document(shape.examples, &mut random);
            let twin = twins(&payload);
            check(shape, &twin, &payload, seed);
            let good = twin
                .serde_json
                .iter()
                .filter(|outcome| outcome.is_ok())
                .count();
            read += good as u64;
            refused += (twin.serde_json.len() - good) as u64;
            scanned += u64::from(twin.scanned);
        }
    }
    println!("{read} records read ({scanned} payloads began with one scanned), {refused} refused");
    if only.is_none() {
        // The test would hold as well if nothing was scanned, or nothing was odd.
        let share = cases / 20;
        assert!(read > share && refused > share && scanned > share, "too few of a kind");
    }
}

/// What fuzzing found, and what it started from.
#[test]
fn the_corpus_reads_as_serde_json_reads_it() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/record/corpus");
    let mut files: Vec<_> = std::fs::read_dir(corpus)
        .expect("the corpus is part of the repository")
        .map(|entry| entry.expect("an entry of it").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        if let Some((shape, payload)) = mutate::of_fuzz(&bytes) {
            let mut twins = (SHAPES[shape].twins)();
            for _ in 0..2 {
                check(&SHAPES[shape], &twins(payload), payload, 0);
            }
        }
    }
}

/// What a shape's own producer writes stays off the slow path, whatever the order of its keys.
#[test]
fn other_orders_other_blanks_and_other_keys_are_scanned() {
    for (name, document) in [
        ("order", SHAPES[0].examples[0]),
        ("order", SHAPES[0].examples[1]),
        ("order", SHAPES[0].examples[2]),
        ("strict", r#"{ "type" : "x" , "count" : null , "orderId" : 1 }"#),
        ("defaults", r#"{"x":[{}],"e":[1,2,3]}"#),
        ("nested", SHAPES[6].examples[1]),
        ("outside", r#"{"named":{"Y":"y","X":1}}"#),
        ("inside", r#"{"kind":"moved","steps":[{"y":1,"x":2}],"x":1}"#),
        ("beside", r#"{"t":"Named","c":{"y":"y","x":1}}"#),
        ("borrowed", SHAPES[SHAPES.len() - 1].examples[0]),
    ] {
        let shape = SHAPES.iter().find(|shape| shape.name == name).unwrap();
        let twin = (shape.twins)()(document.as_bytes());
        assert!(twin.scanned, "{name}: {document}");
        assert!(twin.serde_json[0].is_ok(), "{name}: {document}: {:?}", twin.serde_json);
    }
}

//! What only tests need is not in the program.

#[path = "../src/bin/orders.rs"]
#[expect(dead_code, reason = "a program, of which the test runs the pipeline")]
mod program;

use std::fs;

/// A text that the harness has and nothing else.
const OF_THE_HARNESS: &str = "settled after an hour of virtual time";
/// A text that every program has.
const OF_THE_PROGRAM: &str = "every record is accounted for";

fn holds(program: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(program).contains(text)
}

#[test]
fn nothing_of_the_harness_is_in_a_program_that_calls_no_test() {
    let orders = fs::read(env!("CARGO_BIN_EXE_orders")).expect("it was built");
    assert!(holds(&orders, OF_THE_PROGRAM));
    assert!(!holds(&orders, OF_THE_HARNESS));

    // The twin: here the harness is called, and so it is here.
    let mut t = program::orders::test();
    t.settle();
    let this = fs::read(std::env::current_exe().expect("it runs")).expect("it was built");
    assert!(holds(&this, OF_THE_HARNESS));
}

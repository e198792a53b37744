//! The program of a pipeline as an operator meets it: arguments, signals, output, exit codes.
//!
//! This binary is both: the program, when the environment says so, and the tests that run it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![expect(clippy::print_stdout, reason = "this binary is its own test harness")]

mod child;
mod hold;
mod orders;
mod tests;

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os(child::AS_PROGRAM).is_some() {
        return orders::orders::main();
    }
    tests::run()
}

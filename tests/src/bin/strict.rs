//! The pipeline `strict` as a process that a test can signal and kill.

fn main() -> std::process::ExitCode {
    spate_tests::strict::main()
}

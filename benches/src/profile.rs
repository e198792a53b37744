//! Where the instructions of one side go: callgrind's annotation of the measured part alone.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::path::Path;
use std::process::Command;

use crate::counts::{TUNABLES, callgrind};

/// Runs one side under callgrind and prints its functions by their own instructions.
///
/// # Errors
///
/// When valgrind cannot be run, or finds nothing.
pub fn run(workload: &str, side: &str, records: u64) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/callgrind");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let out = folder.join(format!("{workload}.{}", side.replace(' ', "_")));
    let out = out.to_string_lossy();
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new("valgrind")
        .args(callgrind(&out))
        .arg("--dump-instr=yes")
        .arg(program)
        .args(["once", workload, side, &records.to_string()])
        .env(TUNABLES.0, TUNABLES.1)
        .status()
        .map_err(|error| {
            format!("valgrind could not be run: {error}; `apt-get install valgrind`")
        })?;
    if !done.success() {
        return Err("the run under valgrind failed".to_owned());
    }
    let annotated = Command::new("callgrind_annotate")
        .args(["--auto=no", "--threshold=98", &out])
        .output()
        .map_err(|error| format!("callgrind_annotate could not be run: {error}"))?;
    println!("{}", String::from_utf8_lossy(&annotated.stdout));
    println!("line by line:   callgrind_annotate --auto=yes {out}");
    println!("with a window:  kcachegrind {out}");
    println!("as a flame graph, of time and not of instructions:");
    println!(
        "  perf record -g target/release/spate-benches once {workload} '{side}' && perf script"
    );
    Ok(())
}

//! The command; see the crate's documentation and `--help`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

use std::process::ExitCode;

use spate_benches::compare::{self, ROUNDS};
use spate_benches::w3;
use spate_benches::workload::{self, TABLE, Workload};

const HELP: &str = "\
Runs workloads alternately with their hand-written twins and prints ratios of CPU time.

  spate-benches [NAME..]                  all workloads, or these
      --records N                         so many records instead of each workload's own number
      --rounds N                          times each side is timed, the median counts (7)
  spate-benches list                      the workloads and their sides
  spate-benches once NAME SIDE [RECORDS]  one side, once, for a profiler
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["--help" | "-h" | "help"] => {
            print!("{HELP}");
            Ok(())
        }
        ["list"] => {
            list();
            Ok(())
        }
        ["once", name, side] => once(name, side, None),
        ["once", name, side, records] => once(name, side, Some(records)),
        [w3::world::ARGUMENT] => {
            w3::world::serve();
            Ok(())
        }
        _ => compare(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\n\n{HELP}");
            ExitCode::FAILURE
        }
    }
}

fn compare(args: &[&str]) -> Result<(), String> {
    let (mut workloads, mut records, mut rounds) = (Vec::new(), None, ROUNDS);
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        match arg {
            "--records" => records = Some(number(args.next().copied())?),
            "--rounds" => rounds = usize::try_from(number(args.next().copied())?).unwrap_or(ROUNDS),
            name => workloads.push(find(name)?),
        }
    }
    if workloads.is_empty() {
        workloads.extend_from_slice(TABLE);
    }
    compare::head();
    for workload in workloads {
        compare::run(workload, records.unwrap_or(workload.records), rounds.max(1));
    }
    Ok(())
}

fn list() {
    for workload in TABLE {
        println!("{}: {}", workload.name, workload.what);
        for side in (workload.sides)(1000).sides {
            println!("    {}", side.name);
        }
    }
}

fn once(name: &str, side: &str, records: Option<&str>) -> Result<(), String> {
    let workload = find(name)?;
    let records = records.map_or(Ok(workload.records), |records| number(Some(records)))?;
    let sides = (workload.sides)(records);
    let side = sides
        .side(side)
        .ok_or_else(|| format!("{name} has no side `{side}`"))?;
    let rows = side.run(&mut |bytes| {
        std::hint::black_box(bytes);
    });
    println!("{name} {}: {rows} rows of {records} records", side.name);
    Ok(())
}

fn find(name: &str) -> Result<Workload, String> {
    workload::find(name).ok_or_else(|| format!("there is no workload `{name}`"))
}

fn number(text: Option<&str>) -> Result<u64, String> {
    let text = text.ok_or("a number is missing at the end")?;
    text.parse()
        .map_err(|error| format!("`{text}` is no number: {error}"))
}

//! The command; see the crate's documentation and `--help`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

use std::process::ExitCode;
use std::time::Duration;

use spate_benches::compare::{self, ROUNDS};
use spate_benches::counted::{self, COUNTED};
use spate_benches::workload::{self, Side, TABLE, Workload};
use spate_benches::{counts, latency, profile, sweep, w3};

const HELP: &str = "\
Runs workloads alternately with their hand-written twins and prints ratios of CPU time.

  spate-benches [NAME..]                  all workloads, or these
      --records N                         so many records instead of each workload's own number
      --rounds N                          times each side is timed, the median counts (7)
  spate-benches list                      the workloads and their sides, and what is counted
  spate-benches counts                    counts instructions, holds them against counts.tsv
      --accept                            records them there
  spate-benches profile NAME SIDE [N]     which functions the instructions of a side are in
  spate-benches once NAME SIDE [N]        one side, once, for another profiler
  spate-benches sweep NAME [N [ROUNDS]]   W1, W2 or W3 with other settings, one at a time,
                                          against the defaults; 200000 records, 5 rounds
  spate-benches grid NAME [N [ROUNDS [STEP]]]
                                          the same with 1,024 combinations of settings, or every
                                          STEPth of them, and the best of them again
  spate-benches against NAME N ROUNDS SETTINGS..
                                          the same with SETTINGS: `section.key: value, ..`
  spate-benches latency [N [EVERY_MS]] [SETTING..]
                                          append to acknowledged, one record at a time; a SETTING
                                          is `section.key: value`
  spate-benches work NAME N               one of what is counted, N times, for another counter

Times are compared in one run, alternately; from one run to the next they mean little.
Instructions need valgrind; they are the same on a busy machine.
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
        ["counts"] => all_well(false),
        ["counts", "--accept"] => all_well(true),
        ["profile", name, side] => profile(name, side, None),
        ["profile", name, side, records] => profile(name, side, Some(records)),
        ["once", name, side] => once(name, side, None),
        ["once", name, side, records] => once(name, side, Some(records)),
        [w3::world::ARGUMENT] => {
            w3::world::serve();
            Ok(())
        }
        ["sweep", name, ref rest @ ..] => {
            sizes(rest).and_then(|(records, rounds, _)| sweep::run(name, records, rounds))
        }
        ["grid", name, ref rest @ ..] => {
            sizes(rest).and_then(|(records, rounds, step)| sweep::grid(name, records, rounds, step))
        }
        ["against", name, records, rounds, ref settings @ ..] => sizes(&[records, rounds])
            .and_then(|(records, rounds, _)| sweep::against(name, records, rounds, settings)),
        ["latency", ref rest @ ..] => latency(rest),
        ["work", name, n] => work(name, n),
        _ => compare(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\nhelp: `--help` lists the commands");
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

/// Records, rounds and the step from one cell of a grid to the next; any may be missing.
fn sizes(given: &[&str]) -> Result<(u64, usize, usize), String> {
    let of = |at: usize, or| given.get(at).map_or(Ok(or), |text| number(Some(text)));
    let count = |at, or| of(at, or).map(|n| usize::try_from(n.max(1)).unwrap_or(usize::MAX));
    if given.len() > 3 {
        return Err(format!("`{}` is one word too many", given[3]));
    }
    Ok((of(0, 200_000)?, count(1, 5)?, count(2, 1)?))
}

/// Two numbers at most, then settings.
fn latency(rest: &[&str]) -> Result<(), String> {
    let at = rest.iter().take_while(|arg| arg.parse::<u64>().is_ok());
    let (numbers, settings) = rest.split_at(at.count());
    let of = |at: usize, or| numbers.get(at).map_or(Ok(or), |text| number(Some(text)));
    let (records, every) = (of(0, 500)?, of(1, 20)?);
    latency::run(records.max(1), Duration::from_millis(every), &settings.join("\n"));
    Ok(())
}

fn list() {
    for workload in TABLE {
        println!("{}: {}", workload.name, workload.what);
        for side in (workload.sides)(1000).sides {
            println!("    {}", side.name);
        }
    }
    println!("counted:");
    for counted in COUNTED {
        println!("    {}, per {}", counted.name, counted.unit);
    }
}

fn all_well(accept: bool) -> Result<(), String> {
    let well = counts::run(accept)?;
    well.then_some(())
        .ok_or_else(|| "instruction counts are not what they should be".to_owned())
}

fn work(name: &str, n: &str) -> Result<(), String> {
    let counted = COUNTED
        .iter()
        .find(|counted| counted.name == name)
        .ok_or_else(|| format!("nothing counted is called `{name}`"))?;
    let mut work = counted.work(number(Some(n))?);
    counted::measured(&mut work);
    Ok(())
}

fn profile(name: &str, side: &str, records: Option<&str>) -> Result<(), String> {
    let records = records.map_or(Ok(50_000), |records| number(Some(records)))?;
    side_of(name, side, 1)?;
    profile::run(name, side, records)
}

fn once(name: &str, side: &str, records: Option<&str>) -> Result<(), String> {
    let records = records.map_or(Ok(find(name)?.records), |records| number(Some(records)))?;
    let side = side_of(name, side, records)?;
    let mut rows = 0;
    counted::measured(&mut || {
        rows = side.run(&mut |bytes| {
            std::hint::black_box(bytes);
        });
    });
    println!("{name} {}: {rows} rows of {records} records", side.name);
    Ok(())
}

fn side_of(name: &str, side: &str, records: u64) -> Result<Side, String> {
    let sides = (find(name)?.sides)(records).sides;
    let names: Vec<_> = sides.iter().map(|side| side.name).collect();
    let missing = format!("{name} has no side `{side}`, it has `{}`", names.join("`, `"));
    sides
        .into_iter()
        .find(|known| known.name == side)
        .ok_or(missing)
}

fn find(name: &str) -> Result<Workload, String> {
    workload::find(name).ok_or_else(|| format!("there is no workload `{name}`"))
}

fn number(text: Option<&str>) -> Result<u64, String> {
    let text = text.ok_or("a number is missing at the end")?;
    text.parse()
        .map_err(|error| format!("`{text}` is no number: {error}"))
}

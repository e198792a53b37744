//! Instruction counts: counted with valgrind, held against those in `counts.tsv`.
//!
//! Counts do not depend on the load of the machine, and hardly on the machine. They do depend on
//! the compiler and on the C library, which the file names: elsewhere a difference is reported and
//! fails nothing. Decision: `docs/adr/0012-instruction-counts.md`.

#![expect(clippy::print_stdout, reason = "a command line program")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use crate::counted::{COUNTED, Counted, RATIOS};

/// How far a count may move.
const TOLERANCE: f64 = 0.02;

/// The command that records the counts of today.
const ACCEPT: &str = "cargo run --release -p spate-benches -- counts --accept";

/// What the file keeps.
#[derive(Debug, Default, PartialEq)]
struct Record {
    /// The compiler and the C library that the counts were made with.
    environment: String,
    /// Instructions per unit, by name.
    counts: BTreeMap<String, f64>,
}

/// How a count stands against the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Same,
    Grown,
    Shrunk,
    /// Not in the file.
    New,
}

/// Counts everything and compares it with the file; whether all is well.
///
/// # Errors
///
/// When valgrind cannot be run, or the file not be read or written.
pub fn run(accept: bool) -> Result<bool, String> {
    let now = Record { environment: environment()?, counts: count_all()? };
    if accept {
        let path = file();
        std::fs::write(&path, render(&now))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        println!("recorded in {}", path.display());
    }
    let text = std::fs::read_to_string(file())
        .map_err(|error| format!("{}: {error}", file().display()))?;
    let known = parse(&text)?;
    let in_time = report(&known, &now);
    Ok(in_time & report_ratios(&now.counts))
}

/// Where the counts are kept.
fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.tsv")
}

fn count_all() -> Result<BTreeMap<String, f64>, String> {
    let next = Mutex::new(COUNTED.iter());
    let counts = Mutex::new(BTreeMap::new());
    let work = || -> Result<(), String> {
        loop {
            let Some(counted) = locked(&next).next() else { return Ok(()) };
            let per_unit = per_unit(counted)?;
            locked(&counts).insert(counted.name.to_owned(), per_unit);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_panic| Err("a counting thread panicked".to_owned()))
        })
    })?;
    let counts = std::mem::take(&mut *locked(&counts));
    Ok(counts)
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn per_unit(counted: &Counted) -> Result<f64, String> {
    let once = instructions(counted, counted.n)?;
    let twice = instructions(counted, counted.n * 2)?;
    Ok(twice.saturating_sub(once) as f64 / counted.n as f64)
}

/// The arguments of valgrind that count within [`measured`](crate::counted::measured) alone.
#[must_use]
pub fn callgrind(out: &str) -> Vec<String> {
    vec![
        "--tool=callgrind".to_owned(),
        "--collect-atstart=no".to_owned(),
        "--toggle-collect=spate_benches::counted::measured*".to_owned(),
        format!("--callgrind-out-file={out}"),
    ]
}

/// The C library copies the same way on all machines that have AVX2: with `rep movsb`, every byte
/// would be counted as an instruction.
pub const TUNABLES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-ERMS,-FSRM");

/// Counts the instructions of `n` units in a process of its own.
fn instructions(counted: &Counted, n: u64) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(callgrind("/dev/null"))
        .arg(program)
        .args(["work", counted.name, &n.to_string()])
        .env(TUNABLES.0, TUNABLES.1)
        .output()
        .map_err(|error| {
            format!("valgrind could not be run: {error}; `apt-get install valgrind`")
        })?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .and_then(|(_, count)| count.trim().parse().ok());
    match collected {
        Some(count) if output.status.success() && count > 0 => Ok(count),
        _ => Err(format!("`{}` could not be counted:\n{text}", counted.name)),
    }
}

/// What counts depend on.
fn environment() -> Result<String, String> {
    let line = |program: &str, argument: &str| {
        let output = Command::new(program)
            .arg(argument)
            .output()
            .map_err(|error| format!("`{program} {argument}` could not be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok::<_, String>(text.lines().next().unwrap_or_default().to_owned())
    };
    let avx2 = cfg!(target_arch = "x86_64")
        && std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" avx2 "));
    let rustc = line("rustc", "--version")?;
    let libc = line("ldd", "--version")?;
    let libc = libc.rsplit(' ').next().unwrap_or_default();
    let simd = if avx2 { "AVX2" } else { "no AVX2" };
    Ok(format!("{rustc}, {}, libc {libc}, {simd}", std::env::consts::ARCH))
}

fn render(record: &Record) -> String {
    let mut text = format!(
        "# Instructions per unit, counted with valgrind. Made by `{ACCEPT}`.\n\
         environment\t{}\n",
        record.environment
    );
    for counted in COUNTED {
        let count = record.counts.get(counted.name).copied().unwrap_or_default();
        let written = writeln!(text, "{}\t{count:.1}\t{}", counted.name, counted.unit);
        debug_assert!(written.is_ok(), "a string takes all text");
    }
    text
}

fn parse(text: &str) -> Result<Record, String> {
    let mut record = Record::default();
    for (index, line) in text.lines().enumerate() {
        let mut fields = line.split('\t');
        match (fields.next(), fields.next()) {
            (Some("environment"), Some(environment)) => {
                environment.clone_into(&mut record.environment)
            }
            (Some(name), Some(count)) => {
                let count = count
                    .parse()
                    .map_err(|error| format!("counts.tsv:{}: `{count}`: {error}", index + 1))?;
                record.counts.insert(name.to_owned(), count);
            }
            _ => {}
        }
    }
    Ok(record)
}

fn verdict(known: Option<f64>, now: f64) -> Verdict {
    match known {
        None => Verdict::New,
        Some(known) if now > known * (1.0 + TOLERANCE) => Verdict::Grown,
        Some(known) if now < known * (1.0 - TOLERANCE) => Verdict::Shrunk,
        Some(_) => Verdict::Same,
    }
}

/// Prints every count; whether none has grown, is new or gone, as far as that can be told here.
fn report(known: &Record, now: &Record) -> bool {
    println!("{:<40} {:>10} {:>10} {:>8}", "instructions per unit", "recorded", "now", "change");
    let mut verdicts = Vec::new();
    for counted in COUNTED {
        let count = now.counts.get(counted.name).copied().unwrap_or_default();
        let before = known.counts.get(counted.name).copied();
        let verdict = verdict(before, count);
        let change = before
            .map_or_else(String::new, |before| format!("{:+.1} %", (count / before - 1.0) * 100.0));
        let before = before.map_or_else(|| "-".to_owned(), |before| format!("{before:.1}"));
        let word = match verdict {
            Verdict::Same => "",
            Verdict::Grown => "  GROWN",
            Verdict::Shrunk => "  less: record it",
            Verdict::New => "  NEW",
        };
        println!("{:<40} {before:>10} {count:>10.1} {change:>8}{word}", counted.name);
        verdicts.push(verdict);
    }
    let gone: Vec<_> = known
        .counts
        .keys()
        .filter(|name| !now.counts.contains_key(*name))
        .collect();
    if known.environment != now.environment {
        println!(
            "recorded with {}\ncounted with  {}\nso a difference is told and fails nothing",
            known.environment, now.environment
        );
        return true;
    }
    if verdicts.iter().any(|verdict| *verdict != Verdict::Same) || !gone.is_empty() {
        println!("\nto accept these counts: {ACCEPT}");
    }
    gone.iter()
        .for_each(|name| println!("recorded and no longer counted: {name}"));
    !verdicts.contains(&Verdict::Grown) && !verdicts.contains(&Verdict::New) && gone.is_empty()
}

/// Prints the ratios of ours to the twins'; whether all are within their bounds.
fn report_ratios(counts: &BTreeMap<String, f64>) -> bool {
    println!("\n{:<40} {:>10} {:>10}", "ratio of instructions", "at most", "now");
    let mut within = true;
    for (of, to, most) in RATIOS {
        let ratio = match (counts.get(*of), counts.get(*to)) {
            (Some(of), Some(to)) => of / to,
            _ => f64::INFINITY,
        };
        let word = if ratio > *most { "  MISSED" } else { "" };
        println!("{:<40} {most:>10.2} {ratio:>10.3}{word}", format!("{of} / {}", &to[3..]));
        within &= ratio <= *most;
    }
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_may_move_two_per_cent() {
        let cases = [
            (Some(100.0), 100.0, Verdict::Same),
            (Some(100.0), 102.0, Verdict::Same),
            (Some(100.0), 102.1, Verdict::Grown),
            (Some(100.0), 98.0, Verdict::Same),
            (Some(100.0), 97.9, Verdict::Shrunk),
            (None, 1.0, Verdict::New),
        ];
        for (known, now, expected) in cases {
            assert_eq!(verdict(known, now), expected, "{now} after {known:?}");
        }
    }

    fn record(environment: &str, count: f64) -> Record {
        let counts = COUNTED
            .iter()
            .map(|counted| (counted.name.to_owned(), count));
        Record { environment: environment.to_owned(), counts: counts.collect() }
    }

    #[test]
    fn growth_fails_where_the_compiler_is_the_same() {
        let cases = [
            ("same", 100.0, true),
            ("same", 103.0, false),
            ("same", 90.0, true),
            ("another", 103.0, true),
        ];
        for (environment, count, passes) in cases {
            let (known, now) = (record("same", 100.0), record(environment, count));
            assert_eq!(report(&known, &now), passes, "{count} with {environment}");
        }
        let mut gone = record("same", 100.0);
        gone.counts.insert("of yesterday".to_owned(), 1.0);
        assert!(!report(&gone, &record("same", 100.0)), "what is no longer counted is told");
    }

    #[test]
    fn what_is_written_reads_back() {
        let record = record("rustc 1.95.0, x86_64", 12.5);
        assert_eq!(parse(&render(&record)), Ok(record));
        assert!(parse("W1\tmany\n").is_err());
    }

    #[test]
    fn the_file_has_a_line_for_everything_counted() {
        let text = std::fs::read_to_string(file()).expect("counts.tsv");
        let known = parse(&text).expect("counts.tsv reads");
        let names: Vec<_> = COUNTED.iter().map(|counted| counted.name).collect();
        assert!(names.iter().all(|name| known.counts.contains_key(*name)), "{known:?}");
        assert_eq!(known.counts.len(), names.len());
        for (of, to, _) in RATIOS {
            assert!(names.contains(of) && names.contains(to), "{of} / {to}");
        }
    }
}

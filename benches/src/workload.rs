//! What a workload is, and the table of all of them.
//!
//! A workload is a file of its own with a `WORKLOAD` constant; entering it in [`TABLE`] is all it
//! takes to be run, printed, counted and profiled by the command.

use std::time::Duration;

use crate::cpu;

/// A workload: what it is called, and how its sides are made.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the command line and in the table: `W1`.
    pub name: &'static str,
    /// One line about the work.
    pub what: &'static str,
    /// Records unless the command line says otherwise.
    pub records: u64,
    /// Makes the sides with their input for so many records; nothing of it is measured.
    pub sides: fn(records: u64) -> Sides,
}

/// The sides of a workload, ready to run, and what of them is compared.
pub struct Sides {
    /// Who does the work: ours, the hand-written twins, other settings of ours.
    pub sides: Vec<Side>,
    /// The ratios to print.
    pub ratios: Vec<Ratio>,
    /// The length of the first row of some bytes, so that the rows of all sides are proved equal
    /// in whatever order they come; `None` where there are no rows to compare.
    pub row_len: Option<fn(&[u8]) -> usize>,
    /// The time a side takes: CPU time of the process, unless a workload has servers or lanes of
    /// its own in it.
    pub clock: fn() -> Duration,
}

impl std::fmt::Debug for Sides {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sides")
            .field("sides", &self.sides)
            .field("ratios", &self.ratios)
            .finish_non_exhaustive()
    }
}

/// Takes the bytes of full frames or buffers; they are discarded.
pub type Discard<'a> = dyn FnMut(&[u8]) + 'a;

/// One side.
pub struct Side {
    /// Its name: `spate`, `twin sonic-rs`.
    pub name: &'static str,
    run: Box<dyn Fn(&mut Discard<'_>) -> u64>,
}

impl std::fmt::Debug for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Side {
    /// Makes a side of `run`, which does all the work once, hands every full buffer to its argument
    /// and returns a number that must be the same for all sides: its rows.
    pub fn new(name: &'static str, run: impl Fn(&mut Discard<'_>) -> u64 + 'static) -> Self {
        Self { name, run: Box::new(run) }
    }

    /// Does the work once.
    pub fn run(&self, discard: &mut Discard<'_>) -> u64 {
        (self.run)(discard)
    }
}

/// Two sides held against each other.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// The side above the line.
    pub of: &'static str,
    /// The side below it.
    pub to: &'static str,
    /// What the ratio should not pass, if anything.
    pub target: Option<f64>,
}

impl Ratio {
    /// `of` should take at most `target` times what `to` takes.
    #[must_use]
    pub const fn at_most(of: &'static str, to: &'static str, target: f64) -> Self {
        Self { of, to, target: Some(target) }
    }
}

impl Sides {
    /// Sides whose rows are told apart by `row_len`, timed by the CPU time of the process.
    #[must_use]
    pub fn new(sides: Vec<Side>, ratios: Vec<Ratio>) -> Self {
        Self { sides, ratios, row_len: None, clock: cpu::of_all_threads }
    }

    /// Proves the rows of all sides equal, by their encoded bytes.
    #[must_use]
    pub fn with_rows(self, row_len: fn(&[u8]) -> usize) -> Self {
        Self { row_len: Some(row_len), ..self }
    }

    /// The side called `name`.
    #[must_use]
    pub fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }
}

/// Every workload, in the order they are run.
pub const TABLE: &[Workload] = &[
    crate::w1::WORKLOAD,
    crate::w2::WORKLOAD,
    crate::w3::WORKLOAD,
    crate::w5::WORKLOAD,
    crate::w6::WORKLOAD,
];

/// The workload called `name`.
#[must_use]
pub fn find(name: &str) -> Option<Workload> {
    TABLE.iter().copied().find(|workload| workload.name == name)
}

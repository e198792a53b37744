//! The closing report as text: aligned tables, then the balance.

use std::fmt::{self, Formatter};

use super::{LaneCounts, Outcome, Report, Snapshot, flows};
use crate::id::Partition;

/// More lanes than this are shown as one line per topic.
const LANES_SHOWN: usize = 16;

/// Writes the whole report, without a newline at its end.
pub(super) fn write(report: &Report, f: &mut Formatter<'_>) -> fmt::Result {
    let snapshot = &report.snapshot;
    let ended = match report.outcome {
        Outcome::Drained => "drained",
        Outcome::Failed => "failed",
        Outcome::DeadlinePassed => "not drained: the deadline passed",
    };
    let seconds = snapshot.elapsed.as_secs_f64();
    writeln!(f, "{} {ended} after {seconds:.1}s", snapshot.graph.pipeline)?;
    for failure in &snapshot.failures {
        writeln!(f, "  failed: {failure}")?;
    }
    for chain in chains(snapshot) {
        write!(f, "\n{chain}")?;
    }
    write!(f, "\n{}", sinks(snapshot))?;
    if !snapshot.lookups.is_empty() {
        write!(f, "\n{}", lookups(snapshot))?;
        for (node, lookup) in snapshot.graph.lookups.iter().zip(&snapshot.lookups) {
            if let Some(trouble) = &lookup.trouble {
                writeln!(f, "  {}: the last load failed: {trouble}", node.name)?;
            }
        }
    }
    let mut all: Vec<_> = snapshot.lanes.iter().chain(&snapshot.ended).collect();
    all.sort_by_key(|lane| &lane.partition);
    if !all.is_empty() {
        write!(f, "\n{}", lanes(&all))?;
    }
    for (chain, counts) in snapshot.graph.chains.iter().zip(&snapshot.chains) {
        if counts.in_hand > 0 {
            writeln!(
                f,
                "\n{} payloads of chain {} were in hand and will be read again",
                grouped(counts.in_hand),
                chain.name
            )?;
        }
    }
    memory(snapshot, f)?;
    match report.balance() {
        Ok(()) => write!(f, "\nbalance: every record is accounted for"),
        Err(broken) => {
            write!(f, "\nbalance: BROKEN, this is a bug of spate or of a connector")?;
            broken
                .iter()
                .try_for_each(|imbalance| write!(f, "\n  {imbalance}"))
        }
    }
}

fn memory(snapshot: &Snapshot, f: &mut Formatter<'_>) -> fmt::Result {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let (peak, budget) = (mib(snapshot.memory_peak), mib(snapshot.memory_limit));
    write!(f, "\nmemory: {peak} MiB of rows in flight at most, the budget is {budget} MiB")?;
    match snapshot.resident_peak {
        Some(resident) => write!(f, "; the process had {} MiB at most", mib(resident)),
        None => Ok(()),
    }
}

fn chains(snapshot: &Snapshot) -> impl Iterator<Item = Table> {
    snapshot
        .graph
        .chains
        .iter()
        .zip(&snapshot.chains)
        .map(|(chain, counts)| {
            let head = format!("chain {}", chain.name);
            let columns =
                ["in", "made", "out", "filtered", "skipped", "diverted", "discarded", "stopped"];
            let mut table = Table::new(head, &columns);
            for (node, flow) in chain.stages.iter().zip(flows(chain, counts)) {
                table.row(
                    node.label,
                    &[
                        flow.input,
                        flow.made,
                        flow.out,
                        flow.filtered,
                        flow.skipped,
                        flow.diverted,
                        flow.discarded,
                        flow.stopped,
                    ],
                );
            }
            table.drop_empty("stopped")
        })
}

fn sinks(snapshot: &Snapshot) -> Table {
    let columns = ["pushed", "durable", "abandoned", "cut", "batches", "bytes", "retries"];
    let mut table = Table::new("sinks".to_owned(), &columns);
    for (node, sink) in snapshot.graph.sinks.iter().zip(&snapshot.sinks) {
        table.row(
            node.name,
            &[
                sink.pushed,
                sink.durable,
                sink.abandoned,
                sink.cut,
                sink.batches,
                sink.bytes,
                sink.retries,
            ],
        );
    }
    table.drop_empty("cut")
}

fn lookups(snapshot: &Snapshot) -> Table {
    let mut table = Table::new("lookups".to_owned(), &["entries", "loads", "failures", "age"]);
    for (node, lookup) in snapshot.graph.lookups.iter().zip(&snapshot.lookups) {
        let counts = [lookup.entries, lookup.loads, lookup.failures].map(grouped);
        let age = lookup
            .age
            .map_or_else(unknown, |age| format!("{}s", age.as_secs()));
        table.cells(node.name.to_owned(), counts.into_iter().chain([age]).collect());
    }
    table
}

fn lanes(lanes: &[&LaneCounts]) -> Table {
    let columns = ["epoch", "position", "watermark", "committed", "log end", "unresolved"];
    if lanes.len() <= LANES_SHOWN {
        let mut table = Table::new("lanes".to_owned(), &columns);
        for lane in lanes {
            table.cells(
                lane.partition.to_string(),
                vec![
                    grouped(lane.epoch.0),
                    grouped(lane.position.0),
                    grouped(lane.watermark.0),
                    lane.committed
                        .map_or_else(unknown, |committed| grouped(committed.0)),
                    lane.log_end.map_or_else(unknown, |end| grouped(end.0)),
                    grouped(lane.unresolved as u64),
                ],
            );
        }
        return table;
    }
    let columns = ["lanes", "lowest watermark", "uncommitted", "lag", "unresolved"];
    let mut table = Table::new("topics".to_owned(), &columns);
    for of_topic in lanes.chunk_by(|a, b| a.partition.topic == b.partition.topic) {
        let Some(Partition { topic, .. }) = of_topic.first().map(|lane| &lane.partition) else {
            continue;
        };
        let lowest = of_topic
            .iter()
            .map(|lane| lane.watermark.0)
            .min()
            .unwrap_or(0);
        let uncommitted = of_topic.iter().map(|lane| {
            let committed = lane.committed.map_or(0, |committed| committed.0);
            lane.watermark.0.saturating_sub(committed)
        });
        let unresolved: usize = of_topic.iter().map(|lane| lane.unresolved).sum();
        table.row(
            topic,
            &[
                of_topic.len() as u64,
                lowest,
                uncommitted.sum(),
                of_topic.iter().map(|lane| lane.lag()).sum(),
                unresolved as u64,
            ],
        );
    }
    table
}

fn unknown() -> String {
    "-".to_owned()
}

/// A count with a comma between every three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows of counts under right-aligned columns.
struct Table {
    head: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Table {
    fn new(head: String, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { head, columns, rows: Vec::new() }
    }

    fn row(&mut self, name: &str, counts: &[u64]) {
        self.cells(name.to_owned(), counts.iter().map(|&count| grouped(count)).collect());
    }

    fn cells(&mut self, name: String, cells: Vec<String>) {
        self.rows.push((name, cells));
    }

    /// Leaves a column out where it has nothing to say.
    fn drop_empty(mut self, column: &str) -> Self {
        let at = self.columns.iter().position(|name| name == column);
        if let Some(at) = at
            && self.rows.iter().all(|(_, cells)| cells[at] == "0")
        {
            self.columns.remove(at);
            for (_, cells) in &mut self.rows {
                cells.remove(at);
            }
        }
        self
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let width = |text: &String| text.chars().count();
        let names = self.rows.iter().map(|(name, _)| width(name) + 2);
        let first = names.chain([width(&self.head)]).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().map(|(_, cells)| width(&cells[at]));
                cells.chain([width(&self.columns[at])]).max().unwrap_or(0)
            })
            .collect();
        let line = |f: &mut Formatter<'_>, name: &str, cells: &[String]| {
            write!(f, "{name:first$}")?;
            for (cell, width) in cells.iter().zip(&widths) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)
        };
        line(f, &self.head, &self.columns)?;
        for (name, cells) in &self.rows {
            line(f, &format!("  {name}"), cells)?;
        }
        Ok(())
    }
}

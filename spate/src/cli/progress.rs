//! The progress of a run: a line on a terminal once a second, a log line every ten otherwise.
//!
//! Pure but for the thread that ticks: a line is made of two snapshots.

use std::fmt::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use spate_runtime::pipeline::Handle;
use spate_runtime::pipeline::report::{Snapshot, grouped};
use spate_runtime::pipeline::status::Phase;

use super::terminal;

const ON_TERMINAL: Duration = Duration::from_secs(1);
const IN_LOG: Duration = Duration::from_secs(10);

/// Shows progress until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    ended: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts to show the progress of a run.
    pub(crate) fn start(handle: Handle) -> std::io::Result<Self> {
        let (ended, end) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("spate-progress".to_owned())
            .spawn(move || {
                let on_terminal = terminal::is_terminal();
                let tick = if on_terminal { ON_TERMINAL } else { IN_LOG };
                let mut last = Snapshot::of(handle.status());
                while end.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                    let now = Snapshot::of(handle.status());
                    if on_terminal {
                        terminal::show(&line(&last, &now));
                    } else {
                        log(&last, &now);
                    }
                    last = now;
                }
                terminal::clear();
            })?;
        Ok(Self { ended: Some(ended), thread: Some(thread) })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the progress thread panicked");
        }
    }
}

/// Payloads per second between two snapshots.
fn rate(last: &Snapshot, now: &Snapshot) -> u64 {
    let micros = now.elapsed.saturating_sub(last.elapsed).as_micros().max(1);
    let payloads = u128::from(now.payloads().saturating_sub(last.payloads()));
    u64::try_from(payloads * 1_000_000 / micros).unwrap_or(u64::MAX)
}

/// The lowest watermark of all lanes, if there are any.
fn watermark(now: &Snapshot) -> Option<u64> {
    now.lanes.iter().map(|lane| lane.watermark.0).min()
}

fn line(last: &Snapshot, now: &Snapshot) -> String {
    let state = match now.phase {
        Phase::Starting => "waits to start",
        Phase::Running if !now.has_assignment => "waits for partitions",
        Phase::Running => "runs",
        Phase::Draining => "drains",
        Phase::Ended => "has ended",
    };
    let mut line = format!(
        "{} {state} {}s  {}/s  lag {}",
        now.graph.pipeline,
        now.elapsed.as_secs(),
        grouped(rate(last, now)),
        grouped(now.lag()),
    );
    let mut add = |text: std::fmt::Arguments<'_>| {
        let written = line.write_fmt(text);
        debug_assert!(written.is_ok(), "a string takes all text");
    };
    match (watermark(now), now.lanes.len()) {
        (Some(mark), 1) => add(format_args!("  watermark {}", grouped(mark))),
        (Some(mark), lanes) => {
            add(format_args!("  watermark {} (lowest of {lanes})", grouped(mark)));
        }
        (None, _) => {}
    }
    for (node, sink) in now.graph.sinks.iter().zip(&now.sinks) {
        add(format_args!("  {} {}", node.name, grouped(sink.durable)));
    }
    if let Some(stall) = &now.stall {
        add(format_args!("  stalled: {stall}"));
    }
    line
}

fn log(last: &Snapshot, now: &Snapshot) {
    let rows: Vec<_> = now
        .graph
        .sinks
        .iter()
        .zip(&now.sinks)
        .map(|(node, sink)| format!("{} {}", node.name, sink.durable))
        .collect();
    tracing::info!(
        payloads = now.payloads(),
        per_second = rate(last, now),
        lag = now.lag(),
        watermark = watermark(now),
        lanes = now.lanes.len(),
        rows = rows.join(", "),
        "progress"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use spate_runtime::graph::{Graph, SinkNode};
    use spate_runtime::id::{Epoch, NextOffset, Partition, Watermark};
    use spate_runtime::pipeline::report::{ChainCounts, LaneCounts, SinkCounts};

    static GRAPH: Graph = Graph {
        pipeline: "orders",
        file: "src/main.rs",
        sources: &[],
        sinks: &[SinkNode { name: "lines", declared: "", key: "" }],
        lookups: &[],
        chains: &[],
    };

    fn lane(id: u32, watermark: u64, end: u64) -> LaneCounts {
        LaneCounts {
            source: 0,
            partition: Partition::new("orders", id),
            epoch: Epoch(1),
            position: NextOffset(watermark),
            watermark: Watermark(watermark),
            committed: None,
            log_end: Some(NextOffset(end)),
            unresolved: 0,
            blocked: false,
            stalled: false,
        }
    }

    fn at(millis: u64, payloads: u64) -> Snapshot {
        let counts = SinkCounts { durable: payloads / 2, ..SinkCounts::default() };
        Snapshot {
            graph: &GRAPH,
            phase: Phase::Running,
            elapsed: Duration::from_millis(millis),
            chains: vec![ChainCounts { payloads, ..ChainCounts::default() }],
            sinks: vec![counts],
            lookups: vec![],
            lanes: vec![lane(0, 1200, 5000), lane(1, 1300, 1300)],
            ended: vec![],
            has_assignment: true,
            failures: vec![],
            stall: None,
            commits: 0,
            commits_refused: 0,
            assigned: 2,
            revoked: 0,
            memory_used: 0,
            memory_limit: 1,
            memory_peak: 0,
            resident_peak: None,
            lane_wakes: 0,
        }
    }

    #[test]
    fn the_line_shows_rate_lag_watermark_and_rows() {
        let expected =
            "orders runs 3s  2,400/s  lag 3,800  watermark 1,200 (lowest of 2)  lines 2,000";
        assert_eq!(line(&at(2000, 1600), &at(3000, 4000)), expected);
    }

    #[test]
    fn the_line_says_what_a_run_waits_for() {
        let mut now = at(1000, 0);
        now.phase = Phase::Starting;
        now.lanes.clear();
        assert_eq!(line(&at(0, 0), &now), "orders waits to start 1s  0/s  lag 0  lines 0");
        now.phase = Phase::Running;
        now.has_assignment = false;
        assert!(line(&at(0, 0), &now).starts_with("orders waits for partitions"));
        now.stall = Some("sink `lines` answers: timeout".to_owned());
        assert!(line(&at(0, 0), &now).ends_with("stalled: sink `lines` answers: timeout"));
    }

    #[test]
    fn two_snapshots_of_one_moment_have_a_rate() {
        assert_eq!(rate(&at(1000, 5), &at(1000, 5)), 0);
    }
}

//! What a lane remembers: keys of its epoch, and the newest snapshot of a lookup.

use std::sync::{Condvar, Mutex};

use spate_runtime::batch::Batch;
use spate_runtime::chain::cx::{LaneCx, Progress};
use spate_runtime::chain::dedup::Dedup;
use spate_runtime::chain::lane_chain::{BuildLane, LaneChain, LaneSeed, SinkSet};
use spate_runtime::chain::op;
use spate_runtime::chain::shard_key::ShardKey;
use spate_runtime::chain::tally::{ChainCounters, Tally};
use spate_runtime::config::Config;
use spate_runtime::graph::{ChainNode, Graph, LookupNode, Policy, StageKind, StageNode};
use spate_runtime::id::{LookupId, SinkId, SourceId};
use spate_runtime::lookup::{Loading, Lookup, LookupReader};
use spate_runtime::pipeline::report::Report;
use spate_runtime::pipeline::{Assembler, Definition, Outcome};

use crate::chain::{GRAPH, Number, Out};
use crate::source::{Event, partition};
use crate::world::{Memory, Table, World, assert_balanced};

const fn stage(label: &'static str, kind: StageKind, upstream: Option<usize>) -> StageNode {
    StageNode { label, kind, upstream, policy: Policy::None, operator: "", line: 0 }
}

static REMEMBERS: Graph = Graph {
    chains: &[ChainNode {
        name: "remember",
        source: 0,
        stages: &[
            stage("raw", StageKind::Raw, None),
            stage("dedup", StageKind::Dedup, Some(0)),
            stage("out", StageKind::To(0), Some(1)),
        ],
    }],
    ..GRAPH
};

static JOINS: Graph = Graph {
    lookups: &[LookupNode { name: "known", declared: "Lookup<u64, ()>", refresh_ms: 1 }],
    chains: &[ChainNode {
        name: "join",
        source: 0,
        stages: &[
            stage("raw", StageKind::Raw, None),
            stage("known", StageKind::Filter, Some(0)),
            stage("out", StageKind::To(0), Some(1)),
        ],
    }],
    ..GRAPH
};

/// Keeps what `keeps` says of a number, as the macro would write it.
struct Keeping<K> {
    keeps: K,
    tally: Tally<3>,
    out: Out,
}

trait Keeps: Send + 'static {
    fn new(seed: &LaneSeed<'_>) -> Self;
    fn keeps(&mut self, number: u64) -> bool;
}

impl Keeps for Dedup<64> {
    fn new(_: &LaneSeed<'_>) -> Self {
        Self::default()
    }

    fn keeps(&mut self, number: u64) -> bool {
        op::dedup(self, number)
    }
}

impl Keeps for LookupReader<u64, ()> {
    fn new(seed: &LaneSeed<'_>) -> Self {
        seed.lookup(LookupId(0))
    }

    fn keeps(&mut self, number: u64) -> bool {
        self.current().contains(&number)
    }
}

impl<K: Keeps> LaneChain for Keeping<K> {
    fn run(&mut self, batch: Batch<'_>, cx: &mut LaneCx) -> Progress {
        let Self { keeps, tally, out } = self;
        for payload in cx.rest(batch) {
            let at = cx.take(payload);
            let number = u64::from_le_bytes(payload.value.unwrap().try_into().unwrap());
            cx.enter(1);
            if keeps.keeps(number) {
                out.0.push(&Number(number), at, |row| row.0.shard_hash());
            } else {
                tally.dropped[1] += 1;
            }
            if out.end_of_payload() {
                return cx.blocked();
            }
        }
        cx.done()
    }

    fn flush_tally(&mut self, counters: &ChainCounters) {
        self.tally.flush(counters);
    }

    fn sinks(&mut self) -> &mut dyn SinkSet {
        &mut self.out
    }
}

impl<K: Keeps> BuildLane for Keeping<K> {
    fn build(seed: &LaneSeed<'_>) -> Self {
        let out = Out(seed.port(SinkId(0)));
        Self { keeps: K::new(seed), tally: Tally::default(), out }
    }
}

struct Remembers;

impl Definition for Remembers {
    const GRAPH: &'static Graph = &REMEMBERS;
    const CONFIG: Option<(&'static str, &'static str)> = None;

    fn assemble(assembler: &mut Assembler<'_>) {
        assembler.source::<Memory>(SourceId(0));
        assembler.sink::<Table>(SinkId(0));
        assembler.chain::<Keeping<Dedup<64>>>(0);
    }
}

/// A memory begins anew with each epoch: within one a repeat is dropped, in the next it passes.
#[test]
fn a_dedup_forgets_what_it_saw_when_its_partition_goes() {
    let world = World::new(1, 0);
    world.logs.append(0, [1, 1, 3, 3, 1]);
    let running = world.start_as::<Remembers>(&[0]);
    world
        .server
        .wait("the first time of 3", |state| state.rows.contains(&3));
    world.logs.tell(Event::Revoke(vec![0]));
    world
        .logs
        .wait("the release", |state| state.released == [partition(0)]);
    assert_eq!(world.server.rows(), [1, 3]);
    assert_eq!(world.logs.committed(0), Some(5), "what was dropped is done with");
    world.logs.append(0, [1, 1, 5]);
    world.logs.tell(Event::Assign(vec![0]));
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_eq!(world.server.rows(), [1, 1, 3, 5], "1 passed once more, and only once");
    assert_balanced(&ended);
}

/// What a lane saw and did not make durable is not swallowed when it is read again.
#[test]
fn a_dedup_swallows_nothing_that_is_read_again() {
    let mut world = World::new(1, 0);
    world.settings = "pipeline: { threads: 1, pin: off, admin: off, revoke_timeout: 50ms, \
                      commit_interval: 10ms }\n\
                      out: { linger: 20ms, retry_base: 1ms, retry_cap: 5ms }\n"
        .to_owned();
    world.logs.append(0, [1, 3, 5]);
    world.server.block();
    let running = world.start_as::<Remembers>(&[0]);
    world
        .server
        .wait("an insert on the wire", |state| state.waiting >= 1);
    world.logs.tell(Event::Revoke(vec![0]));
    world
        .logs
        .wait("the release", |state| state.released == [partition(0)]);
    world.logs.tell(Event::Assign(vec![0]));
    world
        .logs
        .wait("the new lane", |state| state.wakers.contains_key(&0));
    world.server.unblock();
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    let mut rows = world.server.rows();
    rows.dedup();
    assert_eq!(rows, [1, 3, 5]);
    assert_eq!(world.logs.committed(0), Some(3));
}

/// How often the loader of `Joins` was called.
static CALLS: (Mutex<u64>, Condvar) = (Mutex::new(0), Condvar::new());

/// Knows 1 at first, fails once, and then knows 1 and 5.
async fn known() -> Result<Lookup<u64, ()>, String> {
    let mut calls = CALLS.0.lock().unwrap();
    *calls += 1;
    CALLS.1.notify_all();
    match *calls {
        1 => Ok([(1, ())].into()),
        2 => Err("the table is locked".to_owned()),
        _ => Ok([(1, ()), (5, ())].into()),
    }
}

struct Joins;

impl Definition for Joins {
    const GRAPH: &'static Graph = &JOINS;
    const CONFIG: Option<(&'static str, &'static str)> = None;

    fn assemble(assembler: &mut Assembler<'_>) {
        assembler.source::<Memory>(SourceId(0));
        assembler.sink::<Table>(SinkId(0));
        assembler.lookup(LookupId(0), |_: &Config| Loading::of_future(known()));
        assembler.chain::<Keeping<LookupReader<u64, ()>>>(0);
    }
}

#[test]
fn a_lookup_is_there_before_the_first_record_and_survives_a_failed_refresh() {
    let world = World::new(1, 0);
    world.logs.append(0, [1, 3]);
    let running = world.start_as::<Joins>(&[0]);
    world
        .server
        .wait("what the first load knows", |state| state.rows.contains(&1));
    // The fourth call begins when the third snapshot lies in its place.
    let calls = CALLS.0.lock().unwrap();
    drop(CALLS.1.wait_while(calls, |calls| *calls < 4).unwrap());
    world.logs.append(0, [5, 3, 1]);
    world
        .server
        .wait("what a later load knows", |state| state.rows.contains(&5));
    world.logs.end();
    let ended = running.wait();
    assert_eq!(ended.outcome, Outcome::Drained);
    assert_eq!(world.server.rows(), [1, 1, 5]);
    assert_balanced(&ended);
    let report = Report::of(&ended);
    let lookup = &report.snapshot.lookups[0];
    assert!(lookup.loads >= 2, "{lookup:?}");
    assert_eq!((lookup.failures, lookup.entries), (1, 2));
    assert_eq!(lookup.trouble, None, "the load after it went well");
    assert!(lookup.age.is_some());
    let text = report.to_string();
    assert!(text.contains("\nlookups  entries  loads  failures  age\n"), "{text}");
}

struct Unloadable;

impl Definition for Unloadable {
    const GRAPH: &'static Graph = &JOINS;
    const CONFIG: Option<(&'static str, &'static str)> = None;

    fn assemble(assembler: &mut Assembler<'_>) {
        assembler.source::<Memory>(SourceId(0));
        assembler.sink::<Table>(SinkId(0));
        assembler.lookup::<Result<Lookup<u64, ()>, String>>(LookupId(0), |_| {
            Loading::of_function(|| Err("no table `known`".to_owned()))
        });
        assembler.chain::<Keeping<LookupReader<u64, ()>>>(0);
    }
}

#[test]
fn a_pipeline_whose_lookup_cannot_be_loaded_reads_nothing_and_says_why() {
    let world = World::new(1, 100);
    let says = "lookup `known` could not be loaded: no table `known`";
    let findings = world.assemble::<Unloadable>().unwrap().check().unwrap();
    assert!(findings.has_errors());
    assert_eq!((findings.0[0].code, findings.0[0].text.as_str()), ("S070", says));
    let ended = world.start_as::<Unloadable>(&[0]).wait();
    assert_eq!(ended.outcome, Outcome::Failed);
    assert_eq!(ended.status.failures(), [format!("{says} [S070]")]);
    assert_eq!(world.server.rows(), [0_u64; 0]);
    assert_eq!(world.logs.committed(0), None);
}

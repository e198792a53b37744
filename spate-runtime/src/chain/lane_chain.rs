//! What the macro generates for a chain, as the lane thread sees it.

use std::marker::PhantomData;
use std::sync::Arc as StdArc;

use super::cx::{LaneCx, Progress};
use super::port::{Port, PortCore, SinkShared};
use super::row::RowEncoder;
use super::tally::ChainCounters;
use crate::batch::Batch;
use crate::clock::Clock;
use crate::id::{LookupId, SinkId};
use crate::lane::shared::LaneShared;
use crate::lookup::{AnyCell, LookupCell, LookupReader};
use crate::queue::Slot;
use crate::sync::Arc;

/// The ports of one lane, one per declared sink.
pub trait SinkSet: Send + 'static {
    /// The port of the sink with this number, in order of declaration; `None` behind the last.
    fn port(&mut self, sink: usize) -> Option<&mut PortCore>;

    /// Calls `each` with every port, in order of declaration.
    fn each_port(&mut self, each: &mut dyn FnMut(&mut PortCore)) {
        let mut sink = 0;
        while let Some(port) = self.port(sink) {
            each(port);
            sink += 1;
        }
    }

    /// Ends a payload; whether the loop must yield. One flag per port unless one wants attention.
    fn end_of_payload(&mut self) -> bool;
}

/// The cold half of [`SinkSet::end_of_payload`], for generated code.
#[cold]
#[inline(never)]
pub fn end_of_payload_cold(sinks: &mut dyn SinkSet) -> bool {
    let mut refused = false;
    sinks.each_port(&mut |port| refused |= port.fault().is_some());
    if refused {
        // Nothing of this payload may be handed over: it is about to be cut.
        return true;
    }
    let mut must_yield = false;
    sinks.each_port(&mut |port| must_yield |= port.end_of_payload());
    must_yield
}

/// One chain of one lane: the fused loop, its state and its ports.
pub trait LaneChain: Send {
    /// Runs the loop over what is left of `batch`.
    fn run(&mut self, batch: Batch<'_>, cx: &mut LaneCx) -> Progress;

    /// Moves the loop's counts to the shared ones.
    fn flush_tally(&mut self, counters: &ChainCounters);

    /// The lane's ports.
    fn sinks(&mut self) -> &mut dyn SinkSet;
}

/// The fused loop of a chain, as generated: generic over the ports it pushes into.
pub trait Chain<S>: Send + 'static {
    /// Fresh state, nothing counted; `seed` gives it its lookups.
    fn new(seed: &LaneSeed<'_>) -> Self;

    /// Runs the loop over what is left of `batch`.
    fn run(&mut self, batch: Batch<'_>, sinks: &mut S, cx: &mut LaneCx) -> Progress;

    /// Moves the loop's counts to the shared ones.
    fn flush_tally(&mut self, counters: &ChainCounters);
}

/// A coercion that there is for a `T` that is `Send`; the answer to a wrong one is short.
pub type AsSend<'a, T> = fn(&'a T) -> &'a (dyn Send + 'a);

/// Names a type of the user that moves with its lane: `T`, if `SENDS` was found to be so.
///
/// `<Moved<T, { .. true }> as Moves>::State`; the block is an error where `T` is not `Send`.
#[derive(Debug)]
pub struct Moved<T, const SENDS: bool>(PhantomData<T>);

/// What [`Moved`] names.
pub trait Moves {
    /// The type.
    type State;
}

impl<T> Moves for Moved<T, true> {
    type State = T;
}

/// Generated ports, which can be made for a new lane.
pub trait BuildPorts: SinkSet + Sized {
    /// Makes a port per declared sink.
    fn build(seed: &LaneSeed<'_>) -> Self;
}

/// One chain of one lane: the loop `C` with the ports `P`.
#[derive(Debug)]
pub struct Lane<C, P> {
    chain: C,
    ports: P,
}

impl<C: Chain<P>, P: SinkSet> LaneChain for Lane<C, P> {
    fn run(&mut self, batch: Batch<'_>, cx: &mut LaneCx) -> Progress {
        self.chain.run(batch, &mut self.ports, cx)
    }

    fn flush_tally(&mut self, counters: &ChainCounters) {
        self.chain.flush_tally(counters);
    }

    fn sinks(&mut self) -> &mut dyn SinkSet {
        &mut self.ports
    }
}

impl<C: Chain<P>, P: BuildPorts> BuildLane for Lane<C, P> {
    fn build(seed: &LaneSeed<'_>) -> Self {
        Self { chain: C::new(seed), ports: P::build(seed) }
    }
}

/// A chain that can be made for a new lane.
pub trait BuildLane: LaneChain + Sized + 'static {
    /// Makes the chain for one lane: fresh state, ports without open frames.
    fn build(seed: &LaneSeed<'_>) -> Self;
}

/// What a new lane is made from.
#[derive(Debug)]
pub struct LaneSeed<'a> {
    pub(crate) sinks: &'a [Arc<SinkShared>],
    pub(crate) lane: &'a Arc<LaneShared>,
    pub(crate) slot: &'a Slot,
    pub(crate) clock: &'a Clock,
    /// Shape `[lookup]`.
    pub(crate) lookups: &'a [StdArc<dyn AnyCell>],
}

impl LaneSeed<'_> {
    /// This lane's view of a lookup.
    ///
    /// # Panics
    ///
    /// INV-M3: if the pipeline has no such lookup, or it is one of other types.
    #[must_use]
    pub fn lookup<K, V>(&self, lookup: LookupId) -> LookupReader<K, V>
    where
        K: Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let cell = self.lookups.get(lookup.0).map(StdArc::clone);
        let cell = cell.and_then(|cell| cell.into_any().downcast::<LookupCell<K, V>>().ok());
        LookupReader::new(cell.expect("INV-M3: the assembly made this lookup with these types"))
    }

    /// Makes this lane's port into `sink`.
    #[must_use]
    pub fn port<E: RowEncoder>(&self, sink: SinkId) -> Port<E> {
        Port::new(
            Arc::clone(&self.sinks[sink.0]),
            Arc::clone(self.lane),
            self.slot.clone(),
            self.clock.now(),
        )
    }
}

//! A sink in memory: keeps rows by token like a server that deduplicates, and does as it is told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::chain::{HUGE, HUGE_BYTES};
use spate_runtime::error::Class;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::preflight::Findings;
use spate_runtime::sink::{BoxFuture, Layout, Outcome, SealedBatch, Sink, WriteError};

/// What the server does with the next insert.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Script {
    /// Writes nothing and says so.
    Refuse(Class),
    /// Writes and loses the answer.
    LoseReply,
}

#[derive(Default)]
pub(crate) struct State {
    /// Value and the partition's token part, as written, duplicates by token left out.
    pub(crate) rows: Vec<u64>,
    pub(crate) tokens: BTreeMap<String, Vec<u8>>,
    pub(crate) inserts: Vec<(String, ReplicaId)>,
    pub(crate) script: VecDeque<Script>,
    pub(crate) blocked: bool,
    /// This one alone answers nothing.
    pub(crate) blocked_shard: Option<usize>,
    /// Writes in so many turns of the runtime after their own.
    pub(crate) slowness: u32,
    pub(crate) waiting: usize,
}

#[derive(Clone)]
pub(crate) struct Server {
    state: Arc<(Mutex<State>, Condvar)>,
    unblocked: Arc<tokio::sync::Notify>,
    pub(crate) layout: Layout,
}

impl Server {
    pub(crate) fn new(shards: usize) -> Self {
        Self {
            state: Arc::default(),
            unblocked: Arc::default(),
            layout: Layout {
                replicas: vec![1; shards],
                deduplicates: true,
                replicas_share_tokens: false,
            },
        }
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        let (state, changed) = &*self.state;
        let result = look(&mut state.lock().unwrap());
        changed.notify_all();
        result
    }

    pub(crate) fn wait(&self, what: &str, is: impl Fn(&State) -> bool) {
        let (state, changed) = &*self.state;
        let guard = state.lock().unwrap();
        let limit = Duration::from_secs(30);
        let (_guard, timeout) = changed
            .wait_timeout_while(guard, limit, |state| !is(state))
            .unwrap();
        assert!(!timeout.timed_out(), "gave up waiting for {what}");
    }

    pub(crate) fn block(&self) {
        self.with(|state| state.blocked = true);
    }

    pub(crate) fn unblock(&self) {
        self.with(|state| (state.blocked, state.blocked_shard) = (false, None));
        self.unblocked.notify_waiters();
    }

    pub(crate) fn script(&self, script: impl IntoIterator<Item = Script>) {
        self.with(|state| state.script.extend(script));
    }

    /// All rows, sorted.
    pub(crate) fn rows(&self) -> Vec<u64> {
        let mut rows = self.with(|state| state.rows.clone());
        rows.sort_unstable();
        rows
    }

    async fn insert(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: &SealedBatch,
    ) -> Result<(), WriteError> {
        for _ in 0..self.with(|state| state.slowness) {
            tokio::task::yield_now().await;
        }
        loop {
            let unblocked = self.unblocked.notified();
            if !self.with(|state| state.blocked || state.blocked_shard == Some(shard.0)) {
                break;
            }
            self.with(|state| state.waiting += 1);
            unblocked.await;
            self.with(|state| state.waiting -= 1);
        }
        self.with(|state| {
            state.inserts.push((batch.token().to_owned(), replica));
            let script = state.script.pop_front();
            if let Some(Script::Refuse(class)) = script {
                return Err(error(class, Outcome::NotWritten));
            }
            let bytes: Vec<u8> = batch.chunks().flatten().copied().collect();
            if let Some(known) = state.tokens.get(batch.token()) {
                assert_eq!(*known, bytes, "one token, two contents: {}", batch.token());
            } else {
                state.rows.extend(numbers(&bytes));
                state.tokens.insert(batch.token().to_owned(), bytes);
            }
            if script == Some(Script::LoseReply) {
                return Err(error(Class::Remote, Outcome::Unknown));
            }
            Ok(())
        })
    }
}

/// The numbers of encoded rows.
fn numbers(mut bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    while let Some((row, rest)) = bytes.split_first_chunk::<8>() {
        let number = u64::from_le_bytes(*row);
        numbers.push(number);
        bytes = if number == HUGE { &rest[HUGE_BYTES..] } else { rest };
    }
    assert!(bytes.is_empty(), "a row is cut");
    numbers
}

fn error(class: Class, outcome: Outcome) -> WriteError {
    WriteError {
        class,
        outcome,
        code: Some(60),
        text: "refused by the test".to_owned(),
        hint: String::new(),
    }
}

impl Sink for Server {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(async { Findings::default() })
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async { Ok(()) })
    }

    fn write(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async move { self.insert(shard, replica, &batch).await })
    }
}

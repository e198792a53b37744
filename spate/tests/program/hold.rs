//! A sink of somebody else's: it takes rows and forgets them, or hangs on the first write.

use std::marker::PhantomData;
use std::sync::Arc;

use spate::__private::{Ndjson, Row};
use spate_runtime::config::{ConfigErrors, Key, Schema, Section, Type};
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::preflight::Findings;
use spate_runtime::sink::{BoxFuture, Layout, SealedBatch, Sink, SinkConnector, WriteError};

pub(crate) struct Hold<R> {
    hangs: bool,
    of: PhantomData<fn() -> R>,
}

const SCHEMA: Schema = Schema {
    kind: "Hold",
    keys: &[
        Key::new("hangs", Type::Bool, "whether writes never end").or("false"),
        Key::new("password", Type::Text, "of nobody").secret(),
    ],
};

impl<R: Row + 'static> SinkConnector for Hold<R> {
    type Row = R;
    type Encoder = Ndjson;
    const SCHEMA: &'static Schema = &SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self { hangs: section.bool("hangs"), of: PhantomData })
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        Arc::new(Writes { hang: self.hangs })
    }
}

struct Writes {
    hang: bool,
}

impl Sink for Writes {
    fn layout(&self) -> Layout {
        Layout { replicas: vec![1], deduplicates: false, replicas_share_tokens: false }
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(async { Findings::default() })
    }

    fn probe(&self, _: ShardId, _: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async { Ok(()) })
    }

    fn write(
        &self,
        _: ShardId,
        _: ReplicaId,
        _: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        let hang = self.hang;
        Box::pin(async move { if hang { std::future::pending().await } else { Ok(()) } })
    }
}

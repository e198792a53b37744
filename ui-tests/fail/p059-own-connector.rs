//! P059: a connector of somebody else, with a required key that is mistyped.

use std::sync::Arc;

use spate::__private::{Ndjson, SinkConnector};
use spate::prelude::*;
use spate_runtime::config::{ConfigErrors, Key, Schema, Section, Type};
use spate_runtime::sink::Sink;
use ui_tests::{Feed, Line, Order, Plain, line};

pub struct Bucket<R>(std::marker::PhantomData<R>);

const SCHEMA: Schema = Schema {
    kind: "Bucket",
    keys: &[Key::new("bucket_name", Type::Text, "where objects go").required()],
};

impl<R: Row + 'static> SinkConnector for Bucket<R> {
    type Row = R;
    type Encoder = Ndjson;
    const SCHEMA: &'static Schema = &SCHEMA;

    fn from_section(_: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self(std::marker::PhantomData))
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        unreachable!("it is never run")
    }
}

#[pipeline(config = "../../../../ui-tests/fixtures/p059-own-connector.yaml")]
mod orders {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Bucket<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    let _ = orders::main();
}

//! The type files are declared with, as a source and as a sink.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use spate_runtime::chain::row::Row;
use spate_runtime::config::{ConfigErrors, Key, Schema, Section, Type};
use spate_runtime::sink::{Sink, SinkConnector};

use crate::ndjson::Ndjson;
use crate::sink::FileSink;

/// Files: `File<OrderLine<'_>>` as a sink of rows, `File<Json<OrderEvent<'_>>>` as a source.
#[derive(Debug)]
pub struct File<T> {
    role: Role,
    of: PhantomData<fn() -> T>,
}

#[derive(Debug)]
enum Role {
    Writes { dir: PathBuf },
}

const SINK_SCHEMA: Schema = Schema {
    kind: "File",
    keys: &[Key::new("dir", Type::Text, "the folder the files go to; made if it is not there")
        .required()],
};

impl<R: Row> File<R> {
    /// Makes a sink from code: files go to `dir`.
    #[must_use]
    pub fn into_dir(dir: impl Into<PathBuf>) -> Self {
        Self { role: Role::Writes { dir: dir.into() }, of: PhantomData }
    }
}

impl<R: Row + 'static> SinkConnector for File<R> {
    type Row = R;
    type Encoder = Ndjson;
    const SCHEMA: &'static Schema = &SINK_SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self::into_dir(section.text("dir")))
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        let Role::Writes { dir } = self.role;
        Arc::new(FileSink::new(dir))
    }
}

//! The type files are declared with, as a source and as a sink.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use spate_runtime::chain::row::Row;
use spate_runtime::config::{ConfigErrors, Key, Means, Schema, Section, Type};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::{Class, SourceError};
use spate_runtime::lane::source::Source;
use spate_runtime::sink::{Sink, SinkConnector};

use crate::ndjson::Ndjson;
use crate::sink::FileSink;
use crate::source::{FileSource, Settings};

/// Files: `File<OrderLine<'_>>` as a sink of rows, `File<Json<OrderEvent<'_>>>` as a source.
#[derive(Debug)]
pub struct File<T> {
    role: Role,
    of: PhantomData<fn() -> T>,
}

#[derive(Debug)]
enum Role {
    Reads(Settings),
    Writes { dir: PathBuf },
}

const SINK_SCHEMA: Schema = Schema {
    kind: "File",
    keys: &[Key::new("dir", Type::Text, "the folder the files go to; made if it is not there")
        .required()
        .means(Means::Place("folder"))],
};

const SOURCE_SCHEMA: Schema = Schema {
    kind: "File",
    keys: &[
        Key::new(
            "paths",
            Type::List(&Type::Text),
            "files, folders (their files, hidden ones not), or names with `*` and `?`",
        )
        .required()
        .means(Means::Place("folder")),
        Key::new(
            "checkpoint",
            Type::Text,
            "the folder that keeps how far each file was read; made if it is not there",
        )
        .required(),
        Key::new("line_max", Type::Size, "a longer line stops the pipeline").or("1MiB"),
        Key::new("files_open", Type::Integer { min: 1, max: 4096 }, "files read at the same time")
            .or("16"),
    ],
};

impl<T> File<T> {
    /// Makes a sink from code: files go to `dir`.
    #[must_use]
    pub fn writing(dir: impl Into<PathBuf>) -> Self {
        Self { role: Role::Writes { dir: dir.into() }, of: PhantomData }
    }

    /// Makes a source from code, with the other settings at their defaults.
    ///
    /// `name` tells its checkpoint from others in the folder `checkpoint`.
    #[must_use]
    pub fn reading(
        name: impl Into<String>,
        paths: impl IntoIterator<Item = impl Into<String>>,
        checkpoint: impl Into<PathBuf>,
    ) -> Self {
        let settings = Settings {
            name: name.into(),
            paths: paths.into_iter().map(Into::into).collect(),
            checkpoint: checkpoint.into(),
            line_max: 1 << 20,
            files_open: 16,
        };
        Self { role: Role::Reads(settings), of: PhantomData }
    }
}

impl<R: Row + 'static> SinkConnector for File<R> {
    type Row = R;
    type Encoder = Ndjson;
    const SCHEMA: &'static Schema = &SINK_SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        Ok(Self::writing(section.text("dir")))
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        let Role::Writes { dir } = self.role else {
            panic!("INV-M1: `File::reading` was given to a sink, which takes `File::writing`")
        };
        Arc::new(FileSink::new(dir))
    }
}

impl<F: 'static> SourceConnector for File<F> {
    type Format = F;
    const SCHEMA: &'static Schema = &SOURCE_SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        let paths = section.texts("paths");
        if paths.is_empty() {
            return Err(section.error(
                "paths",
                "P059",
                format!("source `{}` names no path", section.name()),
                "name a file, a folder, or a name with `*`",
            ));
        }
        let line_max = section.size("line_max");
        let Some(line_max) = usize::try_from(line_max).ok().filter(|&max| max >= 1) else {
            return Err(section.error(
                "line_max",
                "P059",
                format!("`line_max` of source `{}` cannot be {line_max} bytes", section.name()),
                "1MiB is the default",
            ));
        };
        let settings = Settings {
            name: section.name().to_owned(),
            paths: paths.into_iter().map(str::to_owned).collect(),
            checkpoint: section.text("checkpoint").into(),
            line_max,
            files_open: usize::try_from(section.integer("files_open")).unwrap_or(1),
        };
        Ok(Self { role: Role::Reads(settings), of: PhantomData })
    }

    fn into_source(self) -> Result<Box<dyn Source>, SourceError> {
        match self.role {
            Role::Reads(settings) => Ok(Box::new(FileSource::new(settings))),
            Role::Writes { .. } => Err(SourceError::new(
                Class::Bug,
                "`File::writing` was given to a source, which takes `File::reading`",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use spate_runtime::chain::dead_letter::DeadLetter;

    use super::*;

    type Reads = File<()>;
    type Writes = File<DeadLetter<'static>>;

    fn source(yaml: &str) -> Result<Settings, ConfigErrors> {
        let section = Section::for_test(<Reads as SourceConnector>::SCHEMA, yaml)?;
        match <Reads as SourceConnector>::from_section(&section)?.role {
            Role::Reads(settings) => Ok(settings),
            Role::Writes { .. } => panic!("a source"),
        }
    }

    #[test]
    fn a_source_reads_its_section() {
        let settings = source("paths: [a, 'b/*.x']\ncheckpoint: state\nline_max: 64KiB").unwrap();
        assert_eq!(settings.paths, ["a", "b/*.x"]);
        assert_eq!(settings.checkpoint, PathBuf::from("state"));
        assert_eq!((settings.line_max, settings.files_open), (64 << 10, 16));
        let settings = source("paths: a\ncheckpoint: state").unwrap();
        assert_eq!((settings.paths, settings.line_max), (vec!["a".to_owned()], 1 << 20));
    }

    #[test]
    fn a_section_that_cannot_work_is_refused() {
        for yaml in [
            "paths: a",
            "checkpoint: b",
            "paths: []\ncheckpoint: b",
            "dir: x",
            "paths: a\ncheckpoint: b\nline_max: 0KiB",
        ] {
            assert!(source(yaml).is_err(), "{yaml}");
        }
    }

    #[test]
    fn a_sink_reads_its_section() {
        let schema = <Writes as SinkConnector>::SCHEMA;
        let section = Section::for_test(schema, "dir: out").unwrap();
        let sink = <Writes as SinkConnector>::from_section(&section).unwrap();
        assert!(matches!(sink.role, Role::Writes { dir } if dir.as_os_str() == "out"));
        assert!(Section::for_test(schema, "").is_err());
    }
}

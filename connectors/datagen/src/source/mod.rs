//! The generator as a source: control plane and settings.
//!
//! Controller thread. Assigns all partitions at once and reports the end when every lane has given
//! out its last record. With a `rate`, its poll is what wakes lanes that wait for their next one.

mod lane;
mod shared;

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use spate_runtime::clock::Clock;
use spate_runtime::config::{ConfigErrors, Key, Schema, Section, Type};
use spate_runtime::connector::SourceConnector;
use spate_runtime::error::SourceError;
use spate_runtime::id::{NextOffset, Partition};
use spate_runtime::lane::source::{Assigned, Commit, LogEnd, Source, SourceEvent};
use spate_runtime::preflight::Findings;

use crate::order::{Settings, Shape};
use lane::GeneratedLane;
use shared::{Pace, Shared};

/// Generated orders as a source, decoded by the format `F`.
///
/// Nothing is stored: a commit succeeds and is forgotten with the process.
#[derive(Debug)]
pub struct Datagen<F> {
    topic: String,
    settings: Settings,
    rate: Option<u64>,
    format: PhantomData<fn() -> F>,
}

const fn ppm(name: &'static str, default: &'static str, doc: &'static str) -> Key {
    Key::new(name, Type::Integer { min: 0, max: 1_000_000 }, doc).or(default)
}

const SCHEMA: Schema = Schema {
    kind: "Datagen",
    keys: &[
        Key::new(
            "records",
            Type::Integer { min: 0, max: u64::MAX },
            "records in all partitions together; endless if left out",
        ),
        Key::new("partitions", Type::Integer { min: 1, max: 100_000 }, "lanes the records go to")
            .or("1"),
        Key::new(
            "seed",
            Type::Integer { min: 0, max: u64::MAX },
            "the same seed gives the same records",
        )
        .or("1"),
        Key::new(
            "first_id",
            Type::Integer { min: 0, max: u64::MAX },
            "the order id of the first record",
        )
        .or("1"),
        Key::new(
            "shape",
            Type::Choice(&["orders", "wide"]),
            "orders of five fields, or of ten in about 208 bytes",
        )
        .or("orders"),
        Key::new(
            "rate",
            Type::Integer { min: 1, max: 1_000_000_000 },
            "records a second in all partitions together; as fast as they are taken if left out",
        ),
        ppm("poison_ppm", "1000", "records in a million that no decoder accepts"),
        ppm("tombstone_ppm", "2000", "records in a million without a value"),
        ppm("empty_ppm", "200", "records in a million with a value of no bytes"),
        ppm("duplicate_ppm", "10000", "records in a million that repeat an earlier one"),
    ],
};

impl<F: 'static> SourceConnector for Datagen<F> {
    type Format = F;
    const SCHEMA: &'static Schema = &SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        let small = |key: &str| u32::try_from(section.integer(key)).unwrap_or(u32::MAX);
        let shape = if section.text("shape") == "wide" { Shape::Wide } else { Shape::Orders };
        let optional = |key: &str| section.integer_opt(key);
        let settings = Settings {
            records: optional("records"),
            partitions: small("partitions"),
            seed: section.integer("seed"),
            first_id: section.integer("first_id"),
            shape,
            poison_ppm: small("poison_ppm"),
            tombstone_ppm: small("tombstone_ppm"),
            empty_ppm: small("empty_ppm"),
            duplicate_ppm: small("duplicate_ppm"),
        };
        let rates = [
            settings.poison_ppm,
            settings.tombstone_ppm,
            settings.empty_ppm,
            settings.duplicate_ppm,
        ];
        let rates: u64 = rates.into_iter().map(u64::from).sum();
        if rates > 1_000_000 {
            return Err(section.error(
                "duplicate_ppm",
                "P059",
                format!("the rates of source `{}` add up to {rates} in a million", section.name()),
                "lower them to 1000000 together",
            ));
        }
        Ok(Self { rate: optional("rate"), ..Self::new(section.name(), settings) })
    }

    fn into_source(self) -> Result<Box<dyn Source>, SourceError> {
        let pace = self.rate.map(|rate| Pace::new(Clock::real(), rate));
        Ok(Box::new(GeneratedSource {
            shared: Arc::new(Shared::new(self.settings, pace)),
            topic: self.topic.into(),
            stage: Stage::Joining,
        }))
    }
}

impl<F> Datagen<F> {
    /// Makes the source from code; `topic` is what its partitions are called.
    #[must_use]
    pub fn new(topic: impl Into<String>, settings: Settings) -> Self {
        Self { topic: topic.into(), settings, rate: None, format: PhantomData }
    }
}

/// How far the control plane is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Joining,
    Assigned,
    Ended,
}

/// The control plane.
struct GeneratedSource {
    shared: Arc<Shared>,
    topic: Arc<str>,
    stage: Stage,
}

impl GeneratedSource {
    fn partitions(&self) -> impl Iterator<Item = Partition> + '_ {
        let count = self.shared.settings.partitions.max(1);
        (0..count).map(|id| Partition { topic: Arc::clone(&self.topic), id })
    }

    fn assign(&self) -> Vec<Assigned> {
        self.partitions()
            .map(|partition| Assigned {
                lane: Box::new(GeneratedLane::new(partition.clone(), Arc::clone(&self.shared))),
                partition,
                start: NextOffset(0),
                note: None,
            })
            .collect()
    }
}

impl Source for GeneratedSource {
    fn check(&mut self) -> Findings {
        Findings::default()
    }

    fn start(&mut self) -> Result<(), SourceError> {
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<SourceEvent>, SourceError> {
        match self.stage {
            Stage::Joining => {
                self.stage = Stage::Assigned;
                self.shared.begin();
                Ok(Some(SourceEvent::Assigned(self.assign())))
            }
            Stage::Assigned if self.shared.wait_for_end(wait) => {
                self.stage = Stage::Ended;
                Ok(Some(SourceEvent::Ended))
            }
            Stage::Assigned => Ok(None),
            Stage::Ended => {
                self.shared.pass(wait);
                Ok(None)
            }
        }
    }

    fn commit(&mut self, _commits: &[Commit]) -> Result<(), SourceError> {
        Ok(())
    }

    fn released(&mut self, _partitions: &[Partition]) {}

    /// Generates on demand: a paused partition is one whose lane is not filled.
    fn set_paused(&mut self, _partition: &Partition, _paused: bool) {}

    fn log_ends(&mut self) -> Vec<LogEnd> {
        if self.shared.settings.records.is_none() {
            return Vec::new();
        }
        self.partitions()
            .map(|partition| {
                let end = NextOffset(self.shared.settings.records_in(partition.id));
                LogEnd { partition, end }
            })
            .collect()
    }

    fn close(&mut self) {}
}

#[cfg(test)]
mod tests;

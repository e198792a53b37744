//! A pipeline within the test's own process.

use spate::{Config, Pipeline};
use spate_runtime::pipeline::report::{Report, Snapshot};
use spate_runtime::pipeline::{Handle, Running};

use super::until;
use super::yaml::Yaml;

/// A pipeline that runs.
pub(crate) struct Run(Option<Running>);

impl Run {
    #[track_caller]
    pub(crate) fn start(pipeline: fn(Config) -> Pipeline, yaml: &Yaml) -> Self {
        let config = Config::parse("test.yaml", &yaml.to_string(), &|_| None).unwrap();
        let plan = match pipeline(config).plan() {
            Ok(plan) => plan,
            Err(errors) => panic!("{errors}\n{yaml}"),
        };
        Self(Some(plan.start().unwrap()))
    }

    fn running(&self) -> &Running {
        self.0.as_ref().expect("taken by `wait` only")
    }

    pub(crate) fn handle(&self) -> &Handle {
        self.running().handle()
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.running().is_ended()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::of(self.handle().status())
    }

    /// Waits until it has partitions.
    #[track_caller]
    pub(crate) fn until_lanes(&self, count: usize) {
        until(&format!("{count} lanes run"), || {
            assert!(!self.is_ended(), "ended: {:?}", self.handle().status().failures());
            self.handle().status().lanes().len() == count
        });
    }

    /// Waits until it has ended by itself.
    #[track_caller]
    pub(crate) fn wait(mut self) -> Report {
        until("the pipeline ends", || self.is_ended());
        let running = self.0.take().expect("taken here only");
        Report::of(&running.wait())
    }

    /// Waits until it has ended by itself, drained, with counts that balance.
    #[track_caller]
    pub(crate) fn wait_drained(self) -> Report {
        let report = self.wait();
        assert_eq!(report.exit_code(), 0, "{report}");
        assert_eq!(
            report
                .balance()
                .map_err(|broken| format!("{broken:?}\n{report}")),
            Ok(())
        );
        report
    }

    /// Drains it.
    #[track_caller]
    pub(crate) fn drain(self) -> Report {
        self.handle().drain();
        self.wait_drained()
    }
}

/// A test that fails must not leave the pipeline running into the others.
impl Drop for Run {
    fn drop(&mut self) {
        if let Some(running) = &self.0 {
            running.handle().abort();
        }
    }
}

//! When to commit what. Pure.

/// Placeholder of the schedule; see the controller.
#[derive(Debug, Default)]
pub struct CommitSchedule;

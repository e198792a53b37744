//! Where reading a partition begins. Pure.
//!
//! | committed | in the log | policy | begins at |
//! |---|---|---|---|
//! | yes | yes | | the committed offset, with its note |
//! | yes | no | `out_of_range: stop` | nowhere: an error that names committed, start and end |
//! | yes | below the start | `out_of_range: earliest` | the log's start; the gap is told |
//! | yes | above the end | `out_of_range: earliest` | nowhere: the log was cut or made anew |
//! | no | | partition found while running | the log's start, whatever `start` says (R027) |
//! | no | | `start` | the log's start, its end, or nowhere |
//!
//! Decided when a partition is assigned. Where retention overtakes a lane while it runs, the lane
//! fails with the same error, and the next start decides.
//!
//! Never a silent jump (R025): the end of the log is where reading begins only if `start: latest`
//! says so and nothing was ever committed.

use spate_runtime::error::{Class, SourceError};
use spate_runtime::id::{NextOffset, Partition};
use spate_runtime::lane::source::Note;

use crate::config::{OutOfRange, Start};

/// What is known of a partition when it is assigned.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The committed offset and what was committed with it.
    pub(crate) committed: Option<(u64, String)>,
    /// The first offset the log still has.
    pub(crate) log_start: u64,
    /// The next offset the log will give out.
    pub(crate) log_end: u64,
    /// Whether the partition was found after the start of this process.
    pub(crate) is_new: bool,
}

/// Where reading begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Begin {
    pub(crate) at: NextOffset,
    pub(crate) note: Option<Note>,
    /// Committed offsets that the log has no more.
    pub(crate) gap: u64,
}

/// Decides where reading of `partition` begins.
///
/// # Errors
///
/// When the committed offset is out of range, or nothing is committed and the policy is to stop.
pub(crate) fn begin(
    partition: &Partition,
    known: &Known,
    start: Start,
    out_of_range: OutOfRange,
) -> Result<Begin, SourceError> {
    let Known { log_start, log_end, .. } = *known;
    let Some((committed, note)) = &known.committed else {
        let at = match start {
            _ if known.is_new => log_start,
            Start::Earliest => log_start,
            Start::Latest => log_end,
            Start::Stop => return Err(nothing_committed(partition)),
        };
        return Ok(Begin { at: NextOffset(at), note: None, gap: 0 });
    };
    let committed = *committed;
    let note = Some(Note(note.clone()));
    if (log_start..=log_end).contains(&committed) {
        return Ok(Begin { at: NextOffset(committed), note, gap: 0 });
    }
    if committed < log_start && out_of_range == OutOfRange::Earliest {
        return Ok(Begin { at: NextOffset(log_start), note, gap: log_start - committed });
    }
    Err(out_of_range_error(partition, committed, log_start, log_end))
}

fn nothing_committed(partition: &Partition) -> SourceError {
    SourceError::new(Class::Config, format!("partition `{partition}` has no committed offset"))
        .with_hint("`start` is `stop`; say `earliest` or `latest` for a group that begins")
}

/// The error of a position that the log does not have.
pub(crate) fn out_of_range_error(
    partition: &Partition,
    committed: u64,
    log_start: u64,
    log_end: u64,
) -> SourceError {
    let text = format!(
        "position {committed} of partition `{partition}` is out of range: \
         the log begins at {log_start} and ends at {log_end}"
    );
    let hint = if committed < log_start {
        format!(
            "retention removed {} offsets; with `out_of_range: earliest` the next start goes on at \
             {log_start} and counts the gap; or set the group's offset by hand",
            log_start - committed
        )
    } else {
        "the log was cut or the topic made anew; set the group's offset by hand".to_owned()
    };
    SourceError::new(Class::Config, text).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(committed: Option<u64>, log_start: u64, log_end: u64) -> Known {
        Known {
            committed: committed.map(|offset| (offset, "spate1;i=01".to_owned())),
            log_start,
            log_end,
            is_new: false,
        }
    }

    fn at(known: &Known, start: Start, policy: OutOfRange) -> Result<(u64, u64), String> {
        begin(&Partition::new("orders", 3), known, start, policy)
            .map(|begin| (begin.at.0, begin.gap))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_committed_offset_wins_over_every_policy() {
        for start in [Start::Earliest, Start::Latest, Start::Stop] {
            assert_eq!(at(&known(Some(50), 40, 100), start, OutOfRange::Stop), Ok((50, 0)));
        }
    }

    #[test]
    fn both_ends_of_the_log_are_in_range() {
        assert_eq!(at(&known(Some(40), 40, 100), Start::Stop, OutOfRange::Stop), Ok((40, 0)));
        assert_eq!(at(&known(Some(100), 40, 100), Start::Stop, OutOfRange::Stop), Ok((100, 0)));
    }

    #[test]
    fn without_a_commit_the_policy_decides() {
        let fresh = known(None, 40, 100);
        assert_eq!(at(&fresh, Start::Earliest, OutOfRange::Stop), Ok((40, 0)));
        assert_eq!(at(&fresh, Start::Latest, OutOfRange::Stop), Ok((100, 0)));
        let error = at(&fresh, Start::Stop, OutOfRange::Stop);
        assert_eq!(error, Err("partition `orders[3]` has no committed offset".to_owned()));
    }

    /// R025: retention passed the position; the default stops and names all three numbers.
    #[test]
    fn a_position_below_the_log_stops_by_default() {
        let error = at(&known(Some(10), 40, 100), Start::Earliest, OutOfRange::Stop).unwrap_err();
        for number in ["10", "40", "100", "orders[3]"] {
            assert!(error.contains(number), "{error}");
        }
    }

    /// R025: with the policy that goes on, reading begins at the log's start and 30 are told lost.
    #[test]
    fn a_position_below_the_log_goes_on_at_its_start_if_told_to() {
        let below = known(Some(10), 40, 100);
        assert_eq!(at(&below, Start::Latest, OutOfRange::Earliest), Ok((40, 30)));
    }

    #[test]
    fn a_position_beyond_the_end_stops_under_both_policies() {
        for policy in [OutOfRange::Stop, OutOfRange::Earliest] {
            let error = at(&known(Some(1000), 0, 960), Start::Earliest, policy).unwrap_err();
            assert!(error.contains("1000") && error.contains("960"), "{error}");
        }
    }

    /// R027: a partition that appeared while running is read from its start under `latest`.
    #[test]
    fn a_partition_found_while_running_begins_at_its_start() {
        let mut fresh = known(None, 0, 10);
        fresh.is_new = true;
        assert_eq!(at(&fresh, Start::Latest, OutOfRange::Stop), Ok((0, 0)));
    }

    #[test]
    fn the_note_comes_back_with_its_offset_and_only_then() {
        let partition = Partition::new("orders", 0);
        let with = begin(&partition, &known(Some(5), 0, 9), Start::Stop, OutOfRange::Stop);
        assert_eq!(with.unwrap().note, Some(Note("spate1;i=01".to_owned())));
        let without = begin(&partition, &known(None, 0, 9), Start::Earliest, OutOfRange::Stop);
        assert_eq!(without.unwrap().note, None);
    }
}

//! What a failed request means: one table from exception codes to who must act.
//!
//! ClickHouse publishes no list of errors worth retrying, so this is ours. `Remote` is retried with
//! growing delays and never ends by itself; `Config` stops the pipeline with the watermark below the
//! batch. Nothing is ever dropped: a refusal that drops rows lets the next commit pass them (R107).
//!
//! ```text
//! code known                -> its line in CODES
//! code unknown              -> Remote, Unknown     (new codes appear with every version)
//! no code, HTTP status      -> its line in STATUSES
//! no answer                 -> Remote; NotWritten only if nothing of the request was sent
//! ```
//!
//! `NotWritten` is claimed only where the server refuses before it writes: another replica, whose
//! log does not know the token, may then be tried. An insert of several blocks can fail on a later
//! one, so most codes are `Unknown`.
//!
//! Source: names from `system.errors` and `src/Common/ErrorCodes.cpp` of ClickHouse 26.9.

use spate_runtime::error::Class;
use spate_runtime::sink::{Outcome, WriteError};

use Class::{Bug, Config, Remote};
use Outcome::{NotWritten, Unknown};

/// One line of the table.
struct Code {
    code: u32,
    class: Class,
    outcome: Outcome,
    /// Why it is classed so: read by people here and in `docs/guide/clickhouse.md`.
    #[cfg_attr(not(test), expect(dead_code, reason = "the page is compared with it by a test"))]
    reason: &'static str,
    /// What to do about it.
    hint: &'static str,
}

const fn line(
    code: u32,
    class: Class,
    outcome: Outcome,
    reason: &'static str,
    hint: &'static str,
) -> Code {
    Code { code, class, outcome, reason, hint }
}

const SCHEMA: &str = "compare the row with the table: `check` names every difference";
const GRANT: &str = "grant INSERT on the table to the user, and SELECT on system tables";
const LOGIN: &str = "set `user` and `password` in the sink's section";
const OVERLOADED: &str = "the server is overloaded; writes go on when it has recovered";

/// Sorted by code.
#[rustfmt::skip]
const CODES: &[Code] = &[
    line(16, Config, NotWritten, "NO_SUCH_COLUMN_IN_TABLE: a column was dropped or misspelt", SCHEMA),
    line(27, Config, Unknown, "CANNOT_PARSE_INPUT_ASSERTION_FAILED: bytes do not fit the columns", SCHEMA),
    line(33, Config, Unknown, "CANNOT_READ_ALL_DATA: the row's widths are not the table's", SCHEMA),
    line(36, Config, NotWritten, "BAD_ARGUMENTS: the statement or a setting is wrong", "look at `settings` in the sink's section"),
    line(40, Remote, Unknown, "CHECKSUM_DOESNT_MATCH: the body was damaged on its way", "if it happens again, a proxy in between changes bodies"),
    line(43, Config, NotWritten, "ILLEGAL_TYPE_OF_ARGUMENT: a default or a view cannot take the value", SCHEMA),
    line(44, Config, NotWritten, "ILLEGAL_COLUMN: a computed column was written", SCHEMA),
    line(47, Config, NotWritten, "UNKNOWN_IDENTIFIER: a column was dropped or misspelt", SCHEMA),
    line(48, Config, NotWritten, "NOT_IMPLEMENTED: the table's engine takes no inserts", "name a table that rows can be inserted into"),
    line(50, Config, NotWritten, "UNKNOWN_TYPE: the table has a type this server does not know", SCHEMA),
    line(53, Config, Unknown, "TYPE_MISMATCH: a value or default does not fit its column, and never will", SCHEMA),
    line(60, Config, NotWritten, "UNKNOWN_TABLE: dropping rows until it appears would lose them (R107)", "create the table, or correct `table`"),
    line(62, Config, NotWritten, "SYNTAX_ERROR: the server does not understand the statement", "the server may be too old"),
    line(73, Config, NotWritten, "UNKNOWN_FORMAT: the server lacks RowBinary", "the server may be too old"),
    line(81, Config, NotWritten, "UNKNOWN_DATABASE: dropping rows until it appears would lose them (R107)", "create the database, or correct `database`"),
    line(115, Config, NotWritten, "UNKNOWN_SETTING: a setting of ours or of the section", "correct `settings`; without any, the server is too old"),
    line(117, Config, Unknown, "INCORRECT_DATA: bytes do not fit the columns", SCHEMA),
    line(131, Config, Unknown, "TOO_LARGE_STRING_SIZE: bytes do not fit the columns", SCHEMA),
    line(159, Remote, Unknown, "TIMEOUT_EXCEEDED: a slow moment or `max_execution_time`", ""),
    line(160, Remote, Unknown, "TOO_SLOW: a limit of the user's profile", ""),
    line(164, Config, NotWritten, "READONLY: the user may not write; nobody but the operator changes that", "give the user a profile without `readonly`"),
    line(190, Config, Unknown, "SIZES_OF_ARRAYS_DONT_MATCH: arrays of one Nested differ; the encoder refuses that row first", SCHEMA),
    line(192, Config, NotWritten, "UNKNOWN_USER: waiting creates none", LOGIN),
    line(193, Config, NotWritten, "WRONG_PASSWORD: trying again may lock the user", LOGIN),
    line(194, Config, NotWritten, "REQUIRED_PASSWORD: none was sent", LOGIN),
    line(201, Remote, NotWritten, "QUOTA_EXCEEDED: the quota's interval ends", "raise the user's quota"),
    line(202, Remote, NotWritten, "TOO_MANY_SIMULTANEOUS_QUERIES: refused before it began", OVERLOADED),
    line(203, Remote, NotWritten, "NO_FREE_CONNECTION: refused before it began", OVERLOADED),
    line(209, Remote, Unknown, "SOCKET_TIMEOUT: between servers, or from us to it", ""),
    line(210, Remote, Unknown, "NETWORK_ERROR: between servers", ""),
    line(225, Remote, Unknown, "NO_ZOOKEEPER: the keeper is away", OVERLOADED),
    line(236, Remote, Unknown, "ABORTED: the server shuts down or a mutation was killed", ""),
    line(241, Remote, Unknown, "MEMORY_LIMIT_EXCEEDED: a busy server recovers, a batch too big does not", "if it lasts: lower `batch_rows` or `batch_bytes`"),
    line(242, Remote, NotWritten, "TABLE_IS_READ_ONLY: the replica lost its keeper; another one may have it", "if it lasts: look at system.replicas"),
    line(243, Remote, Unknown, "NOT_ENOUGH_SPACE: merges may free some", "the server's disk is full"),
    line(252, Remote, Unknown, "TOO_MANY_PARTS: merges have to catch up", "if it lasts: raise `linger` or `batch_rows`, so that inserts are fewer and larger"),
    line(279, Remote, Unknown, "ALL_CONNECTION_TRIES_FAILED: a Distributed table cannot reach its shards", ""),
    line(285, Remote, Unknown, "TOO_FEW_LIVE_REPLICAS: a quorum is missing", "look at system.replicas"),
    line(286, Remote, Unknown, "UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: the last insert still waits for its replicas", "look at system.replicas"),
    line(290, Config, Unknown, "LIMIT_EXCEEDED: more rows or bytes than the profile allows in one insert", "lower `batch_rows` or raise the limit"),
    line(307, Config, Unknown, "TOO_MANY_BYTES: more than the profile allows", "lower `batch_bytes` or raise the limit"),
    line(319, Remote, Unknown, "UNKNOWN_STATUS_OF_INSERT: the keeper went away in the middle", ""),
    line(349, Config, Unknown, "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN: the same rows fail again", SCHEMA),
    line(394, Remote, Unknown, "QUERY_WAS_CANCELLED: by an operator or a shutdown", ""),
    line(425, Remote, Unknown, "SYSTEM_ERROR: disputed; an errno of the server's machine, which may pass", ""),
    line(469, Config, Unknown, "VIOLATED_CONSTRAINT: a row breaks a CHECK of the table", "correct the rows or the constraint"),
    line(497, Config, NotWritten, "ACCESS_DENIED: only a grant changes that", GRANT),
    line(516, Config, NotWritten, "AUTHENTICATION_FAILED: trying again may lock the user", LOGIN),
    line(530, Config, NotWritten, "NOT_ENOUGH_PRIVILEGES: only a grant changes that", GRANT),
    line(999, Remote, Unknown, "KEEPER_EXCEPTION: the keeper is away or elects a leader", OVERLOADED),
];

/// HTTP answers without an exception code: they come from a proxy, or from a server in trouble.
#[rustfmt::skip]
const STATUSES: &[(u16, Class, Outcome, &str)] = &[
    (400, Bug, NotWritten, "a proxy refused the request"),
    (401, Config, NotWritten, LOGIN),
    (403, Config, NotWritten, LOGIN),
    (404, Config, NotWritten, "no ClickHouse answers at this address"),
    (407, Config, NotWritten, "a proxy asks for a password"),
    (411, Bug, NotWritten, "a proxy wants another kind of body"),
    (413, Config, NotWritten, "a proxy limits the size of bodies: lower `batch_bytes`"),
    (429, Remote, NotWritten, ""),
    (502, Remote, Unknown, ""),
    (503, Remote, Unknown, ""),
    (504, Remote, Unknown, ""),
];

/// An insert into more partitions than allowed has the code of too many parts, but another text;
/// it fails the same way for ever (R108).
const TOO_MANY_PARTITIONS: &str = "Too many partitions for single INSERT";
const PARTITIONS_HINT: &str = "one batch touches more partitions than `max_partitions_per_insert_block`: \
    partition the table more coarsely, or raise that in `settings`";

/// What an exception of the server means.
pub(crate) fn of_exception(code: u32, message: &str) -> WriteError {
    let text = format!("server answered with code {code}: {}", first_line(message));
    if code == 252 && message.contains(TOO_MANY_PARTITIONS) {
        return error(Config, Unknown, Some(code), text, PARTITIONS_HINT);
    }
    match CODES.binary_search_by_key(&code, |line| line.code) {
        Ok(index) => {
            let line = &CODES[index];
            error(line.class, line.outcome, Some(code), text, line.hint)
        }
        Err(_) => error(Remote, Unknown, Some(code), text, ""),
    }
}

/// What an HTTP status without an exception code means.
pub(crate) fn of_status(status: u16, body: &str) -> WriteError {
    let text = match first_line(body) {
        "" => format!("server answered with HTTP status {status}"),
        line => format!("server answered with HTTP status {status}: {line}"),
    };
    let known = STATUSES.iter().find(|(known, ..)| *known == status);
    match known {
        Some((_, class, outcome, hint)) => error(*class, *outcome, None, text, hint),
        None => error(Remote, Unknown, None, text, ""),
    }
}

/// No answer: the request or the connection failed.
pub(crate) fn of_transport(outcome: Outcome, text: String) -> WriteError {
    error(Remote, outcome, None, text, "")
}

/// What only the operator can repair, found before anything was sent.
pub(crate) fn of_config(text: String, hint: &str) -> WriteError {
    error(Config, NotWritten, None, text, hint)
}

fn error(
    class: Class,
    outcome: Outcome,
    code: Option<u32>,
    text: String,
    hint: &str,
) -> WriteError {
    WriteError { class, outcome, code, text, hint: hint.to_owned() }
}

/// The code in a text such as `Code: 60. DB::Exception: ...`, wherever it begins.
pub(crate) fn code_in(text: &str) -> Option<u32> {
    text.match_indices("Code: ").find_map(|(at, _)| {
        let rest = &text[at + "Code: ".len()..];
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (code, rest) = rest.split_at(digits);
        rest.starts_with(". DB::").then(|| code.parse().ok())?
    })
}

/// What people need of an exception: its first line, without the server's prefix, cut short.
fn first_line(text: &str) -> &str {
    let text = text.find("Code: ").map_or(text, |at| &text[at..]);
    let line = text.trim_start().lines().next().unwrap_or_default();
    let line = line
        .find("DB::Exception: ")
        .map_or(line, |at| &line[at + "DB::Exception: ".len()..]);
    let end = line
        .char_indices()
        .nth(400)
        .map_or(line.len(), |(at, _)| at);
    line[..end].trim_end().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_says_why() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(CODES.iter().all(|line| line.reason.contains(": ")), "a name is no reason");
        assert!(STATUSES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for line in CODES {
            assert!(
                line.class != Config || !line.hint.is_empty(),
                "{} stops without a hint",
                line.code
            );
        }
    }

    /// R108: what is retried and what is not.
    #[test]
    fn r108_codes_have_their_class() {
        for code in [159, 202, 203, 209, 210, 241, 242, 252, 285, 319, 9999] {
            assert_eq!(of_exception(code, "").class, Remote, "{code}");
        }
        for code in [16, 27, 33, 36, 44, 47, 60, 62, 81, 117, 164, 190, 349, 497, 516] {
            assert_eq!(of_exception(code, "").class, Config, "{code}");
        }
        for status in [429, 502, 503, 504] {
            assert_eq!(of_status(status, "").class, Remote, "{status}");
        }
        let partitions = "Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100). (TOO_MANY_PARTS)";
        assert_eq!(of_exception(252, partitions).class, Config);
    }

    /// R108: the page has a line for every code, made from this table.
    #[test]
    fn r108_the_guide_has_the_table_of_codes() {
        let page = include_str!("../../../docs/guide/clickhouse.md");
        let mut lines: Vec<String> = CODES
            .iter()
            .map(|line| {
                let happens = if line.class == Remote { "retried" } else { "stops" };
                let written = if line.outcome == NotWritten { "yes" } else { "" };
                format!("| {} | {happens} | {written} | {} |", line.code, line.reason)
            })
            .collect();
        lines.push(format!("| 252, \"{TOO_MANY_PARTITIONS}\" | stops | | TOO_MANY_PARTS: the same batch fails the same way for ever |"));
        let expected = lines.join("\n");
        assert!(page.ends_with(&format!("{expected}\n")), "the page should end with:\n{expected}");
    }

    #[test]
    fn codes_are_found_in_texts() {
        assert_eq!(code_in("Code: 241. DB::Exception: Memory limit"), Some(241));
        assert_eq!(code_in("\r\n__exception__\r\nabc\r\nCode: 60. DB::Exception: x"), Some(60));
        assert_eq!(code_in("my text says Code: 7, not an exception"), None);
        assert_eq!(code_in("Code: "), None);
        assert_eq!(code_in(""), None);
    }

    #[test]
    fn texts_are_cut_to_what_people_need() {
        let message = "Code: 60. DB::Exception: Table default.nope does not exist. (UNKNOWN_TABLE) (version 26.9.2.1)\nstack";
        assert_eq!(
            of_exception(60, message).text,
            "server answered with code 60: Table default.nope does not exist. (UNKNOWN_TABLE) (version 26.9.2.1)"
        );
        assert_eq!(of_status(503, "").text, "server answered with HTTP status 503");
        assert!(of_status(503, &"ü".repeat(5000)).text.len() < 900);
    }
}

//! File to file: the slow requests of a log, in milliseconds.
//!
//! ```text
//! cargo run -p spate-examples --bin lines
//! ```
//!
//! Reads `examples/data/*.ndjson`, writes `out/slow`, and keeps how far it read in `out/state`: a
//! second run finds nothing new.

use spate::prelude::*;

/// One request as logged.
#[derive(Deserialize, Record)]
pub struct Request<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    status: u16,
    micros: u64,
}

/// One slow request.
#[derive(Row)]
pub struct Slow<'a> {
    path: Cow<'a, str>,
    status: u16,
    millis: u64,
}

/// Slow requests, from file to file.
#[pipeline(config = "lines.yaml")]
pub mod slow {
    use super::*;

    #[source]
    fn requests() -> File<Json<Request<'_>>>;

    #[sink]
    fn slow() -> File<Slow<'_>>;

    #[sink]
    fn rejects() -> File<DeadLetter<'_>>;

    fn is_slow(request: &Request<'_>) -> bool {
        request.micros >= 100_000
    }

    fn in_millis(request: Request<'_>) -> Slow<'_> {
        Slow { path: request.path, status: request.status, millis: request.micros / 1000 }
    }

    chain!({
        requests
            .decode()
            .or_to(rejects)
            .filter(is_slow)
            .map(in_millis)
            .to(slow)
    });
}

fn main() -> std::process::ExitCode {
    slow::main()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_requests_are_written_in_milliseconds() {
        let mut t = slow::test();
        t.requests()
            .push(r#"{"path":"/fast","status":200,"micros":99999}"#);
        t.requests()
            .push(r#"{"path":"/slow","status":500,"micros":100000}"#);
        t.settle();

        let slow = t.slow().row();
        assert_eq!((&*slow.path, slow.status, slow.millis), ("/slow", 500, 100));
    }

    #[test]
    fn a_log_gives_its_slow_requests_and_what_is_no_request_is_rejected() {
        let mut t = slow::test();
        t.requests().push_lines_of("data/requests.ndjson");
        let report = t.drain();

        assert_eq!(report.snapshot.payloads(), 42);
        assert_eq!(t.slow().len(), 19);
        assert!(
            t.slow()
                .rows()
                .iter()
                .any(|row| row.path == "/search?q=caf\u{e9}")
        );
        let reasons = t.rejects().rows();
        assert_eq!(reasons.len(), 2);
        assert!(
            reasons
                .iter()
                .any(|letter| letter.reason.starts_with("status: invalid type"))
        );
    }
}

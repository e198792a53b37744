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
#[derive(Deserialize)]
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

//! ClickHouse as a test sees it: SQL over HTTP, and a port of its own with faults and a log.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// A port of the front that this test alone uses.
#[derive(Debug)]
pub(crate) struct ClickHouse {
    /// The address that all tests share: never down, no faults.
    shared: String,
    /// The address that pipelines of this test are given.
    own: String,
}

impl ClickHouse {
    pub(crate) fn open(url: &str) -> Self {
        let shared = url
            .trim_end_matches('/')
            .strip_prefix("http://")
            .unwrap()
            .to_owned();
        let port = ask(&shared, "POST", "/_endpoint", "").unwrap();
        let own = format!("127.0.0.1:{}", port.trim());
        Self { shared, own }
    }

    /// Another port of the same front.
    pub(crate) fn another(&self) -> Self {
        Self::open(&format!("http://{}", self.shared))
    }

    /// What goes into a sink's section.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.own)
    }

    /// The answer to one statement, without the last line break; by the shared port.
    #[track_caller]
    pub(crate) fn sql(&self, statement: &str) -> String {
        match ask(&self.shared, "POST", "/", statement) {
            Ok(answer) => answer.trim_end_matches('\n').to_owned(),
            Err(error) => panic!("{statement}: {error}"),
        }
    }

    /// A statement that answers one number.
    #[track_caller]
    pub(crate) fn number(&self, statement: &str) -> u64 {
        let answer = self.sql(statement);
        answer
            .parse()
            .unwrap_or_else(|_| panic!("{statement}: {answer}"))
    }

    /// Arms a fault for this test's port; see `clickhouse_http.py`.
    #[track_caller]
    pub(crate) fn fault(&self, options: &str) {
        ask(&self.own, "POST", &format!("/_fault?{options}"), "").unwrap();
    }

    /// Disarms all faults of this test's port.
    #[track_caller]
    pub(crate) fn heal(&self) {
        ask(&self.own, "DELETE", "/_fault", "").unwrap();
    }

    /// Takes this test's port down for a while, from now on.
    #[track_caller]
    pub(crate) fn down(&self, time: Duration) {
        ask(&self.own, "POST", &format!("/_down?ms={}", time.as_millis()), "").unwrap();
    }

    /// Whether this test's port answers.
    pub(crate) fn is_up(&self) -> bool {
        ask(&self.own, "GET", "/ping", "").is_ok()
    }

    /// The inserts into tables whose statement matches, oldest first. Empty ones are left out: a
    /// preflight sends one.
    #[track_caller]
    pub(crate) fn inserts(&self, matching: &str) -> Vec<Insert> {
        let text = ask(&self.own, "GET", &format!("/_inserts?match={matching}"), "").unwrap();
        let Ok(Value::Array(inserts)) = serde_json::from_str(&text) else { panic!("{text}") };
        inserts
            .iter()
            .map(|insert| Insert {
                token: insert["params"]["insert_deduplication_token"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                fault: insert["fault"].as_str().map(str::to_owned),
                executed: insert["executed"].as_bool().unwrap(),
                rows: insert["rows"].as_u64().unwrap(),
            })
            .filter(|insert| !insert.token.is_empty())
            .collect()
    }
}

/// One insert that the front was sent.
#[derive(Debug)]
pub(crate) struct Insert {
    pub(crate) token: String,
    pub(crate) fault: Option<String>,
    pub(crate) executed: bool,
    pub(crate) rows: u64,
}

/// One request on a connection of its own; the body of the answer, or what went wrong.
fn ask(host: &str, verb: &str, target: &str, body: &str) -> Result<String, String> {
    let text = |error: std::io::Error| error.to_string();
    let mut socket = TcpStream::connect(host).map_err(text)?;
    let length = body.len();
    let head = format!(
        "{verb} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
         content-length: {length}\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).map_err(text)?;
    socket.write_all(body.as_bytes()).map_err(text)?;
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).map_err(text)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or_else(|| format!("no answer: {answer}"))?;
    if head.starts_with("HTTP/1.1 200") { Ok(body.to_owned()) } else { Err(answer.into_owned()) }
}

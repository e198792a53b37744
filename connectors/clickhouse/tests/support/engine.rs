//! The real engine at the address in `SPATE_TEST_CLICKHOUSE`, asked by a client of our own.

use std::io::{Read, Write};
use std::net::TcpStream;

pub(crate) struct Engine {
    pub(crate) url: String,
}

impl Engine {
    /// The engine, or `None` with the reason printed.
    pub(crate) fn find() -> Option<Self> {
        match std::env::var("SPATE_TEST_CLICKHOUSE") {
            Ok(url) => Some(Self { url: url.trim_end_matches('/').to_owned() }),
            Err(_) => {
                println!("skipped: SPATE_TEST_CLICKHOUSE names no server (`./test` starts one)");
                None
            }
        }
    }

    /// The answer to one statement, without the last line break.
    #[track_caller]
    pub(crate) fn sql(&self, statement: &str) -> String {
        let answer = self.post("/", statement);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{statement}\n{answer}");
        body.trim_end_matches('\n').to_owned()
    }

    /// Makes a table anew.
    #[track_caller]
    pub(crate) fn table(&self, name: &str, definition: &str) {
        self.sql(&format!("DROP TABLE IF EXISTS `{name}`"));
        self.sql(&format!("CREATE TABLE `{name}` {definition}"));
    }

    /// Sends a request of its own connection, gives everything that comes back.
    pub(crate) fn post(&self, target: &str, body: &str) -> String {
        let host = self.url.strip_prefix("http://").unwrap();
        let mut socket = TcpStream::connect(host).unwrap();
        let length = body.len();
        let head = format!(
            "POST {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

//! As much of HTTP/1.1 as a scraper and a probe need: GET and HEAD, then close. Pure.
//!
//! Source: RFC 9112, sections 2 to 4.

/// A request's head may not be longer than this.
pub(super) const HEAD_MAX: usize = 8 * 1024;

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request<'a> {
    /// The path without its query.
    pub(super) path: &'a str,
    /// Whether only the head of the answer is wanted.
    pub(super) head_only: bool,
}

/// What came of the bytes read so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parsed<'a> {
    /// The head is not complete yet.
    More,
    /// A request.
    Request(Request<'a>),
    /// Something this server does not answer; with the status.
    Refused(u16),
}

/// Reads a request from what has come in so far.
pub(super) fn parse(bytes: &[u8]) -> Parsed<'_> {
    if !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        return if bytes.len() >= HEAD_MAX { Parsed::Refused(431) } else { Parsed::More };
    }
    let line = bytes
        .split(|&byte| byte == b'\r')
        .next()
        .unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else { return Parsed::Refused(400) };
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Parsed::Refused(400);
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Parsed::Refused(400);
    }
    let path = target.split('?').next().unwrap_or(target);
    match method {
        "GET" => Parsed::Request(Request { path, head_only: false }),
        "HEAD" => Parsed::Request(Request { path, head_only: true }),
        _ => Parsed::Refused(405),
    }
}

/// An answer, as bytes.
pub(super) fn answer(status: u16, kind: &str, body: &str, head_only: bool) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        404 => "Not Found",
        405 => "Method Not Allowed",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    };
    let allow = if status == 405 { "allow: GET, HEAD\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n{allow}\
         connection: close\r\n\r\n",
        body.len()
    );
    let body = if head_only { "" } else { body };
    [head.as_bytes(), body.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_whole_or_refused() {
        let request = |path, head_only| Parsed::Request(Request { path, head_only });
        for (bytes, expected) in [
            ("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", request("/metrics", false)),
            ("GET /readyz?verbose HTTP/1.0\r\n\r\n", request("/readyz", false)),
            ("HEAD / HTTP/1.1\r\n\r\n", request("/", true)),
            ("GET /metr", Parsed::More),
            ("GET / HTTP/1.1\r\nHost: a\r\n", Parsed::More),
            ("", Parsed::More),
            ("POST / HTTP/1.1\r\n\r\n", Parsed::Refused(405)),
            ("GET / HTTP/2\r\n\r\n", Parsed::Refused(400)),
            ("GET  / HTTP/1.1\r\n\r\n", Parsed::Refused(400)),
            ("GET http://a/ HTTP/1.1\r\n\r\n", Parsed::Refused(400)),
            ("\r\n\r\n", Parsed::Refused(400)),
        ] {
            assert_eq!(parse(bytes.as_bytes()), expected, "{bytes:?}");
        }
        assert_eq!(parse(b"\xff / HTTP/1.1\r\n\r\n"), Parsed::Refused(400));
        assert_eq!(parse(&[b'a'; HEAD_MAX]), Parsed::Refused(431));
    }

    #[test]
    fn answers_say_how_long_they_are_and_close() {
        let text = |head_only| {
            String::from_utf8(answer(503, "text/plain", "not yet\n", head_only)).unwrap()
        };
        let head = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\n\
                    content-length: 8\r\nconnection: close\r\n\r\n";
        assert_eq!(text(false), format!("{head}not yet\n"));
        assert_eq!(text(true), head);
    }
}

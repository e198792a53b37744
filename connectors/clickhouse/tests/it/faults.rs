//! What the sink makes of servers that fail, on a server that fails on purpose.

use std::sync::Arc;
use std::time::Duration;

use spate_clickhouse::RowBinary;
use spate_runtime::clock::Clock;
use spate_runtime::error::Class;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::sink::{Outcome, SealedBatch, Sink, WriteError};

use crate::batch::Lane;
use crate::rows::row;
use crate::server::{Act, Server};
use crate::sink;

row! { Pair { id: u64 = "id", name: String = "na`me" } }

fn batch(token: &str) -> Arc<SealedBatch> {
    let mut lane = Lane::<RowBinary>::new();
    for frame in 0..3 {
        lane.frame((0..4).map(|row| Pair { id: frame * 10 + row, name: format!("{frame}/{row}") }));
    }
    lane.seal(token)
}

fn bytes(batch: &SealedBatch) -> Vec<u8> {
    batch.chunks().flatten().copied().collect()
}

fn pairs(server: &Server, more: &str) -> Arc<dyn Sink> {
    sink::<Pair>(&format!("url: {}\ntable: t\ncompression: none\n{more}", server.url))
}

async fn write(sink: &dyn Sink, batch: &Arc<SealedBatch>) -> Result<(), WriteError> {
    sink.write(ShardId(0), ReplicaId(0), Arc::clone(batch))
        .await
}

/// Writes once to a server that does `act`, and gives the error.
async fn failure(act: Act) -> WriteError {
    let server = Server::start([act]);
    let sink = pairs(&server, "request_timeout: 300ms");
    write(&*sink, &batch("t")).await.unwrap_err()
}

#[tokio::test]
async fn a_batch_is_one_insert_of_its_frames_and_its_token() {
    let server = Server::start([]);
    let sink = pairs(&server, "user: me\npassword: s3cret\nsettings: {max_threads: 2}");
    let batch = batch("orders-lines-0-topic-0-17");
    write(&*sink, &batch).await.unwrap();
    let seen = &server.seen()[0];
    assert_eq!(seen.body, bytes(&batch));
    assert_eq!(
        seen.parameter("query"),
        Some(
            "INSERT%20INTO%20%60default%60.%60t%60%20%28%60id%60%2C%20%60na%60%60me%60%29%20FORMAT%20RowBinary"
        )
    );
    for (name, value) in [
        ("insert_deduplication_token", "orders-lines-0-topic-0-17"),
        ("async_insert", "0"),
        ("wait_for_async_insert", "1"),
        ("wait_end_of_query", "1"),
        ("insert_deduplicate", "1"),
        ("max_threads", "2"),
    ] {
        assert_eq!(seen.parameter(name), Some(value), "{name}");
    }
    assert!(seen.headers.contains("x-clickhouse-user: me\r\n"));
    assert!(seen.headers.contains("x-clickhouse-key: s3cret\r\n"));
    assert!(!seen.target.contains("s3cret"));
}

/// R095: status 200 with an exception code in a header is a failure.
#[tokio::test]
async fn r095_an_exception_header_decides_whatever_the_status() {
    let header = "X-ClickHouse-Exception-Code: 209\r\n";
    let server = Server::start([Act::status(200, header, "")]);
    let sink = pairs(&server, "");
    let batch = batch("t");
    let error = write(&*sink, &batch).await.unwrap_err();
    assert_eq!((error.class, error.outcome), (Class::Remote, Outcome::Unknown));
    assert_eq!(error.code, Some(209));
    write(&*sink, &batch).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!((&seen[0].target, &seen[0].body), (&seen[1].target, &seen[1].body));
}

/// R096: the body is read whole; exceptions in it and abnormal ends are failures.
#[tokio::test]
async fn r096_a_success_with_an_exception_in_its_body_is_a_failure() {
    let error = failure(Act::status(200, "", "Code: 241. DB::Exception: Memory limit")).await;
    assert_eq!(error.code, Some(241));
    let late = "\r\n__exception__\r\nabcdef\r\nCode: 395. DB::Exception: late\r\n";
    assert_eq!(failure(Act::status(200, "", late)).await.code, Some(395));
    let cut = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n";
    let error = failure(Act::AnswerAndClose(cut.to_owned())).await;
    assert_eq!((error.class, error.outcome), (Class::Remote, Outcome::Unknown));
    let short = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc";
    let error = failure(Act::AnswerAndClose(short.to_owned())).await;
    assert_eq!((error.class, error.outcome), (Class::Remote, Outcome::Unknown));
}

/// R107, R108: who must act on which answer.
#[tokio::test]
async fn r108_answers_have_their_class() {
    for (status, code, class) in [
        (500, 252, Class::Remote),
        (500, 242, Class::Remote),
        (500, 9999, Class::Remote),
        (404, 60, Class::Config),
        (403, 516, Class::Config),
        (403, 497, Class::Config),
        (400, 117, Class::Config),
    ] {
        let error = failure(Act::exception(status, code)).await;
        assert_eq!((error.class, error.code), (class, Some(code)));
        assert!(error.text.contains("told so"), "{error}");
    }
    for status in [429, 502, 503, 504] {
        assert_eq!(failure(Act::status(status, "", "busy")).await.class, Class::Remote);
    }
    let error = failure(Act::status(404, "", "<html>nginx</html>")).await;
    assert_eq!((error.class, error.outcome), (Class::Config, Outcome::NotWritten));
}

#[tokio::test]
async fn a_server_that_is_not_there_has_written_nothing() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let sink = sink::<Pair>(&format!("url: {url}\ntable: t"));
    let error = write(&*sink, &batch("t")).await.unwrap_err();
    assert_eq!((error.class, error.outcome), (Class::Remote, Outcome::NotWritten));
    let error = sink.probe(ShardId(0), ReplicaId(0)).await.unwrap_err();
    assert!(error.text.contains(&url), "{error}");
}

/// R110: no answer means that nobody knows.
#[tokio::test]
async fn r110_an_insert_without_an_answer_is_of_unknown_outcome() {
    for act in [Act::Hang, Act::Close] {
        let error = failure(act).await;
        assert_eq!((error.class, error.outcome), (Class::Remote, Outcome::Unknown), "{error}");
    }
}

/// Once a write has ended or was dropped, the sink holds no frame of it: the budget gets it back.
#[tokio::test]
async fn an_abandoned_write_gives_its_batch_back() {
    let server = Server::start([Act::Hang, Act::Hang]);
    let sink = pairs(&server, "request_timeout: 300ms");
    let batch = batch("t");
    write(&*sink, &batch).await.unwrap_err();
    assert_eq!(Arc::strong_count(&batch), 1);
    let writing = write(&*sink, &batch);
    assert!(
        tokio::time::timeout(Duration::from_millis(50), writing)
            .await
            .is_err()
    );
    assert_eq!(Arc::strong_count(&batch), 1);
}

#[tokio::test]
async fn inserts_share_a_connection() {
    let server = Server::start([]);
    let sink = pairs(&server, "");
    for token in ["a", "b", "c"] {
        write(&*sink, &batch(token)).await.unwrap();
    }
    sink.probe(ShardId(0), ReplicaId(0)).await.unwrap();
    let connections: Vec<usize> = server.seen().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0, 0, 0]);
}

#[tokio::test]
async fn inserts_at_once_have_connections_of_their_own() {
    let server = Server::start([]);
    let sink = pairs(&server, "");
    let (a, b) = (batch("a"), batch("b"));
    let (first, second) = tokio::join!(write(&*sink, &a), write(&*sink, &b));
    first.unwrap();
    second.unwrap();
    let mut connections: Vec<usize> = server.seen().iter().map(|seen| seen.connection).collect();
    connections.sort_unstable();
    assert_eq!(connections, [0, 1]);
}

/// R109: a connection that the server closed while idle costs nothing but a new one.
#[tokio::test]
async fn r109_a_connection_closed_while_idle_is_replaced() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let server = Server::start([Act::AnswerAndClose(answer.to_owned())]);
    let sink = pairs(&server, "");
    write(&*sink, &batch("a")).await.unwrap();
    server.wait_closed(1);
    write(&*sink, &batch("b")).await.unwrap();
    let seen = server.seen();
    let tokens: Vec<_> = seen
        .iter()
        .map(|seen| seen.parameter("insert_deduplication_token"))
        .collect();
    assert_eq!(tokens, [Some("a"), Some("b")], "each batch arrived once");
}

/// R120: the request's own limit counts, not the period of batches.
#[tokio::test]
async fn r120_a_slow_insert_is_waited_for() {
    let server = Server::start([Act::Hang]);
    let sink = pairs(&server, "request_timeout: 200ms");
    let clock = Clock::real();
    let before = clock.now();
    let error = write(&*sink, &batch("t")).await.unwrap_err();
    assert!(clock.now() - before >= Duration::from_millis(200));
    assert!(error.text.contains("200ms"), "{error}");
}

/// A server that refuses at once does not read the body: the answer must not wait for that.
#[tokio::test]
async fn a_refusal_before_the_body_was_read_is_heard() {
    let Act::Answer(answer) = Act::exception(403, 497) else { panic!("an exception is an answer") };
    let server = Server::start([Act::AnswerEarly(answer)]);
    let sink = pairs(&server, "");
    // More than the buffers of both sockets hold.
    let mut lane = Lane::<RowBinary>::new();
    let name = "n".repeat(1 << 20);
    for id in 0..24 {
        lane.frame([Pair { id, name: name.clone() }]);
    }
    let batch = lane.seal("t");
    let error = write(&*sink, &batch).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Config, Some(497)));
    assert!(!error.hint.is_empty());
    assert_eq!(Arc::strong_count(&batch), 1, "what was not sent is not kept");
    // The connection is in the middle of a body: the next request has one of its own.
    write(&*sink, &batch).await.unwrap();
    assert_eq!(server.seen()[0].connection, 1);
    assert_eq!(server.seen()[0].body, bytes(&batch));
}

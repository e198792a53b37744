//! The admin server over a real socket, on a pipeline that runs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use spate_runtime::admin::{Admin, Exporter, Listening};
use spate_runtime::pipeline::Running;

use crate::world::World;

fn any() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

fn serve(running: &Running, exporter: Option<Exporter>) -> Admin {
    let status = Arc::clone(running.handle().status());
    Listening::bind(any())
        .unwrap()
        .serve(status, exporter)
        .unwrap()
}

/// Status and body of a page.
fn get(admin: &Admin, path: &str) -> (u16, String) {
    ask(admin, &format!("GET {path} HTTP/1.1\r\nHost: spate\r\n\r\n"))
}

fn ask(admin: &Admin, request: &str) -> (u16, String) {
    let mut connection = TcpStream::connect(admin.address()).unwrap();
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, body.to_owned())
}

/// Asks until the page is ok; the harness's own limit ends a test that never is.
fn wait_until_ok(admin: &Admin, path: &str) {
    while get(admin, path).0 != 200 {
        std::thread::yield_now();
    }
}

/// R140: ready with no partition at all, and no longer once it has ended.
#[test]
fn r140_a_member_without_partitions_gets_ready_and_ends() {
    let world = World::new(0, 0);
    let running = world.start(&[]);
    let admin = serve(&running, None);
    wait_until_ok(&admin, "/readyz");
    assert_eq!(get(&admin, "/healthz"), (200, "ok\n".to_owned()));
    running.handle().drain();
    assert_eq!(running.wait().outcome, spate_runtime::pipeline::Outcome::Drained);
    let (status, body) = get(&admin, "/readyz");
    assert_eq!((status, body.as_str()), (503, "the pipeline has ended\n"));
    assert_eq!(get(&admin, "/healthz").0, 503);
}

/// R129: without a recorder there is no page, not an empty one.
#[test]
fn r129_metrics_are_there_with_an_exporter_only() {
    let world = World::new(1, 10);
    let running = world.start(&[0]);
    assert_eq!(get(&serve(&running, None), "/metrics").0, 404);
    let exporter: Exporter = Arc::new(|| "# of the recorder\n".to_owned());
    let admin = serve(&running, Some(exporter));
    world.logs.wait("the commit", |state| {
        state
            .committed
            .values()
            .any(|commit| commit.watermark.0 == 10)
    });
    let line = "spate_partition_watermark{pipeline=\"numbers\",source=\"input\",\
                topic=\"numbers\",partition=\"0\"} 10\n";
    let (status, body) = get(&admin, "/metrics");
    assert_eq!(status, 200);
    assert!(body.starts_with("# of the recorder\n"), "{body}");
    assert!(body.contains(line), "{body}");
}

/// R129: the error names the address and says what to write.
#[test]
fn r129_a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind(any()).unwrap();
    let address = taken.local_addr().unwrap();
    let error = Listening::bind(address).unwrap_err();
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(error.hint().contains("`off`"), "{}", error.hint());
}

#[test]
fn a_client_that_says_nothing_does_not_keep_others_waiting() {
    let world = World::new(0, 0);
    let running = world.start(&[]);
    let admin = serve(&running, None);
    let silent: Vec<_> = (0..4)
        .map(|_| TcpStream::connect(admin.address()).unwrap())
        .collect();
    assert_eq!(get(&admin, "/").0, 200);
    assert_eq!(get(&admin, "/nothing").0, 404);
    assert_eq!(ask(&admin, "POST / HTTP/1.1\r\n\r\n").0, 405);
    assert_eq!(ask(&admin, "nonsense\r\n\r\n").0, 400);
    drop(silent);
}

#[test]
fn a_server_that_is_dropped_gives_its_address_back() {
    let world = World::new(0, 0);
    let running = world.start(&[]);
    let admin = serve(&running, None);
    let address = admin.address();
    drop(admin);
    assert!(Listening::bind(address).is_ok());
}

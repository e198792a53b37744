//! TLS to a server whose certificate is trusted, and to one whose is not.
//!
//! The certificate in `support/tls` is for `localhost`, signs itself, and is trusted by nobody else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use spate_clickhouse::RowBinary;
use spate_runtime::error::Class;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::sink::{Outcome, WriteError};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::batch::Lane;
use crate::rows::row;
use crate::sink;

row! { One { id: u64 = "id" } }

const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/tls/cert.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/tls/key.pem");

/// A server that takes one insert on each connection; its port.
fn server() -> u16 {
    let certificate = CertificateDer::from_pem_file(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_file(KEY).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let stream = StreamOwned::new(connection, socket.unwrap());
            // A client that refuses the certificate ends the connection.
            drop(answer(stream));
        }
    });
    port
}

fn answer(stream: impl Read + Write) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    let mut length = 0;
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    assert_eq!(body, 7u64.to_le_bytes());
    let stream = stream.get_mut();
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")?;
    stream.flush()
}

async fn write(yaml: &str) -> Result<(), WriteError> {
    let mut lane = Lane::<RowBinary>::new();
    lane.frame([One { id: 7 }]);
    let yaml = format!("table: t\ncompression: none\n{yaml}");
    sink::<One>(&yaml)
        .write(ShardId(0), ReplicaId(0), lane.seal("t"))
        .await
}

#[tokio::test]
async fn a_trusted_server_gets_its_rows() {
    let port = server();
    for host in ["localhost", "127.0.0.1"] {
        let yaml = format!("url: https://{host}:{port}\nca_file: {CERTIFICATE}");
        write(&yaml).await.unwrap();
    }
}

/// R121: what waiting does not mend is not waited for, and the reason is said.
#[tokio::test]
async fn r121_a_server_that_is_not_trusted_is_refused_with_the_reason() {
    let port = server();
    let error = write(&format!("url: https://localhost:{port}"))
        .await
        .unwrap_err();
    assert_eq!((error.class, error.outcome), (Class::Config, Outcome::NotWritten), "{error}");
    assert!(error.text.contains("certificate"), "{error}");
    assert!(error.hint.contains("ca_file"), "{}", error.hint);
    let error = write(&format!("url: https://localhost:{port}\nca_file: {KEY}"))
        .await
        .unwrap_err();
    assert_eq!(error.class, Class::Config);
    assert!(error.text.contains("no certificate"), "{error}");
}

#[tokio::test]
async fn a_server_without_tls_is_not_mistaken_for_one_that_lies() {
    let plain = crate::server::Server::start([]);
    let url = plain.url.replace("http://", "https://");
    let error = write(&format!("url: {url}\nca_file: {CERTIFICATE}"))
        .await
        .unwrap_err();
    assert_eq!(error.outcome, Outcome::NotWritten, "{error}");
}

//! The shell: a thread that accepts, a thread per connection, at most a few at once.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::health::{Verdict, live, ready};
use super::http::{HEAD_MAX, Parsed, Request, answer, parse};
use crate::clock::Clock;
use crate::metrics::write_scraped;
use crate::pipeline::report::Snapshot;
use crate::pipeline::status::SharedStatus;

/// Connections that are served at once; one more is told to come again.
const CONNECTIONS_MAX: usize = 16;
/// A request must be here, and its answer taken, in this time.
const PATIENCE: Duration = Duration::from_secs(5);

const PLAIN: &str = "text/plain; charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Renders the recorder's metrics in Prometheus' text format.
pub type Exporter = Arc<dyn Fn() -> String + Send + Sync>;

/// The admin server could not listen.
#[derive(Debug, thiserror::Error)]
#[error("could not listen on `{address}` for `/metrics` and health checks")]
pub struct BindError {
    address: SocketAddr,
    #[source]
    source: io::Error,
}

impl BindError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        "set `pipeline.admin` to another address, to port 0 for any, or to `off`"
    }
}

/// A listener that nothing is served on yet: bound before the pipeline starts.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

/// A server that runs until it is dropped.
pub struct Admin {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Binds `address`; port 0 takes any that is free.
    ///
    /// # Errors
    ///
    /// When the address is taken or not this machine's.
    pub fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let failed = |source| BindError { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves `status` until the server is dropped. Without an exporter `/metrics` is not there.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn serve(self, status: SharedStatus, exporter: Option<Exporter>) -> io::Result<Admin> {
        let Self { listener, address } = self;
        let stop = Arc::new(AtomicBool::new(false));
        let pages = Arc::new(Pages { status, exporter });
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("spate-admin".to_owned())
            .spawn(move || accept(&listener, &stopped, &pages))?;
        Ok(Admin { address, stop, thread: Some(thread) })
    }
}

impl Admin {
    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl fmt::Debug for Admin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admin")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Drop for Admin {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // A connection to itself wakes the thread from `accept`.
        let mut to = self.address;
        match to.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => to.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => to.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        let woken = TcpStream::connect_timeout(&to, PATIENCE).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken)
            && thread.join().is_err()
        {
            tracing::error!("the admin server panicked");
        }
    }
}

/// What can be asked for.
struct Pages {
    status: SharedStatus,
    exporter: Option<Exporter>,
}

impl Pages {
    /// Status, kind and body of a page.
    fn page(&self, path: &str) -> (u16, &'static str, String) {
        match (path, &self.exporter) {
            ("/metrics", Some(exporter)) => {
                let snapshot = self.status.record();
                let mut text = exporter();
                match write_scraped(&snapshot, &mut text) {
                    Ok(()) => (200, PROMETHEUS, text),
                    Err(error) => (503, PLAIN, error.to_string()),
                }
            }
            ("/metrics", None) => {
                (404, PLAIN, "no Prometheus recorder is installed by spate\n".to_owned())
            }
            ("/healthz", _) => verdict(&live(&self.snapshot())),
            ("/readyz", _) => verdict(&ready(&self.snapshot())),
            ("/", _) => (200, PLAIN, "/metrics\n/healthz\n/readyz\n".to_owned()),
            _ => (404, PLAIN, "there are /metrics, /healthz and /readyz\n".to_owned()),
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.status)
    }
}

fn verdict(verdict: &Verdict) -> (u16, &'static str, String) {
    if verdict.is_ok() {
        return (200, PLAIN, "ok\n".to_owned());
    }
    (503, PLAIN, verdict.reasons.join("\n") + "\n")
}

fn accept(listener: &TcpListener, stop: &AtomicBool, pages: &Arc<Pages>) {
    let open = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming() {
        if stop.load(Ordering::Acquire) {
            return;
        }
        let Ok(mut connection) = connection else { continue };
        if open.load(Ordering::Relaxed) >= CONNECTIONS_MAX {
            let busy = answer(503, PLAIN, "too many connections\n", false);
            log_failed(connection.write_all(&busy));
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (pages, counted) = (Arc::clone(pages), Open(Arc::clone(&open)));
        let served = std::thread::Builder::new()
            .name("spate-admin-io".to_owned())
            .spawn(move || {
                log_failed(serve(connection, &pages));
                drop(counted);
            });
        if let Err(error) = served {
            tracing::warn!(%error, "no thread for an admin connection");
        }
    }
}

/// Counts an open connection down again, also when its page panics.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(mut connection: TcpStream, pages: &Pages) -> io::Result<()> {
    let clock = Clock::real();
    let until = clock.now() + PATIENCE;
    connection.set_write_timeout(Some(PATIENCE))?;
    let mut head = Vec::new();
    let mut room = [0; 1024];
    let bytes = loop {
        match parse(&head) {
            Parsed::Request(Request { path, head_only }) => {
                let (status, kind, body) = pages.page(path);
                break answer(status, kind, &body, head_only);
            }
            Parsed::Refused(status) => break answer(status, PLAIN, "", false),
            Parsed::More => {}
        }
        let left = until.saturating_duration_since(clock.now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        connection.set_read_timeout(Some(left))?;
        let want = room.len().min(HEAD_MAX - head.len());
        match connection.read(&mut room[..want])? {
            0 => return Ok(()),
            read => head.extend_from_slice(&room[..read]),
        }
    };
    connection.write_all(&bytes)?;
    connection.shutdown(Shutdown::Write)?;
    // Until the other side has closed: closing first with bytes unread would reset it.
    while clock.now() < until && connection.read(&mut room)? > 0 {}
    Ok(())
}

/// A client that went away is its own business.
fn log_failed(result: io::Result<()>) {
    if let Err(error) = result {
        tracing::debug!(%error, "an admin connection ended early");
    }
}

//! HTTP/1.1 to one replica: a small pool of connections, one request on each at a time.
//!
//! I/O runtime. hyper encodes and parses; sockets, pool and timeouts are ours. A connection has no
//! task of its own: the request that uses it drives it, so that when a request ends or is dropped,
//! everything it held (the frames of its batch above all) is given back at that moment.
//!
//! ```text
//! idle, used less than IDLE_LIMIT ago -> request -> answer read whole -> idle
//!                 none -> connect -----^      \-> error, timeout, dropped: closed
//! ```
//!
//! Servers close connections idle for 3 s (ClickHouse's default up to 2024) and a request that
//! crosses the close is lost without a trace, hence `IDLE_LIMIT` (R109). A request whose connection
//! turns out closed before anything of it was written is sent again on a new one; if anything was
//! written, nobody knows, and the caller decides with the same token.

pub(crate) mod body;
pub(crate) mod compress;
mod io;
#[cfg(feature = "tls")]
pub(crate) mod tls;
pub(crate) mod url;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::HeaderValue;
use hyper::{HeaderMap, Request, Response};
use spate_runtime::clock::Clock;
use spate_runtime::error::chain_text;
use spate_runtime::sink::{Outcome, WriteError};
use tokio::net::TcpStream;

use self::body::RequestBody;
use self::io::Socket;
use self::url::Url;
use crate::error;

/// How long an unused connection is trusted, below every server's own limit.
const IDLE_LIMIT: Duration = Duration::from_millis(2_000);
/// Connections kept per replica; more may be open at once.
const IDLE_CONNECTIONS: usize = 8;
/// Bytes of an answer that are kept; the rest is read and dropped.
const ANSWER_BYTES: usize = 16 << 20;

/// How to reach a replica, beside its address.
#[derive(Clone, Debug)]
pub(crate) struct Dialer {
    pub(crate) connect_timeout: Duration,
    #[cfg(feature = "tls")]
    pub(crate) tls: std::sync::Arc<tls::Tls>,
}

/// One replica.
#[derive(Debug)]
pub(crate) struct Replica {
    pub(crate) url: Url,
    /// What its requests say in `Host`.
    pub(crate) host: HeaderValue,
    dialer: Dialer,
    clock: Clock,
    idle: Mutex<Vec<Connection>>,
}

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// No connection came about.
    Connect(WriteError),
    /// The connection was closed before anything was written; the request can be sent again.
    Unsent(Box<Request<RequestBody>>),
    /// It broke afterwards.
    Broken(hyper::Error),
}

struct Connection {
    sender: SendRequest<RequestBody>,
    driver: http1::Connection<Socket, RequestBody>,
    /// The driver has returned and must not be polled again.
    ended: bool,
    last_used: Instant,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl Replica {
    pub(crate) fn new(url: Url, dialer: Dialer) -> Self {
        let host =
            HeaderValue::try_from(url.authority()).expect("checked when the address was read");
        Self { url, host, dialer, clock: Clock::real(), idle: Mutex::default() }
    }

    /// Sends `request` and reads the whole answer within `limit`.
    pub(crate) async fn send(
        &self,
        request: Request<RequestBody>,
        limit: Duration,
    ) -> Result<Answer, WriteError> {
        let mut connected = false;
        let exchange = self.exchange(request, &mut connected);
        let result = tokio::time::timeout(limit, exchange).await;
        match result {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Failure::Connect(error))) => Err(error),
            Ok(Err(Failure::Unsent(_))) => {
                let text = format!("{} closed a new connection at once", self.url);
                Err(error::of_transport(Outcome::NotWritten, text))
            }
            Ok(Err(Failure::Broken(broken))) => {
                let text = format!("connection to {} broke: {}", self.url, chain_text(&broken));
                Err(error::of_transport(Outcome::Unknown, text))
            }
            Err(_) => {
                let outcome = if connected { Outcome::Unknown } else { Outcome::NotWritten };
                let text = format!("{} did not answer within {limit:?}", self.url);
                Err(error::of_transport(outcome, text))
            }
        }
    }

    async fn exchange(
        &self,
        request: Request<RequestBody>,
        connected: &mut bool,
    ) -> Result<Answer, Failure> {
        let mut request = request;
        while let Some(mut connection) = self.take_idle() {
            if !connection.is_alive().await {
                continue;
            }
            *connected = true;
            match connection.round_trip(request).await {
                Err(Failure::Unsent(back)) => request = *back,
                result => return self.finish(connection, result).await,
            }
        }
        *connected = false;
        let mut connection = self.connect().await?;
        *connected = true;
        let result = connection.round_trip(request).await;
        self.finish(connection, result).await
    }

    /// Keeps a connection whose answer was read whole, if it can take another request.
    async fn finish(
        &self,
        mut connection: Connection,
        result: Result<Answer, Failure>,
    ) -> Result<Answer, Failure> {
        if result.is_ok() && connection.is_ready().await {
            connection.last_used = self.clock.now();
            let mut idle = self.lock();
            if idle.len() < IDLE_CONNECTIONS {
                idle.push(connection);
            }
        }
        result
    }

    /// The connection used last, unless it has been idle for too long.
    fn take_idle(&self) -> Option<Connection> {
        let now = self.clock.now();
        let mut idle = self.lock();
        let connection = idle.pop()?;
        if now.saturating_duration_since(connection.last_used) < IDLE_LIMIT {
            return Some(connection);
        }
        // Those below it are older still.
        idle.clear();
        None
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let limit = self.dialer.connect_timeout;
        let refused =
            |text: String| Failure::Connect(error::of_transport(Outcome::NotWritten, text));
        let connecting = TcpStream::connect((self.url.host.as_str(), self.url.port));
        let socket = match tokio::time::timeout(limit, connecting).await {
            Ok(Ok(socket)) => socket,
            Ok(Err(error)) => {
                return Err(refused(format!("could not connect to {}: {error}", self.url)));
            }
            Err(_) => {
                return Err(refused(format!("could not connect to {} within {limit:?}", self.url)));
            }
        };
        if let Err(error) = socket.set_nodelay(true) {
            tracing::debug!(%error, "socket refused TCP_NODELAY");
        }
        let socket = self.encrypt(socket).await?;
        let handshake = http1::Builder::new().handshake(socket).await;
        let (sender, driver) = handshake.map_err(Failure::Broken)?;
        Ok(Connection { sender, driver, ended: false, last_used: self.clock.now() })
    }

    #[cfg(not(feature = "tls"))]
    #[expect(clippy::unused_async, reason = "its twin with TLS waits for the handshake")]
    async fn encrypt(&self, socket: TcpStream) -> Result<Socket, Failure> {
        debug_assert!(!self.url.tls, "refused when the configuration was read");
        Ok(Socket::Plain(socket))
    }

    #[cfg(feature = "tls")]
    async fn encrypt(&self, socket: TcpStream) -> Result<Socket, Failure> {
        if !self.url.tls {
            return Ok(Socket::Plain(socket));
        }
        let limit = self.dialer.connect_timeout;
        let socket = self.dialer.tls.connect(&self.url, socket, limit).await;
        Ok(Socket::Tls(Box::new(socket.map_err(Failure::Connect)?)))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Lets the driver do what it can; whether it goes on.
    fn drive(&mut self, cx: &mut std::task::Context<'_>) {
        if !self.ended {
            self.ended = Pin::new(&mut self.driver).poll(cx).is_ready();
        }
    }

    /// Whether the other side has not closed it meanwhile, as far as the kernel knows.
    ///
    /// Nobody polled the socket while it was idle: yielding once lets the runtime ask the kernel.
    async fn is_alive(&mut self) -> bool {
        tokio::task::yield_now().await;
        poll_fn(|cx| {
            self.drive(cx);
            Poll::Ready(!self.ended && !self.sender.is_closed())
        })
        .await
    }

    /// Whether it can take another request: the last one and its answer are over.
    async fn is_ready(&mut self) -> bool {
        poll_fn(|cx| {
            self.drive(cx);
            let ready = self.sender.poll_ready(cx);
            Poll::Ready(!self.ended && matches!(ready, Poll::Ready(Ok(()))))
        })
        .await
    }

    async fn round_trip(&mut self, request: Request<RequestBody>) -> Result<Answer, Failure> {
        let mut call = pin!(self.sender.try_send_request(request));
        let (driver, ended) = (&mut self.driver, &mut self.ended);
        let response = poll_fn(|cx| {
            if !*ended {
                *ended = Pin::new(&mut *driver).poll(cx).is_ready();
            }
            call.as_mut().poll(cx)
        });
        let response = response
            .await
            .map_err(|mut error| match error.take_message() {
                Some(request) => Failure::Unsent(Box::new(request)),
                None => Failure::Broken(error.into_error()),
            })?;
        self.read(response).await
    }

    async fn read(&mut self, response: Response<Incoming>) -> Result<Answer, Failure> {
        let (head, mut incoming) = response.into_parts();
        let mut body = Vec::new();
        while let Some(frame) = poll_fn(|cx| {
            self.drive(cx);
            Pin::new(&mut incoming).poll_frame(cx)
        })
        .await
        {
            let frame = frame.map_err(Failure::Broken)?;
            if let Some(bytes) = frame.data_ref() {
                let room = ANSWER_BYTES.saturating_sub(body.len());
                body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
        }
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }
}

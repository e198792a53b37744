//! The sink as it is declared, `ClickHouse<OrderLine<'_>>`, and as the writers see it.

pub(crate) mod encoder;
mod preflight;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::body::{Buf, Bytes};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use spate_runtime::chain::row::{Column, Row};
use spate_runtime::config::{ConfigErrors, Schema, Section};
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::preflight::Findings;
use spate_runtime::sink::{BoxFuture, Layout, SealedBatch, Sink, SinkConnector, WriteError};

use self::encoder::RowBinary;
use crate::config::{Compression, SCHEMA, Settings};
use crate::error;
use crate::sql;
use crate::transport::body::{Chunk, Frames, RequestBody};
use crate::transport::compress::{Blocks, Workspaces};
use crate::transport::{Answer, Dialer, Replica};

/// A ClickHouse table that takes rows of type `R`.
///
/// ```
/// # use spate_clickhouse::ClickHouse;
/// # use spate_runtime::{chain::row::Row, config::Section, sink::SinkConnector};
/// # fn declared<R: Row + 'static>() -> Result<(), spate_runtime::config::ConfigErrors> {
/// let yaml = "url: http://localhost:8123\ntable: order_lines";
/// let section = Section::for_test(ClickHouse::<R>::SCHEMA, yaml)?;
/// let sink = ClickHouse::<R>::from_section(&section)?.into_sink();
/// # Ok(()) }
/// ```
pub struct ClickHouse<R> {
    settings: Settings,
    row: PhantomData<fn() -> R>,
}

impl<R> fmt::Debug for ClickHouse<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClickHouse").field(&self.settings).finish()
    }
}

impl<R: Row + 'static> SinkConnector for ClickHouse<R> {
    type Row = R;
    type Encoder = RowBinary;
    const SCHEMA: &'static Schema = SCHEMA;

    fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        let settings = Settings::from_section(section)?;
        let longest = insert_target(&settings, R::COLUMNS).len() + "/".len() + 1_000;
        if longest > usize::from(u16::MAX) {
            let text = format!("row `{}` has too many columns for one statement", R::NAME);
            return Err(section.error("table", "S010", text, "split the row over two tables"));
        }
        Ok(Self { settings, row: PhantomData })
    }

    fn into_sink(self) -> Arc<dyn Sink> {
        Arc::new(Inserter::new(self.settings, R::NAME, R::COLUMNS))
    }
}

/// What the writers drive: shared by all of them.
pub(crate) struct Inserter {
    pub(crate) settings: Settings,
    pub(crate) row: &'static str,
    pub(crate) columns: &'static [Column],
    /// Shape `[shard][replica]`.
    pub(crate) replicas: Vec<Vec<Replica>>,
    /// Everything of an insert's target but the address's path and the token.
    insert: String,
    user: HeaderValue,
    password: Option<HeaderValue>,
    workspaces: Arc<Workspaces>,
    /// Whether the preflight saw that the replicas of every shard share their tokens.
    pub(crate) shared_tokens: AtomicBool,
}

impl Inserter {
    fn new(settings: Settings, row: &'static str, columns: &'static [Column]) -> Self {
        let dialer = Dialer {
            connect_timeout: settings.connect_timeout,
            #[cfg(feature = "tls")]
            tls: crate::transport::tls::Tls::new(settings.ca_file.as_deref()),
        };
        let replica = |url: &crate::transport::url::Url| Replica::new(url.clone(), dialer.clone());
        let replicas: Vec<Vec<Replica>> = settings
            .shards
            .iter()
            .map(|shard| shard.iter().map(replica).collect())
            .collect();
        Self {
            row,
            columns,
            insert: insert_target(&settings, columns),
            user: header(&settings.user),
            password: settings.password.as_ref().map(|password| {
                let mut value = header(password.reveal());
                value.set_sensitive(true);
                value
            }),
            workspaces: Workspaces::new(replicas.len().max(4)),
            replicas,
            shared_tokens: AtomicBool::new(false),
            settings,
        }
    }

    fn replica(&self, shard: ShardId, replica: ReplicaId) -> &Replica {
        &self.replicas[shard.0][replica.0]
    }

    /// A request to `replica`; `query` is what follows the path of its address.
    pub(crate) fn request(
        &self,
        replica: &Replica,
        query: &str,
        token: &str,
        body: Chunk,
    ) -> Result<Request<RequestBody>, WriteError> {
        let path = replica.url.path.as_str();
        let mut target = String::with_capacity(path.len() + query.len() + token.len());
        target.push_str(path);
        target.push_str(query);
        sql::push_encoded(&mut target, token);
        let invalid = |error| error::of_config(format!("request has no valid target: {error}"), "");
        let target = Uri::from_maybe_shared(Bytes::from(target)).map_err(invalid)?;
        // Said even where it is 0: a server refuses a POST that does not tell its length.
        let length = HeaderValue::from(body.remaining());
        let mut request = Request::new(RequestBody::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = target;
        let headers = request.headers_mut();
        headers.reserve(4);
        headers.insert(HOST, replica.host.clone());
        headers.insert(CONTENT_LENGTH, length);
        headers.insert(USER, self.user.clone());
        if let Some(password) = &self.password {
            headers.insert(KEY, password.clone());
        }
        Ok(request)
    }

    async fn insert(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> Result<(), WriteError> {
        let replica = self.replica(shard, replica);
        let body = match self.settings.compression {
            Compression::Lz4 => Chunk::Blocks(Blocks::compress(&batch, &self.workspaces).await),
            Compression::None => Chunk::Frames(Frames::new(Arc::clone(&batch))),
        };
        let request = self.request(replica, &self.insert, batch.token(), body)?;
        let answer = replica.send(request, self.settings.request_timeout).await?;
        success(&answer).map(drop)
    }

    /// Runs a statement that writes nothing and gives its answer as text.
    pub(crate) async fn query(
        &self,
        replica: &Replica,
        statement: &str,
        parameters: &[(&str, &str)],
    ) -> Result<String, WriteError> {
        let mut target = "?".to_owned();
        for (name, value) in parameters {
            sql::push_parameter(&mut target, name, value);
        }
        let body = Chunk::Text(Bytes::copy_from_slice(statement.as_bytes()));
        let request = self.request(replica, &target, "", body)?;
        let answer = replica.send(request, self.settings.request_timeout).await?;
        success(&answer).map(|body| body.into_owned())
    }
}

impl Sink for Inserter {
    fn layout(&self) -> Layout {
        Layout {
            replicas: self.replicas.iter().map(Vec::len).collect(),
            deduplicates: true,
            replicas_share_tokens: self.shared_tokens.load(Ordering::Acquire),
        }
    }

    fn check(&self) -> BoxFuture<'_, Findings> {
        Box::pin(self.preflight())
    }

    fn probe(&self, shard: ShardId, replica: ReplicaId) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(async move {
            let replica = self.replica(shard, replica);
            self.query(replica, "SELECT 1", &[]).await.map(drop)
        })
    }

    fn write(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> BoxFuture<'_, Result<(), WriteError>> {
        Box::pin(self.insert(shard, replica, batch))
    }
}

const USER: HeaderName = HeaderName::from_static("x-clickhouse-user");
const KEY: HeaderName = HeaderName::from_static("x-clickhouse-key");

/// A text that was found fit for a header when the section was read.
pub(crate) fn header(text: &str) -> HeaderValue {
    HeaderValue::from_bytes(text.as_bytes()).expect("checked when the section was read")
}

/// What follows the path in an insert, up to the token's value.
fn insert_target(settings: &Settings, columns: &[Column]) -> String {
    let mut target = "?".to_owned();
    let statement = sql::insert(&settings.database, &settings.table, columns);
    sql::push_parameter(&mut target, "query", &statement);
    for (name, value) in &settings.settings {
        sql::push_parameter(&mut target, name, value);
    }
    if settings.compression == Compression::Lz4 {
        sql::push_parameter(&mut target, "decompress", "1");
    }
    sql::push_parameter(&mut target, "insert_deduplication_token", "");
    target
}

/// The body of an answer that says success everywhere it could say otherwise (R095, R096).
///
/// A server that began to answer before it failed has sent status 200; the exception is then in a
/// header, or in the body behind whatever was sent before it.
fn success(answer: &Answer) -> Result<std::borrow::Cow<'_, str>, WriteError> {
    let body = String::from_utf8_lossy(&answer.body);
    let header = answer.headers.get("x-clickhouse-exception-code");
    let code = header
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.trim().parse().ok())
        .or_else(|| error::code_in(&body));
    match code {
        Some(code) => Err(error::of_exception(code, &body)),
        None if header.is_some() || body.contains("__exception__") => {
            Err(error::of_exception(0, &body))
        }
        None if answer.status == 200 => Ok(body),
        None => Err(error::of_status(answer.status, &body)),
    }
}

//! The sink as it is declared, `ClickHouse<OrderLine<'_>>`, and as the writers see it.

pub(crate) mod encoder;
mod preflight;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::body::{Buf, Bytes};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderValue};
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
use crate::transport::compress::{Blocks, Buffers};
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
    buffers: Arc<Buffers>,
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
            buffers: Buffers::new(replicas.len().max(4)),
            replicas,
            shared_tokens: AtomicBool::new(false),
            settings,
        }
    }

    fn replica(&self, shard: ShardId, replica: ReplicaId) -> &Replica {
        &self.replicas[shard.0][replica.0]
    }

    /// A request to `replica`; `target` is what follows the path of its address.
    pub(crate) fn request(
        &self,
        replica: &Replica,
        target: &[&str],
        body: Chunk,
    ) -> Result<Request<RequestBody>, WriteError> {
        let path = replica.url.path.as_str();
        let mut uri =
            String::with_capacity(path.len() + target.iter().map(|part| part.len()).sum::<usize>());
        uri.push_str(path);
        target.iter().for_each(|part| uri.push_str(part));
        let invalid = |error| error::of_config(format!("request has no valid target: {error}"), "");
        // Said even where it is 0: a server refuses a POST that does not tell its length.
        let length = HeaderValue::from(body.remaining());
        let mut request = Request::new(RequestBody::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = Uri::from_maybe_shared(Bytes::from(uri)).map_err(invalid)?;
        *request.headers_mut() = self.headers(replica)?;
        request.headers_mut().insert(CONTENT_LENGTH, length);
        Ok(request)
    }

    fn headers(&self, replica: &Replica) -> Result<HeaderMap, WriteError> {
        let value = |text: &str, secret: bool| {
            let value = HeaderValue::from_bytes(text.as_bytes());
            let mut value = value.map_err(|error| {
                // Its text does not repeat the value.
                let text = format!("user or password cannot be sent: {error}");
                error::of_config(text, "remove control characters from them")
            })?;
            value.set_sensitive(secret);
            Ok::<_, WriteError>(value)
        };
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(HOST, value(&replica.url.authority(), false)?);
        headers.insert("x-clickhouse-user", value(&self.settings.user, false)?);
        if let Some(password) = &self.settings.password {
            headers.insert("x-clickhouse-key", value(password.reveal(), true)?);
        }
        Ok(headers)
    }

    async fn insert(
        &self,
        shard: ShardId,
        replica: ReplicaId,
        batch: Arc<SealedBatch>,
    ) -> Result<(), WriteError> {
        let replica = self.replica(shard, replica);
        let body = match self.settings.compression {
            Compression::Lz4 => Chunk::Blocks(Blocks::compress(&batch, &self.buffers).await),
            Compression::None => Chunk::Frames(Frames::new(Arc::clone(&batch))),
        };
        let mut token = String::with_capacity(batch.token().len());
        sql::push_encoded(&mut token, batch.token());
        let request = self.request(replica, &[&self.insert, &token], body)?;
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
        let request = self.request(replica, &[&target], body)?;
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

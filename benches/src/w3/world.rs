//! What W3 runs in: a process with a Kafka broker and a server that takes INSERTs.
//!
//! The parent speaks to it by lines over its standard input and output:
//!
//! | line | does | answers |
//! |---|---|---|
//! | `fill N` | a fresh broker with the first of N orders in 8 partitions | brokers, address |
//! | `at a b c ..` | notes how far each partition was read, and refills | |
//! | `sum` | | rows, bytes, checksum of what arrived since the last `fill` |
//! | `one` | appends one order whose `placed_at` is now, in microseconds | |
//! | `latencies` | | microseconds from `one` until its row had arrived whole, all of them |
//!
//! The broker is librdkafka's mock, which keeps about 5 MB a partition and drops older records
//! silently: a partition is filled up to 4.4 MB ahead of its reader, and again when it has read
//! most of that.

#![expect(unsafe_code, reason = "the mock broker's own settings are calls into a C library")]

use std::ffi::{CStr, CString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rdkafka::config::ClientConfig;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka_sys as rd;

use crate::arena::Arena;
use crate::sum::Sum;
use crate::w1;

/// Partitions of the topic.
pub const PARTITIONS: usize = 8;
/// The topic.
pub const TOPIC: &str = "orders";
/// The argument that makes this program the world.
pub const ARGUMENT: &str = "world";

/// How far each partition was read, written by whoever reads.
#[derive(Debug, Default)]
pub struct At([AtomicU64; PARTITIONS]);

impl At {
    /// Notes that `partition` was read below `next`.
    pub fn store(&self, partition: usize, next: u64) {
        self.0[partition].store(next, Ordering::Relaxed);
    }

    /// All of them.
    #[must_use]
    pub fn load(&self) -> [u64; PARTITIONS] {
        std::array::from_fn(|partition| self.0[partition].load(Ordering::Relaxed))
    }
}

/// Where the broker and the server are.
#[derive(Debug)]
pub struct Places {
    /// Bootstrap addresses of the broker.
    pub brokers: String,
    /// The server's address.
    pub url: String,
}

/// The world, from the parent's side; ends when dropped.
#[derive(Debug)]
pub struct World {
    child: Mutex<Child>,
    input: Mutex<ChildStdin>,
    output: Mutex<BufReader<ChildStdout>>,
}

impl World {
    /// Starts it.
    ///
    /// # Panics
    ///
    /// If this program cannot be started a second time.
    #[must_use]
    pub fn start() -> Self {
        let program = std::env::current_exe().expect("a program knows itself");
        let mut child = Command::new(program)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("what was started once can be started again");
        let input = child.stdin.take().expect("is piped");
        let output = child.stdout.take().expect("is piped");
        Self {
            child: Mutex::new(child),
            input: Mutex::new(input),
            output: Mutex::new(BufReader::new(output)),
        }
    }

    /// Sends a line that has no answer.
    ///
    /// # Panics
    ///
    /// If the world has ended.
    pub fn tell(&self, line: &str) {
        writeln!(lock(&self.input), "{line}").expect("the world lives");
    }

    /// Sends a line and returns its answer.
    ///
    /// # Panics
    ///
    /// If the world has ended.
    pub fn ask(&self, line: &str) -> String {
        let mut output = lock(&self.output);
        self.tell(line);
        let mut answer = String::new();
        let read = output.read_line(&mut answer).expect("the world lives");
        assert!(read > 0, "the world ended at `{line}`");
        answer.trim_end().to_owned()
    }

    /// A fresh broker that carries `records` orders.
    ///
    /// # Panics
    ///
    /// If the world has ended.
    pub fn fill(&self, records: u64) -> Places {
        let answer = self.ask(&format!("fill {records}"));
        let (brokers, url) = answer.split_once(' ').expect("brokers and address");
        Places { brokers: brokers.to_owned(), url: url.to_owned() }
    }

    /// What arrived since.
    pub fn sum(&self) -> Sum {
        let numbers = numbers(&self.ask("sum"));
        Sum { rows: numbers[0], bytes: numbers[1], checksum: numbers[2] }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        let ended = child.kill().and_then(|()| child.wait());
        ended.expect("a child can be ended and waited for");
    }
}

/// The line that says how far each partition was read.
#[must_use]
pub fn at(at: &[u64; PARTITIONS]) -> String {
    format!("at {}", at.map(|next| next.to_string()).join(" "))
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(' ')
        .filter_map(|number| number.parse().ok())
        .collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The world itself: serves its parent until that closes the line.
///
/// # Panics
///
/// If loopback or the mock broker cannot be had: a measurement without them is none.
pub fn serve() {
    let arrived: Arc<Mutex<Arrived>> = Arc::default();
    let url = listen(&arrived);
    let mut broker: Option<Broker> = None;
    let mut arena: Option<(u64, Arc<Arena>)> = None;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match (verb, &mut broker) {
            ("fill", _) => {
                let records = numbers(rest)[0];
                if arena.as_ref().is_none_or(|(known, _)| *known != records) {
                    arena = Some((records, Arc::new(Arena::orders(records))));
                }
                let (_, orders) = arena.as_ref().expect("was made above");
                *lock(&arrived) = Arrived::default();
                // The one before goes first: its records are not needed any more.
                drop(broker.take());
                let fresh = Broker::start(Arc::clone(orders));
                answer(&format!("{} {url}", fresh.addresses));
                broker = Some(fresh);
            }
            ("at", Some(broker)) => {
                broker.read.copy_from_slice(&numbers(rest));
                broker.refill();
            }
            ("one", Some(broker)) => broker.append_one(),
            ("sum", _) => {
                let sum = lock(&arrived).sum;
                answer(&format!("{} {} {}", sum.rows, sum.bytes, sum.checksum));
            }
            ("latencies", _) => {
                let latencies = std::mem::take(&mut lock(&arrived).latencies);
                let texts: Vec<String> = latencies.iter().map(u64::to_string).collect();
                answer(&texts.join(" "));
            }
            _ => panic!("unknown line `{line}`"),
        }
    }
}

#[expect(clippy::print_stdout, reason = "the line to the parent")]
fn answer(line: &str) {
    println!("{line}");
}

/// A broker that is refilled.
struct Broker {
    /// Its client is the broker's as well: both end with it.
    producer: BaseProducer,
    addresses: String,
    orders: Arc<Arena>,
    /// Shape `[partition]`: the next offset to append, and the next to be read.
    sent: [u64; PARTITIONS],
    read: [u64; PARTITIONS],
    /// Records that a partition may be ahead of its reader.
    ahead: u64,
}

/// Bytes that a partition is filled up to, below what the mock keeps.
const AHEAD_BYTES: u64 = 4_400_000;
/// What a record takes beside its value, at most.
const RECORD_OVERHEAD: u64 = 24;

impl Broker {
    fn start(orders: Arc<Arena>) -> Self {
        let producer: BaseProducer = ClientConfig::new()
            .set("test.mock.num.brokers", "1")
            .set("linger.ms", "0.1")
            .set("queue.buffering.max.messages", "1000000")
            .create()
            .expect("loopback has a free port");
        let addresses = prepare(&producer);
        let records = orders.payloads().len().max(1) as u64;
        let ahead = AHEAD_BYTES / (orders.bytes() as u64 / records + RECORD_OVERHEAD);
        let none = [0; PARTITIONS];
        let mut broker = Self { producer, addresses, orders, sent: none, read: none, ahead };
        broker.refill();
        let landed = broker.producer.flush(Duration::from_secs(60));
        landed.expect("the mock takes records");
        broker
    }

    /// Fills the partitions that are nearly read. Order i is at offset i / 8 of partition i % 8.
    fn refill(&mut self) {
        let orders = self.orders.payloads();
        for partition in 0..PARTITIONS {
            let (sent, read) = (&mut self.sent[partition], self.read[partition]);
            if *sent - read > self.ahead / 4 {
                continue;
            }
            while *sent - read < self.ahead {
                let index = usize::try_from(*sent).expect("fits") * PARTITIONS + partition;
                let Some(order) = orders.get(index) else { break };
                append(&self.producer, partition, order.value.unwrap_or_default());
                *sent += 1;
            }
        }
        self.producer.poll(Duration::ZERO);
    }

    /// Appends an order whose `placed_at` is now, to each partition in turn.
    fn append_one(&mut self) {
        let id: u64 = self.sent.iter().sum();
        let partition = usize::try_from(id).expect("fits") % PARTITIONS;
        let order = format!(
            "{{\"order_id\":{id},\"customer_id\":1,\"sku\":\"a\",\"region\":\"b\",\
             \"status\":\"paid\",\"qty\":1,\"price_cents\":1,\"discount\":0.5,\
             \"placed_at\":{},\"note\":\"\"}}",
            now_us()
        );
        append(&self.producer, partition, order.as_bytes());
        self.sent[partition] += 1;
        // No flush: that waits a tenth of a second and more.
        self.producer.poll(Duration::ZERO);
    }
}

/// Makes the topic in the broker of this client, and groups form without delay; its addresses.
fn prepare(producer: &BaseProducer) -> String {
    let topic = CString::new(TOPIC).expect("no NUL byte");
    let partitions = i32::try_from(PARTITIONS).expect("a few");
    // SAFETY: the client is alive, and the broker with it, because it was made with one; the topic
    // is a C string; the addresses live as long as the broker and are copied.
    unsafe {
        let cluster = rd::rd_kafka_handle_mock_cluster(producer.client().native_ptr());
        assert!(!cluster.is_null(), "the client has a broker");
        rd::rd_kafka_mock_group_initial_rebalance_delay_ms(cluster, 0);
        let made = rd::rd_kafka_mock_topic_create(cluster, topic.as_ptr(), partitions, 1);
        assert_eq!(made, rd::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR, "no topic");
        let addresses = CStr::from_ptr(rd::rd_kafka_mock_cluster_bootstraps(cluster));
        addresses.to_string_lossy().into_owned()
    }
}

fn append(producer: &BaseProducer, partition: usize, value: &[u8]) {
    let partition = i32::try_from(partition).expect("a few");
    let record = BaseRecord::<(), [u8]>::to(TOPIC)
        .partition(partition)
        .payload(value);
    if let Err((error, _)) = producer.send(record) {
        panic!("the mock takes no record: {error}");
    }
}

#[expect(clippy::disallowed_methods, reason = "both ends of a latency are in this process")]
fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_micros()).unwrap_or(0)
}

/// What arrived.
#[derive(Default)]
struct Arrived {
    sum: Sum,
    /// Microseconds, of rows that [`Broker::append_one`] made.
    latencies: Vec<u64>,
}

impl Arrived {
    fn add(&mut self, body: &[u8], now: u64) {
        self.sum.add(body, w1::row_len);
        let mut rows = body;
        while !rows.is_empty() {
            let placed = w1::placed_at(rows);
            // Milliseconds where the order came from an arena: those are no latencies.
            if placed > 1 << 50 {
                self.latencies.push(now.saturating_sub(placed));
            }
            rows = &rows[w1::row_len(rows)..];
        }
    }
}

/// Starts the server; its address.
fn listen(arrived: &Arc<Mutex<Arrived>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let url = format!("http://{}", listener.local_addr().expect("is bound"));
    let arrived = Arc::clone(arrived);
    std::thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let arrived = Arc::clone(&arrived);
            std::thread::spawn(move || connection(&socket, &arrived));
        }
    });
    url
}

/// Answers requests until the client closes: INSERTs are counted, questions answered as a server
/// would that has the table.
fn connection(socket: &TcpStream, arrived: &Mutex<Arrived>) {
    let mut reader = BufReader::with_capacity(64 << 10, socket);
    let (mut line, mut body) = (String::new(), Vec::new());
    loop {
        let (mut is_insert, mut length) = (false, 0);
        loop {
            line.clear();
            if !reader.read_line(&mut line).is_ok_and(|read| read > 0) {
                return;
            }
            is_insert |= line.contains("INSERT");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length is a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        body.resize(length, 0);
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let text = if is_insert {
            lock(arrived).add(&body, now_us());
            ""
        } else {
            about(&String::from_utf8_lossy(&body))
        };
        let length = text.len();
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{text}");
        let mut socket = socket;
        if socket.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// What the preflight asks of the table.
fn about(statement: &str) -> &'static str {
    if statement.contains("system.columns") {
        "order_id\tUInt64\t\ncustomer_id\tUInt64\t\nsku\tString\t\nregion\tString\t\n\
         status\tString\t\nqty\tUInt32\t\ntotal_cents\tUInt64\t\ndiscount\tFloat64\t\n\
         placed_at\tInt64\t\nnote\tString\t\n"
    } else if statement.contains("system.tables") {
        "MergeTree\tMergeTree ORDER BY order_id SETTINGS \
         non_replicated_deduplication_window = 1000\t[]\t[]\n"
    } else {
        "1\n"
    }
}

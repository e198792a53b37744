//! W3 by hand: batches out of split partition queues, one INSERT per 100,000 rows, a commit after
//! its answer.
//!
//! One loop on one thread over librdkafka's C interface, with the settings that spate gives it; it
//! sleeps until a queue wakes it, and it neither rebalances nor retries: what it cannot do, it need
//! not pay for.

#![expect(unsafe_code, reason = "calls into a C library")]

use std::ffi::{CString, c_void};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ptr::null_mut;

use rdkafka_sys as rd;

use super::world::{At, PARTITIONS, Places, TOPIC};
use crate::w1;

/// Rows of an INSERT.
const ROWS: u64 = 100_000;
/// Messages taken at a time.
const TAKE: usize = 1024;

/// Consumes `records` records and inserts their rows.
pub(super) fn run(places: &Places, records: u64, progress: &At) {
    let consumer = Consumer::new(&places.brokers);
    let mut inserter = Inserter::new(&places.url);
    let mut next = [0u64; PARTITIONS];
    let mut room = [null_mut::<rd::rd_kafka_message_t>(); TAKE];
    let mut read = 0;
    while read < records {
        let mut is_idle = true;
        for (partition, queue) in consumer.queues.iter().enumerate() {
            // SAFETY: the queue is alive; the array is as long as it says.
            let taken =
                unsafe { rd::rd_kafka_consume_batch_queue(*queue, 0, room.as_mut_ptr(), TAKE) };
            let taken = usize::try_from(taken).expect("a queue that lives can be read");
            is_idle &= taken == 0;
            for message in &room[..taken] {
                // SAFETY: taken just now and destroyed at the end of this block; its payload lives
                // as long. Its error is compared as a number.
                unsafe {
                    let message = *message;
                    assert_eq!((*message).err as i32, 0, "nothing fails in this world");
                    let value: &[u8] =
                        std::slice::from_raw_parts((*message).payload.cast(), (*message).len);
                    if let Some(order) = w1::twin::decode_text(value)
                        && w1::is_live(&order)
                    {
                        w1::twin::put_row(&mut inserter.body, w1::row_of(order));
                        inserter.rows += 1;
                    }
                    next[partition] = u64::try_from((*message).offset).expect("not negative") + 1;
                    rd::rd_kafka_message_destroy(message);
                }
                read += 1;
                if inserter.rows == ROWS {
                    inserter.send();
                    consumer.commit(&next);
                }
            }
            progress.store(partition, next[partition]);
        }
        if is_idle {
            std::thread::park();
        }
    }
    inserter.send();
    consumer.commit(&next);
}

/// A consumer of all partitions from their beginning.
struct Consumer {
    client: *mut rd::rd_kafka_t,
    topic: CString,
    queues: Vec<*mut rd::rd_kafka_queue_t>,
    /// What a queue wakes when it stops being empty.
    thread: Box<std::thread::Thread>,
}

impl Consumer {
    fn new(brokers: &str) -> Self {
        let mut text = [0 as std::ffi::c_char; 256];
        // SAFETY: a fresh configuration, C strings, and a place for the error's text.
        let client = unsafe {
            let conf = rd::rd_kafka_conf_new();
            for (key, value) in [
                ("bootstrap.servers", brokers),
                ("group.id", "twin"),
                ("enable.auto.commit", "false"),
                ("enable.auto.offset.store", "false"),
                ("auto.offset.reset", "earliest"),
                ("queued.min.messages", "10000000"),
                ("queued.max.messages.kbytes", "8192"),
                ("fetch.message.max.bytes", "1048576"),
                ("fetch.queue.backoff.ms", "10"),
            ] {
                let (key, value) = (c_string(key), c_string(value));
                let set = rd::rd_kafka_conf_set(
                    conf,
                    key.as_ptr(),
                    value.as_ptr(),
                    text.as_mut_ptr(),
                    text.len(),
                );
                assert_eq!(set as i32, 0, "{key:?} is known");
            }
            let kind = rd::rd_kafka_type_t::RD_KAFKA_CONSUMER;
            rd::rd_kafka_new(kind, conf, text.as_mut_ptr(), text.len())
        };
        assert!(!client.is_null(), "the settings are those of a consumer");
        let thread = Box::new(std::thread::current());
        let mut consumer = Self { client, topic: c_string(TOPIC), queues: Vec::new(), thread };
        for partition in 0..PARTITIONS {
            // SAFETY: the client is alive; the thread's handle outlives the queue.
            let queue = unsafe {
                let (id, topic) = (wire(partition), consumer.topic.as_ptr());
                let queue = rd::rd_kafka_queue_get_partition(client, topic, id);
                rd::rd_kafka_queue_forward(queue, null_mut());
                let thread: *const std::thread::Thread = &raw const *consumer.thread;
                rd::rd_kafka_queue_cb_event_enable(queue, Some(wake), thread.cast_mut().cast());
                queue
            };
            consumer.queues.push(queue);
        }
        consumer.with_list(&[0; PARTITIONS], |list| {
            // SAFETY: client and list are alive.
            unsafe { rd::rd_kafka_assign(client, list) }
        });
        consumer
    }

    fn commit(&self, next: &[u64; PARTITIONS]) {
        // SAFETY: client and list are alive.
        self.with_list(next, |list| unsafe { rd::rd_kafka_commit(self.client, list, 0) });
    }

    fn with_list(
        &self,
        offsets: &[u64; PARTITIONS],
        call: impl FnOnce(*mut rd::rd_kafka_topic_partition_list_t) -> rd::rd_kafka_resp_err_t,
    ) {
        // SAFETY: a list of ours, destroyed once; what `add` returns is one of its elements.
        unsafe {
            let list = rd::rd_kafka_topic_partition_list_new(wire(PARTITIONS));
            for (partition, offset) in offsets.iter().enumerate() {
                let topic = self.topic.as_ptr();
                let added = rd::rd_kafka_topic_partition_list_add(list, topic, wire(partition));
                (*added).offset = i64::try_from(*offset).expect("fits");
            }
            let code = call(list);
            rd::rd_kafka_topic_partition_list_destroy(list);
            assert_eq!(code as i32, 0, "nothing fails in this world");
        }
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        // SAFETY: all of it ours and destroyed once, the client last.
        unsafe {
            for queue in &self.queues {
                rd::rd_kafka_queue_cb_event_enable(*queue, None, null_mut());
                rd::rd_kafka_queue_destroy(*queue);
            }
            rd::rd_kafka_consumer_close(self.client);
            rd::rd_kafka_destroy(self.client);
        }
    }
}

unsafe extern "C" fn wake(_: *mut rd::rd_kafka_t, thread: *mut c_void) {
    // SAFETY: the handle that the consumer keeps until after this client is gone.
    unsafe { &*thread.cast::<std::thread::Thread>() }.unpark();
}

fn wire(partition: usize) -> i32 {
    i32::try_from(partition).expect("a few")
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("has no NUL byte")
}

/// Rows that wait for their INSERT, and a connection.
struct Inserter {
    socket: TcpStream,
    body: Vec<u8>,
    rows: u64,
}

impl Inserter {
    fn new(url: &str) -> Self {
        let address = url.trim_start_matches("http://");
        let socket = TcpStream::connect(address).expect("the world listens");
        socket.set_nodelay(true).expect("a socket has that option");
        Self { socket, body: Vec::with_capacity(16 << 20), rows: 0 }
    }

    fn send(&mut self) {
        if self.rows == 0 {
            return;
        }
        let length = self.body.len();
        let head = format!(
            "POST /?query=INSERT%20INTO%20rows%20FORMAT%20RowBinary HTTP/1.1\r\nHost: world\r\n\
             Content-Length: {length}\r\n\r\n"
        );
        let sent = self
            .socket
            .write_all(head.as_bytes())
            .and_then(|()| self.socket.write_all(&self.body));
        sent.expect("the world takes everything");
        let mut answer = Vec::with_capacity(256);
        while !answer.ends_with(b"\r\n\r\n") {
            let mut some = [0; 256];
            let read = self.socket.read(&mut some).expect("the world answers");
            assert!(read > 0, "the world answers");
            answer.extend_from_slice(&some[..read]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "the world takes everything");
        self.body.clear();
        self.rows = 0;
    }
}

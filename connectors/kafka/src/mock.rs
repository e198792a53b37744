//! librdkafka's own broker in this process, and a producer for it.
//!
//! For the embedded example and the tests. It keeps about 5 MB a partition and drops older records
//! silently: whoever fills it must not run ahead of who reads.

#![expect(unsafe_code, reason = "calls into a C library; every block says why it may")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use rdkafka_sys as rd;

use crate::sys::{Client, Conf};

/// A cluster of one broker in this process; gone when dropped.
pub(crate) struct MockCluster {
    cluster: NonNull<rd::rd_kafka_mock_cluster_t>,
    /// Lends the cluster its threads: dropped after it.
    _client: Arc<Client>,
}

// SAFETY: the mock's functions lock inside or hand over to its own thread.
unsafe impl Send for MockCluster {}
// SAFETY: as above.
unsafe impl Sync for MockCluster {}

impl Drop for MockCluster {
    fn drop(&mut self) {
        // SAFETY: ours, destroyed once, before the client that it was made with.
        unsafe { rd::rd_kafka_mock_cluster_destroy(self.cluster.as_ptr()) }
    }
}

impl MockCluster {
    /// Starts a cluster; groups form without delay.
    ///
    /// # Errors
    ///
    /// When librdkafka cannot listen on the loopback address.
    pub(crate) fn start() -> Result<Self, String> {
        let mut conf = Conf::new();
        // Warnings and worse: that this client has no broker to connect to is as it should be.
        conf.set("log_level", "4")?;
        let client = conf.into_client(rd::rd_kafka_type_t::RD_KAFKA_PRODUCER)?;
        let client = Arc::new(client);
        // SAFETY: the client is alive.
        let cluster = unsafe { rd::rd_kafka_mock_cluster_new(client.as_ptr(), 1) };
        let cluster = NonNull::new(cluster).ok_or("no mock cluster could be started")?;
        // SAFETY: the cluster is alive.
        unsafe { rd::rd_kafka_mock_group_initial_rebalance_delay_ms(cluster.as_ptr(), 0) };
        Ok(Self { cluster, _client: client })
    }

    /// Where it listens.
    pub(crate) fn brokers(&self) -> String {
        // SAFETY: the cluster is alive, and with it the text, which is copied.
        unsafe { CStr::from_ptr(rd::rd_kafka_mock_cluster_bootstraps(self.cluster.as_ptr())) }
            .to_string_lossy()
            .into_owned()
    }

    /// Makes a topic.
    pub(crate) fn create_topic(&self, topic: &str, partitions: u32) {
        let topic = CString::new(topic).expect("topics have no NUL byte");
        let partitions = c_int::try_from(partitions).unwrap_or(c_int::MAX);
        // SAFETY: the cluster is alive, the topic a C string. An existing topic is left alone.
        unsafe {
            rd::rd_kafka_mock_topic_create(self.cluster.as_ptr(), topic.as_ptr(), partitions, 1);
        }
    }

    /// Makes the next requests of this kind fail, one with each code.
    #[cfg(test)]
    pub(crate) fn fail(&self, api: i16, codes: &[rd::rd_kafka_resp_err_t]) {
        // SAFETY: the cluster is alive, the codes are copied.
        unsafe {
            rd::rd_kafka_mock_push_request_errors_array(
                self.cluster.as_ptr(),
                api,
                codes.len(),
                codes.as_ptr(),
            );
        }
    }

    /// Cuts off the broker, or lets it come back.
    #[cfg(test)]
    pub(crate) fn set_up(&self, up: bool) {
        // SAFETY: the cluster is alive.
        unsafe {
            if up {
                rd::rd_kafka_mock_broker_set_up(self.cluster.as_ptr(), -1);
            } else {
                rd::rd_kafka_mock_broker_set_down(self.cluster.as_ptr(), -1);
            }
        }
    }
}

/// A record to produce.
#[derive(Clone, Copy, Default)]
pub(crate) struct ToProduce<'a> {
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) value: Option<&'a [u8]>,
    pub(crate) timestamp_ms: i64,
    pub(crate) headers: &'a [(&'a CStr, Option<&'a [u8]>)],
}

/// An idempotent producer: records of a partition land once and in order.
pub(crate) struct Producer {
    client: Arc<Client>,
    topic: NonNull<rd::rd_kafka_topic_t>,
}

// SAFETY: librdkafka's client and topic handles may be used from any thread.
unsafe impl Send for Producer {}

impl Drop for Producer {
    fn drop(&mut self) {
        // SAFETY: ours, destroyed once, before the client.
        unsafe { rd::rd_kafka_topic_destroy(self.topic.as_ptr()) }
    }
}

impl Producer {
    /// Makes a producer for one topic.
    ///
    /// # Errors
    ///
    /// When librdkafka refuses a setting.
    pub(crate) fn new(
        brokers: &str,
        topic: &str,
        settings: &[(&str, &str)],
    ) -> Result<Self, String> {
        let mut conf = Conf::new();
        let own = [
            ("bootstrap.servers", brokers),
            ("enable.idempotence", "true"),
            ("message.timeout.ms", "0"),
            ("linger.ms", "2"),
            ("queue.buffering.max.messages", "2000000"),
            ("queue.buffering.max.kbytes", "1048576"),
        ];
        for (key, value) in own.iter().chain(settings) {
            conf.set(key, value)?;
        }
        let client = Arc::new(conf.into_client(rd::rd_kafka_type_t::RD_KAFKA_PRODUCER)?);
        let topic = CString::new(topic).map_err(|error| error.to_string())?;
        // SAFETY: the client is alive, the topic a C string, no configuration is passed.
        let topic = unsafe {
            rd::rd_kafka_topic_new(client.as_ptr(), topic.as_ptr(), std::ptr::null_mut())
        };
        let topic = NonNull::new(topic).ok_or("no topic handle")?;
        Ok(Self { client, topic })
    }

    /// Queues a record; its bytes are copied.
    ///
    /// # Errors
    ///
    /// When the queue is full.
    pub(crate) fn send(&self, partition: u32, record: ToProduce<'_>) -> Result<(), String> {
        use rd::rd_kafka_vtype_t as V;
        type U = rd::rd_kafka_vu_s__bindgen_ty_1;
        let vu = |vtype, u| rd::rd_kafka_vu_t { vtype, u };
        let mem = |bytes: Option<&[u8]>| U {
            mem: rd::rd_kafka_vu_s__bindgen_ty_1__bindgen_ty_1 {
                ptr: bytes.map_or(std::ptr::null_mut(), |bytes| {
                    bytes.as_ptr().cast_mut().cast::<c_void>()
                }),
                size: bytes.map_or(0, <[u8]>::len),
            },
        };
        let fixed = [
            vu(V::RD_KAFKA_VTYPE_RKT, U { rkt: self.topic.as_ptr() }),
            vu(
                V::RD_KAFKA_VTYPE_PARTITION,
                U { i32_: i32::try_from(partition).unwrap_or(i32::MAX) },
            ),
            vu(V::RD_KAFKA_VTYPE_MSGFLAGS, U { i: rd::RD_KAFKA_MSG_F_COPY }),
            vu(V::RD_KAFKA_VTYPE_VALUE, mem(record.value)),
            vu(V::RD_KAFKA_VTYPE_KEY, mem(record.key)),
            vu(V::RD_KAFKA_VTYPE_TIMESTAMP, U { i64_: record.timestamp_ms }),
        ];
        if record.headers.is_empty() {
            return self.produce(&fixed);
        }
        let mut all = fixed.to_vec();
        all.extend(record.headers.iter().map(|(name, value)| {
            let header = rd::rd_kafka_vu_s__bindgen_ty_1__bindgen_ty_2 {
                name: name.as_ptr(),
                val: value.map_or(std::ptr::null(), |value| value.as_ptr().cast::<c_void>()),
                size: value.map_or(-1, |value| isize::try_from(value.len()).unwrap_or(-1)),
            };
            vu(V::RD_KAFKA_VTYPE_HEADER, U { header })
        }));
        self.produce(&all)
    }

    fn produce(&self, parts: &[rd::rd_kafka_vu_t]) -> Result<(), String> {
        // SAFETY: client and topic are alive; every part has the member that its type says; all
        // bytes live during the call and are copied.
        let error =
            unsafe { rd::rd_kafka_produceva(self.client.as_ptr(), parts.as_ptr(), parts.len()) };
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: an error object of ours, its text copied, destroyed once.
        unsafe {
            let text = rd::rd_kafka_error_string(error).cast::<c_char>();
            let text = CStr::from_ptr(text).to_string_lossy().into_owned();
            rd::rd_kafka_error_destroy(error);
            Err(text)
        }
    }

    /// Waits until everything sent has landed.
    ///
    /// # Errors
    ///
    /// The code of the time that ran out.
    #[cfg(test)]
    pub(crate) fn flush(&self, wait: std::time::Duration) -> Result<(), crate::sys::Code> {
        // SAFETY: the client is alive.
        let code = unsafe { rd::rd_kafka_flush(self.client.as_ptr(), crate::sys::millis(wait)) };
        let code = crate::sys::Code::of(code);
        if code == crate::sys::Code::OK { Ok(()) } else { Err(code) }
    }

    /// Drops what has not landed, so that the producer can go away at once.
    #[cfg(feature = "embedded")]
    pub(crate) fn purge(&self) {
        // SAFETY: the client is alive.
        let code = unsafe { rd::rd_kafka_purge(self.client.as_ptr(), PURGE_ALL) };
        tracing::debug!(code = code as i32, "purged");
    }
}

/// Queued and in flight (`RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT`).
#[cfg(feature = "embedded")]
const PURGE_ALL: c_int = 3;

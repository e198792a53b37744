//! Owned handles over librdkafka: what is made here is destroyed here.
//!
//! The one place that knows who owns a C pointer. librdkafka's handles may be used from any thread;
//! error codes are read as plain integers, because a broker may send codes that are newer than the
//! binding's enum.

#![expect(unsafe_code, reason = "calls into a C library; every block says why it may")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rdkafka_sys as rd;

use crate::waker::WakerCell;

/// Functions whose binding returns or takes the error enum, declared again with integers.
mod raw {
    use std::ffi::{c_char, c_int};

    use rdkafka_sys as rd;

    unsafe extern "C" {
        pub(super) fn rd_kafka_err2str(err: c_int) -> *const c_char;
        pub(super) fn rd_kafka_err2name(err: c_int) -> *const c_char;
        pub(super) fn rd_kafka_last_error() -> c_int;
        pub(super) fn rd_kafka_event_error(event: *mut rd::rd_kafka_event_t) -> c_int;
        pub(super) fn rd_kafka_error_code(error: *const rd::rd_kafka_error_t) -> c_int;
        pub(super) fn rd_kafka_fatal_error(
            rk: *mut rd::rd_kafka_t,
            text: *mut c_char,
            size: usize,
        ) -> c_int;
        pub(super) fn rd_kafka_poll_set_consumer(rk: *mut rd::rd_kafka_t) -> c_int;
        pub(super) fn rd_kafka_subscribe(
            rk: *mut rd::rd_kafka_t,
            topics: *const rd::rd_kafka_topic_partition_list_t,
        ) -> c_int;
        pub(super) fn rd_kafka_assign(
            rk: *mut rd::rd_kafka_t,
            partitions: *const rd::rd_kafka_topic_partition_list_t,
        ) -> c_int;
        pub(super) fn rd_kafka_committed(
            rk: *mut rd::rd_kafka_t,
            partitions: *mut rd::rd_kafka_topic_partition_list_t,
            timeout_ms: c_int,
        ) -> c_int;
        pub(super) fn rd_kafka_offsets_for_times(
            rk: *mut rd::rd_kafka_t,
            offsets: *mut rd::rd_kafka_topic_partition_list_t,
            timeout_ms: c_int,
        ) -> c_int;
        pub(super) fn rd_kafka_position(
            rk: *mut rd::rd_kafka_t,
            partitions: *mut rd::rd_kafka_topic_partition_list_t,
        ) -> c_int;
        pub(super) fn rd_kafka_commit_queue(
            rk: *mut rd::rd_kafka_t,
            offsets: *const rd::rd_kafka_topic_partition_list_t,
            queue: *mut rd::rd_kafka_queue_t,
            callback: *mut std::ffi::c_void,
            opaque: *mut std::ffi::c_void,
        ) -> c_int;
        pub(super) fn rd_kafka_pause_partitions(
            rk: *mut rd::rd_kafka_t,
            partitions: *mut rd::rd_kafka_topic_partition_list_t,
        ) -> c_int;
        pub(super) fn rd_kafka_resume_partitions(
            rk: *mut rd::rd_kafka_t,
            partitions: *mut rd::rd_kafka_topic_partition_list_t,
        ) -> c_int;
        pub(super) fn rd_kafka_get_watermark_offsets(
            rk: *mut rd::rd_kafka_t,
            topic: *const c_char,
            partition: i32,
            low: *mut i64,
            high: *mut i64,
        ) -> c_int;
        pub(super) fn rd_kafka_metadata(
            rk: *mut rd::rd_kafka_t,
            all_topics: c_int,
            only_topic: *mut rd::rd_kafka_topic_t,
            metadata: *mut *const rd::rd_kafka_metadata,
            timeout_ms: c_int,
        ) -> c_int;
        pub(super) fn rd_kafka_message_headers(
            message: *const rd::rd_kafka_message_t,
            headers: *mut *mut rd::rd_kafka_headers_t,
        ) -> c_int;
        pub(super) fn rd_kafka_header_get_all(
            headers: *const rd::rd_kafka_headers_t,
            index: usize,
            name: *mut *const c_char,
            value: *mut *const std::ffi::c_void,
            size: *mut usize,
        ) -> c_int;
    }
}

/// A librdkafka error code: negative ones are the client's own, positive ones the broker's.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Code(pub(crate) i32);

impl Code {
    pub(crate) const OK: Self = Self(0);

    pub(crate) const fn of(known: rd::rd_kafka_resp_err_t) -> Self {
        Self(known as i32)
    }

    pub(crate) const fn is(self, known: rd::rd_kafka_resp_err_t) -> bool {
        self.0 == known as i32
    }

    /// The code's name, such as `ILLEGAL_GENERATION`.
    pub(crate) fn name(self) -> String {
        // SAFETY: any integer is accepted; the answer is a static or thread-local C string, copied
        // at once.
        unsafe { text_of(raw::rd_kafka_err2name(self.0)) }
    }

    /// What librdkafka says about the code.
    pub(crate) fn text(self) -> String {
        // SAFETY: as for `name`.
        unsafe { text_of(raw::rd_kafka_err2str(self.0)) }
    }

    fn check(self) -> Result<(), Self> {
        if self == Self::OK { Ok(()) } else { Err(self) }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.0)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text(), self.name())
    }
}

impl std::error::Error for Code {}

/// Copies a C string; empty for null.
///
/// # Safety
///
/// `text` is null or points to a C string that lives during the call.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and a C string by the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Milliseconds for librdkafka; at most 24 days.
pub(crate) fn millis(wait: Duration) -> c_int {
    c_int::try_from(wait.as_millis()).unwrap_or(c_int::MAX)
}

/// Settings of a client that is not made yet.
pub(crate) struct Conf(NonNull<rd::rd_kafka_conf_t>);

impl Conf {
    pub(crate) fn new() -> Self {
        // SAFETY: no preconditions; aborts the process rather than return null.
        let conf = unsafe { rd::rd_kafka_conf_new() };
        Self(NonNull::new(conf).expect("rd_kafka_conf_new returns a configuration"))
    }

    /// Sets one key.
    ///
    /// # Errors
    ///
    /// librdkafka's own words for an unknown key or a value it refuses.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let (Ok(key), Ok(value)) = (CString::new(key), CString::new(value)) else {
            return Err("a setting contains a NUL byte".to_owned());
        };
        let mut text = [0 as c_char; 512];
        // SAFETY: the configuration is ours and alive, both strings are C strings, the buffer has
        // the size that is passed.
        let result = unsafe {
            rd::rd_kafka_conf_set(
                self.0.as_ptr(),
                key.as_ptr(),
                value.as_ptr(),
                text.as_mut_ptr(),
                text.len(),
            )
        };
        if result == rd::rd_kafka_conf_res_t::RD_KAFKA_CONF_OK {
            return Ok(());
        }
        // SAFETY: librdkafka terminates what it wrote; the buffer was zeroed before.
        Err(unsafe { text_of(text.as_ptr()) })
    }

    /// Makes a client of this configuration.
    ///
    /// # Errors
    ///
    /// librdkafka's own words for settings that contradict each other.
    pub(crate) fn into_client(self, kind: rd::rd_kafka_type_t) -> Result<Client, String> {
        let conf = self.0.as_ptr();
        let events = rd::RD_KAFKA_EVENT_REBALANCE
            | rd::RD_KAFKA_EVENT_ERROR
            | rd::RD_KAFKA_EVENT_OFFSET_COMMIT
            | rd::RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH;
        // SAFETY: the configuration is ours and alive; `log` has the signature that is asked for.
        unsafe {
            rd::rd_kafka_conf_set_events(conf, events);
            rd::rd_kafka_conf_set_log_cb(conf, Some(log));
        }
        let mut text = [0 as c_char; 512];
        // SAFETY: the buffer has the size that is passed; on success the configuration belongs to
        // the client, else it stays ours.
        let rk = unsafe { rd::rd_kafka_new(kind, conf, text.as_mut_ptr(), text.len()) };
        let Some(rk) = NonNull::new(rk) else {
            // SAFETY: as in `set`.
            return Err(unsafe { text_of(text.as_ptr()) });
        };
        let _now_the_clients = ManuallyDrop::new(self);
        Ok(Client { rk, cells: Mutex::default() })
    }
}

impl Drop for Conf {
    fn drop(&mut self) {
        // SAFETY: `into_client` prevents this drop once a client owns the configuration.
        unsafe { rd::rd_kafka_conf_destroy(self.0.as_ptr()) }
    }
}

/// Takes librdkafka's log lines, from its own threads.
unsafe extern "C" fn log(
    _: *const rd::rd_kafka_t,
    level: c_int,
    facility: *const c_char,
    text: *const c_char,
) {
    // SAFETY: both are C strings during the call.
    let (facility, text) = unsafe { (text_of(facility), text_of(text)) };
    match level {
        0..=3 => tracing::warn!(target: "spate_kafka::client", facility, "{text}"),
        4 | 5 => tracing::info!(target: "spate_kafka::client", facility, "{text}"),
        _ => tracing::debug!(target: "spate_kafka::client", facility, "{text}"),
    }
}

/// A librdkafka client and what it may call back.
///
/// Shared by the control plane and the lanes; the last of them destroys it.
pub(crate) struct Client {
    rk: NonNull<rd::rd_kafka_t>,
    /// What partition queues were told to call: freed after the client is destroyed.
    cells: Mutex<Vec<Arc<WakerCell>>>,
}

// SAFETY: librdkafka's client handle may be used from any thread, by its manual; `cells` is a mutex.
unsafe impl Send for Client {}
// SAFETY: as above, also at the same time.
unsafe impl Sync for Client {}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // SAFETY: the last owner; queues and messages hold an `Arc` of this client, so none is left.
        // A consumer was closed before, or is left behind on purpose: then it may not wait here.
        unsafe {
            rd::rd_kafka_destroy_flags(self.rk.as_ptr(), rd::RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
        }
    }
}

impl Client {
    #[cfg(any(test, feature = "embedded"))]
    pub(crate) const fn as_ptr(&self) -> *mut rd::rd_kafka_t {
        self.rk.as_ptr()
    }

    /// Sends what the main queue gets (errors, token refreshes) to the consumer's queue.
    pub(crate) fn merge_queues(&self) -> Result<(), Code> {
        // SAFETY: the handle is alive.
        Code(unsafe { raw::rd_kafka_poll_set_consumer(self.rk.as_ptr()) }).check()
    }

    pub(crate) fn subscribe(&self, topics: &List) -> Result<(), Code> {
        // SAFETY: both are alive; the list is copied.
        Code(unsafe { raw::rd_kafka_subscribe(self.rk.as_ptr(), topics.as_ptr()) }).check()
    }

    /// Replaces the assignment; `None` gives it up.
    pub(crate) fn assign(&self, partitions: Option<&List>) -> Result<(), Code> {
        let list = partitions.map_or(std::ptr::null(), |list| list.as_ptr().cast_const());
        // SAFETY: the handle is alive; the list is null or alive and copied.
        Code(unsafe { raw::rd_kafka_assign(self.rk.as_ptr(), list) }).check()
    }

    pub(crate) fn incremental_assign(&self, partitions: &List) -> Result<(), Code> {
        // SAFETY: both are alive; the list is copied.
        unsafe {
            owned_error(rd::rd_kafka_incremental_assign(self.rk.as_ptr(), partitions.as_ptr()))
        }
        .map_err(|(code, _)| code)
    }

    pub(crate) fn incremental_unassign(&self, partitions: &List) -> Result<(), Code> {
        // SAFETY: both are alive; the list is copied.
        unsafe {
            owned_error(rd::rd_kafka_incremental_unassign(self.rk.as_ptr(), partitions.as_ptr()))
        }
        .map_err(|(code, _)| code)
    }

    /// Whether the group agreed on cooperative rebalancing.
    pub(crate) fn is_cooperative(&self) -> bool {
        // SAFETY: the handle is alive; the answer is a static string or null.
        unsafe { text_of(rd::rd_kafka_rebalance_protocol(self.rk.as_ptr())) == "COOPERATIVE" }
    }

    /// Whether the partitions being revoked belong to someone else already.
    pub(crate) fn assignment_lost(&self) -> bool {
        // SAFETY: the handle is alive.
        unsafe { rd::rd_kafka_assignment_lost(self.rk.as_ptr()) != 0 }
    }

    /// Fills in the committed offsets and their metadata.
    pub(crate) fn committed(&self, list: &mut List, wait: Duration) -> Result<(), Code> {
        // SAFETY: both are alive, the list is ours to change.
        Code(unsafe { raw::rd_kafka_committed(self.rk.as_ptr(), list.as_ptr(), millis(wait)) })
            .check()
    }

    /// Turns timestamps (or the logical begin and end) into offsets.
    pub(crate) fn offsets_for_times(&self, list: &mut List, wait: Duration) -> Result<(), Code> {
        // SAFETY: both are alive, the list is ours to change.
        Code(unsafe {
            raw::rd_kafka_offsets_for_times(self.rk.as_ptr(), list.as_ptr(), millis(wait))
        })
        .check()
    }

    /// Fills in the position behind the last message (or control record) that was taken.
    pub(crate) fn position(&self, list: &mut List) -> Result<(), Code> {
        // SAFETY: both are alive, the list is ours to change.
        Code(unsafe { raw::rd_kafka_position(self.rk.as_ptr(), list.as_ptr()) }).check()
    }

    /// Sends a commit whose answer arrives on `reply`.
    pub(crate) fn commit(&self, list: &List, reply: &Queue) -> Result<(), Code> {
        // SAFETY: all are alive; the list is copied, the queue is kept by the request.
        Code(unsafe {
            raw::rd_kafka_commit_queue(
                self.rk.as_ptr(),
                list.as_ptr(),
                reply.queue.as_ptr(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        })
        .check()
    }

    pub(crate) fn set_paused(&self, list: &List, paused: bool) -> Result<(), Code> {
        let (rk, list) = (self.rk.as_ptr(), list.as_ptr());
        // SAFETY: both are alive; the results are written into the list, which nobody else reads.
        Code(unsafe {
            if paused {
                raw::rd_kafka_pause_partitions(rk, list)
            } else {
                raw::rd_kafka_resume_partitions(rk, list)
            }
        })
        .check()
    }

    /// The log's start and end as the last fetch told them; negative where none did.
    pub(crate) fn cached_log(&self, topic: &CStr, partition: i32) -> Option<(i64, i64)> {
        let (mut low, mut high) = (-1, -1);
        // SAFETY: the handle is alive, the topic a C string, both results are ours.
        let code = unsafe {
            raw::rd_kafka_get_watermark_offsets(
                self.rk.as_ptr(),
                topic.as_ptr(),
                partition,
                &raw mut low,
                &raw mut high,
            )
        };
        (code == 0).then_some((low, high))
    }

    /// The fatal error that ended the client, if one did.
    pub(crate) fn fatal(&self) -> Option<(Code, String)> {
        let mut text = [0 as c_char; 512];
        // SAFETY: the handle is alive, the buffer has the size that is passed.
        let code =
            unsafe { raw::rd_kafka_fatal_error(self.rk.as_ptr(), text.as_mut_ptr(), text.len()) };
        // SAFETY: terminated by librdkafka, zeroed before.
        (code != 0).then(|| (Code(code), unsafe { text_of(text.as_ptr()) }))
    }

    /// Tells librdkafka that no token could be had.
    pub(crate) fn token_failed(&self, why: &CStr) {
        // SAFETY: the handle is alive, the text a C string that is copied.
        let code =
            unsafe { rd::rd_kafka_oauthbearer_set_token_failure(self.rk.as_ptr(), why.as_ptr()) };
        tracing::debug!(code = code as i32, "token refresh refused");
    }

    /// The partitions of one topic as the brokers tell them now.
    pub(crate) fn partitions(&self, topic: &CStr, wait: Duration) -> Result<Vec<i32>, Code> {
        // SAFETY: the handle is alive, the topic a C string, no configuration is passed.
        let handle = unsafe {
            rd::rd_kafka_topic_new(self.rk.as_ptr(), topic.as_ptr(), std::ptr::null_mut())
        };
        if handle.is_null() {
            // SAFETY: no preconditions.
            return Err(Code(unsafe { raw::rd_kafka_last_error() }));
        }
        let mut metadata = std::ptr::null();
        // SAFETY: both handles are alive; the result is ours.
        let code = Code(unsafe {
            raw::rd_kafka_metadata(self.rk.as_ptr(), 0, handle, &raw mut metadata, millis(wait))
        });
        // SAFETY: made above, used no more.
        unsafe { rd::rd_kafka_topic_destroy(handle) };
        code.check()?;
        // SAFETY: on success the metadata is alive until destroyed below, its arrays have the
        // lengths that stand beside them, and error codes are read as integers.
        unsafe {
            let mut result = Err(Code::of(UNKNOWN_TOPIC));
            for index in 0..usize::try_from((*metadata).topic_cnt).unwrap_or(0) {
                let found = (*metadata).topics.add(index);
                if CStr::from_ptr((*found).topic) != topic {
                    continue;
                }
                let code = Code((&raw const (*found).err).cast::<c_int>().read());
                result = code.check().map(|()| {
                    (0..usize::try_from((*found).partition_cnt).unwrap_or(0))
                        .map(|index| (*(*found).partitions.add(index)).id)
                        .collect()
                });
            }
            rd::rd_kafka_metadata_destroy(metadata);
            result
        }
    }

    /// Begins to leave the group; what there is to answer arrives on `events`.
    pub(crate) fn close(&self, events: &Queue) -> Result<(), (Code, String)> {
        // SAFETY: both are alive.
        unsafe {
            owned_error(rd::rd_kafka_consumer_close_queue(self.rk.as_ptr(), events.queue.as_ptr()))
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        // SAFETY: the handle is alive.
        unsafe { rd::rd_kafka_consumer_closed(self.rk.as_ptr()) != 0 }
    }
}

const UNKNOWN_TOPIC: rd::rd_kafka_resp_err_t =
    rd::rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;

/// Takes over an error object; null is success.
///
/// # Safety
///
/// `error` is null or an error object that the caller owns.
unsafe fn owned_error(error: *mut rd::rd_kafka_error_t) -> Result<(), (Code, String)> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: not null, ours, destroyed once.
    unsafe {
        let found =
            (Code(raw::rd_kafka_error_code(error)), text_of(rd::rd_kafka_error_string(error)));
        rd::rd_kafka_error_destroy(error);
        Err(found)
    }
}

/// A queue of a client, and the client with it.
pub(crate) struct Queue {
    queue: NonNull<rd::rd_kafka_queue_t>,
    client: Arc<Client>,
}

// SAFETY: librdkafka's queues are locked inside; a handle may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above, also at the same time.
unsafe impl Sync for Queue {}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: made by us, destroyed once, and the client is still alive: it is dropped after.
        unsafe { rd::rd_kafka_queue_destroy(self.queue.as_ptr()) }
    }
}

impl Queue {
    fn own(queue: *mut rd::rd_kafka_queue_t, client: &Arc<Client>) -> Option<Self> {
        Some(Self { queue: NonNull::new(queue)?, client: Arc::clone(client) })
    }

    /// A queue of its own, for answers.
    pub(crate) fn new(client: &Arc<Client>) -> Self {
        // SAFETY: the handle is alive.
        let queue = unsafe { rd::rd_kafka_queue_new(client.rk.as_ptr()) };
        Self::own(queue, client).expect("rd_kafka_queue_new returns a queue")
    }

    /// The queue of errors and token refreshes of a client that is no member of a group.
    pub(crate) fn main(client: &Arc<Client>) -> Self {
        // SAFETY: the handle is alive.
        let queue = unsafe { rd::rd_kafka_queue_get_main(client.rk.as_ptr()) };
        Self::own(queue, client).expect("every client has a main queue")
    }

    /// The queue of rebalances; polling it keeps the member in its group.
    pub(crate) fn consumer(client: &Arc<Client>) -> Option<Self> {
        // SAFETY: the handle is alive; null if it is no consumer of a group.
        Self::own(unsafe { rd::rd_kafka_queue_get_consumer(client.rk.as_ptr()) }, client)
    }

    /// Splits a partition's queue off the consumer's: what it fetches goes nowhere else.
    ///
    /// `cell` is called whenever the queue stops being empty, with the queue's lock held. It is
    /// registered for the life of the client, not of the lane: a lane that goes away cannot take
    /// another lane's wake-up with it, and the callback never finds freed memory.
    pub(crate) fn partition(
        client: &Arc<Client>,
        topic: &CStr,
        partition: i32,
        cell: &Arc<WakerCell>,
    ) -> Option<Self> {
        // SAFETY: the handle is alive, the topic a C string.
        let queue = unsafe {
            rd::rd_kafka_queue_get_partition(client.rk.as_ptr(), topic.as_ptr(), partition)
        };
        let queue = Self::own(queue, client)?;
        let mut cells = client.cells.lock().unwrap_or_else(PoisonError::into_inner);
        if !cells.iter().any(|known| Arc::ptr_eq(known, cell)) {
            cells.push(Arc::clone(cell));
        }
        drop(cells);
        let opaque = Arc::as_ptr(cell).cast_mut().cast::<c_void>();
        // SAFETY: the queue is alive. `opaque` points to a cell that `client.cells` keeps until
        // after `rd_kafka_destroy`, and no callback runs after that.
        unsafe {
            rd::rd_kafka_queue_forward(queue.queue.as_ptr(), std::ptr::null_mut());
            rd::rd_kafka_queue_cb_event_enable(queue.queue.as_ptr(), Some(wake), opaque);
        }
        Some(queue)
    }

    /// Waits at most `wait` for the next event.
    pub(crate) fn poll(&self, wait: Duration) -> Option<Event> {
        // SAFETY: the queue is alive.
        let event = unsafe { rd::rd_kafka_queue_poll(self.queue.as_ptr(), millis(wait)) };
        NonNull::new(event).map(Event)
    }

    /// Makes a poll that waits return.
    pub(crate) fn interrupt(&self) {
        // SAFETY: the queue is alive.
        unsafe { rd::rd_kafka_queue_yield(self.queue.as_ptr()) }
    }

    /// Whether nothing waits in it.
    pub(crate) fn is_empty(&self) -> bool {
        // SAFETY: the queue is alive.
        unsafe { rd::rd_kafka_queue_length(self.queue.as_ptr()) == 0 }
    }

    /// Takes at most `room.len()` messages that are there already; how many it took.
    ///
    /// Never waits. The messages are the caller's to destroy.
    pub(crate) fn take(&self, room: &mut [*mut rd::rd_kafka_message_t]) -> Result<usize, Code> {
        // SAFETY: the queue is alive, the array has the length that is passed; it is written from
        // its start, as far as the answer says.
        let taken = unsafe {
            rd::rd_kafka_consume_batch_queue(self.queue.as_ptr(), 0, room.as_mut_ptr(), room.len())
        };
        // SAFETY: no preconditions; tells the error of the call before, on this thread.
        usize::try_from(taken).map_err(|_negative| Code(unsafe { raw::rd_kafka_last_error() }))
    }

    pub(crate) const fn client(&self) -> &Arc<Client> {
        &self.client
    }
}

/// What librdkafka calls when a partition's queue stops being empty.
unsafe extern "C" fn wake(_: *mut rd::rd_kafka_t, opaque: *mut c_void) {
    // SAFETY: `opaque` is the cell that `Queue::partition` registered; it outlives the client.
    let cell = unsafe { &*opaque.cast::<WakerCell>() };
    cell.wake();
}

/// An event of a queue.
pub(crate) struct Event(NonNull<rd::rd_kafka_event_t>);

/// What an event is about.
pub(crate) enum EventKind {
    Rebalance,
    Error,
    Committed,
    TokenRefresh,
    Other,
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: ours, destroyed once.
        unsafe { rd::rd_kafka_event_destroy(self.0.as_ptr()) }
    }
}

impl Event {
    pub(crate) fn kind(&self) -> EventKind {
        // SAFETY: the event is alive.
        match unsafe { rd::rd_kafka_event_type(self.0.as_ptr()) } {
            rd::RD_KAFKA_EVENT_REBALANCE => EventKind::Rebalance,
            rd::RD_KAFKA_EVENT_ERROR => EventKind::Error,
            rd::RD_KAFKA_EVENT_OFFSET_COMMIT => EventKind::Committed,
            rd::RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH => EventKind::TokenRefresh,
            _ => EventKind::Other,
        }
    }

    /// The event's error; for a rebalance, whether it assigns or revokes.
    pub(crate) fn code(&self) -> Code {
        // SAFETY: the event is alive.
        Code(unsafe { raw::rd_kafka_event_error(self.0.as_ptr()) })
    }

    /// What librdkafka says about the error.
    pub(crate) fn text(&self) -> String {
        // SAFETY: the event is alive, and with it the text, which is copied.
        unsafe { text_of(rd::rd_kafka_event_error_string(self.0.as_ptr())) }
    }

    /// The partitions of a rebalance or a commit.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        // SAFETY: the event is alive, and with it the list, which is copied.
        unsafe {
            let list = rd::rd_kafka_event_topic_partition_list(self.0.as_ptr());
            entries_of(list)
        }
    }
}

/// One partition of a list, copied.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) topic: String,
    pub(crate) partition: i32,
    pub(crate) offset: i64,
    pub(crate) metadata: String,
    pub(crate) leader_epoch: i32,
    pub(crate) code: Code,
}

impl Entry {
    /// A partition and nothing else.
    pub(crate) fn of(topic: &str, partition: i32) -> Self {
        Self {
            topic: topic.to_owned(),
            partition,
            offset: 0,
            metadata: String::new(),
            leader_epoch: -1,
            code: Code::OK,
        }
    }
}

/// Copies the entries of a list; none for null.
///
/// # Safety
///
/// `list` is null or alive.
unsafe fn entries_of(list: *const rd::rd_kafka_topic_partition_list_t) -> Vec<Entry> {
    if list.is_null() {
        return Vec::new();
    }
    // SAFETY: the list is alive; its array has `cnt` elements; each topic is a C string, metadata
    // has its size beside it, and the code is read as an integer.
    unsafe {
        (0..usize::try_from((*list).cnt).unwrap_or(0))
            .map(|index| {
                let elem = (*list).elems.add(index);
                let metadata = if (*elem).metadata.is_null() {
                    String::new()
                } else {
                    let bytes = std::slice::from_raw_parts(
                        (*elem).metadata.cast::<u8>(),
                        (*elem).metadata_size,
                    );
                    String::from_utf8_lossy(bytes).into_owned()
                };
                Entry {
                    topic: text_of((*elem).topic),
                    partition: (*elem).partition,
                    offset: (*elem).offset,
                    metadata,
                    leader_epoch: rd::rd_kafka_topic_partition_get_leader_epoch(elem),
                    code: Code((&raw const (*elem).err).cast::<c_int>().read()),
                }
            })
            .collect()
    }
}

/// A list of partitions.
pub(crate) struct List(NonNull<rd::rd_kafka_topic_partition_list_t>);

// SAFETY: a list is plain memory with one owner.
unsafe impl Send for List {}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: ours, destroyed once.
        unsafe { rd::rd_kafka_topic_partition_list_destroy(self.0.as_ptr()) }
    }
}

impl List {
    pub(crate) fn new(room: usize) -> Self {
        let room = c_int::try_from(room).unwrap_or(0);
        // SAFETY: no preconditions.
        let list = unsafe { rd::rd_kafka_topic_partition_list_new(room) };
        Self(NonNull::new(list).expect("rd_kafka_topic_partition_list_new returns a list"))
    }

    /// Adds a partition with an offset (or a timestamp, where offsets are asked for).
    pub(crate) fn add(&mut self, topic: &CStr, partition: i32, offset: i64) -> Added<'_> {
        // SAFETY: the list is ours, the topic a C string that is copied; the element stays where it
        // is until the list grows or is destroyed, which the borrow prevents.
        unsafe {
            let elem =
                rd::rd_kafka_topic_partition_list_add(self.0.as_ptr(), topic.as_ptr(), partition);
            (*elem).offset = offset;
            Added { elem, _list: std::marker::PhantomData }
        }
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        // SAFETY: the list is alive.
        unsafe { entries_of(self.0.as_ptr()) }
    }

    /// The offset of the first entry.
    pub(crate) fn first_offset(&self) -> Option<i64> {
        // SAFETY: the list is alive and has `cnt` elements.
        unsafe {
            let list = self.0.as_ptr();
            ((*list).cnt > 0).then(|| (*(*list).elems).offset)
        }
    }

    const fn as_ptr(&self) -> *mut rd::rd_kafka_topic_partition_list_t {
        self.0.as_ptr()
    }
}

/// An entry just added to a list.
pub(crate) struct Added<'a> {
    elem: *mut rd::rd_kafka_topic_partition_t,
    _list: std::marker::PhantomData<&'a mut List>,
}

impl Added<'_> {
    /// Sets the text that is committed with the offset.
    pub(crate) fn with_metadata(self, text: &str) -> Self {
        if text.is_empty() {
            return self;
        }
        // SAFETY: the element is alive (see `List::add`) and has no metadata yet; the list frees it
        // with librdkafka's own allocator, which is the one used here.
        unsafe {
            let copy = rd::rd_kafka_mem_malloc(std::ptr::null_mut(), text.len());
            assert!(!copy.is_null(), "out of memory for {} bytes of metadata", text.len());
            std::ptr::copy_nonoverlapping(text.as_ptr(), copy.cast::<u8>(), text.len());
            (*self.elem).metadata = copy;
            (*self.elem).metadata_size = text.len();
        }
        self
    }

    /// Sets the epoch of the leader that wrote the record before the offset.
    pub(crate) fn with_leader_epoch(self, epoch: i32) {
        // SAFETY: the element is alive (see `List::add`).
        unsafe { rd::rd_kafka_topic_partition_set_leader_epoch(self.elem, epoch) }
    }
}

/// A message taken from a queue, alive until it is destroyed.
///
/// Plain and `Copy`: whoever took it from the queue destroys it once, and keeps the client alive.
#[derive(Clone, Copy)]
pub(crate) struct Message(NonNull<rd::rd_kafka_message_t>);

impl Message {
    /// Wraps what [`Queue::take`] wrote.
    ///
    /// # Safety
    ///
    /// `message` was taken from a queue and is not destroyed while this value is used.
    pub(crate) unsafe fn new(message: *mut rd::rd_kafka_message_t) -> Self {
        // SAFETY: librdkafka hands out no null messages in a batch.
        Self(unsafe { NonNull::new_unchecked(message) })
    }

    pub(crate) fn code(self) -> Code {
        // SAFETY: alive by the promise of `new`; read as an integer, since a broker may send codes
        // that the enum does not have.
        Code(unsafe { (&raw const (*self.0.as_ptr()).err).cast::<c_int>().read() })
    }

    pub(crate) fn offset(self) -> i64 {
        // SAFETY: alive by the promise of `new`.
        unsafe { (*self.0.as_ptr()).offset }
    }

    pub(crate) fn leader_epoch(self) -> i32 {
        // SAFETY: alive by the promise of `new`.
        unsafe { rd::rd_kafka_message_leader_epoch(self.0.as_ptr()) }
    }

    /// Milliseconds since the Unix epoch; negative where the record has none.
    pub(crate) fn timestamp(self) -> i64 {
        // SAFETY: alive by the promise of `new`; the kind of timestamp may be left out.
        unsafe { rd::rd_kafka_message_timestamp(self.0.as_ptr(), std::ptr::null_mut()) }
    }

    /// What librdkafka says about a message that is an error.
    pub(crate) fn error_text(self) -> String {
        // SAFETY: alive by the promise of `new`; the text belongs to the message and is copied.
        unsafe { text_of(rd::rd_kafka_message_errstr(self.0.as_ptr())) }
    }

    /// The value; `None` for a tombstone.
    ///
    /// # Safety
    ///
    /// The message is not destroyed while the bytes are used.
    pub(crate) unsafe fn value<'a>(self) -> Option<&'a [u8]> {
        // SAFETY: payload and length belong together; the caller keeps the message.
        unsafe { slice_of((*self.0.as_ptr()).payload, (*self.0.as_ptr()).len) }
    }

    /// The key, if there is one.
    ///
    /// # Safety
    ///
    /// As for [`value`](Self::value).
    pub(crate) unsafe fn key<'a>(self) -> Option<&'a [u8]> {
        // SAFETY: key and length belong together; the caller keeps the message.
        unsafe { slice_of((*self.0.as_ptr()).key, (*self.0.as_ptr()).key_len) }
    }

    /// Calls `each` with every header, in order.
    ///
    /// # Safety
    ///
    /// No other thread uses this message: librdkafka parses its headers in place.
    pub(crate) unsafe fn headers(self, each: &mut dyn FnMut(&str, Option<&[u8]>)) {
        let mut headers = std::ptr::null_mut();
        // SAFETY: alive by the promise of `new`, used by this thread only; the headers belong to
        // the message.
        if unsafe { raw::rd_kafka_message_headers(self.0.as_ptr(), &raw mut headers) } != 0 {
            return;
        }
        for index in 0.. {
            let (mut name, mut value, mut size) = (std::ptr::null(), std::ptr::null(), 0);
            // SAFETY: the headers are alive; an index past their end is answered with an error.
            let code = unsafe {
                raw::rd_kafka_header_get_all(
                    headers,
                    index,
                    &raw mut name,
                    &raw mut value,
                    &raw mut size,
                )
            };
            if code != 0 {
                break;
            }
            // SAFETY: name and value belong to the headers, which live as long as the message.
            unsafe {
                let name = CStr::from_ptr(name).to_string_lossy();
                each(&name, slice_of(value.cast_mut(), size));
            }
        }
    }

    /// Gives the message's memory back.
    ///
    /// # Safety
    ///
    /// Called once, and nothing that came out of the message is used afterwards.
    pub(crate) unsafe fn destroy(self) {
        // SAFETY: alive until now, by the caller's promise.
        unsafe { rd::rd_kafka_message_destroy(self.0.as_ptr()) }
    }
}

/// Bytes of a message; null is absent, which is not the same as empty.
///
/// # Safety
///
/// `start` is null or points to `len` bytes that live and stay unchanged for `'a`.
unsafe fn slice_of<'a>(start: *mut c_void, len: usize) -> Option<&'a [u8]> {
    // SAFETY: not null and readable for `len`, by the caller's promise.
    (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) })
}

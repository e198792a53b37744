//! Decoding borrowed records allocates nothing in steady state.

#![expect(unsafe_code, reason = "a counting allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;

use serde::Deserialize;
use spate_datagen::{Orders, Settings, Shape};
use spate_json::Json;
use spate_runtime::chain::format::Format;

struct Counting;

thread_local! {
    /// Of the calling thread: the test harness has threads of its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is the system allocator's; counting in a constant-initialised thread-local
// without a destructor allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Deserialize)]
struct Order<'a> {
    order_id: u64,
    #[serde(borrow)]
    status: Cow<'a, str>,
    sku: &'a str,
    discount: f64,
}

#[test]
fn borrowed_records_allocate_nothing() {
    let settings = Settings { shape: Shape::Wide, ..Settings::clean(1000) };
    let mut payload = Vec::new();
    let mut orders = Orders::new(&settings);
    while orders.append_next(&mut payload).is_some() {
        payload.push(b'\n');
    }
    let mut decoder = Default::default();
    let before = ALLOCATIONS.get();
    let mut sum = 0.0;
    let mut count = 0_u64;
    for order in Json::<Order<'_>>::records(&mut decoder, &payload) {
        let order = order.expect("clean orders decode");
        count += order.order_id + order.status.len() as u64 + order.sku.len() as u64;
        sum += order.discount;
    }
    let allocated = ALLOCATIONS.get() - before;
    assert!(count > 500_000 && sum > 0.0);
    assert_eq!(allocated, 0, "allocations for 1,000 records");
}

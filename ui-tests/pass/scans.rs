//! What the scanning rules let through: near misses, and their hatches (P017, P027 to P035, P042,
//! P044, P064).
#![deny(warnings)]

use spate::prelude::*;
use ui_tests::*;

/// Labels of every allowed form; an own label of the decoder's.
#[pipeline]
mod labels {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[op(label = "v2_in_stock")]
    fn in_stock(order: &Order<'_>) -> bool {
        order.qty > 0
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .named("decode")
            .filter(in_stock)
            .map(line)
            .named("to_line")
            .to(lines);
    });
}

/// Words that only look like a panic: methods of the user's own, a function, texts, items in a
/// body, another macro's tokens, and a helper that no chain calls.
#[pipeline]
mod near_misses {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    struct Text<'a>(&'a str);

    impl Text<'_> {
        fn unwrap(&self) -> &str {
            self.0
        }

        fn expect(&self, _what: &str) -> Option<u64> {
            self.0.parse().ok()
        }

        fn recv(&self) -> usize {
            self.0.len()
        }
    }

    mod fs {
        pub fn read(text: &str) -> usize {
            text.len()
        }
    }

    macro_rules! ignored {
        ($($tokens:tt)*) => {
            true
        };
    }

    fn wrapped(order: &Order<'_>) -> bool {
        // None of these is called: x.unwrap(), panic!("never"), SystemTime::now().
        let text = Text(order.customer);
        let said = "unwrap() panic!() format!() thread::sleep";
        text.unwrap() != said && text.expect("a number").is_some() && text.recv() > 0
    }

    fn items(order: &Order<'_>) -> bool {
        const LIMIT: u32 = u32::MAX.checked_sub(1).unwrap();
        #[cfg(any())]
        panic!("never built");
        #[expect(dead_code, reason = "nobody calls it")]
        fn elsewhere() -> String {
            let text = Some(1).unwrap().to_string();
            format!("{text}{:?}", std::time::SystemTime::now())
        }
        order.qty < LIMIT && fs::read(order.customer) > 0 && ignored!(order.id.unwrap())
    }

    #[expect(dead_code, reason = "nobody calls it")]
    fn helper() -> String {
        format!("{}", Some(1).unwrap())
    }

    /// Only a failure allocates.
    fn price(order: Order<'_>) -> Result<Line<'_>, std::io::Error> {
        let qty: Result<u32, _> = order.qty.checked_sub(1).ok_or_else(|| format!("{order:?}"));
        if qty.map_err(|text| text.to_owned()).is_err() {
            return Err(std::io::Error::other(order.customer.to_owned()));
        }
        let letters = order
            .customer
            .chars()
            .map(|c| (c != '#').then_some(()))
            .collect::<Option<()>>();
        let no_row = letters.is_none() && Vec::<u64>::new().is_empty() && String::new().is_empty();
        if no_row { Ok(line(order)) } else { Err(std::io::Error::other("a row")) }
    }

    /// An inspection makes no rows, so it may look at the clock.
    fn seen(order: &Order<'_>) {
        let _ = (std::time::Instant::now(), order.id);
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(wrapped)
            .filter(items)
            .inspect(seen)
            .flat_map(|e| [e.clone(), e])
            .try_map(price)
            .or_skip()
            .to(lines);
    });
}

fn collected(_: ()) {}

/// Each hatch in use, on a function and in front of a closure.
#[pipeline(alloc = deny)]
mod hatches {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    static ORDERS: AtomicU64 = AtomicU64::new(0);

    #[state(allow(shared))]
    struct Seen {
        last: Mutex<u64>,
    }

    #[op(allow(panic, blocking))]
    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        let last = seen.last.get_mut().unwrap();
        std::thread::yield_now();
        std::mem::replace(last, order.id) != order.id
    }

    #[op(allow(shared))]
    fn counted(_order: &Order<'_>) {
        ORDERS.fetch_add(1, Ordering::Relaxed);
    }

    #[op(allow(nondeterministic))]
    fn recent(_order: &Order<'_>) -> bool {
        std::time::SystemTime::now().elapsed().is_ok()
    }

    #[op(allow(alloc))]
    fn twice(order: Order<'_>) -> Vec<Order<'_>> {
        vec![order.clone(), order]
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(first_time)
            .inspect(counted)
            .filter(recent)
            .flat_map(twice)
            .filter(
                #[op(allow(alloc))]
                |e| e.id.to_string().len() > 3,
            )
            .filter(
                #[op(allow(panic), label = "named_hash")]
                |e| e.customer.chars().next().unwrap() == '#',
            )
            .map(line)
            .to(lines);
    });
}

/// A module may say that allocations are of no concern.
#[pipeline(alloc = allow)]
mod allocates {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(|e| format!("{}", e.id).len() > 3)
            .map(line)
            .to(lines);
    });
}

/// A state for each chain; a state without locks; an `Arc` of what nobody changes.
#[pipeline]
mod states {
    use std::sync::Arc;

    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[source]
    fn more() -> Feed<Plain<Order<'_>>>;

    #[sink]
    fn lines() -> Table<Line<'_>>;

    static LIMIT: u64 = 7;

    #[state]
    struct Seen {
        last: u64,
        name: Arc<str>,
    }

    #[state]
    struct SeenMore {
        last: u64,
    }

    fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
        std::mem::replace(&mut seen.last, order.id) != order.id && *seen.name != *order.customer
    }

    fn first_of_more(seen: &mut SeenMore, order: &Order<'_>) -> bool {
        std::mem::replace(&mut seen.last, order.id) != order.id + LIMIT
    }

    chain!(bill, {
        events
            .decode()
            .or_skip()
            .filter(first_time)
            .filter(first_time)
            .named("again")
            .map(line)
            .to(lines);
    });

    chain!(copy, {
        more.decode()
            .or_skip()
            .filter(first_of_more)
            .map(line)
            .to(lines);
    });
}

/// Under a `cfg` whatever it names may be too, and a mistake in what is not there is none.
#[pipeline]
mod under_cfg {
    use super::*;

    #[cfg(all())]
    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[cfg(all())]
    #[sink]
    fn lines() -> Table<Line<'_>>;

    #[cfg(any())]
    #[sink]
    fn gone() -> Table<Line<'_>>;

    #[sink]
    fn rest() -> Table<Line<'_>>;

    #[cfg(any())]
    #[source]
    fn never() -> Feed<Plain<Order<'_>>>;

    #[cfg(any())]
    chain!(nothing, {
        never.decode().try_map(async |e| e).filter(nobody?).to(gone);
    });

    #[cfg(all())]
    chain!(some, {
        match events.decode().or_stop().split_on(|e| e.kind) {
            #[cfg(any())]
            Kind::Gone => events
                .filter(|e| e.unwrap())
                .named("No Label")
                .try_map(nobody),
            Kind::Placed => events.map(line).to(lines),
            Kind::Refunded | Kind::Ping => events.map(line).named("others").to(rest),
        }
    });
}

/// One of two sinks with a name, whichever the `cfg` leaves; the path goes to that one.
#[pipeline]
mod alternatives {
    use super::*;

    #[source]
    fn events() -> Feed<Plain<Order<'_>>>;

    #[cfg(any())]
    #[sink]
    fn lines() -> Elsewhere<Line<'_>>;

    #[cfg(not(any()))]
    #[sink]
    fn lines() -> Table<Line<'_>>;

    chain!(bill, {
        events.decode().or_skip().map(line).to(lines);
    });
}

fn main() {
    collected(());
    assert_eq!(alternatives::GRAPH.sinks.len(), 1);
    let programs = [
        labels::main,
        near_misses::main,
        hatches::main,
        allocates::main,
        states::main,
        under_cfg::main,
        alternatives::main,
    ];
    if std::env::args().len() > 9 {
        for program in programs {
            let _ = program();
        }
    }
}

//! What the pages of the rules call accepted: the refused programs, mended; and the code of the
//! page on the language. All of it builds.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::needless_pass_by_ref_mut,
    clippy::non_minimal_cfg,
    reason = "programs that are built, not run"
)]

mod p001 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(|e| e.qty > 0)
                .map(line)
                .to(lines);
        });
    }
}

mod p002 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p003 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p004 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .map(line)
                .filter(|l| l.id > 0)
                .to(lines);
        });
    }
}

mod p005 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(|e| e.qty > 0)
                .map(line)
                .to(lines);
        });
    }
}

mod p006 {
    use spate::prelude::*;

    #[pipeline]
    mod orders {
        use ui_tests::{Feed, Line, Order, Plain, Table, line};

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn in_stock(order: &Order<'_>) -> bool {
            order.qty > 0
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(in_stock)
                .map(line)
                .to(lines);
        });
    }
}

mod p007 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill::<Order<'_>, Line<'_>>, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p008 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            let (a, b) = events.decode().or_skip().map(line).tee();
            a.to(lines);
            b.to(lines);
        });
    }
}

mod p009 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            let (a, b) = events.decode().or_skip().tee();
            a.discard("not kept yet");
            b.map(line).to(lines);
        });
    }
}

mod p010 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[sink]
        fn copies() -> Table<Line<'_>>;

        chain!(bill, {
            let (x, y) = events.decode().or_skip().map(line).tee();
            x.to(lines);
            y.to(copies);
        });
    }
}

mod p011 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p012 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            let placed = events.decode().or_skip();
            match placed.split_on(|e| e.kind) {
                Kind::Placed => placed.map(line).to(lines),
                Kind::Refunded => placed.discard("not billed"),
                Kind::Ping => placed.discard("heartbeat"),
            }
        });
    }
}

mod p013 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            let placed = events.decode().or_skip();
            match placed.split_on(|e| e.kind) {
                Kind::Placed => placed.map(line).to(lines),
                Kind::Refunded | Kind::Ping => placed.discard("not billed"),
            }
        });
    }
}

mod p014 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            let placed = events.decode().or_skip();
            match placed.split_on(|e| e.kind) {
                Kind::Placed => placed.map(line).to(lines),
                Kind::Refunded | Kind::Ping => placed.discard("no lines"),
            }
        });
    }
}

mod p015 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(|e| e.qty > 0)
                .named("some")
                .filter(|e| e.id > 0)
                .named("known")
                .map(line)
                .to(lines);
        });
    }
}

mod p016 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        pub struct Thresholds;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p017 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(|e| e.qty > 0)
                .named("in_stock")
                .map(line)
                .to(lines);
        });
    }
}

mod p020 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p021 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p022 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
            Ok(line(order))
        }

        chain!(bill, {
            events.decode().or_skip().try_map(price).or_skip().to(lines);
        });
    }
}

mod p023 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn find(order: Order<'_>) -> Option<Line<'_>> {
            (order.qty > 0).then(|| line(order))
        }

        chain!(bill, {
            events.decode().or_skip().filter_map(find).to(lines);
        });
    }
}

mod p024 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_stop().map(line).to(lines);
        });
    }
}

mod p025 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[sink]
        fn rejects() -> Table<DeadLetter<'_>>;

        fn price(order: Order<'_>) -> Result<Line<'_>, Refused> {
            Ok(line(order))
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .try_map(price)
                .or_to(rejects)
                .to(lines);
        });
    }
}

mod p026 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[sink]
        fn rejects() -> Table<DeadLetter<'_>>;

        chain!(bill, {
            events.decode().or_to(rejects).map(line).to(lines);
        });
    }
}

mod p027 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn halved(order: Order<'_>) -> Result<Order<'_>, Refused> {
            let qty = order.qty.checked_div(2).ok_or(Refused)?;
            Ok(Order { qty, ..order })
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .try_map(halved)
                .or_skip()
                .map(line)
                .to(lines);
        });
    }
}

mod p030 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn in_stock(order: &Order<'_>) -> bool {
            order.qty > 0
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(in_stock)
                .map(line)
                .to(lines);
        });
    }
}

mod p031 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p032 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn in_stock(order: &Order<'_>) -> bool {
            order.qty > 0
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(in_stock)
                .map(line)
                .to(lines);
        });
    }
}

mod p033 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn marked(order: &Order<'_>) -> bool {
            order
                .id
                .checked_ilog10()
                .is_some_and(|digits| digits as usize + 2 > order.customer.len())
        }

        chain!(bill, {
            events.decode().or_skip().filter(marked).map(line).to(lines);
        });
    }
}

mod p034 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn twice(order: Order<'_>) -> [Order<'_>; 2] {
            [order.clone(), order]
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .flat_map(twice)
                .map(line)
                .to(lines);
        });
    }
}

mod p035 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn recent(order: &Order<'_>, meta: Meta<'_>) -> bool {
            meta.timestamp_ms()
                .is_some_and(|millis| millis.unsigned_abs() > order.id)
        }

        chain!(bill, {
            events.decode().or_skip().filter(recent).map(line).to(lines);
        });
    }
}

mod p036 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn clamp(mut order: Order<'_>) -> Order<'_> {
            order.qty = order.qty.min(9);
            order
        }

        chain!(bill, {
            events.decode().or_skip().map(clamp).map(line).to(lines);
        });
    }
}

mod p037 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn bill(order: Order<'_>) -> Line<'_> {
            line(order)
        }

        chain!(bill, {
            let (a, b) = events.decode().or_skip().tee();
            a.discard("done");
            b.map(bill).to(lines);
        });
    }
}

mod p038 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        fn has_some(order: &Order<'_>) -> bool {
            order.qty > 0
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(has_some)
                .map(line)
                .to(lines);
        });
    }
}

mod p039 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[state]
        #[derive(Default)]
        struct Seen {
            last: u64,
        }

        fn copies<'a>(
            seen: &mut Seen,
            order: Order<'a>,
        ) -> impl Iterator<Item = Order<'a>> + use<'a> {
            seen.last += 1;
            std::iter::once(order)
        }

        fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
            seen.last != order.id
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .flat_map(copies)
                .filter(first_time)
                .map(line)
                .to(lines);
        });
    }
}

mod p040 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[state]
        #[derive(Default)]
        struct Seen {
            last: String,
        }

        fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
            seen.last != order.customer
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(first_time)
                .map(line)
                .to(lines);
        });
    }
}

mod p041 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[state]
        #[derive(Default)]
        struct Seen {
            ring: u64,
        }

        fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
            seen.ring != order.id
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(first_time)
                .map(line)
                .to(lines);
        });
    }
}

mod p042 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[state]
        struct Seen {
            last: u64,
        }

        fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
            std::mem::replace(&mut seen.last, order.id) != order.id
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(first_time)
                .map(line)
                .to(lines);
        });
    }
}

mod p043 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source(partition_key = id)]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .dedup(|order| (order.id, order.customer), 65_536)
                .map(line)
                .to(lines);
        });
    }
}

mod p044 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[source]
        fn more() -> Feed<Plain<Order<'_>>>;

        #[state]
        struct Seen {
            last: u64,
        }

        #[state]
        struct SeenMore {
            last: u64,
        }

        fn first_time(seen: &mut Seen, order: &Order<'_>) -> bool {
            std::mem::replace(&mut seen.last, order.id) != order.id
        }

        fn first_of_more(seen: &mut SeenMore, order: &Order<'_>) -> bool {
            std::mem::replace(&mut seen.last, order.id) != order.id
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .filter(first_time)
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
}

mod p045 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline(config = "../ui-tests/fixtures/two-shards.yaml")]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink(key = id)]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p046 {
    use spate::prelude::*;
    use ui_tests::*;

    #[derive(Row)]
    struct Price {
        cents: u64,
    }

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink(key = cents)]
        fn prices() -> Table<Price>;

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .map(|e| Price { cents: 50 * u64::from(e.qty) })
                .to(prices);
        });
    }
}

mod p047 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p048 {
    use spate::prelude::*;

    #[derive(Row)]
    #[row(ddl = "../ui-tests/fixtures/schema/lines.sql")]
    struct Line<'a> {
        id: u64,
        customer: LowCardinality<&'a str>,
        total: Decimal<18, 4>,
        at: DateTime64<6>,
        kind: i8,
    }
}

mod p050 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().sample(1, 100).map(line).to(lines);
        });
    }
}

mod p056 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[lookup(refresh = "5s")]
        fn names() -> Lookup<u64, String> {
            [(1, "one".to_owned())].into()
        }

        fn known(names: &Lookup<u64, String>, order: &Order<'_>) -> bool {
            names.contains(&order.id)
        }

        chain!(bill, {
            events.decode().or_skip().filter(known).map(line).to(lines);
        });
    }
}

mod p057 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline(config = "../ui-tests/fixtures/p057-fan-out.yaml")]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[op(fan_out = 64)]
        fn copies(order: Order<'_>) -> impl Iterator<Item = Line<'_>> {
            std::iter::repeat_n(order, 3).map(line)
        }

        chain!(bill, {
            events.decode().or_skip().flat_map(copies).to(lines);
        });
    }
}

mod p064 {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[cfg(all())]
        #[sink]
        fn lines() -> Table<Line<'_>>;

        #[cfg(all())]
        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p065 {
    use spate::prelude::*;
    use ui_tests::*;
    #[pipeline]
    mod elsewhere {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!(bill, {
            events.decode().or_skip().map(line).to(lines);
        });
    }
}

mod p066 {
    use spate::prelude::*;
    use ui_tests::*;
    #[pipeline]
    mod heartbeats {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        chain!(bill, {
            events.decode().or_skip().discard("nothing");
        });
    }
}

mod p067 {
    use spate::prelude::*;

    #[derive(Deserialize, Record)]
    struct Order {
        id: u64,
        #[record(serde)]
        rest: std::collections::BTreeMap<String, String>,
    }
}

mod language {
    use spate::prelude::*;
    use ui_tests::*;

    #[derive(Row)]
    pub struct Line<'a> {
        #[row(rename = "order_id")]
        id: u64,
        customer: LowCardinality<Cow<'a, str>>,
        #[row(skip)]
        seen: u32,
    }

    #[pipeline]
    pub mod orders {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink(key = id)]
        fn lines() -> Table<Line<'_>>;

        #[sink]
        fn archive() -> Table<Line<'_>>;

        #[sink]
        fn refunds() -> Table<Line<'_>>;

        #[sink]
        fn rejects() -> Table<DeadLetter<'_>>;

        fn to_line<'a>(order: &Order<'a>) -> Line<'a> {
            let customer = LowCardinality(Cow::Borrowed(order.customer));
            Line { id: order.id, customer, seen: order.qty }
        }

        fn line(order: Order<'_>) -> Line<'_> {
            to_line(&order)
        }

        fn refund(order: Order<'_>) -> Line<'_> {
            to_line(&order)
        }

        chain!(bill, {
            let placed = events.decode().or_to(rejects);

            match placed.split_on(|order| order.kind) {
                Kind::Placed => {
                    let (billed, copied) = placed.tee();
                    billed.map(to_line).to(lines); // by reference
                    copied.map(line).to(archive); // the last branch may take it by value
                }
                Kind::Refunded => placed.map(refund).to(refunds),
                Kind::Ping => placed.discard("heartbeat"),
            }
        });
    }

    const MOST: usize = 2;

    #[pipeline]
    pub mod fanning_out {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<ui_tests::Line<'_>>;

        #[op(fan_out = 64)]
        fn each(order: Order<'_>) -> impl Iterator<Item = Order<'_>> {
            let count = order.qty.min(64) as usize;
            std::iter::repeat_n(order, count)
        }

        chain!(bill, {
            events
                .decode()
                .or_skip()
                .flat_map(each)
                .flat_map(
                    #[op(fan_out = MOST)]
                    |order| [line(order)],
                )
                .to(lines);
        });
    }
}

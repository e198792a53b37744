/// Orders from Kafka into ClickHouse.
///
/// # Chains
///
/// ```text
/// chain bill
/// events: Kafka<Json<OrderEvent<'_>>>
/// .decode(), or_to(rejects)
/// .filter(in_stock)
/// .filter(first_time)
/// .split(|e| e.kind) as split_on
/// ├─ placed
/// │  .try_map(price), or_skip
/// │  .to(lines)
/// ├─ refunded
/// │  .map(refund)
/// │  .to(refunds)
/// └─ ping
/// .discard("heartbeat")
///
/// sinks
/// lines: ClickHouse<OrderLine<'_>> by order_id
/// refunds: ClickHouse<RefundRow<'_>> by order_id
/// rejects: File<DeadLetter<'_>>
/// ```
pub mod orders {
    use super::*;

    /// Remembers recent ids; one per lane: no lock, no sharing.
    struct Seen {
        recent: RecentKeys<u64, 65_536>,
    }

    fn in_stock(e: &OrderEvent<'_>) -> bool {
        e.qty > 0
    }

    fn first_time(seen: &mut Seen, e: &OrderEvent<'_>) -> bool {
        seen.recent.insert(e.order_id)
    }

    fn price(e: OrderEvent<'_>) -> Result<OrderLine<'_>, Overflow> {
        let total = e.qty.checked_mul(e.unit_cents).ok_or(Overflow)?;
        let customer = LowCardinality(e.customer);
        Ok(OrderLine { order_id: e.order_id, customer, total_cents: u64::from(total) })
    }

    fn refund(e: OrderEvent<'_>) -> RefundRow<'_> {
        let refund_cents = u64::from(e.qty) * u64::from(e.unit_cents);
        let customer = LowCardinality(e.customer);
        RefundRow { order_id: e.order_id, customer, refund_cents }
    }

    impl ::core::default::Default for Seen {
        fn default() -> Self {
            Self { recent: <RecentKeys<u64, 65_536> as ::core::default::Default>::default() }
        }
    }

    /// The sink `lines`.
    enum lines {}
    impl lines {
        #[inline]
        fn shard_hash(row: &OrderLine<'_>) -> u64 {
            ::spate::__private::ShardKey::shard_hash(&(row.order_id))
        }
    }

    const _: () = ::spate::__private::assert_sharding(
        <OrderLine<'static> as ::spate::__private::Row>::SHARDING,
        <ClickHouse<OrderLine<'static>> as ::spate::__private::SinkConnector>::SCHEMA.kind,
        "lines",
        "order_id",
    );

    /// The sink `refunds`.
    enum refunds {}
    impl refunds {
        #[inline]
        fn shard_hash(row: &RefundRow<'_>) -> u64 {
            ::spate::__private::ShardKey::shard_hash(&(row.order_id))
        }
    }

    const _: () = ::spate::__private::assert_sharding(
        <RefundRow<'static> as ::spate::__private::Row>::SHARDING,
        <ClickHouse<RefundRow<'static>> as ::spate::__private::SinkConnector>::SCHEMA.kind,
        "refunds",
        "order_id",
    );

    /// The sink `rejects`.
    enum rejects {}
    impl rejects {
        #[inline]
        fn shard_hash(_: &DeadLetter<'_>) -> u64 {
            0
        }
    }

    /// What the chains write to.
    trait Sinks: ::spate::__private::SinkSet {
        /// Takes a row for `lines`, of the payload at `at`.
        fn push_lines(&mut self, row: &OrderLine<'_>, at: ::spate::__private::Offset);
        /// Takes a row for `refunds`, of the payload at `at`.
        fn push_refunds(&mut self, row: &RefundRow<'_>, at: ::spate::__private::Offset);
        /// Takes a row for `rejects`, of the payload at `at`.
        fn push_rejects(&mut self, row: &DeadLetter<'_>, at: ::spate::__private::Offset);
    }

    /// How the rows of each sink are encoded.
    trait Encoders: ::core::marker::Send + 'static {
        type Lines: ::spate::__private::RowEncoder;
        type Refunds: ::spate::__private::RowEncoder;
        type Rejects: ::spate::__private::RowEncoder;
    }

    /// Rows go to the sinks as declared.
    struct Declared;

    impl Encoders for Declared {
        type Lines = <ClickHouse<OrderLine<'static>> as ::spate::__private::SinkConnector>::Encoder;
        type Refunds =
            <ClickHouse<RefundRow<'static>> as ::spate::__private::SinkConnector>::Encoder;
        type Rejects = <File<DeadLetter<'static>> as ::spate::__private::SinkConnector>::Encoder;
    }

    /// Rows go to files, one folder per sink.
    struct Files;

    impl Encoders for Files {
        type Lines = ::spate::__private::Ndjson;
        type Refunds = ::spate::__private::Ndjson;
        type Rejects = ::spate::__private::Ndjson;
    }

    /// Rows are kept for a test.
    struct Captured;

    impl Encoders for Captured {
        type Lines = ::spate::__private::Captured;
        type Refunds = ::spate::__private::Captured;
        type Rejects = ::spate::__private::Captured;
    }

    /// The ways of one lane into its sinks.
    struct Ports<E: Encoders> {
        lines: ::spate::__private::Port<E::Lines>,
        refunds: ::spate::__private::Port<E::Refunds>,
        rejects: ::spate::__private::Port<E::Rejects>,
    }

    impl<E: Encoders> Sinks for Ports<E> {
        #[inline]
        fn push_lines(&mut self, row: &OrderLine<'_>, at: ::spate::__private::Offset) {
            self.lines.push(row, at, lines::shard_hash);
        }

        #[inline]
        fn push_refunds(&mut self, row: &RefundRow<'_>, at: ::spate::__private::Offset) {
            self.refunds.push(row, at, refunds::shard_hash);
        }

        #[inline]
        fn push_rejects(&mut self, row: &DeadLetter<'_>, at: ::spate::__private::Offset) {
            self.rejects.push(row, at, rejects::shard_hash);
        }
    }

    impl<E: Encoders> ::spate::__private::BuildPorts for Ports<E> {
        fn build(seed: &::spate::__private::LaneSeed<'_>) -> Self {
            Self {
                lines: seed.port(::spate::__private::SinkId(0)),
                refunds: seed.port(::spate::__private::SinkId(1)),
                rejects: seed.port(::spate::__private::SinkId(2)),
            }
        }
    }

    impl<E: Encoders> ::spate::__private::SinkSet for Ports<E> {
        fn port(
            &mut self,
            sink: usize,
        ) -> ::core::option::Option<&mut ::spate::__private::PortCore> {
            if sink == 0 {
                return ::core::option::Option::Some(self.lines.core_mut());
            }
            if sink == 1 {
                return ::core::option::Option::Some(self.refunds.core_mut());
            }
            if sink == 2 {
                return ::core::option::Option::Some(self.rejects.core_mut());
            }
            ::core::option::Option::None
        }

        #[inline]
        fn end_of_payload(&mut self) -> bool {
            let attention =
                self.lines.attention() | self.refunds.attention() | self.rejects.attention();
            attention && ::spate::__private::end_of_payload_cold(self)
        }
    }

    /// What `events` decodes with; derived, if its record is.
    type BillFormat<'buf> = <::spate::__private::Choose<
        Json<OrderEvent<'buf>>,
        {
            use ::spate::__private::NotDerived as _;
            <::spate::__private::Probe<Json<OrderEvent<'static>>>>::DERIVED
        },
    > as ::spate::__private::Chosen>::Format;

    /// The chain `bill` of one lane.
    struct Bill {
        decoder: <BillFormat<'static> as ::spate::__private::Format<'static>>::Decoder,
        seen: <::spate::__private::Moved<
            Seen,
            {
                let _: ::spate::__private::AsSend<'_, RecentKeys<u64, 65_536>> = |same| same;
                true
            },
        > as ::spate::__private::Moves>::State,
        tally: ::spate::__private::Tally<{ 12 }>,
    }

    impl<S: Sinks> ::spate::__private::Chain<S> for Bill {
        fn new(_: &::spate::__private::LaneSeed<'_>) -> Self {
            Self {
                decoder: ::core::default::Default::default(),
                seen: <Seen as ::core::default::Default>::default(),
                tally: ::core::default::Default::default(),
            }
        }

        fn run<'buf>(
            &mut self,
            batch: ::spate::__private::Batch<'buf>,
            sinks: &mut S,
            cx: &mut ::spate::__private::LaneCx,
        ) -> ::spate::__private::Progress {
            const DECODE: usize = 0;
            const IN_STOCK: usize = 1;
            const FIRST_TIME: usize = 2;
            const SPLIT_ON: usize = 3;
            const PLACED: usize = 4;
            const PRICE: usize = 5;
            const TO_LINES: usize = 6;
            const REFUNDED: usize = 7;
            const REFUND: usize = 8;
            const TO_REFUNDS: usize = 9;
            const PING: usize = 10;
            let Self { decoder, seen, tally } = self;
            for payload in cx.rest(batch) {
                let at = cx.take(payload);
                if let ::core::option::Option::Some(value) = payload.value {
                    let mut item = 0_u32;
                    cx.enter(DECODE);
                    for record in <BillFormat<'buf> as ::spate::__private::Format<'buf>>::records(
                        decoder, value,
                    ) {
                        if item > 0 {
                            tally.made[DECODE] += 1;
                        }
                        'record: {
                            let placed = match record {
                                ::core::result::Result::Ok(placed) => placed,
                                ::core::result::Result::Err(err) => {
                                    tally.failed[DECODE] += 1;
                                    sinks.push_rejects(
                                        &cx.dead_letter(DECODE, &batch.meta(payload), item, &err),
                                        at,
                                    );
                                    break 'record;
                                }
                            };
                            cx.enter(IN_STOCK);
                            if !in_stock(&placed) {
                                tally.dropped[IN_STOCK] += 1;
                                break 'record;
                            }
                            cx.enter(FIRST_TIME);
                            if !first_time(seen, &placed) {
                                tally.dropped[FIRST_TIME] += 1;
                                break 'record;
                            }
                            cx.enter(SPLIT_ON);
                            match (::spate::__private::op::look(&placed, |e| e.kind),) {
                                (Kind::Placed,) => {
                                    tally.made[PLACED] += 1;
                                    cx.enter(PRICE);
                                    let row = match price(placed) {
                                        ::core::result::Result::Ok(row) => row,
                                        ::core::result::Result::Err(err) => {
                                            tally.failed[PRICE] += 1;
                                            cx.skipped(
                                                PRICE,
                                                &batch.meta(payload),
                                                ::spate::__private::op::error(&(err)),
                                            );
                                            break 'record;
                                        }
                                    };
                                    cx.enter(TO_LINES);
                                    sinks.push_lines(
                                        ::spate::__private::op::row::<lines, OrderLine<'_>, _>(
                                            &row,
                                        ),
                                        at,
                                    );
                                }
                                (Kind::Refunded,) => {
                                    tally.made[REFUNDED] += 1;
                                    cx.enter(REFUND);
                                    let row = refund(placed);
                                    cx.enter(TO_REFUNDS);
                                    sinks.push_refunds(
                                        ::spate::__private::op::row::<refunds, RefundRow<'_>, _>(
                                            &row,
                                        ),
                                        at,
                                    );
                                }
                                (Kind::Ping,) => {
                                    tally.made[PING] += 1;
                                    ::spate::__private::op::discard(placed);
                                }
                            }
                        }
                        item += 1;
                        cx.enter(DECODE);
                    }
                } else {
                    tally.dropped[DECODE] += 1;
                }
                if sinks.end_of_payload() {
                    return cx.blocked();
                }
            }
            cx.done()
        }

        fn flush_tally(&mut self, counters: &::spate::__private::ChainCounters) {
            self.tally.flush(counters);
        }
    }

    const _: ::core::option::Option<&str> = ::core::option_env!("SPATE_EXPAND");

    const _: () = ::spate::__private::assert_same_version("0.2.0", ::spate::__private::VERSION);

    const _: () = {
        use ::core::option::Option::None as N;
        use ::spate::__private::ConfigValue as V;
        use ::spate::__private::Entry as E;
        const SECTIONS: &[::spate::__private::Expected<'static>] =
            <Orders as ::spate::__private::Definition>::SECTIONS;
        const ENTRIES: &[E<'static>] = &[
            E::new(0, "events", V::Map, "", [4, 1, 5, 3], N),
            E::new(1, "brokers", V::Text("embedded"), "embedded", [5, 3, 5, 12], N),
            E::new(1, "topic", V::Text("orders"), "orders", [6, 3, 6, 10], N),
            E::new(1, "group", V::Text("orders-example"), "orders-example", [7, 3, 7, 10], N),
            E::new(1, "until", V::Text("end"), "end", [8, 3, 8, 10], N),
            E::new(1, "embedded", V::Map, "", [9, 3, 10, 5], N),
            E::new(2, "records", V::Text("1000000"), "1000000", [10, 5, 10, 14], N),
            E::new(2, "partitions", V::Text("8"), "8", [11, 5, 11, 17], N),
            E::new(2, "seed", V::Text("1"), "1", [12, 5, 12, 11], N),
            E::new(0, "lines", V::Map, "", [14, 1, 15, 3], N),
            E::new(
                1,
                "url",
                V::Later,
                "${CLICKHOUSE_URL:-http://localhost:8123}",
                [15, 3, 15, 8],
                N,
            ),
            E::new(1, "user", V::Later, "${CLICKHOUSE_USER:-default}", [16, 3, 16, 9], N),
            E::new(1, "password", V::Later, "${CLICKHOUSE_PASSWORD:-}", [17, 3, 17, 13], N),
            E::new(1, "table", V::Text("order_lines"), "order_lines", [18, 3, 18, 10], N),
            E::new(0, "refunds", V::Map, "", [20, 1, 21, 3], N),
            E::new(
                1,
                "url",
                V::Later,
                "${CLICKHOUSE_URL:-http://localhost:8123}",
                [21, 3, 21, 8],
                N,
            ),
            E::new(1, "user", V::Later, "${CLICKHOUSE_USER:-default}", [22, 3, 22, 9], N),
            E::new(1, "password", V::Later, "${CLICKHOUSE_PASSWORD:-}", [23, 3, 23, 13], N),
            E::new(1, "table", V::Text("refunds"), "refunds", [24, 3, 24, 10], N),
            E::new(0, "rejects", V::Map, "", [26, 1, 27, 3], N),
            E::new(1, "dir", V::Text("out/rejects"), "out/rejects", [27, 3, 27, 8], N),
        ];
        struct _Secret<const AT: usize, const PLAIN: bool>;
        impl<const AT: usize> _Secret<AT, false> {
            const _FINDING: () = ();
        }

        impl _Secret<1, true> {
            #[deprecated(
                note = "../examples/orders.yaml:5:12: secret `events.brokers` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        impl _Secret<2, true> {
            #[deprecated(
                note = "../examples/orders.yaml:6:10: secret `events.topic` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        impl _Secret<3, true> {
            #[deprecated(
                note = "../examples/orders.yaml:7:10: secret `events.group` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        impl _Secret<4, true> {
            #[deprecated(
                note = "../examples/orders.yaml:8:10: secret `events.until` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        impl _Secret<13, true> {
            #[deprecated(
                note = "../examples/orders.yaml:18:10: secret `lines.table` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        impl _Secret<18, true> {
            #[deprecated(
                note = "../examples/orders.yaml:24:10: secret `refunds.table` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        impl _Secret<20, true> {
            #[deprecated(
                note = "../examples/orders.yaml:27:8: secret `rejects.dir` is written in plain text [P059]\nhelp: write `${NAME}` and set the variable, so that the file can be shown"
            )]
            const _FINDING: () = ();
        }

        const _: [(); 7] = [
            _Secret::<1, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 1) }>::_FINDING,
            _Secret::<2, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 2) }>::_FINDING,
            _Secret::<3, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 3) }>::_FINDING,
            _Secret::<4, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 4) }>::_FINDING,
            _Secret::<13, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 13) }>::_FINDING,
            _Secret::<18, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 18) }>::_FINDING,
            _Secret::<20, { ::spate::__private::is_plain_secret(SECTIONS, ENTRIES, 20) }>::_FINDING,
        ];
        ::spate::__private::assert_config("orders.yaml", SECTIONS, ENTRIES)
    };

    /// The topology of `orders`.
    pub const GRAPH: ::spate::__private::Graph = ::spate::__private::Graph {
        pipeline: "orders",
        file: ::core::file!(),
        sources: &[::spate::__private::SourceNode {
            name: "events",
            declared: "Kafka<Json<OrderEvent<'_>>>",
        }],
        sinks: &[
            ::spate::__private::SinkNode {
                name: "lines",
                declared: "ClickHouse<OrderLine<'_>>",
                key: "order_id",
            },
            ::spate::__private::SinkNode {
                name: "refunds",
                declared: "ClickHouse<RefundRow<'_>>",
                key: "order_id",
            },
            ::spate::__private::SinkNode {
                name: "rejects",
                declared: "File<DeadLetter<'_>>",
                key: "",
            },
        ],
        lookups: &[],
        chains: &[::spate::__private::ChainNode {
            name: "bill",
            source: 0,
            stages: &[
                ::spate::__private::StageNode {
                    label: "decode",
                    kind: ::spate::__private::StageKind::Decode,
                    upstream: ::core::option::Option::None,
                    policy: ::spate::__private::Policy::DeadLetter(2),
                    operator: "",
                    line: 115,
                },
                ::spate::__private::StageNode {
                    label: "in_stock",
                    kind: ::spate::__private::StageKind::Filter,
                    upstream: ::core::option::Option::Some(0),
                    policy: ::spate::__private::Policy::None,
                    operator: "in_stock",
                    line: 117,
                },
                ::spate::__private::StageNode {
                    label: "first_time",
                    kind: ::spate::__private::StageKind::Filter,
                    upstream: ::core::option::Option::Some(1),
                    policy: ::spate::__private::Policy::None,
                    operator: "first_time",
                    line: 118,
                },
                ::spate::__private::StageNode {
                    label: "split_on",
                    kind: ::spate::__private::StageKind::Split,
                    upstream: ::core::option::Option::Some(2),
                    policy: ::spate::__private::Policy::None,
                    operator: "|e| e.kind",
                    line: 120,
                },
                ::spate::__private::StageNode {
                    label: "placed",
                    kind: ::spate::__private::StageKind::Arm,
                    upstream: ::core::option::Option::Some(3),
                    policy: ::spate::__private::Policy::None,
                    operator: "",
                    line: 121,
                },
                ::spate::__private::StageNode {
                    label: "price",
                    kind: ::spate::__private::StageKind::Map,
                    upstream: ::core::option::Option::Some(4),
                    policy: ::spate::__private::Policy::Skip,
                    operator: "price",
                    line: 121,
                },
                ::spate::__private::StageNode {
                    label: "to_lines",
                    kind: ::spate::__private::StageKind::To(0),
                    upstream: ::core::option::Option::Some(5),
                    policy: ::spate::__private::Policy::None,
                    operator: "",
                    line: 121,
                },
                ::spate::__private::StageNode {
                    label: "refunded",
                    kind: ::spate::__private::StageKind::Arm,
                    upstream: ::core::option::Option::Some(3),
                    policy: ::spate::__private::Policy::None,
                    operator: "",
                    line: 122,
                },
                ::spate::__private::StageNode {
                    label: "refund",
                    kind: ::spate::__private::StageKind::Map,
                    upstream: ::core::option::Option::Some(7),
                    policy: ::spate::__private::Policy::None,
                    operator: "refund",
                    line: 122,
                },
                ::spate::__private::StageNode {
                    label: "to_refunds",
                    kind: ::spate::__private::StageKind::To(1),
                    upstream: ::core::option::Option::Some(8),
                    policy: ::spate::__private::Policy::None,
                    operator: "",
                    line: 122,
                },
                ::spate::__private::StageNode {
                    label: "ping",
                    kind: ::spate::__private::StageKind::Arm,
                    upstream: ::core::option::Option::Some(3),
                    policy: ::spate::__private::Policy::None,
                    operator: "",
                    line: 123,
                },
                ::spate::__private::StageNode {
                    label: "discard",
                    kind: ::spate::__private::StageKind::Discard("heartbeat"),
                    upstream: ::core::option::Option::Some(10),
                    policy: ::spate::__private::Policy::None,
                    operator: "",
                    line: 123,
                },
            ],
        }],
    };

    /// The configuration of `orders`.
    pub type Config = ::spate::Config;

    /// The program of `orders`: `run` (the default), `check`, `graph`.
    #[must_use]
    pub fn main() -> ::std::process::ExitCode {
        ::spate::__private::main::<Orders>()
    }

    /// `orders` with this configuration, to run it from code.
    #[must_use]
    pub fn pipeline(config: Config) -> ::spate::Pipeline {
        ::spate::Pipeline::new::<Orders>(config)
    }

    /// How the pipeline is put together for a run.
    struct Orders;

    impl ::spate::__private::Definition for Orders {
        const GRAPH: &'static ::spate::__private::Graph = &GRAPH;
        const CONFIG: ::core::option::Option<(&'static str, &'static str)> =
            ::core::option::Option::Some((
                "orders.yaml",
                ::core::include_str!(::core::concat!(
                    ::core::env!("CARGO_MANIFEST_DIR"),
                    "/",
                    "orders.yaml"
                )),
            ));
        const SECTIONS: &'static [::spate::__private::Expected<'static>] = &[
            ::spate::__private::Expected {
                name: "events",
                keys: &[::spate::__private::source_keys::<Kafka<Json<OrderEvent<'static>>>>()],
                role: ::spate::__private::Role::Source { session: ::core::option::Option::None },
            },
            ::spate::__private::Expected {
                name: "lines",
                keys: &[
                    ::spate::__private::sink_keys::<ClickHouse<OrderLine<'static>>>(),
                    ::spate::__private::SINK_KEYS,
                ],
                role: ::spate::__private::Role::Sink {
                    keyed: true,
                    takes_rejects: false,
                    layout: ::core::option::Option::None,
                    fan_out: ::core::option::Option::None,
                },
            },
            ::spate::__private::Expected {
                name: "refunds",
                keys: &[
                    ::spate::__private::sink_keys::<ClickHouse<RefundRow<'static>>>(),
                    ::spate::__private::SINK_KEYS,
                ],
                role: ::spate::__private::Role::Sink {
                    keyed: true,
                    takes_rejects: false,
                    layout: ::core::option::Option::None,
                    fan_out: ::core::option::Option::None,
                },
            },
            ::spate::__private::Expected {
                name: "rejects",
                keys: &[
                    ::spate::__private::sink_keys::<File<DeadLetter<'static>>>(),
                    ::spate::__private::SINK_KEYS,
                ],
                role: ::spate::__private::Role::Sink {
                    keyed: false,
                    takes_rejects: true,
                    layout: ::core::option::Option::None,
                    fan_out: ::core::option::Option::None,
                },
            },
            ::spate::__private::Expected {
                name: "pipeline",
                keys: &[::spate::__private::PIPELINE_KEYS],
                role: ::spate::__private::Role::Pipeline { threads: ::core::option::Option::None },
            },
        ];
        fn assemble(assembler: &mut ::spate::__private::Assembler<'_>) {
            assembler.source::<Kafka<Json<OrderEvent<'static>>>>(::spate::__private::SourceId(0));
            assembler.sink::<ClickHouse<OrderLine<'static>>>(::spate::__private::SinkId(0));
            assembler.sink::<ClickHouse<RefundRow<'static>>>(::spate::__private::SinkId(1));
            assembler.sink::<File<DeadLetter<'static>>>(::spate::__private::SinkId(2));
            if assembler.sinks_to_files() {
                assembler.chain::<::spate::__private::Lane<Bill, Ports<Files>>>(0);
            } else {
                assembler.chain::<::spate::__private::Lane<Bill, Ports<Declared>>>(0);
            }
        }

        #[inline]
        fn captured(assembler: &mut ::spate::__private::Assembler<'_>) {
            assembler.chain::<::spate::__private::Lane<Bill, Ports<Captured>>>(0);
        }
    }

    /// `orders` under test: its real parts on a virtual clock, with sources and sinks made of memory.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn test() -> Test {
        Test { harness: ::spate::__private::Harness::new::<Orders>() }
    }

    /// `orders` under test: each source and sink by its name; the rest is its `Harness`.
    pub struct Test {
        harness: ::spate::__private::Harness,
    }

    impl Test {
        /// The source `events`, declared as `Kafka<Json<OrderEvent<'_>>>`.
        #[inline]
        pub fn events(&self) -> ::spate::__private::TestSource<'_> {
            self.harness.source(0)
        }

        /// The sink `lines`, declared as `ClickHouse<OrderLine<'_>>`.
        #[inline]
        #[must_use]
        pub fn lines<'test>(&'test self) -> ::spate::__private::TestSink<'test, OrderLine<'test>> {
            self.harness.sink(0)
        }

        /// The sink `refunds`, declared as `ClickHouse<RefundRow<'_>>`.
        #[inline]
        #[must_use]
        pub fn refunds<'test>(
            &'test self,
        ) -> ::spate::__private::TestSink<'test, RefundRow<'test>> {
            self.harness.sink(1)
        }

        /// The sink `rejects`, declared as `File<DeadLetter<'_>>`.
        #[inline]
        #[must_use]
        pub fn rejects<'test>(
            &'test self,
        ) -> ::spate::__private::TestSink<'test, DeadLetter<'test>> {
            self.harness.sink(2)
        }
    }

    impl ::core::ops::Deref for Test {
        type Target = ::spate::__private::Harness;
        #[inline]
        fn deref(&self) -> &::spate::__private::Harness {
            &self.harness
        }
    }

    impl ::core::ops::DerefMut for Test {
        #[inline]
        fn deref_mut(&mut self) -> &mut ::spate::__private::Harness {
            &mut self.harness
        }
    }

    impl ::core::fmt::Debug for Test {
        #[inline]
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::core::fmt::Debug::fmt(&self.harness, f)
        }
    }
}

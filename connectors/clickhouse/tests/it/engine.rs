//! The sink against the real engine: what was written is read back with SQL.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use spate_clickhouse::RowBinary;
use spate_runtime::chain::decimal::Decimal;
use spate_runtime::chain::int256::{Int256, UInt256};
use spate_runtime::chain::row::Row;
use spate_runtime::chain::time::{Date, Date32, DateTime, DateTime64};
use spate_runtime::chain::types::{Bytes, FixedBytes, Map, Uuid};
use spate_runtime::chain::value::LowCardinality;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::sink::{SealedBatch, WriteError};

use crate::batch::Lane;
use crate::engine_server::Engine;
use crate::rows::row;
use crate::sink;

/// Writes `rows` in frames of 100 into `table`.
async fn write<R: Row + Clone + 'static>(engine: &Engine, table: &str, rows: &[R], more: &str) {
    let mut lane = Lane::<RowBinary>::new();
    rows.chunks(100)
        .for_each(|rows| lane.frame(rows.iter().cloned()));
    write_batch::<R>(engine, table, &lane.seal(table), more)
        .await
        .unwrap();
}

async fn write_batch<R: Row + 'static>(
    engine: &Engine,
    table: &str,
    batch: &Arc<SealedBatch>,
    more: &str,
) -> Result<(), WriteError> {
    sink::<R>(&format!("url: {}\ntable: '{table}'\n{more}", engine.url))
        .write(ShardId(0), ReplicaId(0), Arc::clone(batch))
        .await
}

row! { Scalars {
    id: u64 = "id", b: bool = "b", i8: i8 = "i8", i16: i16 = "i16", i32: i32 = "i32",
    i64: i64 = "i64", i128: i128 = "i128", i256: Int256 = "i256", u8: u8 = "u8", u16: u16 = "u16",
    u32: u32 = "u32", u128: u128 = "u128", u256: UInt256 = "u256", f32: f32 = "f32", f64: f64 = "f64",
    v4: Ipv4Addr = "v4", v6: Ipv6Addr = "v6", uuid: Uuid = "uuid", fixed: FixedBytes<3> = "fixed",
} }

/// R075, R077, R083: read back by the server, not by our own decoder.
#[tokio::test]
async fn scalars_read_back_as_written() {
    let Some(engine) = Engine::find() else { return };
    engine.table(
        "scalars",
        "(id UInt64, b Bool, i8 Int8, i16 Int16, i32 Int32, i64 Int64, i128 Int128, i256 Int256,
          u8 UInt8, u16 UInt16, u32 UInt32, u128 UInt128, u256 UInt256, f32 Float32, f64 Float64,
          v4 IPv4, v6 IPv6, uuid UUID, fixed FixedString(3)) ENGINE = MergeTree ORDER BY id",
    );
    let row = Scalars {
        id: u64::MAX,
        b: true,
        i8: i8::MIN,
        i16: i16::MIN,
        i32: i32::MIN,
        i64: i64::MIN,
        i128: i128::MIN,
        i256: Int256::from(-2),
        u8: u8::MAX,
        u16: u16::MAX,
        u32: u32::MAX,
        u128: u128::MAX,
        u256: UInt256::from_halves(u128::MAX, u128::MAX),
        f32: 1.5,
        f64: -0.1,
        v4: Ipv4Addr::new(198, 51, 100, 7),
        v6: "2001:db8::1f".parse().unwrap(),
        uuid: "01234567-89ab-cdef-fedc-ba9876543210".parse().unwrap(),
        fixed: FixedBytes(*b"abc"),
    };
    write(&engine, "scalars", &[row], "").await;
    let expected = [
        "18446744073709551615",
        "true",
        "-128",
        "-32768",
        "-2147483648",
        "-9223372036854775808",
        "-170141183460469231731687303715884105728",
        "-2",
        "255",
        "65535",
        "4294967295",
        "340282366920938463463374607431768211455",
        "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        "1.5",
        "-0.1",
        "198.51.100.7",
        "2001:db8::1f",
        "01234567-89ab-cdef-fedc-ba9876543210",
        "abc",
    ];
    assert_eq!(engine.sql("SELECT * FROM scalars"), expected.join("\t"));
}

row! { Times {
    date: Date = "date", date32: Date32 = "date32", second: DateTime = "second",
    micros: DateTime64<6> = "micros", millis: DateTime64<3> = "millis",
    price: Decimal<18, 4> = "price", wide: Decimal<76, 20> = "wide", long: Decimal<38, 2> = "long",
} }

/// R076, R078, R079, R083, and R088: the table's columns stand in another order than the row's.
#[tokio::test]
async fn times_and_decimals_read_back_as_written() {
    let Some(engine) = Engine::find() else { return };
    engine.table(
        "times",
        "(millis DateTime64(3, 'UTC'), micros DateTime64(6, 'UTC'), long Decimal(38, 2),
          wide Decimal(76, 20), price Decimal(18, 4), second DateTime('UTC'), date32 Date32,
          date Date) ENGINE = Memory",
    );
    let row = Times {
        date: Date::from_ymd(2024, 2, 29).unwrap(),
        date32: Date32::from_ymd(1960, 2, 29).unwrap(),
        second: DateTime::from_unix_seconds(4_294_967_295),
        micros: DateTime64::from_ticks(1_614_834_367_500_000),
        millis: DateTime64::from_ticks(-1250),
        price: "12.34".parse().unwrap(),
        wide: "-1.5".parse().unwrap(),
        long: "-1234567890123456789.5".parse().unwrap(),
    };
    write(&engine, "times", &[row], "compression: none").await;
    let columns = "date, date32, second, micros, millis, price, wide, long";
    assert_eq!(
        engine.sql(&format!("SELECT {columns} FROM times")),
        "2024-02-29\t1960-02-29\t2106-02-07 06:28:15\t2021-03-04 05:06:07.500000\t\
         1969-12-31 23:59:58.750\t12.34\t-1.5\t-1234567890123456789.5"
    );
}

row! { Containers {
    text: String = "text", bytes: Bytes<'static> = "bytes", none: Option<u8> = "none",
    low: LowCardinality<Option<&'static str>> = "low", list: Vec<Option<u8>> = "list",
    map: BTreeMap<&'static str, u16> = "map", pairs: Map<Vec<(&'static str, u8)>> = "pairs",
    tuple: (u8, &'static str) = "tuple", na: Vec<u8> = "n.a", nb: Vec<&'static str> = "n.b",
} }

/// R085, R086, R093.
#[tokio::test]
async fn containers_read_back_as_written() {
    let Some(engine) = Engine::find() else { return };
    engine.table(
        "containers",
        "(text String, bytes String, none Nullable(UInt8), low LowCardinality(Nullable(String)),
          list Array(Nullable(UInt8)), map Map(String, UInt16), pairs Map(String, UInt8),
          tuple Tuple(UInt8, String), n Nested(a UInt8, b String)) ENGINE = Memory",
    );
    let row = |low| Containers {
        text: "ü".repeat(100),
        bytes: Bytes(&[0, 0xff]),
        none: None,
        low: LowCardinality(low),
        list: vec![Some(1), None, Some(3)],
        map: BTreeMap::from([("k1", 1), ("k2", 300)]),
        pairs: Map(vec![("a", 1), ("a", 2)]),
        tuple: (7, "seven"),
        na: vec![1, 2],
        nb: vec!["x", ""],
    };
    write(&engine, "containers", &[row(None), row(Some("")), row(Some("ab"))], "").await;
    let columns = "low, length(text), hex(bytes), none, list, map, pairs, tuple, n.a, n.b";
    let answer = engine.sql(&format!("SELECT {columns} FROM containers"));
    let rest =
        "200\t00FF\t\\N\t[1,NULL,3]\t{'k1':1,'k2':300}\t{'a':2}\t(7,'seven')\t[1,2]\t['x','']";
    assert_eq!(
        answer,
        ["\\N", "", "ab"]
            .map(|low| format!("{low}\t{rest}"))
            .join("\n")
    );
}

row! { Pair { id: u64 = "id", name: String = "name" } }

fn pairs(count: u64) -> Vec<Pair> {
    (0..count)
        .map(|id| Pair { id, name: format!("name {}", id % 97) })
        .collect()
}

#[tokio::test]
async fn large_batches_arrive_whole_compressed_or_not() {
    let Some(engine) = Engine::find() else { return };
    let rows = pairs(200_000);
    for compression in ["lz4", "none"] {
        let table = format!("large_{compression}");
        engine.table(&table, "(id UInt64, name String) ENGINE = MergeTree ORDER BY id");
        write(&engine, &table, &rows, &format!("compression: {compression}")).await;
        let sums = format!(
            "SELECT count(), sum(id), uniqExact(name), countIf(name = concat('name ', toString(id % 97))) FROM {table}"
        );
        assert_eq!(engine.sql(&sums), "200000\t19999900000\t97\t200000");
    }
}

/// R099, R100, R101: a token counts once where the table keeps a window, and only there.
#[tokio::test]
async fn r100_a_retried_batch_adds_nothing_where_there_is_a_window() {
    let Some(engine) = Engine::find() else { return };
    for (table, window, copies) in [("dedup", 100, 1), ("no_dedup", 0, 2)] {
        let definition = format!(
            "(id UInt64, name String) ENGINE = MergeTree ORDER BY id
             SETTINGS non_replicated_deduplication_window = {window}"
        );
        engine.table(table, &definition);
        let mut lane = Lane::<RowBinary>::new();
        lane.frame(pairs(1000));
        let batch = lane.seal("the-token");
        for _ in 0..2 {
            write_batch::<Pair>(&engine, table, &batch, "")
                .await
                .unwrap();
        }
        let count = engine.sql(&format!("SELECT count() FROM {table}"));
        assert_eq!(count, (copies * 1000).to_string(), "window {window}");
        // The same rows under another token are other rows (R099).
        lane.frame(pairs(1000));
        write_batch::<Pair>(&engine, table, &lane.seal("another"), "")
            .await
            .unwrap();
        let count = engine.sql(&format!("SELECT count() FROM {table}"));
        assert_eq!(count, ((copies + 1) * 1000).to_string(), "window {window}");
    }
}

/// R110: committed but unheard, then retried: one copy.
#[tokio::test]
async fn r110_an_insert_committed_but_unheard_is_retried_without_a_copy() {
    let Some(engine) = Engine::find() else { return };
    engine.table(
        "unheard",
        "(id UInt64, name String) ENGINE = MergeTree ORDER BY id
         SETTINGS non_replicated_deduplication_window = 100",
    );
    let mut lane = Lane::<RowBinary>::new();
    lane.frame(pairs(1000));
    let batch = lane.seal("unheard-token");
    engine.post("/_fault?mode=drop_after&count=1&match=INSERT.*unheard", "");
    let error = write_batch::<Pair>(&engine, "unheard", &batch, "")
        .await
        .unwrap_err();
    assert_eq!(error.outcome, spate_runtime::sink::Outcome::Unknown);
    assert_eq!(engine.sql("SELECT count() FROM unheard"), "1000", "the server had committed");
    write_batch::<Pair>(&engine, "unheard", &batch, "")
        .await
        .unwrap();
    assert_eq!(engine.sql("SELECT count() FROM unheard"), "1000");
}

row! { Odd { a: u8 = "a`b", b: u16 = "ns:attr", c: String = "x.y" } }

/// R114: names with every character that could end a name.
#[tokio::test]
async fn r114_odd_names_are_only_names() {
    let Some(engine) = Engine::find() else { return };
    engine.table("my-table", "(`a``b` UInt8, `ns:attr` UInt16, `x.y` String) ENGINE = Memory");
    write(&engine, "my-table", &[Odd { a: 1, b: 2, c: "3".into() }], "").await;
    assert_eq!(engine.sql("SELECT * FROM `my-table`"), "1\t2\t3");
}

/// R089: a column added while running gets its default; the statement names the old ones.
#[tokio::test]
async fn r089_a_column_added_later_gets_its_default() {
    let Some(engine) = Engine::find() else { return };
    engine.table("altered", "(id UInt64, name String) ENGINE = MergeTree ORDER BY id");
    write(&engine, "altered", &pairs(1), "").await;
    engine.sql("ALTER TABLE altered ADD COLUMN x UInt8 DEFAULT 7 FIRST");
    write(&engine, "altered", &pairs(2)[1..], "").await;
    assert_eq!(engine.sql("SELECT x, id FROM altered ORDER BY id"), "7\t0\n7\t1");
    engine.sql("ALTER TABLE altered DROP COLUMN name");
    let mut lane = Lane::<RowBinary>::new();
    lane.frame(pairs(1));
    let error = write_batch::<Pair>(&engine, "altered", &lane.seal("t"), "")
        .await
        .unwrap_err();
    assert_eq!(error.class, spate_runtime::error::Class::Config);
    assert_eq!(error.code, Some(16));
    assert!(error.text.contains("name"), "{error}");
}

//! What the preflight says about real tables, and about servers that are not as they should be.

use std::sync::Arc;

use spate_clickhouse::RowBinary;
use spate_runtime::id::{ReplicaId, ShardId};
use spate_runtime::preflight::{Findings, Severity};

use crate::batch::Lane;
use crate::engine_server::Engine;
use crate::rows::row;
use crate::server::{Act, Server};
use crate::sink;

row! { Line { id: u64 = "id", total: u64 = "total" } }

async fn check(url: &str, more: &str) -> Findings {
    sink::<Line>(&format!("url: {url}\n{more}")).check().await
}

/// Codes and texts, one per finding.
fn said(findings: &Findings) -> Vec<String> {
    let text = |finding: &spate_runtime::preflight::Finding| {
        format!("{:?} {}: {}", finding.severity, finding.code, finding.text)
    };
    findings.0.iter().map(text).collect()
}

const WINDOW: &str = "SETTINGS non_replicated_deduplication_window = 100";

#[tokio::test]
async fn a_table_that_fits_has_nothing_to_say() {
    let Some(engine) = Engine::find() else { return };
    engine.table("pf_ok", &format!("(total UInt64, id UInt64, at DateTime DEFAULT now(), al UInt64 ALIAS id) ENGINE = MergeTree ORDER BY id {WINDOW}"));
    for compression in ["lz4", "none"] {
        let findings =
            check(&engine.url, &format!("table: pf_ok\ncompression: {compression}")).await;
        assert_eq!(said(&findings), [""; 0]);
    }
    assert_eq!(engine.sql("SELECT count() FROM pf_ok"), "0", "a check writes nothing");
}

#[tokio::test]
async fn every_difference_is_in_one_report() {
    let Some(engine) = Engine::find() else { return };
    engine.table("pf_differs", "(id Nullable(UInt64), sum UInt64, x Map(String, UInt8)) ENGINE = MergeTree ORDER BY tuple()");
    let findings = check(&engine.url, "table: pf_differs").await;
    assert_eq!(
        said(&findings),
        [
            "Error P048: column `id` of `pf_differs` is `Nullable(UInt64)`, but field `id: u64` of `Line` is written as `UInt64`",
            "Error P048: table `pf_differs` has no column `total` for a field of `Line`",
            "Error P048: column `sum` of `pf_differs` has no DEFAULT and `Line` no field for it",
            "Error P048: column `x` of `pf_differs` has no DEFAULT and `Line` no field for it",
            "Warning S025: table `pf_differs` keeps no deduplication window (it is 0): a batch retried after a lost answer is written twice",
        ]
    );
}

/// R092: a computed column cannot be written; the server's own code for it is 44.
#[tokio::test]
async fn r092_a_computed_column_is_refused() {
    let Some(engine) = Engine::find() else { return };
    engine.table(
        "pf_computed",
        &format!(
            "(id UInt64, total UInt64 MATERIALIZED id * 2) ENGINE = MergeTree ORDER BY id {WINDOW}"
        ),
    );
    let findings = check(&engine.url, "table: pf_computed").await;
    assert_eq!(
        said(&findings),
        ["Error P048: column `total` of `pf_computed` is MATERIALIZED and cannot be written"]
    );
}

#[tokio::test]
async fn what_does_not_exist_is_named_with_its_kind() {
    let Some(engine) = Engine::find() else { return };
    let findings = check(&engine.url, "table: pf_nowhere").await;
    assert_eq!(said(&findings), ["Error S023: table `pf_nowhere` does not exist in `default`"]);
    assert!(findings.0[0].help.contains("`total` UInt64"), "{}", findings.0[0].help);
    let findings = check(&engine.url, "table: t\ndatabase: pf_nodb").await;
    assert_eq!(said(&findings), ["Error S022: database `pf_nodb` does not exist"]);
}

#[tokio::test]
async fn a_user_who_may_not_write_is_found_out() {
    let Some(engine) = Engine::find() else { return };
    engine.table(
        "pf_readonly",
        &format!("(id UInt64, total UInt64) ENGINE = MergeTree ORDER BY id {WINDOW}"),
    );
    let findings = check(&engine.url, "table: pf_readonly\nsettings: {readonly: 1}").await;
    let said = said(&findings);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with(
            "Error S027: insert into `pf_readonly` was refused: server answered with code 164"
        ),
        "{said:?}"
    );
}

/// R100: the table without a window is named, the one with a window is not.
#[tokio::test]
async fn r100_a_table_without_a_window_is_named() {
    let Some(engine) = Engine::find() else { return };
    engine.table("pf_window", "(id UInt64, total UInt64) ENGINE = MergeTree ORDER BY id");
    let findings = check(&engine.url, "table: pf_window").await;
    assert_eq!(findings.0[0].code, "S025");
    assert_eq!(findings.0[0].severity, Severity::Warning);
    engine.sql(findings.0[0].help.as_str());
    assert_eq!(said(&check(&engine.url, "table: pf_window").await), [""; 0]);
}

/// R101: views behind the table: the one without a window counts a retried batch twice.
#[tokio::test]
async fn r101_a_view_without_a_window_is_named_and_doubles() {
    let Some(engine) = Engine::find() else { return };
    for view in ["pf_good_view", "pf bad_view"] {
        engine.sql(&format!("DROP TABLE IF EXISTS `{view}`"));
    }
    let columns = "(id UInt64, total UInt64) ENGINE = MergeTree ORDER BY id";
    engine.table("pf_source", &format!("{columns} {WINDOW}"));
    engine.table("pf_good", &format!("{columns} {WINDOW}"));
    engine.table("pf bad", columns);
    engine
        .sql("CREATE MATERIALIZED VIEW pf_good_view TO pf_good AS SELECT id, total FROM pf_source");
    engine.sql(
        "CREATE MATERIALIZED VIEW `pf bad_view` TO `pf bad` AS SELECT id, total FROM pf_source",
    );
    let findings = check(&engine.url, "table: pf_source").await;
    assert_eq!(
        said(&findings),
        [
            "Warning S026: materialized view `pf bad_view` writes to `pf bad`, which keeps no deduplication window: a retried batch is counted twice there"
        ]
    );
    let mut lane = Lane::<RowBinary>::new();
    lane.frame([Line { id: 1, total: 2 }, Line { id: 3, total: 4 }]);
    let batch = lane.seal("r101");
    let sink = sink::<Line>(&format!("url: {}\ntable: pf_source", engine.url));
    for _ in 0..2 {
        sink.write(ShardId(0), ReplicaId(0), Arc::clone(&batch))
            .await
            .unwrap();
    }
    for (table, rows) in [("pf_source", "2"), ("pf_good", "2"), ("`pf bad`", "4")] {
        assert_eq!(engine.sql(&format!("SELECT count() FROM {table}")), rows, "{table}");
    }
}

/// R112: engines that acknowledge what is not durable.
#[tokio::test]
async fn r112_engines_that_forget_are_named() {
    let Some(engine) = Engine::find() else { return };
    engine.table("pf_memory", "(id UInt64, total UInt64) ENGINE = Memory");
    let findings = check(&engine.url, "table: pf_memory").await;
    assert_eq!(
        said(&findings),
        ["Warning S024: table `pf_memory` is a Memory: a restart of the server loses rows"]
    );
    engine.sql("DROP VIEW IF EXISTS pf_view");
    engine.sql("CREATE VIEW pf_view AS SELECT id, total FROM pf_memory");
    let findings = check(&engine.url, "table: pf_view").await;
    assert_eq!(said(&findings), ["Error S024: table `pf_view` is a View"]);
}

/// R140: a server that is not there is waited for; one that refuses the password is not.
#[tokio::test]
async fn r140_away_is_not_refused() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let away = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let strict = Server::start((0..9).map(|_| Act::exception(403, 516)));
    let findings = check(&away, "table: t\npassword: S3cr3t-zz9").await;
    assert!(findings.has_unreachable() && !findings.has_errors(), "{:?}", said(&findings));
    let findings = check(&strict.url, "table: t\npassword: S3cr3t-zz9").await;
    assert!(findings.has_errors() && !findings.has_unreachable());
    assert_eq!(findings.0[0].code, "S021");
    assert!(!format!("{findings:?}").contains("S3cr3t"), "{findings:?}");
    // Both in one report, each with its replica.
    let yaml = format!("shards: [['{away}', '{}']]\ntable: t", strict.url);
    let findings = sink::<Line>(&yaml).check().await;
    let codes: Vec<&str> = findings.0.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["S020", "S021"]);
}

/// A Replicated engine, as a server describes it; the real one needs a keeper.
#[tokio::test]
async fn replicas_share_tokens_only_if_every_table_is_replicated() {
    let definitions = ["ReplicatedMergeTree('/t', '1') ORDER BY id", "MergeTree ORDER BY id"];
    for (count, shared) in [(0, true), (1, false)] {
        let servers: Vec<Server> = (0..2)
            .map(|server| {
                let definition = definitions[usize::from(server < count)];
                let engine = definition.split(['(', ' ']).next().unwrap();
                Server::start([
                    Act::status(200, "", &format!("{engine}\t{definition}\t[]\t[]\n")),
                    Act::status(200, "", "id\tUInt64\t\ntotal\tUInt64\t\n"),
                    Act::status(200, "", "10000\n"),
                    Act::ok(),
                ])
            })
            .collect();
        let sink = sink::<Line>(&format!(
            "shards: [['{}', '{}']]\ntable: t",
            servers[0].url, servers[1].url
        ));
        assert!(!sink.layout().replicas_share_tokens, "nobody has looked yet");
        let findings = sink.check().await;
        assert_eq!(said(&findings), [""; 0]);
        assert_eq!(sink.layout().replicas_share_tokens, shared);
        assert!(sink.layout().deduplicates);
        assert_eq!(sink.layout().replicas, [2]);
    }
}

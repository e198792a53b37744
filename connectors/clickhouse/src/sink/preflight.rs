//! What the servers look like before a row is written, every difference in one report.
//!
//! I/O runtime, once per start. Every replica is asked the same, all of them at once; what all of
//! them answer alike is said once, anything else names its replica.
//!
//! | code | finding |
//! |---|---|
//! | S020 | a replica does not answer (the start waits) |
//! | S021 | it answers with a refusal: a password, a permission |
//! | S022, S023 | there is no such database, no such table |
//! | S024 | the table's engine is none to insert into, or acknowledges before rows are durable |
//! | S025 | no deduplication window: a retried batch is written twice |
//! | S026 | a materialized view behind the table has none |
//! | S027 | an insert without rows was refused |
//! | P048 | a row's field and a table's column differ |

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::Poll;

use hyper::body::Bytes;
use spate_runtime::chain::row::Column;
use spate_runtime::error::Class;
use spate_runtime::preflight::{Finding, Findings};
use spate_runtime::sink::WriteError;

use super::{Inserter, success};
use crate::sql;
use crate::table::{Table, TableColumn, column_fault, field_fault};
use crate::transport::Replica;
use crate::transport::body::Chunk;
use crate::types::column_type;

/// What one replica said.
#[derive(Default)]
struct Report {
    findings: Findings,
    /// Whether its table shares the log of tokens with the other replicas.
    shares_tokens: bool,
}

/// A table as `system.tables` has it.
struct ServerTable {
    engine: String,
    /// The engine with its settings.
    definition: String,
    /// Views that are filled from it: database and name.
    views: Vec<(String, String)>,
}

/// A column as `system.columns` has it.
struct ServerColumn {
    name: String,
    ty: String,
    /// Empty, `DEFAULT`, `MATERIALIZED`, `ALIAS` or `EPHEMERAL`.
    default_kind: String,
}

impl ServerColumn {
    fn as_column(&self) -> TableColumn<'_> {
        let Self { name, ty, default_kind } = self;
        TableColumn { name, ty, default_kind, line: 0, col: 0 }
    }
}

impl Inserter {
    /// Looks at every replica.
    pub(super) async fn preflight(&self) -> Findings {
        let replicas = || self.replicas.iter().flatten();
        let looks: Vec<_> = replicas()
            .map(|replica| Box::pin(self.look(replica)))
            .collect();
        let reports = all(looks).await;
        let shared = reports.iter().all(|report| report.shares_tokens);
        self.shared_tokens.store(shared, Ordering::Release);
        let names: Vec<String> = replicas().map(|replica| replica.url.to_string()).collect();
        let mut findings = merged(&names, reports);
        if self.settings.async_insert {
            let text = "setting `async_insert` is on: whether such an insert is recognised by its token is up to the server";
            let help = "remove it; batches are large enough to be inserted as they are";
            findings.warning("S025", text, help);
        }
        findings
    }

    async fn look(&self, replica: &Replica) -> Report {
        let mut report = Report::default();
        if let Err(error) = self.examine(replica, &mut report).await {
            let text = format!("{} could not be checked: {error}", replica.url);
            match error.class {
                Class::Remote => report.findings.unreachable("S020", text, error.hint),
                _ => report.findings.error("S021", text, error.hint),
            }
        }
        report
    }

    async fn examine(&self, replica: &Replica, report: &mut Report) -> Result<(), WriteError> {
        let settings = &self.settings;
        let Some(table) = self
            .table(replica, &settings.database, &settings.table)
            .await?
        else {
            return self.no_table(replica, &mut report.findings).await;
        };
        let columns = self.columns(replica).await?;
        compare(self.row, self.columns, &settings.table, &columns, &mut report.findings);
        self.engine(replica, &table, &mut report.findings).await?;
        report.shares_tokens = shares_tokens(&table.engine);
        // Where something is known to be wrong, its refusal would say it again.
        if !report.findings.has_errors()
            && let Err(error) = self.insert_nothing(replica).await
        {
            if error.class == Class::Remote {
                return Err(error);
            }
            let text = format!("insert into `{}` was refused: {error}", settings.table);
            report.findings.error("S027", text, error.hint);
        }
        Ok(())
    }

    async fn table(
        &self,
        replica: &Replica,
        database: &str,
        table: &str,
    ) -> Result<Option<ServerTable>, WriteError> {
        let statement = "SELECT engine, engine_full, dependencies_database, dependencies_table \
             FROM system.tables WHERE database = {db:String} AND name = {name:String} \
             FORMAT TabSeparated";
        let parameters = [("param_db", database), ("param_name", table)];
        let answer = self.query(replica, statement, &parameters).await?;
        let Some([engine, definition, databases, views]) = first_row(&answer) else {
            return Ok(None);
        };
        let views = sql::strings(&databases)
            .into_iter()
            .zip(sql::strings(&views))
            .collect();
        Ok(Some(ServerTable { engine, definition, views }))
    }

    async fn columns(&self, replica: &Replica) -> Result<Vec<ServerColumn>, WriteError> {
        let statement = "SELECT name, type, default_kind FROM system.columns \
             WHERE database = {db:String} AND table = {name:String} ORDER BY position \
             FORMAT TabSeparated";
        let settings = &self.settings;
        let parameters = [("param_db", &*settings.database), ("param_name", &*settings.table)];
        let answer = self.query(replica, statement, &parameters).await?;
        let column = |row: Vec<String>| {
            let [name, ty, default_kind] = row.try_into().ok()?;
            Some(ServerColumn { name, ty, default_kind })
        };
        Ok(sql::tab_separated(&answer)
            .into_iter()
            .filter_map(column)
            .collect())
    }

    async fn no_table(&self, replica: &Replica, findings: &mut Findings) -> Result<(), WriteError> {
        let database = &self.settings.database;
        let statement = "SELECT count() FROM system.databases WHERE name = {db:String}";
        let answer = self
            .query(replica, statement, &[("param_db", database)])
            .await?;
        if answer.trim() == "0" {
            let text = format!("database `{database}` does not exist");
            findings.error("S022", text, "create it, or correct `database`");
        } else {
            let text = format!("table `{}` does not exist in `{database}`", self.settings.table);
            findings.error("S023", text, self.create_table());
        }
        Ok(())
    }

    /// A statement that would make the table, as far as a row can tell.
    fn create_table(&self) -> String {
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|column| {
                format!("{} {}", sql::quoted(column.name), column_type(&column.data_type))
            })
            .collect();
        format!(
            "create it, or correct `table`; the row asks for: CREATE TABLE {}.{} ({}) \
             ENGINE = MergeTree ORDER BY .. SETTINGS non_replicated_deduplication_window = 1000",
            sql::quoted(&self.settings.database),
            sql::quoted(&self.settings.table),
            columns.join(", ")
        )
    }

    /// The insert itself, with no rows and no token: writes nothing, and is refused as it would be.
    async fn insert_nothing(&self, replica: &Replica) -> Result<(), WriteError> {
        let body = Chunk::Text(Bytes::new());
        let request = self.request(replica, &self.insert, "", body)?;
        let answer = replica.send(request, self.settings.request_timeout).await?;
        success(&answer).map(drop)
    }

    /// Whether the engine keeps what the sink promises.
    async fn engine(
        &self,
        replica: &Replica,
        table: &ServerTable,
        findings: &mut Findings,
    ) -> Result<(), WriteError> {
        let name = &self.settings.table;
        match table.engine.as_str() {
            "View" | "Dictionary" => {
                let text = format!("table `{name}` is a {}", table.engine);
                findings.error("S024", text, "name the table behind it");
            }
            // R112.
            "Distributed" => {
                let text = format!(
                    "table `{name}` is Distributed: it acknowledges rows before they reach their shard, and its shards know no tokens"
                );
                findings.warning(
                    "S024",
                    text,
                    "name the shards' own table, and the shards in `shards`",
                );
            }
            "Buffer" | "Memory" | "Set" | "Join" => {
                let text = format!(
                    "table `{name}` is a {}: a restart of the server loses rows",
                    table.engine
                );
                findings.warning("S024", text, "insert into a MergeTree table");
            }
            engine if engine.ends_with("MergeTree") => {
                // R100.
                if self.window(replica, table).await? == 0 {
                    let text = format!(
                        "table `{name}` keeps no deduplication window (it is 0): a batch retried after a lost answer is written twice"
                    );
                    findings.warning("S025", text, set_window(engine, name));
                }
            }
            engine => {
                let text = format!(
                    "table `{name}` is a {engine}, which does not recognise a batch by its token"
                );
                findings.warning(
                    "S025",
                    text,
                    "a batch retried after a lost answer is written twice",
                );
            }
        }
        for (database, view) in &table.views {
            self.view(replica, database, view, findings).await?;
        }
        Ok(())
    }

    /// R101: a view behind the table skips a retried batch only by a window of its own.
    async fn view(
        &self,
        replica: &Replica,
        database: &str,
        view: &str,
        findings: &mut Findings,
    ) -> Result<(), WriteError> {
        let statement = "SELECT create_table_query, toString(uuid) FROM system.tables \
             WHERE database = {db:String} AND name = {name:String} FORMAT TabSeparated";
        let parameters = [("param_db", database), ("param_name", view)];
        let answer = self.query(replica, statement, &parameters).await?;
        let Some([definition, uuid]) = first_row(&answer) else { return Ok(()) };
        let (database, target) = sql::view_target(&definition)
            .unwrap_or_else(|| (database.to_owned(), format!(".inner_id.{uuid}")));
        let Some(table) = self.table(replica, &database, &target).await? else { return Ok(()) };
        if table.engine.ends_with("MergeTree") && self.window(replica, &table).await? == 0 {
            let text = format!(
                "materialized view `{view}` writes to `{target}`, which keeps no deduplication window: a retried batch is counted twice there"
            );
            findings.warning("S026", text, set_window(&table.engine, &target));
        }
        Ok(())
    }

    /// How many batches the table remembers.
    async fn window(&self, replica: &Replica, table: &ServerTable) -> Result<u64, WriteError> {
        let setting = window_setting(&table.engine);
        if let Some(window) = sql::setting(&table.definition, setting) {
            return Ok(window);
        }
        let statement = "SELECT value FROM system.merge_tree_settings WHERE name = {name:String}";
        let answer = self
            .query(replica, statement, &[("param_name", setting)])
            .await?;
        // A server that does not know the setting has no window.
        Ok(answer.trim().parse().unwrap_or(0))
    }
}

fn shares_tokens(engine: &str) -> bool {
    engine.starts_with("Replicated") || engine.starts_with("Shared")
}

fn window_setting(engine: &str) -> &'static str {
    if shares_tokens(engine) {
        "replicated_deduplication_window"
    } else {
        "non_replicated_deduplication_window"
    }
}

fn set_window(engine: &str, table: &str) -> String {
    let (table, setting) = (sql::quoted(table), window_setting(engine));
    format!("ALTER TABLE {table} MODIFY SETTING {setting} = 1000")
}

fn first_row<const N: usize>(answer: &str) -> Option<[String; N]> {
    sql::tab_separated(answer)
        .into_iter()
        .next()?
        .try_into()
        .ok()
}

/// Holds a row's fields against a table's columns.
fn compare(
    row: &str,
    fields: &[Column],
    table: &str,
    columns: &[ServerColumn],
    findings: &mut Findings,
) {
    let columns: Vec<TableColumn<'_>> = columns.iter().map(ServerColumn::as_column).collect();
    let table = Table { file: "", line: 0, col: 0, name: table, columns: &columns };
    let of_fields = fields.iter().filter_map(|field| field_fault(field, &table));
    let of_columns = columns
        .iter()
        .filter_map(|column| column_fault(fields, column, &table));
    for fault in of_fields.chain(of_columns) {
        let (text, help) = (fault.text(row, &table), fault.help(row, &table));
        findings.error("P048", text.as_str(), help.as_str());
    }
}

/// Findings of all replicas; what only some of them have names those.
fn merged(names: &[String], reports: Vec<Report>) -> Findings {
    let mut found: Vec<(Finding, Vec<&str>)> = Vec::new();
    for (name, report) in names.iter().zip(reports) {
        for finding in report.findings.0 {
            match found.iter_mut().find(|(known, _)| *known == finding) {
                Some((_, at)) => at.push(name),
                None => found.push((finding, vec![name])),
            }
        }
    }
    let name = |(mut finding, at): (Finding, Vec<&str>)| {
        if at.len() < names.len() && !at.iter().all(|name| finding.text.contains(name)) {
            finding.text = format!("{} (at {})", finding.text, at.join(", "));
        }
        finding
    };
    Findings(found.into_iter().map(name).collect())
}

/// Runs futures side by side and gives their outputs in order.
async fn all<T, F: Future<Output = T>>(mut futures: Vec<Pin<Box<F>>>) -> Vec<T> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|cx| {
        let mut pending = false;
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match future.as_mut().poll(cx) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use spate_runtime::chain::row::DataType;

    use super::*;
    use crate::table::{assert_column, assert_filled, assert_row, assert_type};

    const fn field(name: &'static str, rust_type: &'static str, data_type: DataType) -> Column {
        Column { name, rust_type, data_type }
    }

    fn column(name: &str, ty: &str, default_kind: &str) -> ServerColumn {
        let [name, ty, default_kind] = [name, ty, default_kind].map(str::to_owned);
        ServerColumn { name, ty, default_kind }
    }

    fn texts(fields: &[Column], columns: &[ServerColumn]) -> Vec<String> {
        let mut findings = Findings::default();
        compare("Line", fields, "lines", columns, &mut findings);
        findings
            .0
            .iter()
            .map(|finding| format!("{} [{}] {}", finding.text, finding.code, finding.help))
            .collect()
    }

    /// R090: every difference is named, with both types.
    #[test]
    fn r090_every_difference_between_row_and_table_is_named() {
        let fields = [
            field("id", "u64", DataType::UInt64),
            field("total", "u64", DataType::UInt64),
            field("list", "i64", DataType::Int64),
            field("note", "Option<&str>", DataType::Nullable(&DataType::String)),
            field("orderId", "u64", DataType::UInt64),
            field("kind", "&str", DataType::String),
            field("price", "Decimal<18, 2>", DataType::Decimal { precision: 18, scale: 2 }),
        ];
        let columns = [
            column("id", "UInt64", ""),
            column("total", "Int64", ""),
            column("list", "Array(Int64)", ""),
            column("note", "String", ""),
            column("order_id", "UInt64", "DEFAULT"),
            column("kind", "Enum8('a' = 1)", ""),
            column("price", "Decimal(18, 4)", ""),
        ];
        assert_eq!(
            texts(&fields, &columns),
            [
                "column `total` of `lines` is `Int64`, but field `total: u64` of `Line` is written as `UInt64` [P048] declare the field as `total: i64`, or the column as `UInt64`",
                "column `list` of `lines` is `Array(Int64)`, but field `list: i64` of `Line` is written as `Int64` [P048] declare the field as `list: Vec<i64>`, or the column as `Int64`",
                "column `note` of `lines` is `String`, but field `note: Option<&str>` of `Line` is written as `Nullable(String)` [P048] declare the field as `note: &str`, or the column as Nullable",
                "table `lines` has no column `orderId` for a field of `Line` [P048] did you mean `order_id`?",
                "column `kind` of `lines` is `Enum8('a' = 1)`, but field `kind: &str` of `Line` is written as `String` [P048] declare the field as the number of the name (`i8`, `i16`), or the column as `LowCardinality(String)`",
                "column `price` of `lines` is `Decimal(18, 4)`, but field `price: Decimal<18, 2>` of `Line` is written as `Decimal(18, 2)` [P048] declare the field as `price: Decimal<18, 4>`, and convert with `rescale`",
            ]
        );
    }

    /// R081, R092: what is not written may be anything that fills itself.
    #[test]
    fn r092_columns_that_fill_themselves_need_no_field() {
        let fields = [field("id", "u64", DataType::UInt64)];
        let columns = [
            column("id", "UInt64", ""),
            column("al", "String", "ALIAS"),
            column("ma", "Decimal(76, 8)", "MATERIALIZED"),
            column("ep", "String", "EPHEMERAL"),
            column("d", "DateTime", "DEFAULT"),
            column("n", "Nullable(UInt8)", ""),
        ];
        assert_eq!(texts(&fields, &columns), [""; 0]);
        assert_eq!(
            texts(&fields, &[column("id", "UInt64", ""), column("sku", "String", "")]),
            [
                "column `sku` of `lines` has no DEFAULT and `Line` no field for it [P048] add a field `sku: &str`, or a DEFAULT to the column"
            ]
        );
        assert_eq!(
            texts(&fields, &[column("id", "UInt64", "MATERIALIZED")]),
            [
                "column `id` of `lines` is MATERIALIZED and cannot be written [P048] remove the field from `Line`"
            ]
        );
    }

    /// What a build says about a file is what the start says about the server, behind the place.
    #[test]
    fn the_build_and_the_start_say_the_same() {
        let fields = [
            field("id", "i64", DataType::Int64),
            field("narrow", "u16", DataType::UInt16),
            field("note", "Option<&str>", DataType::Nullable(&DataType::String)),
            field("maybe", "u8", DataType::UInt8),
            field("at", "DateTime64<3>", DataType::DateTime64(3)),
            field("price", "Decimal<18, 2>", DataType::Decimal { precision: 18, scale: 2 }),
            field("kind", "&str", DataType::String),
            field("tags", "Vec<u8>", DataType::Array(&DataType::UInt8)),
            field("code", "FixedBytes<3>", DataType::FixedBytes(3)),
            field("day", "Date", DataType::Date),
            field("misspelt", "u8", DataType::UInt8),
            field("nowhere", "u8", DataType::UInt8),
        ];
        let columns = [
            column("id", "UInt64", ""),
            column("narrow", "UInt32", ""),
            column("note", "LowCardinality(String)", ""),
            column("maybe", "Nullable(UInt8)", ""),
            column("at", "DateTime64(6, 'UTC')", ""),
            column("price", "Decimal(18, 4)", ""),
            column("kind", "Enum8('a' = 1)", ""),
            column("tags", "Array(UInt16)", ""),
            column("code", "FixedString(4)", ""),
            column("day", "Date", "ALIAS"),
            column("mis_spelt", "UInt8", ""),
            column("sku", "Map(String, UInt8)", ""),
            column("state", "AggregateFunction(sum, UInt64)", ""),
        ];
        let mut findings = Findings::default();
        compare("Line", &fields, "lines", &columns, &mut findings);
        let start: Vec<String> = findings
            .0
            .iter()
            .map(|finding| format!("{} [{}]\n  help: {}", finding.text, finding.code, finding.help))
            .collect();
        let columns: Vec<TableColumn<'_>> = columns.iter().map(ServerColumn::as_column).collect();
        let columns: Vec<TableColumn<'_>> = (3..)
            .zip(columns)
            .map(|(line, column)| TableColumn { line, col: 5, ..column })
            .collect();
        let table = Table { file: "a.sql", line: 1, col: 14, name: "lines", columns: &columns };
        let refused = |check: &dyn Fn()| {
            let check = std::panic::AssertUnwindSafe(check);
            let said = std::panic::catch_unwind(check).err()?;
            said.downcast_ref::<String>().cloned()
        };
        let build: Vec<String> = fields
            .iter()
            .flat_map(|field| {
                [
                    refused(&|| assert_column("Line", field, &table)),
                    refused(&|| assert_type("Line", field, &table)),
                ]
            })
            .chain(
                (0..columns.len())
                    .map(|at| refused(&|| assert_filled("Line", &fields, at, &table))),
            )
            .flatten()
            .collect();
        assert_eq!(start.len(), 13, "{start:#?}");
        let behind_the_place =
            |line: &String| line.splitn(4, ':').nth(3).unwrap().trim_start().to_owned();
        assert_eq!(build.iter().map(behind_the_place).collect::<Vec<_>>(), start);
        assert!(
            build[0].starts_with("a.sql:3:5: column `id` of `lines` is `UInt64`, but "),
            "{}",
            build[0]
        );
        let first = refused(&|| assert_row("Line", &fields, &table));
        assert_eq!(first.as_ref(), build.first(), "a generic row has the first of them");
    }

    #[test]
    fn findings_of_all_replicas_are_said_once() {
        let report = |texts: &[&str]| {
            let mut findings = Findings::default();
            texts
                .iter()
                .for_each(|text| findings.error("S023", *text, ""));
            Report { findings, shares_tokens: false }
        };
        let names = ["http://a".to_owned(), "http://b".to_owned()];
        let merged =
            merged(&names, vec![report(&["all", "one"]), report(&["all", "http://b is away"])]);
        let texts: Vec<&str> = merged.0.iter().map(|finding| &*finding.text).collect();
        assert_eq!(texts, ["all", "one (at http://a)", "http://b is away"]);
    }
}

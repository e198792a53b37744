//! The reader against files as people write them, against the engine itself, and against chance.
//!
//! A file of `corpus/` begins with what is to be read from it: `-- reads: name Type KIND` per column,
//! or `-- fault: line:col: text; help`. To write that anew: `SPATE_BLESS=1 cargo test -p spate-macros
//! ddl`, and look at the difference. `-- table: name` asks for a table, `-- engine: no, why` keeps a
//! file from the engine.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "a test may fail where it stands")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sqlparser::ast::{ColumnOption, Statement};
use sqlparser::dialect::ClickHouseDialect;

use super::*;

/// The files of the corpus by name.
fn corpus() -> BTreeMap<String, (PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ddl/corpus");
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            (name, (path, text))
        })
        .collect()
}

/// What stands behind `-- key: ` in a file.
fn said<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let begin = format!("-- {key}: ");
    text.lines()
        .find_map(|line| line.strip_prefix(begin.as_str()))
}

fn told(result: &Result<Table, Fault>, text: &str) -> Vec<String> {
    match result {
        Ok(table) => {
            let sharding = table.sharding.as_ref().map(|sharding| {
                format!("-- shards by: {} of {}", sharding.columns.join(" "), sharding.expression)
            });
            let columns = table.columns.iter().map(|column| {
                let text =
                    format!("-- reads: {} {} {}", column.name, shown(column), column.default_kind);
                text.trim_end().to_owned()
            });
            columns.chain(sharding).collect()
        }
        Err(fault) => {
            let (line, col) = place(text, fault.at);
            vec![format!("-- fault: {line}:{col}: {}; {}", fault.text, fault.help)]
        }
    }
}

fn shown(column: &Column) -> &str {
    if column.ty.is_empty() { "?" } else { &column.ty }
}

#[test]
fn files_are_read_as_they_say() {
    let corpus = corpus();
    assert!(corpus.len() >= 25, "only {} files", corpus.len());
    for (name, (path, text)) in corpus {
        let found = told(&read(&text, said(&text, "table")), &text);
        if std::env::var_os("SPATE_BLESS").is_some() {
            let is_told = |line: &&str| {
                ["-- reads: ", "-- fault: ", "-- shards by: "]
                    .iter()
                    .any(|begin| line.starts_with(begin))
            };
            let rest: String = text
                .split_inclusive('\n')
                .filter(|line| !is_told(line))
                .collect();
            std::fs::write(&path, format!("{}\n{rest}", found.join("\n"))).unwrap();
            continue;
        }
        let expected: Vec<&str> = text.lines().take(found.len()).collect();
        assert_eq!(found, expected, "in {name}");
        assert_eq!(name.starts_with("fault_"), found[0].starts_with("-- fault"), "in {name}");
    }
}

/// The engine of `tests/services`, if it is there.
struct Engine {
    address: String,
}

impl Engine {
    fn find() -> Option<Self> {
        let url = std::env::var("SPATE_TEST_CLICKHOUSE").ok()?;
        Some(Self {
            address: url
                .strip_prefix("http://")?
                .trim_end_matches('/')
                .to_owned(),
        })
    }

    fn ask(&self, database: &str, statement: &str) -> Result<String, String> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /?database={database} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{statement}",
            self.address,
            statement.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        if head.contains(" 200 ") { Ok(body.to_owned()) } else { Err(body.to_owned()) }
    }

    /// Runs a file in a database of its own, up to the first statement that is refused.
    fn run(&self, database: &str, text: &str) -> Result<(), String> {
        self.ask("default", &format!("DROP DATABASE IF EXISTS {database}"))
            .unwrap();
        self.ask("default", &format!("CREATE DATABASE {database}"))
            .unwrap();
        let Ok(tokens) = token::tokens(text) else {
            return self.ask(database, text).map(drop);
        };
        let mut from = 0;
        for end in tokens
            .iter()
            .filter(|token| token.is_mark(';'))
            .map(|token| token.at)
            .chain([text.len()])
        {
            let statement = &text[from..end];
            from = end + 1;
            if tokens
                .iter()
                .any(|token| (end - statement.len()..end).contains(&token.at))
            {
                self.ask(database, statement)?;
            }
        }
        Ok(())
    }

    /// The columns of a table: name, type, kind of default.
    fn columns(&self, database: &str, table: &str) -> Vec<[String; 3]> {
        let statement = format!(
            "SELECT name, type, default_kind FROM system.columns \
             WHERE database = '{database}' AND table = '{table}' ORDER BY position FORMAT TSVRaw"
        );
        let answer = self.ask(database, &statement).unwrap();
        let column = |line: &str| {
            line.split('\t')
                .map(str::to_owned)
                .collect::<Vec<_>>()
                .try_into()
                .unwrap()
        };
        answer.lines().map(column).collect()
    }
}

/// What is read of a file is what the engine makes of it, and what is refused the engine refuses.
#[test]
fn the_engine_reads_the_same() {
    let Some(engine) = Engine::find() else { return };
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, (_, text)) in corpus() {
        if said(&text, "engine").is_some() {
            continue;
        }
        let database = format!("ddl_{name}");
        let ran = engine.run(&database, &text);
        let table = match read(&text, said(&text, "table")) {
            Ok(table) => table,
            Err(fault) => {
                if ran.is_ok() {
                    wrong
                        .push(format!("{name}: the engine accepts what we refuse: {}", fault.text));
                }
                compared += 1;
                continue;
            }
        };
        if let Err(refused) = ran {
            wrong.push(format!("{name}: {refused}"));
            continue;
        }
        let (database, table_name) = match table.name.split_once('.') {
            Some((database, table)) if database != "default" => (database, table),
            Some((_, table)) => (&*database, table),
            None => (&*database, &*table.name),
        };
        let columns = engine.columns(database, table_name);
        let ours: Vec<[String; 3]> = table
            .columns
            .iter()
            .zip(&columns)
            .map(|(column, [_, ty, _])| {
                // A type that follows from a default only the engine knows.
                let ty = if column.ty.is_empty() { ty } else { &column.ty };
                [column.name.clone(), ty.clone(), column.default_kind.to_owned()]
            })
            .collect();
        if ours != columns {
            wrong.push(format!("{name}: {ours:?} is {columns:?}"));
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 25, "only {compared} files were compared");
}

/// A column type as a model: what is written, and what the server prints.
fn ty() -> impl Strategy<Value = (String, String)> {
    let plain = prop::sample::select(vec![
        ("UInt8", "UInt8"),
        ("UInt64", "UInt64"),
        ("Int32", "Int32"),
        ("String", "String"),
        ("Float64", "Float64"),
        ("UUID", "UUID"),
        ("Date", "Date"),
        ("DateTime", "DateTime"),
        ("DateTime64(3)", "DateTime64(3)"),
        ("DateTime64(6, 'UTC')", "DateTime64(6, 'UTC')"),
        ("Decimal(18, 4)", "Decimal(18, 4)"),
        ("FixedString(16)", "FixedString(16)"),
        ("Enum8('a' = 1, 'b, (' = -2)", "Enum8('a' = 1, 'b, (' = -2)"),
        ("BIGINT", "Int64"),
        ("Decimal64(5)", "Decimal(18, 5)"),
        ("VARCHAR(20)", "String"),
    ])
    .prop_map(|(written, printed)| (written.to_owned(), printed.to_owned()));
    plain.prop_recursive(3, 12, 3, |inner| {
        let one = |name: &'static str| {
            move |(written, printed): (String, String)| {
                (format!("{name}({written})"), format!("{name}({printed})"))
            }
        };
        prop_oneof![
            inner.clone().prop_map(one("Array")),
            inner.clone().prop_map(one("Nullable")),
            inner.clone().prop_map(one("LowCardinality")),
            (inner.clone(), inner.clone()).prop_map(|((a, b), (c, d))| {
                (format!("Map({a}, {c})"), format!("Map({b}, {d})"))
            }),
            prop::collection::vec(inner, 1..4).prop_map(|items| {
                let of = |part: fn(&(String, String)) -> &String| {
                    items
                        .iter()
                        .map(|item| part(item).as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                (format!("Tuple({})", of(|item| &item.0)), format!("Tuple({})", of(|item| &item.1)))
            }),
        ]
    })
}

/// What may stand behind a type, with the kind of default it makes.
fn property() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("", ""),
        ("", ""),
        (" DEFAULT 5", "DEFAULT"),
        (" DEFAULT concat('a,b', ')')", "DEFAULT"),
        (" MATERIALIZED now()", "MATERIALIZED"),
        (" ALIAS length('x')", "ALIAS"),
        (" EPHEMERAL", "EPHEMERAL"),
        (" COMMENT 'it''s (here), not there'", ""),
        (" CODEC(Delta(4), ZSTD(1))", ""),
        (" DEFAULT 1 COMMENT 'one' CODEC(NONE) TTL at + INTERVAL 1 DAY", "DEFAULT"),
    ])
}

/// Reads, and finds the place of what is wrong.
fn answers(text: &str, wanted: Option<&str>) {
    if let Err(fault) = read(text, wanted) {
        let (line, _) = place(text, fault.at);
        assert!(line <= text.matches('\n').count() + 1, "{fault:?}");
    }
}

const BLANKS: [&str; 5] =
    [" ", "\n    ", " /* a /* nested */ one, (*/ ", " -- to the end, (\n", "\t"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Holds INV-M4 for files: whatever is in one, there is an answer.
    #[test]
    fn whatever_a_file_holds_there_is_an_answer(text in ".{0,200}", wanted in prop::option::of("[a-z.]{0,4}")) {
        answers(&text, wanted.as_deref());
    }

    #[test]
    fn pieces_of_files_have_an_answer(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "CREATE", "TABLE", "ALTER", "t", "(", ")", ",", ";", "id", "UInt64", "Array", "Nested", "Tuple",
            "Map", "Nullable", "Enum8", "'a'", "=", "1", "-", "DEFAULT", "NULL", "ENGINE", "Distributed",
            "INDEX", "PRIMARY", "KEY", "ADD", "MODIFY", "DROP", "RENAME", "COLUMN", "AFTER", "FIRST", "TO",
            "TYPE", "AS", "`", "\"", "'", "/*", "*/", "--", "$$", "\\", ".", "{", "}", "[", "]", "IF", "EXISTS",
        ]), 0..60),
    ) {
        let text = pieces.join(" ");
        answers(&text, None);
        let begun = format!("CREATE TABLE t (id UInt64, x {text}); ALTER TABLE t {text}");
        answers(&begun, None);
    }

    #[test]
    fn files_with_a_piece_cut_out_have_an_answer(pick in any::<prop::sample::Index>(), from in any::<prop::sample::Index>(), len in 0_usize..40) {
        let corpus = corpus();
        let text = &corpus.values().nth(pick.index(corpus.len())).unwrap().1;
        let chars: Vec<char> = text.chars().collect();
        let from = from.index(chars.len());
        let to = (from + len).min(chars.len());
        let cut: String = chars[..from].iter().chain(&chars[to..]).collect();
        answers(&cut, None);
    }

    /// A table that is written out is read back, whatever stands between its words.
    #[test]
    fn a_table_is_read_back_as_it_was_meant(
        columns in prop::collection::vec((ty(), property()), 1..8),
        blanks in prop::collection::vec(prop::sample::select(BLANKS.to_vec()), 24),
    ) {
        let mut blanks = blanks.into_iter().cycle();
        let mut blank = move || blanks.next().unwrap();
        let mut text = format!("CREATE{}TABLE{}shop.`li``nes`{}(", blank(), blank(), blank());
        for (number, ((written, _), (property, _))) in columns.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            text.push_str(&format!("{comma}{}`c {number}`{}{written}{property}{}", blank(), blank(), blank()));
        }
        text.push_str(&format!("){}ENGINE = MergeTree ORDER BY (`c 0`, tuple())", blank()));
        let table = read(&text, Some("shop.li`nes")).unwrap();
        prop_assert_eq!(&table.name, "shop.li`nes");
        prop_assert_eq!(table.columns.len(), columns.len());
        for (number, (column, ((_, printed), (_, kind)))) in table.columns.iter().zip(&columns).enumerate() {
            prop_assert_eq!(&column.name, &format!("c {number}"));
            prop_assert_eq!(&column.ty, printed);
            prop_assert_eq!(column.default_kind, *kind);
        }
    }

    /// Another parser of the same language sees the same columns, where it can read the file at all.
    #[test]
    fn another_parser_sees_the_same_columns(columns in prop::collection::vec(ty(), 1..6)) {
        let list: Vec<String> = columns.iter().enumerate().map(|(number, (written, _))| format!("c{number} {written}")).collect();
        let text = format!("CREATE TABLE t ({}) ENGINE = MergeTree ORDER BY tuple()", list.join(", "));
        let theirs = sqlparser::parser::Parser::parse_sql(&ClickHouseDialect {}, &text).unwrap();
        let [Statement::CreateTable(theirs)] = &*theirs else { panic!("no table in {text}") };
        let ours = read(&text, None).unwrap();
        prop_assert_eq!(theirs.columns.len(), ours.columns.len());
        for (theirs, ours) in theirs.columns.iter().zip(&ours.columns) {
            prop_assert_eq!(&theirs.name.value, &ours.name);
            // Theirs keeps other names of a type and prints `STRING`, `ENUM8`: it is read once more by ours.
            let again = read(&format!("CREATE TABLE t (c {})", theirs.data_type), None).unwrap();
            let plain = |ty: &str| ty.to_lowercase().replace(' ', "");
            prop_assert_eq!(plain(&again.columns[0].ty), plain(&ours.ty));
        }
    }
}

/// How much of the corpus the other parser reads: why it is not the one we use (ADR-0015).
#[test]
fn another_parser_reads_a_part_of_the_corpus_and_the_same_in_it() {
    let (mut read_by_both, mut refused) = (0, Vec::new());
    for (name, (_, text)) in corpus() {
        let Ok(ours) = read(&text, said(&text, "table")) else { continue };
        let Ok(theirs) = sqlparser::parser::Parser::parse_sql(&ClickHouseDialect {}, &text) else {
            refused.push(name);
            continue;
        };
        read_by_both += 1;
        let [Statement::CreateTable(theirs)] = &*theirs else { continue };
        for column in &theirs.columns {
            let kind = column
                .options
                .iter()
                .find_map(|option| match option.option {
                    ColumnOption::Default(_) => Some("DEFAULT"),
                    ColumnOption::Materialized(_) => Some("MATERIALIZED"),
                    ColumnOption::Alias(_) => Some("ALIAS"),
                    ColumnOption::Ephemeral(_) => Some("EPHEMERAL"),
                    _ => None,
                });
            let same = ours
                .columns
                .iter()
                .find(|ours| ours.name == column.name.value);
            if let Some(same) = same {
                assert_eq!(
                    kind.unwrap_or_default(),
                    same.default_kind,
                    "`{}` in {name}",
                    same.name
                );
            }
        }
    }
    println!("read by both: {read_by_both}; by us alone: {refused:?}");
    assert!(read_by_both >= 8, "{read_by_both}");
    assert!(refused.len() >= 8, "the other parser reads nearly all now: {refused:?}");
}

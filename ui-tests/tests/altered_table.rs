//! A DDL file is part of the program: altering the table turns the build red, reverting it green.
//!
//! A project of its own is built with cargo as it is, so that what makes cargo build anew is tested
//! along. Its dependencies are built once, in its own target folder: trybuild's have other flags.

use std::path::{Path, PathBuf};
use std::process::Command;

const TABLE: &str = "\
CREATE TABLE order_lines (
    order_id UInt64,
    customer LowCardinality(String),
    total_cents UInt64
)
ENGINE = MergeTree
ORDER BY order_id
";

const PROGRAM: &str = r#"//! One row.
use spate::prelude::*;

/// One row of `order_lines`.
#[derive(Row)]
#[row(ddl = "schema/order_lines.sql")]
pub struct OrderLine<'a> {
    order_id: u64,
    customer: LowCardinality<Cow<'a, str>>,
    total_cents: u64,
}
"#;

struct Project {
    folder: PathBuf,
    target: PathBuf,
}

impl Project {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("it is in a workspace");
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(target) => root.join(target),
            None => root.join("target"),
        };
        let folder = target.join("tests/altered-table");
        for part in ["src", "schema"] {
            std::fs::create_dir_all(folder.join(part))
                .expect("the project can be written and built");
        }
        let manifest = format!(
            "[package]\nname = \"altered-table\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nspate = {{ path = {:?}, features = [\"clickhouse\"] }}\n\n\
             [profile.dev]\ndebug = false\n",
            root.join("spate"),
        );
        std::fs::write(folder.join("Cargo.toml"), manifest)
            .expect("the project can be written and built");
        std::fs::write(folder.join("src/lib.rs"), PROGRAM)
            .expect("the project can be written and built");
        // The versions that are there already, so that nothing has to be fetched.
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
            .expect("the project can be written and built");
        Self { target: folder.join("target"), folder }
    }

    fn write(&self, table: &str) {
        std::fs::write(self.folder.join("schema/order_lines.sql"), table)
            .expect("the project can be written and built");
    }

    /// Builds, and gives what was said if it fails.
    fn check(&self) -> Result<(), String> {
        let output = Command::new(env!("CARGO"))
            .args(["check", "--quiet", "--offline", "--color", "never"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .output()
            .expect("the project can be written and built");
        let said = String::from_utf8(output.stderr).expect("the project can be written and built");
        if output.status.success() { Ok(()) } else { Err(said) }
    }
}

#[test]
fn an_altered_table_fails_the_build_with_its_column_named_and_a_reverted_one_builds() {
    let project = Project::new();
    project.write(TABLE);
    assert_eq!(project.check(), Ok(()));
    for (altered, place, said) in [
        (
            TABLE.replace("total_cents UInt64", "total_cents Int64"),
            "schema/order_lines.sql:4:5: ",
            "column `total_cents` of `order_lines` is `Int64`, but field `total_cents: u64`",
        ),
        (
            TABLE.replace("order_id UInt64", "order_id Nullable(UInt64)"),
            "schema/order_lines.sql:2:5: ",
            "column `order_id` of `order_lines` is `Nullable(UInt64)`, but field `order_id: u64`",
        ),
        (
            TABLE
                .replace(",\n    total_cents UInt64", "")
                .replace("(\n", "(\n    total_cents UInt64,\n"),
            "schema/order_lines.sql:2:5: ",
            "column `total_cents` stands before `order_id` in `order_lines`",
        ),
        (
            TABLE.replace("total_cents UInt64", "total_cents UInt64,\n    sku String"),
            "schema/order_lines.sql:5:5: ",
            "column `sku` of `order_lines` has no DEFAULT and `OrderLine` no field for it",
        ),
        (
            format!("{TABLE};\nALTER TABLE order_lines DROP COLUMN total_cents;\n"),
            "schema/order_lines.sql:1:14: ",
            "table `order_lines` has no column `total_cents` for a field of `OrderLine`",
        ),
    ] {
        project.write(&altered);
        let answer = project.check().expect_err(said);
        assert!(answer.contains(&format!("{place}{said}")), "{said} is not in {answer}");
        assert!(answer.contains("[P048]"), "{answer}");
        assert_eq!(answer.matches("[P048]").count(), 1, "one cause, one finding: {answer}");
        project.write(TABLE);
        assert_eq!(project.check(), Ok(()), "reverted");
    }
    project.write(
        &TABLE.replace("total_cents UInt64", "total_cents UInt64,\n    sku String DEFAULT ''"),
    );
    assert_eq!(project.check(), Ok(()), "a new column with a default needs no field");
}

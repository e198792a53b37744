//! What an application pulls in: only what its features name.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The lock file of an application that depends on `spate` with these features.
fn lock_file(name: &str, features: &str) -> String {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(dir.join("src")).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = format!(
        "[workspace]\n[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\nspate = {{ path = {:?}, features = [{features}] }}\n",
        root.join("spate")
    );
    fs::write(dir.join("Cargo.toml"), manifest).unwrap();
    fs::write(dir.join("src/main.rs"), "fn main() {}\n").unwrap();
    // The versions of the workspace: nothing has to be fetched.
    fs::copy(root.join("Cargo.lock"), dir.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges", "normal,build"])
        .current_dir(&dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(dir.join("Cargo.lock")).unwrap()
}

#[test]
fn an_application_with_clickhouse_alone_has_no_kafka_in_its_lock_file() {
    let lock = lock_file("only-clickhouse", "\"clickhouse\"");
    assert!(lock.contains("name = \"spate-clickhouse\""));
    for name in ["rdkafka", "spate-kafka", "spate-json", "spate-datagen"] {
        assert!(!lock.contains(name), "`{name}` is in the lock file");
    }
}

#[test]
fn an_application_with_kafka_alone_has_no_clickhouse_in_its_lock_file() {
    let lock = lock_file("only-kafka", "\"kafka\"");
    assert!(lock.contains("name = \"rdkafka-sys\""));
    for name in ["spate-clickhouse", "hyper", "name = \"rdkafka\""] {
        assert!(!lock.contains(name), "`{name}` is in the lock file");
    }
}

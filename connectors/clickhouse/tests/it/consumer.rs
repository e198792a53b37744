//! What a program that writes to ClickHouse only has in its lock file.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Nothing is on by default: no Kafka client in the lock file of a program that has none.
#[test]
fn a_program_with_only_clickhouse_locks_no_kafka_client() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = workspace.canonicalize().unwrap();
    let program = env::temp_dir().join(format!("spate-consumer-{}", std::process::id()));
    fs::create_dir_all(program.join("src")).unwrap();
    fs::write(program.join("src/lib.rs"), "").unwrap();
    let manifest = format!(
        "[package]\nname = \"consumer\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nspate = {{ path = {:?}, features = [\"clickhouse\"] }}\n",
        workspace.join("spate")
    );
    fs::write(program.join("Cargo.toml"), manifest).unwrap();
    // The workspace's versions, so that nothing has to be looked up.
    fs::copy(workspace.join("Cargo.lock"), program.join("Cargo.lock")).unwrap();
    let resolved = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .current_dir(&program)
        .output()
        .unwrap();
    assert!(resolved.status.success(), "{}", String::from_utf8_lossy(&resolved.stderr));
    let lock = fs::read_to_string(program.join("Cargo.lock")).unwrap();
    fs::remove_dir_all(&program).unwrap();
    let locked = |name: &str| lock.contains(&format!("name = \"{name}\""));
    assert!(locked("spate-clickhouse") && locked("hyper"));
    for other in ["rdkafka", "rdkafka-sys", "spate-kafka", "spate-datagen", "spate-json"] {
        assert!(!locked(other), "`{other}` is in the lock file");
    }
}

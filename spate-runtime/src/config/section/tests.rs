//! Tests of `config/section.rs`: cases as data.

use super::*;

static SCHEMA: Schema = Schema {
    kind: "Test",
    keys: &[
        Key::new("flag", Type::Bool, "").or("false"),
        Key::new("count", Type::Integer { min: 0, max: 100 }, "").or("7"),
        Key::new("wait", Type::Duration, "").or("1s"),
        Key::new("room", Type::Size, "").or("64KiB"),
        Key::new("path", Type::Text, "").required(),
        Key::new("user", Type::Text, ""),
        Key::new("password", Type::Text, "").secret(),
        Key::new("brokers", Type::List(&Type::Text), ""),
        Key::new("shards", Type::List(&Type::List(&Type::Text)), ""),
        Key::new("client", Type::TextMap, ""),
        Key::new("tls", Type::Section(&[Key::new("ca", Type::Text, "").or("none")]), ""),
        Key::new(
            "threads",
            Type::Either(&Type::Choice(&["auto"]), &Type::Integer { min: 1, max: 9 }),
            "",
        )
        .or("auto"),
    ],
};

fn section(yaml: &str) -> Section<'static> {
    Section::for_test(&SCHEMA, yaml).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn defaults_are_filled_in() {
    let section = section("path: a");
    assert!(!section.bool("flag"));
    assert_eq!(section.integer("count"), 7);
    assert_eq!(section.duration("wait"), Duration::from_secs(1));
    assert_eq!(section.size("room"), 65_536);
    assert_eq!(section.text_opt("user"), None);
    assert_eq!(section.secret_opt("password"), None);
    assert!(section.texts("brokers").is_empty());
    assert!(section.text_lists("shards").is_empty());
    assert!(section.text_map("client").is_empty());
    assert!(section.section("tls").is_none());
    assert!(!section.is_set("count"));
}

#[test]
fn what_is_written_is_read() {
    let section = section(
        "flag: true\ncount: 8\nwait: 250ms\nroom: 1MiB\npath: b\nuser: \"\"\npassword: x\n\
         client: {enable.auto.commit: false, a.b: c}\ntls: {ca: file}\nthreads: 3\n",
    );
    assert!(section.bool("flag"));
    assert_eq!(section.integer("count"), 8);
    assert_eq!(section.duration("wait"), Duration::from_millis(250));
    assert_eq!(section.size("room"), 1 << 20);
    assert_eq!(section.text_opt("user"), Some(""));
    assert_eq!(section.secret_opt("password").unwrap().reveal(), "x");
    assert_eq!(section.text_map("client"), [("enable.auto.commit", "false"), ("a.b", "c")]);
    assert_eq!(section.section("tls").unwrap().text("ca"), "file");
    assert_eq!(section.integer_opt("threads"), Some(3));
    assert!(section.is_set("count"));
}

#[test]
fn a_single_value_stands_for_a_list_of_one() {
    for (yaml, brokers, shards) in [
        ("brokers: a\nshards: a", vec!["a"], vec![vec!["a"]]),
        ("brokers: [a, b]\nshards: [a, b]", vec!["a", "b"], vec![vec!["a"], vec!["b"]]),
        ("brokers: []\nshards: [[a, b], c]", vec![], vec![vec!["a", "b"], vec!["c"]]),
    ] {
        let section = section(&format!("path: x\n{yaml}"));
        assert_eq!(section.texts("brokers"), brokers, "{yaml}");
        assert_eq!(section.text_lists("shards"), shards, "{yaml}");
    }
}

#[test]
fn one_of_two_types_is_read_as_the_one_that_was_written() {
    assert_eq!(section("path: x").integer_opt("threads"), None);
    assert_eq!(section("path: x").text("threads"), "auto");
    assert_eq!(section("path: x\nthreads: 9").integer_opt("threads"), Some(9));
    let errors = Section::for_test(&SCHEMA, "path: x\nthreads: many").unwrap_err();
    assert_eq!(errors.0[0].help, "`auto`, or a whole number from 1 to 9");
}

#[test]
fn an_error_of_the_connector_says_where_its_key_is() {
    let section = section("path: x\ncount: 5");
    assert_eq!(section.error("count", "P059", "t", "").0[0].at, "test.yaml:2:8");
    assert_eq!(section.error("wait", "P059", "t", "").0[0].at, "test.yaml:1:1");
}

#[test]
#[should_panic(expected = "INV-M1: the schema of `test` has no key `pth`")]
fn a_key_that_no_schema_has_is_a_bug() {
    assert_eq!(section("path: x").text("pth"), "");
}

#[test]
#[should_panic(expected = "INV-M1: key `count` of `test` is")]
fn a_key_of_another_type_is_a_bug() {
    assert!(section("path: x").duration("count").is_zero());
}

#[test]
#[should_panic(expected = "INV-M1: `password` is secret")]
fn a_secret_cannot_be_read_as_a_plain_text() {
    assert_eq!(section("path: x\npassword: y").text_opt("password"), None);
}

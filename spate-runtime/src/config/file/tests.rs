//! Tests of `config/file.rs`: cases as data.

use super::*;
use crate::config::{SINK_KEYS, Type};
use crate::preflight::Severity;

const SHARDS: Type = Type::List(&Type::List(&Type::Text));
const KEYS: &[Key] = &[
    Key::new("url", Type::Text, "where the server is").required(),
    Key::new("table", Type::Text, "which table"),
    Key::new("country", Type::Text, "a text"),
    Key::new("password", Type::Text, "of the user").secret(),
    Key::new("pin_code", Type::Integer { min: 0, max: 9999 }, "a secret number").secret(),
    Key::new("port", Type::Integer { min: 1, max: 65_535 }, "a number").or("8123"),
    Key::new("compress", Type::Choice(&["none", "lz4"]), "how").or("lz4"),
    Key::new("shards", SHARDS, "the servers"),
    Key::new("settings", Type::TextMap, "passed through"),
    Key::new("tls", Type::Section(&[Key::new("ca", Type::Text, "a path").required()]), "tls"),
    Key::new("zstd", Type::Bool, "a codec").needs_feature("zstd", false),
];

fn env(name: &str) -> Option<String> {
    match name {
        "PW" => Some("p>\"\\C: #$x${Y}".to_owned()),
        "TWO_LINES" => Some("a\nadmin: true".to_owned()),
        "PORT" => Some("9000".to_owned()),
        "HOST" => Some("S3cr3t-zz9".to_owned()),
        _ => None,
    }
}

fn parse(text: &str) -> Config {
    Config::parse("orders.yaml", text, &env).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The errors of the section `lines` (and of the names), one a line.
fn errors_of(text: &str) -> Vec<String> {
    let config = match Config::parse("orders.yaml", text, &env) {
        Ok(config) => config,
        Err(errors) => return errors.to_string().lines().map(str::to_owned).collect(),
    };
    let mut errors = config.check_names(&["lines", "refunds"]);
    errors.collect(config.section("lines", &[KEYS, SINK_KEYS]).map(drop));
    errors.to_string().lines().map(str::to_owned).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(errors_of(text), expected, "{text}");
}

const URL: &str = "lines:\n  url: http://db\n";

#[test]
fn a_right_file_has_no_errors() {
    check(URL, &[]);
    check(&format!("{URL}  linger: 5s\npipeline:\n  threads: 2\n"), &[]);
}

/// R132.
#[test]
fn an_unknown_key_is_refused_with_its_path_and_the_nearest_known_one() {
    check(
        &format!("{URL}  tabel: x\n"),
        &["orders.yaml:3:3: unknown key `lines.tabel` [P059]", "  help: did you mean `table`?"],
    );
    check(
        &format!("{URL}  batchrows: 5\n"),
        &[
            "orders.yaml:3:3: unknown key `lines.batchrows` [P059]",
            "  help: did you mean `batch_rows`?",
        ],
    );
    check(
        &format!("{URL}  tls:\n    ca: a\n    sni: b\n"),
        &["orders.yaml:5:5: unknown key `lines.tls.sni` [P059]", "  help: known here: `ca`"],
    );
}

/// R132.
#[test]
fn strings_stay_strings() {
    let config = parse(&format!("{URL}  country: NO\n  password: 0123\n  table: 1_0\n"));
    let section = config.section("lines", &[KEYS]).unwrap();
    assert_eq!(section.text("country"), "NO");
    assert_eq!(section.text("table"), "1_0");
    assert_eq!(section.secret_opt("password").unwrap().reveal(), "0123");
}

/// R132.
#[test]
fn a_secret_of_the_wrong_type_is_not_shown() {
    check(
        &format!("{URL}  pin_code: 0123x\n"),
        &[
            "orders.yaml:3:13: `lines.pin_code` has a value that is not a whole number [P059]",
            "  help: a whole number from 0 to 9999",
        ],
    );
    check(
        &format!("{URL}  pin_code: 12345\n"),
        &[
            "orders.yaml:3:13: `lines.pin_code` has a value, which is out of range [P059]",
            "  help: a whole number from 0 to 9999",
        ],
    );
}

/// R130.
#[test]
fn a_variable_is_a_value_and_never_syntax() {
    let text = "lines:\n  url: ${PW}\n  table: \"${TWO_LINES}\"\n  country: $1\n  port: ${PORT}\n";
    let config = parse(text);
    assert_eq!(errors_of(text), Vec::<String>::new());
    let section = config.section("lines", &[KEYS]).unwrap();
    assert_eq!(section.text("url"), "p>\"\\C: #$x${Y}");
    assert_eq!(section.text("table"), "a\nadmin: true");
    assert_eq!(section.text("country"), "$1");
    assert_eq!(section.integer("port"), 9000);
}

/// R130.
#[test]
fn a_variable_that_is_not_set_is_named_with_its_field() {
    check(
        "lines:\n  url: http://${NONE}:8123\n",
        &[
            "orders.yaml:2:8: variable `NONE` of `lines.url` is not set [P059]",
            "  help: set it, or write `${NONE:-default}`",
        ],
    );
    check("lines:\n  url: ${NONE:-x}\n", &[]);
    check(
        "lines:\n  url: ${NONE\n",
        &[
            "orders.yaml:2:8: `${` without its `}` [P059]",
            "  help: write `${NAME}`, `${NAME:-default}`, or `$${` for `${` itself",
        ],
    );
}

#[test]
fn a_section_that_is_not_used_needs_no_variables_for_its_texts() {
    let config = parse("lines:\n  url: ${NONE}\n  port: ${NONE}\n");
    let errors = config.section_unread("lines", &[KEYS]).unwrap_err();
    assert_eq!(errors.0.len(), 1, "{errors}");
    assert!(errors.0[0].text.contains("`lines.port`"), "{errors}");
    let config = parse("lines:\n  url: ${NONE}\n");
    assert_eq!(config.section_unread("lines", &[KEYS]).unwrap().text("url"), "");
}

#[test]
fn what_a_variable_holds_is_not_shown() {
    check(
        &format!("{URL}  port: ${{HOST}}\n"),
        &[
            "orders.yaml:3:9: `lines.port` is `${HOST}`, not a whole number [P059]",
            "  help: a whole number from 1 to 65535",
        ],
    );
}

#[test]
fn values_need_their_type_and_unit() {
    check(
        &format!("{URL}  linger: 5\n  frame_bytes: 64\n"),
        &[
            "orders.yaml:3:11: `lines.linger` is `5` without a unit [P056]",
            "  help: a duration with a unit, such as `250ms`, `1s`, `5m` or `12h`, at least `1ms`",
            "orders.yaml:4:16: `lines.frame_bytes` is `64` without a unit [P056]",
            "  help: a size with a unit, such as `64KiB`, `16MiB` or `1GB`, at least `4KiB`",
        ],
    );
    check(
        &format!("{URL}  compress: gzip\n"),
        &[
            "orders.yaml:3:13: `lines.compress` is `gzip`, not one of its words [P059]",
            "  help: `none` or `lz4`",
        ],
    );
    check(
        &format!("{URL}  table: [a]\n"),
        &["orders.yaml:3:10: `lines.table` is a list, not a text [P059]", "  help: a text"],
    );
    check(
        &format!("{URL}  table:\n"),
        &[
            "orders.yaml:3:3: `lines.table` has no value [P059]",
            "  help: write `\"\"` for an empty text",
        ],
    );
    check(
        &format!("{URL}  shards: [[a, b], [c, {{x: y}}]]\n"),
        &[
            "orders.yaml:3:24: `lines.shards[1][1]` is a section, not a text [P059]",
            "  help: a text",
        ],
    );
    check(
        &format!("{URL}  zstd: true\n"),
        &[
            "orders.yaml:3:3: `lines.zstd` needs the feature `zstd` [P060]",
            "  help: build with `features = [\"zstd\"]`",
        ],
    );
}

#[test]
fn what_is_missing_is_named() {
    check(
        "",
        &[
            "orders.yaml:1:1: section `lines` is missing [P059]",
            "  help: write `lines:` with `url` in it",
        ],
    );
    check(
        "lines:\n  table: x\n",
        &[
            "orders.yaml:1:1: key `lines.url` is missing [P059]",
            "  help: `url` is a text: where the server is",
        ],
    );
    check(
        "lines:\n",
        &[
            "orders.yaml:1:1: key `lines.url` is missing [P059]",
            "  help: `url` is a text: where the server is",
        ],
    );
    check(
        &format!("{URL}  tls: {{}}\n"),
        &[
            "orders.yaml:3:3: key `lines.tls.ca` is missing [P059]",
            "  help: `ca` is a text: a path",
        ],
    );
}

#[test]
fn sections_for_undeclared_names_are_refused() {
    check(
        &format!("{URL}refnuds:\n  a: b\n"),
        &[
            "orders.yaml:3:1: section `refnuds` is for no declared name [P059]",
            "  help: did you mean `refunds`?",
        ],
    );
    check(
        &format!("{URL}pipelines: {{}}\n"),
        &[
            "orders.yaml:3:1: section `pipelines` is for no declared name [P059]",
            "  help: did you mean `pipeline`?",
        ],
    );
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    check(
        &format!("{URL}  url: b\n"),
        &[
            "orders.yaml:3:3: `lines.url` was given on line 2 already [P059]",
            "  help: remove one of them",
        ],
    );
    check(
        &format!("{URL}  settings: {{a: 1, b: 2, a: 3}}\n"),
        &[
            "orders.yaml:3:26: `lines.settings.a` was given on line 3 already [P059]",
            "  help: remove one of them",
        ],
    );
    check(
        &format!("{URL}{URL}"),
        &[
            "orders.yaml:3:1: `lines` was given on line 1 already [P059]",
            "  help: remove one of them",
        ],
    );
}

#[test]
fn more_of_yaml_than_is_needed_is_refused_with_what_to_do() {
    for (text, at, says) in [
        ("lines: &a {url: x}\n", "1:8", "an anchor (`&name`)"),
        ("lines: &a\n  url: x\n", "1:8", "an anchor (`&name`)"),
        ("lines: {url: &a x, table: *a}\n", "1:27", "an alias (`*name`)"),
        ("lines:\n  url: *.jsonl\n", "2:8", "an alias (`*.jsonl`) of nothing"),
        ("lines:\n  url: *.jsonl\n", "", "help: a value that begins with `*` needs quotes"),
        ("lines: {url: !!str x}\n", "1:", "a tag (`!name`)"),
        ("lines: {url: x}\n---\nrefunds: {}\n", "2:", "a second document"),
        ("- a\n", "1:1", "a list instead of sections"),
        ("just text\n", "1:1", "a single value instead of sections"),
        ("lines:1\n", "", "help: put a blank behind the colon"),
        ("lines: {? [a, b] : c}\n", "1:", "a key that is no text"),
        ("lines:\n  url: \"x\n", "2:8", "not YAML: unclosed quote"),
        ("lines: {url: x\n", "1:8", "not YAML: unclosed bracket '{'"),
        ("lines:\n\turl: x\n", "2:", "not YAML"),
        ("lines:\n\turl: x\n", "", "help: indent with blanks, not with tabs"),
        ("lines:\n  url: a: b\n", "2:9", "not YAML: mapping values are not allowed"),
        ("lines:\n  url: a: b\n", "", "help: a value that holds `: ` needs quotes"),
        ("lines:\n  url: x\n table: t\n", "3:2", "not YAML"),
        ("lines:\n  url: x\n table: t\n", "", "help: indent the keys of one map alike"),
        ("lines:\n  url: @x\n", "2:8", "not YAML: unexpected character: `@'"),
        ("lines:\n  url: @x\n", "", "help: put the value in quotes"),
    ] {
        let errors = errors_of(text);
        let found = errors.iter().any(|error| {
            error.contains(says)
                && (at.is_empty() || error.starts_with(&format!("orders.yaml:{at}")))
        });
        assert!(found, "{text:?} gave {errors:?}");
    }
}

#[test]
fn a_file_of_comments_is_an_empty_configuration() {
    for text in ["", "# nothing\n", "---\n", "~\n", "\u{feff}"] {
        let config = parse(text);
        assert!(config.nodes.is_empty(), "{text:?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let errors = Config::load("no/such/file.yaml").unwrap_err();
    assert!(
        errors
            .to_string()
            .starts_with("no/such/file.yaml:1:1: there is no such file"),
        "{errors}"
    );
}

/// R134.
#[test]
fn debug_shows_no_value() {
    let config = parse("lines:\n  url: S3cr3t-zz9\n  password: S3cr3t-zz9\n");
    let section = config.section("lines", &[KEYS]).unwrap();
    let shown = format!("{config:?} {section:?} {:?}", section.secret_opt("password"));
    assert!(shown.contains("password"), "{shown}");
    assert!(!shown.contains("S3cr3t-zz9"), "{shown}");
}

#[test]
fn an_error_in_a_section_says_where_the_section_is() {
    let config = parse("\nlines:\n  url: x\n");
    assert_eq!(config.error_in("lines", "P054", "text", "").at, "orders.yaml:2:1");
    assert_eq!(config.error_in("refunds", "P054", "text", "").at, "orders.yaml:1:1");
}

#[test]
fn a_secret_in_the_file_itself_is_warned_of_and_not_shown() {
    let of = |password: &str| {
        let config = parse(&format!("{URL}  password: {password}\n"));
        config.section("lines", &[KEYS]).unwrap().plain_secrets()
    };
    assert_eq!(of("${HOST}").0, []);
    assert_eq!(of("${NONE:-x}").0, []);
    let found = of("S3cr3t-zz9").0.remove(0);
    let says = "orders.yaml:3:13: secret `lines.password` is written in plain text";
    assert_eq!((found.severity, found.text.as_str()), (Severity::Warning, says));
    assert!(!found.help.contains("S3cr3t-zz9"));
}

proptest::proptest! {
    /// Whatever a file holds, it is read or refused with a place, and never shown by `Debug`.
    #[test]
    fn any_text_is_read_or_refused(text in "([a-c]{1,3}:|[ \n\t\"'${}\\[\\]:,#&*!|>-]|lines:|url: x|VAR){0,40}") {
        match Config::parse("f", &text, &|_| None) {
            Err(errors) => {
                proptest::prop_assert!(!errors.is_empty());
                proptest::prop_assert!(errors.0.iter().all(|error| error.at.starts_with("f:")));
            }
            Ok(config) => {
                let errors = config.check_names(&["lines"]);
                proptest::prop_assert!(errors.0.iter().all(|error| error.at.starts_with("f:")));
                let section = config.section("lines", &[KEYS, SINK_KEYS]);
                // What passed can be read.
                if let Ok(section) = section {
                    proptest::prop_assert!(section.is_set("url"));
                }
            }
        }
    }
}

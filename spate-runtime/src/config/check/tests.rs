//! Tests of `config/check.rs`: cases as data.

use super::*;

/// The keys of a connector, as it would publish them.
const KEYS: &[Key] = &[
    Key::new("url", Type::Text, "where the server is").required(),
    Key::new("password", Type::Text, "of the user").secret(),
    Key::new("pin_code", Type::Integer { min: 0, max: 9999 }, "a secret number").secret(),
    Key::new("linger", Type::Duration, "how long")
        .or("1s")
        .at_least("1ms"),
];
const LINES: Role = Role::Sink { keyed: false, takes_rejects: false, layout: None, fan_out: None };
const SECTIONS: &[Expected<'_>] = &[Expected { name: "lines", keys: &[KEYS], role: LINES }];

const fn entry(
    depth: usize,
    key: &'static str,
    value: Value<'static>,
    line: u32,
) -> Entry<'static> {
    let shown = match value {
        Value::Text(text) => text,
        _ => "",
    };
    let col = if depth == 0 { 1 } else { 3 };
    Entry { depth, key, value, shown, line, col, value_line: line, value_col: col + 8, twin: None }
}

/// What the macro emits for a file that is right: this builds, so the check runs at compile time.
const RIGHT: &[Entry<'_>] = &[
    entry(0, "lines", Value::Map, 1),
    entry(1, "url", Value::Later, 2),
    entry(1, "linger", Value::Text("250ms"), 3),
];
const _: () = assert_config("orders.yaml", SECTIONS, RIGHT);

const WRONG: &[Entry<'_>] = &[
    entry(0, "lines", Value::Map, 1),
    entry(1, "linger", Value::Text("5"), 2),
    entry(1, "pasword", Value::Text("S3cr3t-zz9"), 3),
    entry(0, "refunds", Value::Map, 4),
];
const FAULTS: Faults<'_> = check(SECTIONS, WRONG, Purpose::Declared, 0);

#[test]
fn the_check_and_its_message_are_made_at_compile_time() {
    const MESSAGE: crate::line::Line = message::lines(&FAULTS, "orders.yaml", WRONG);
    let begins = "orders.yaml:4:1: section `refunds` is for no declared name [P059]\n  \
                  help: remove it, or declare it in the module\norders.yaml:2:11: ";
    assert!(MESSAGE.as_str().starts_with(begins), "{}", MESSAGE.as_str());
    assert_eq!(FAULTS.len(), 4);
}

#[test]
fn all_faults_are_found_in_order() {
    let lines: Vec<_> = (0..)
        .map_while(|nth| check(SECTIONS, WRONG, Purpose::Declared, nth).get(0))
        .map(|fault| message::line(&fault, "f", WRONG).as_str().to_owned())
        .collect();
    assert!(
        lines[1].starts_with("f:2:11: `lines.linger` is `5` without a unit [P056]"),
        "{lines:?}"
    );
    assert!(lines[2].starts_with("f:3:3: unknown key `lines.pasword` [P059]"), "{lines:?}");
    assert!(lines[2].ends_with("did you mean `password`?"), "{lines:?}");
    assert!(lines[3].starts_with("f:1:1: key `lines.url` is missing [P059]"), "{lines:?}");
}

#[test]
#[should_panic(expected = "orders.yaml:2:11: `lines.linger` is `5` without a unit [P056]")]
fn a_refused_configuration_panics_with_its_place_first() {
    assert_config("orders.yaml", SECTIONS, &WRONG[..2]);
}

#[test]
fn what_the_compiler_cannot_know_is_left_to_the_start() {
    const LATER: &[Entry<'_>] = &[
        entry(0, "lines", Value::Map, 1),
        entry(1, "url", Value::Later, 2),
        entry(1, "linger", Value::Later, 3),
    ];
    assert!(check(SECTIONS, LATER, Purpose::Declared, 0).is_empty());
}

#[test]
fn a_mistyped_required_key_or_section_is_one_finding() {
    const KEY: &[Entry<'_>] =
        &[entry(0, "lines", Value::Map, 1), entry(1, "ulr", Value::Text("x"), 2)];
    const SECTION: &[Entry<'_>] =
        &[entry(0, "linse", Value::Map, 1), entry(1, "url", Value::Text("x"), 2)];
    for (entries, says) in [
        (KEY, "f:2:3: unknown key `lines.ulr` [P059]\n  help: did you mean `url`?"),
        (
            SECTION,
            "f:1:1: section `linse` is for no declared name [P059]\n  \
             help: did you mean `lines`?",
        ),
    ] {
        let faults = check(SECTIONS, entries, Purpose::Declared, 0);
        assert_eq!(message::lines(&faults, "f", entries).as_str(), says);
    }
}

#[test]
fn more_faults_than_fit_are_found_in_turns() {
    let entries: Vec<_> = (0..20)
        .map(|line| entry(0, "none", Value::Map, line + 1))
        .collect();
    let first = check(SECTIONS, &entries, Purpose::Declared, 0);
    assert_eq!(first.len(), Faults::MOST);
    // One for each unknown section, one for `lines`, which is missing.
    assert_eq!(check(SECTIONS, &entries, Purpose::Declared, 16).len(), 5);
}

#[test]
fn what_is_banned_is_refused_unless_the_section_admits_it() {
    const ACKS: &[Ban] = &[Ban {
        name: "acks",
        refuses: Refuses::Only(&["0"]),
        unless: Some(("delivery", "at_most_once")),
        code: "P062",
        why: "rows would be acknowledged before they are durable",
        help: "",
    }];
    const KEYS: &[Key] =
        &[Key::new("settings", Type::TextMap, "").bans(ACKS), Key::new("delivery", Type::Text, "")];
    const SECTIONS: &[Expected<'_>] = &[Expected { name: "lines", keys: &[KEYS], role: LINES }];
    let check = |acks: Value<'static>, delivery: Value<'static>| {
        let entries = [
            entry(0, "lines", Value::Map, 1),
            entry(1, "settings", Value::Map, 2),
            entry(2, "acks", acks, 3),
            entry(1, "delivery", delivery, 4),
        ];
        let faults = check(SECTIONS, &entries, Purpose::Declared, 0);
        message::lines(&faults, "f", &entries).as_str().to_owned()
    };
    let refused = "f:3:11: `lines.settings.acks` is `0`: rows would be acknowledged before they \
                   are durable [P062]";
    assert_eq!(check(Value::Text("0"), Value::Text("at_least_once")), refused);
    assert_eq!(check(Value::Text("0"), Value::Text("at_most_once")), "");
    assert_eq!(check(Value::Text("0"), Value::Later), "");
    assert_eq!(check(Value::Text("all"), Value::Text("at_least_once")), "");
    assert_eq!(check(Value::Later, Value::Text("at_least_once")), "");
}

#[test]
fn a_secret_written_in_the_file_is_found() {
    assert!(is_plain_secret(SECTIONS, &plain("S3cr3t-zz9"), 1));
    assert!(!is_plain_secret(SECTIONS, &plain(""), 1));
    assert!(!is_plain_secret(SECTIONS, WRONG, 2));
}

fn plain(text: &'static str) -> [Entry<'static>; 2] {
    [entry(0, "lines", Value::Map, 1), entry(1, "password", Value::Text(text), 2)]
}

#[test]
fn debug_shows_places_and_no_values() {
    let shown = format!("{WRONG:?} {:?}", WRONG[2].value);
    assert!(shown.contains("pasword"), "{shown}");
    assert!(!shown.contains("S3cr3t-zz9"), "{shown}");
}

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
const SECTIONS: &[Expected<'_>] = &[Expected { name: "lines", keys: &[KEYS] }];

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
    Entry { depth, key, value, shown, line, col, value_line: line, value_col: col + 8 }
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
const FIRST: Option<Fault<'_>> = check(SECTIONS, WRONG, 0);
const FAULTS: usize = {
    let mut nth = 0;
    while check(SECTIONS, WRONG, nth).is_some() {
        nth += 1;
    }
    nth
};

#[test]
fn the_check_and_its_message_are_made_at_compile_time() {
    const MESSAGE: crate::line::Line = match FIRST {
        Some(fault) => message::line(&fault, "orders.yaml", WRONG),
        None => panic!("the file is wrong"),
    };
    assert_eq!(
        MESSAGE.as_str(),
        "orders.yaml:4:1: section `refunds` is for no declared name [P059]\n  \
         help: remove it, or declare it in the module"
    );
    assert_eq!(FAULTS, 4);
}

#[test]
fn all_faults_are_found_in_order() {
    let lines: Vec<_> = (0..)
        .map_while(|nth| check(SECTIONS, WRONG, nth))
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
    assert!(check(SECTIONS, LATER, 0).is_none());
}

#[test]
fn debug_shows_places_and_no_values() {
    let shown = format!("{WRONG:?} {:?}", WRONG[2].value);
    assert!(shown.contains("pasword"), "{shown}");
    assert!(!shown.contains("S3cr3t-zz9"), "{shown}");
}

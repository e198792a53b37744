//! Field reports R046, R048, R049, R051, and a naive twin: lines, each read by `serde_json`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::Kind;

fn outcomes<'a, T: Deserialize<'a>>(payload: &'a [u8]) -> Vec<Result<T, JsonError>> {
    Records::<T, Serde>::new(payload, Serde).collect()
}

#[derive(Deserialize, PartialEq, Debug)]
struct A {
    a: i64,
}

/// Numbers for records, kinds for errors.
#[track_caller]
fn check(payload: &[u8], expected: &[Result<i64, Kind>]) {
    let read: Vec<Result<i64, Kind>> = outcomes::<A>(payload)
        .into_iter()
        .map(|outcome| outcome.map(|a| a.a).map_err(|error| error.kind()))
        .collect();
    assert_eq!(read, expected, "{}", String::from_utf8_lossy(payload));
}

const MALFORMED: Result<i64, Kind> = Err(Kind::Malformed);
const MISMATCH: Result<i64, Kind> = Err(Kind::Mismatch);

#[test]
fn r046_line_ends_blank_lines_and_the_byte_order_mark_are_passed_over() {
    check(b"\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"a\":2}\n{\"a\":3}", &[Ok(1), Ok(2), Ok(3)]);
    check(b"{\"a\":1}\n", &[Ok(1)]);
    check(b"  {\"a\":1}\t\r\n\n\n", &[Ok(1)]);
    check(b"{\"a\":1}\n\xef\xbb\xbf{\"a\":2}\n{\"a\":3}", &[Ok(1), MALFORMED, Ok(3)]);
}

#[test]
fn a_document_may_span_lines() {
    check(b"{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}", &[Ok(1), Ok(2)]);
}

#[test]
fn a_payload_without_a_record_is_one_error() {
    for payload in [&b""[..], b" ", b"\n\r\n", b"\xef\xbb\xbf", b"\t\n"] {
        check(payload, &[Err(Kind::Empty)]);
    }
    check(b"\0", &[MALFORMED]);
    check(b"\x0c", &[MALFORMED]);
}

#[test]
fn decoding_goes_on_behind_what_failed() {
    check(b"{\"a\":1}\n{\"a\"\n{\"a\":3}", &[Ok(1), MALFORMED, Ok(3)]);
    check(b"{\"a\":\"x\"}\n{\"a\":2}", &[MISMATCH, Ok(2)]);
    check(b"{\n\"a\":\"x\"\n}\n{\"a\":2}", &[MISMATCH, Ok(2)]);
    check(b"{\"a\":\"x\"\n{\"a\":2}", &[MISMATCH, Ok(2)]);
    check(b"nonsense\nmore\n{\"a\":2}", &[MALFORMED, MALFORMED, Ok(2)]);
}

#[test]
fn what_follows_a_record_on_its_line_spoils_it() {
    check(b"{\"a\":1}x", &[MALFORMED]);
    check(b"{\"a\":1}\0\n{\"a\":2}", &[MALFORMED, Ok(2)]);
    check(b"{\"a\":1} {\"a\":2}\n{\"a\":3}", &[MALFORMED, Ok(3)]);
}

#[test]
fn only_the_line_that_is_no_text_is_lost() {
    let utf8 = Err(Kind::InvalidUtf8);
    check(b"\xff", &[utf8]);
    check(b"{\"a\":1,\"b\":\"\xff\"}", &[utf8]);
    check(
        b"{\"a\":1}\n{\"a\":2,\"b\":\"\xc3(\"}\n\n{\"a\":3}\n\xed\xa0\x80",
        &[Ok(1), utf8, Ok(3), utf8],
    );
    check(b"\xef\xbb\xbf{\"a\":1}\n\xff\n", &[Ok(1), utf8]);
    let error = outcomes::<A>(b"{\"a\":1}\nab\xff")
        .pop()
        .unwrap()
        .unwrap_err();
    assert_eq!(error.to_string(), "invalid UTF-8 at byte 10 of the payload");
}

#[derive(Deserialize, PartialEq, Debug)]
struct Wide {
    i: u64,
    u: u64,
    s: i64,
}

#[test]
fn r048_integers_are_exact_or_refused() {
    let text = br#"{"i":9007199254740993,"u":18446744073709551615,"s":-9223372036854775808}"#;
    let wide = outcomes::<Wide>(text).pop().unwrap().unwrap();
    assert_eq!(wide, Wide { i: 9_007_199_254_740_993, u: u64::MAX, s: i64::MIN });
    for text in [
        r#"{"i":0,"u":18446744073709551616,"s":0}"#,
        r#"{"i":0,"u":0,"s":-9223372036854775809}"#,
        r#"{"i":-1,"u":0,"s":0}"#,
        r#"{"i":1.5,"u":0,"s":0}"#,
        r#"{"i":1e3,"u":0,"s":0}"#,
    ] {
        let error = outcomes::<Wide>(text.as_bytes())
            .pop()
            .unwrap()
            .unwrap_err();
        assert_eq!(error.kind(), Kind::Mismatch, "{text}: {error}");
        assert!(error.path().is_some(), "{text}: {error}");
    }
}

#[test]
fn floats_are_the_nearest() {
    #[derive(Deserialize)]
    struct F {
        a: f64,
    }
    for text in
        ["0.1", "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "9007199254740993"]
    {
        let payload = format!("{{\"a\":{text}}}");
        let read = outcomes::<F>(payload.as_bytes()).pop().unwrap().unwrap();
        assert_eq!(Ok(read.a), text.parse(), "{text}");
    }
}

#[test]
fn r049_a_key_twice_is_refused_at_any_depth() {
    #[derive(Deserialize, Debug)]
    struct Outer {
        #[expect(dead_code, reason = "only whether it decodes")]
        o: A,
    }
    check(br#"{"a":4,"a":9}"#, &[MISMATCH]);
    check(br#"{"a":4,"z":1,"a":9}"#, &[MISMATCH]);
    let error = outcomes::<Outer>(br#"{"o":{"a":4,"a":9}}"#)
        .pop()
        .unwrap()
        .unwrap_err();
    assert!(error.to_string().contains("duplicate field `a`"), "{error}");
    let map = outcomes::<BTreeMap<String, u8>>(br#"{"k":4,"k":9}"#)
        .pop()
        .unwrap()
        .unwrap();
    assert_eq!(map["k"], 9, "in a map the last one counts");
}

#[test]
fn r051_numbers_are_strict_and_depth_is_bounded() {
    for payload in [
        &br#"{"a":1_000}"#[..],
        b"{\"a\":1\0}",
        br#"{"a":01}"#,
        br#"{"a":+1}"#,
        br#"{"a":1.}"#,
        br#"{"a":0x1}"#,
        br#"{"a":NaN}"#,
        br#"{"a":Infinity}"#,
        br#"{"a":1,}"#,
        br#"{'a':1}"#,
        br#"{"a":1}//"#,
        b"{\"a\":1,\"b\":\"\t\"}",
        br#"{"a":1,"b":"\x41"}"#,
    ] {
        check(payload, &[MALFORMED]);
    }
    let deep = |levels: usize| "[".repeat(levels);
    let closed = |levels: usize| deep(levels) + &"]".repeat(levels);
    let values = |text: &str| outcomes::<serde_json::Value>(text.as_bytes());

    let mut payload = deep(100_000);
    payload.push_str("\n[]");
    let read = values(&payload);
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].as_ref().unwrap_err().kind(), Kind::Malformed);
    assert!(read[1].is_ok(), "the next record is delivered");

    assert!(values(&closed(100))[0].is_ok());
    assert!(values(&closed(128))[0].is_err());
    let ignored = format!("{{\"z\":{},\"a\":1}}\n{{\"a\":2}}", closed(100_000));
    check(ignored.as_bytes(), &[Ok(1), Ok(2)]);
}

#[derive(Deserialize, PartialEq, Debug)]
struct Line<'a> {
    #[serde(borrow)]
    sku: Cow<'a, str>,
    qty: u32,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Status {
    Paid,
    Shipped,
}

#[derive(Deserialize, PartialEq, Debug)]
struct Order<'a> {
    id: u64,
    #[serde(borrow)]
    customer: Cow<'a, str>,
    price: f64,
    delta: Option<i32>,
    status: Status,
    #[serde(borrow)]
    lines: Vec<Line<'a>>,
    #[serde(default)]
    paid: bool,
}

const ORDER: &str = r#"{"id":12,"customer":"A\u00fcnn","price":1.25,"delta":-3,"status":"paid","lines":[{"sku":"x","qty":1},{"sku":"yé","qty":2}],"more":{"a":[1,null,true]}}"#;

#[test]
fn errors_name_the_field_and_the_place() {
    for (from, to, text) in [
        ("12", "\"x\"", "id: invalid type: string \"x\", expected u64 at line 1 column 9"),
        (
            "\"qty\":2",
            "\"qty\":-1",
            "lines[1].qty: invalid value: integer `-1`, expected u32 at line 1 column 122",
        ),
        (
            "paid",
            "lost",
            "status: unknown variant `lost`, expected `paid` or `shipped` at line 1 column 71",
        ),
        ("1.25", "NaN", "price: expected value at line 1 column 41"),
        ("\"id\":12,", "", "missing field `id` at line 1 column 143"),
        ("null", "nul", "more: expected ident at line 1 column 143"),
    ] {
        let payload = ORDER.replace(from, to);
        let error = outcomes::<Order<'_>>(payload.as_bytes())
            .pop()
            .unwrap()
            .unwrap_err();
        assert_eq!(error.to_string(), text, "{payload}");
    }
}

#[test]
fn text_without_escapes_is_borrowed_and_half_a_character_is_malformed() {
    let order = outcomes::<Order<'_>>(ORDER.as_bytes())
        .pop()
        .unwrap()
        .unwrap();
    assert!(matches!(order.customer, Cow::Owned(_)), "this one has an escape");
    assert!(
        order
            .lines
            .iter()
            .all(|line| matches!(line.sku, Cow::Borrowed(_)))
    );
}

/// The naive twin: every line that is not blank is a record of its own.
fn twin(payload: &[u8]) -> Vec<Result<Order<'_>, ()>> {
    payload
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.iter().all(|byte| b" \t\r".contains(byte)))
        .map(|line| serde_json::from_str(std::str::from_utf8(line).map_err(drop)?).map_err(drop))
        .collect()
}

/// A change to one place of a record; it makes no new line, which the twin could not follow.
fn mutate(record: &mut Vec<u8>, at: usize, how: u8, byte: u8) {
    let at = at % record.len();
    let byte = if byte == b'\n' { b' ' } else { byte };
    match how % 4 {
        0 => record[at] = byte,
        1 => record.insert(at, byte),
        2 => drop(record.remove(at)),
        _ => record.truncate(at),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn payloads_read_as_their_naive_twin_reads_them(
        count in 1..4_usize,
        changes in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 0..3),
        which in any::<usize>(),
        crlf in any::<bool>(),
        last in any::<bool>(),
    ) {
        let mut records = vec![ORDER.as_bytes().to_vec(); count];
        for (at, how, byte) in changes {
            let record = &mut records[which % count];
            if !record.is_empty() {
                mutate(record, at, how, byte);
            }
        }
        let end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let mut payload = records.join(end);
        if last {
            payload.extend_from_slice(end);
        }
        prop_assume!(!payload.iter().all(|byte| b" \t\r\n".contains(byte)));
        let read: Vec<_> = outcomes::<Order<'_>>(&payload)
            .into_iter()
            .map(|outcome| outcome.map_err(drop))
            .collect();
        prop_assert_eq!(read, twin(&payload), "{}", String::from_utf8_lossy(&payload));
    }

    #[test]
    fn any_bytes_end_and_give_at_least_one_outcome(
        payload in prop::collection::vec(prop::sample::select(
            b"{}[]\",:\\\n\r 019.-eEatrunl\xff\xc3\xa9\0".to_vec()), 0..40),
    ) {
        let read = outcomes::<serde_json::Value>(&payload);
        prop_assert!(!read.is_empty() && read.len() <= payload.len() + 1);
        if !payload.contains(&b'\n') {
            let whole = serde_json::from_slice::<serde_json::Value>(&payload);
            prop_assert_eq!(read.len(), 1);
            match (&read[0], &whole) {
                (Ok(read), Ok(whole)) => prop_assert_eq!(read, whole),
                (Err(_), Err(_)) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn written_values_read_back(value in arbitrary_json()) {
        let mut payload = serde_json::to_vec(&value).unwrap();
        payload.push(b'\n');
        payload.extend(serde_json::to_vec_pretty(&value).unwrap());
        let read: Vec<_> = outcomes::<serde_json::Value>(&payload)
            .into_iter()
            .map(|outcome| outcome.map_err(|error| error.to_string()))
            .collect();
        prop_assert_eq!(read, [Ok(value.clone()), Ok(value)]);
    }
}

fn arbitrary_json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e300..1e300_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

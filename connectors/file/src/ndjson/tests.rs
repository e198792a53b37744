//! What rows read as, and that a JSON parser reads the same back.

use proptest::prelude::*;
use spate_runtime::chain::pool::Pool;
use spate_runtime::chain::row::{DataType, Value};
use spate_runtime::chain::types::{Bytes, FixedBytes, Map, Uuid};

use super::*;

/// A row of one column.
struct One<T>(T);

const COLUMN: Column = Column { name: "v", rust_type: "T", data_type: DataType::String };

impl<T: Value> Row for One<T> {
    const NAME: &'static str = "One";
    const COLUMNS: &'static [Column] = &[COLUMN];

    fn binary_bound(&self) -> usize {
        self.0.binary_bound()
    }

    fn encode<E: ValueEncoder>(&self, e: &mut E) -> Result<(), EncodeError> {
        e.field(&COLUMN)?;
        self.0.encode(e)
    }
}

fn encoded<R: Row>(row: &R) -> Result<String, EncodeError> {
    let mut out = FrameBuf::new(Pool::new(1 << 20));
    Ndjson.encode(row, &mut out)?;
    Ok(String::from_utf8(out.as_slice().to_vec()).expect("NDJSON is UTF-8"))
}

#[track_caller]
fn check<T: Value>(value: T, text: &str) {
    assert_eq!(encoded(&One(value)).unwrap(), format!("{{\"v\":{text}}}\n"));
}

#[test]
fn integers_keep_every_digit() {
    check(9_007_199_254_740_993_u64, "9007199254740993");
    check(u64::MAX, "18446744073709551615");
    check(i64::MIN, "-9223372036854775808");
    check(u128::MAX, "340282366920938463463374607431768211455");
    check(Int256::from_halves(-1, u128::MAX), "-1");
    check(UInt256::from_halves(1, 0), "340282366920938463463374607431768211456");
    check((true, 0_u8, -1_i8), "[true,0,-1]");
}

#[test]
fn floats_are_shortest_and_denormals_are_named() {
    check(0.1_f64, "0.1");
    check(0.1_f32, "0.1");
    check(-0.0_f64, "-0.0");
    check(1e300_f64, "1e+300");
    check(f64::NAN, "\"NaN\"");
    check(f64::INFINITY, "\"Infinity\"");
    check(f32::NEG_INFINITY, "\"-Infinity\"");
}

#[test]
fn text_is_escaped_as_json_says() {
    check("plain", "\"plain\"");
    check("Grüße 🚀", "\"Grüße 🚀\"");
    check("a\"b\\c\nd\te\rf\u{8}g\u{c}h\u{1}i\u{1f}", r#""a\"b\\c\nd\te\rf\bg\fh\u0001i\u001f""#);
    check("12345678\"12345678\\1234567\n", r#""12345678\"12345678\\1234567\n""#);
}

#[test]
fn bytes_are_text_or_base64() {
    check(Bytes(b"{\"a\":1}"), r#""{\"a\":1}""#);
    check(Bytes(b""), "\"\"");
    for (bytes, text) in
        [(&b"\xff"[..], "/w=="), (b"\xffa", "/2E="), (b"\xffab", "/2Fi"), (b"\xffabc", "/2FiYw==")]
    {
        check(Bytes(bytes), &format!("{{\"base64\":\"{text}\"}}"));
    }
    check(FixedBytes(*b"EUR"), "\"EUR\"");
}

#[test]
fn absent_values_are_null_and_containers_nest() {
    check(None::<u8>, "null");
    check(vec![Some("a"), None], "[\"a\",null]");
    check(Vec::<u8>::new(), "[]");
    check(vec![vec![1_u8, 2], vec![], vec![3]], "[[1,2],[],[3]]");
    check(Map(vec![("a", vec![1_u8]), ("b", vec![])]), "{\"a\":[1],\"b\":[]}");
    check(
        Map(vec![(1_u8, Map(vec![(true, 2_u8)])), (3, Map(vec![]))]),
        "{\"1\":{\"true\":2},\"3\":{}}",
    );
    check((1_u8, vec![("x", 2.5_f64)]), "[1,[[\"x\",2.5]]]");
}

#[test]
fn what_has_notation_of_its_own_uses_it() {
    check(Uuid([0x12; 16]), "\"12121212-1212-1212-1212-121212121212\"");
    check(Ipv4Addr::LOCALHOST, "\"127.0.0.1\"");
    check(Ipv6Addr::LOCALHOST, "\"::1\"");
}

#[test]
fn decimals_keep_their_scale() {
    for (unscaled, scale, text) in [
        (1230, 2, "12.30"),
        (-5, 2, "-0.05"),
        (0, 2, "0.00"),
        (7, 0, "7"),
        (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
    ] {
        let mut out = FrameBuf::new(Pool::new(1 << 20));
        put_decimal(&mut out, unscaled, scale);
        assert_eq!(std::str::from_utf8(out.as_slice()), Ok(text));
    }
}

#[test]
fn a_key_that_is_no_scalar_is_refused_by_name() {
    let refused = |error: EncodeError| (error.column(), error.to_string());
    let list = encoded(&One(Map(vec![(vec![1_u8], 1_u8)]))).unwrap_err();
    assert_eq!(
        refused(list),
        (Some("v"), "a list or map cannot be the key of a JSON object".to_owned())
    );
    assert!(encoded(&One(Map(vec![(Bytes(b"\xff"), 1_u8)]))).is_err());
    assert!(encoded(&One(Map(vec![(None::<u8>, 1_u8)]))).is_err());
}

proptest! {
    #[test]
    fn a_parser_reads_back_what_was_written(
        text in any::<String>(), bytes in any::<Vec<u8>>(), number in any::<u64>(),
        float in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO,
        list in prop::collection::vec((any::<Option<i64>>(), ".{0,20}"), 0..5),
    ) {
        let items: Vec<_> = list.iter().map(|(n, t)| (*n, t.as_str())).collect();
        let row = One((text.as_str(), Bytes(&bytes), number, float, items));
        let line = encoded(&row).unwrap();
        prop_assert_eq!(line.find('\n'), Some(line.len() - 1));
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        let read = &read["v"];
        prop_assert_eq!(read[0].as_str(), Some(text.as_str()));
        if let Ok(text) = std::str::from_utf8(&bytes) {
            prop_assert_eq!(read[1].as_str(), Some(text));
        } else {
            let digits = read[1]["base64"].as_str().unwrap();
            prop_assert_eq!(from_base64(digits), bytes);
        }
        prop_assert_eq!(read[2].as_u64(), Some(number));
        prop_assert_eq!(line.split(',').any(|part| part.parse() == Ok(float)), true);
        prop_assert_eq!(read[4].as_array().unwrap().len(), list.len());
        for (read, (number, text)) in read[4].as_array().unwrap().iter().zip(&list) {
            prop_assert_eq!(read[0].as_i64(), *number);
            prop_assert_eq!(read[1].as_str(), Some(text.as_str()));
        }
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = 0_u32;
    let mut bytes = Vec::new();
    for (index, digit) in text.trim_end_matches('=').chars().enumerate() {
        bits = (bits << 6) | u32::try_from(DIGITS.find(digit).unwrap()).unwrap();
        if index % 4 > 0 {
            bytes.push(u8::try_from((bits >> (6 - 2 * (index % 4))) & 0xff).unwrap());
        }
    }
    bytes
}

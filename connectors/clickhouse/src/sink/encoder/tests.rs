//! Exact bytes, as the field reports give them and a server reads them.

use std::collections::BTreeMap;

use spate_runtime::chain::decimal::Decimal;
use spate_runtime::chain::pool::Pool;
use spate_runtime::chain::row::Value;
use spate_runtime::chain::time::{Date, Date32, DateTime, DateTime64};
use spate_runtime::chain::types::{Bytes, FixedBytes, Map, Uuid};
use spate_runtime::chain::value::LowCardinality;

use super::*;

/// A row of one column `v`.
struct One<T>(T);

impl<T: Value> One<T> {
    const COLUMN: &'static [Column] =
        &[Column { name: "v", rust_type: "_", data_type: T::DATA_TYPE }];
}

impl<T: Value> Row for One<T> {
    const NAME: &'static str = "One";
    const COLUMNS: &'static [Column] = Self::COLUMN;

    fn binary_bound(&self) -> usize {
        self.0.binary_bound()
    }

    fn encode<E: ValueEncoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        encoder.field(&Self::COLUMN[0])?;
        self.0.encode(encoder)
    }
}

fn encode<T: Value>(value: T) -> Result<Vec<u8>, EncodeError> {
    let mut out = FrameBuf::new(Pool::new(1 << 20));
    RowBinary.encode(&One(value), &mut out)?;
    Ok(out.as_slice().to_vec())
}

#[track_caller]
fn check<T: Value>(value: T, hex: &str) {
    let bytes = encode(value).unwrap();
    let text: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(text.join(" "), hex);
}

#[track_caller]
fn check_refused<T: Value>(value: T) {
    let error = encode(value).unwrap_err();
    assert_eq!(error.column(), Some("v"));
}

fn repeated(byte: &str, times: usize) -> String {
    vec![byte; times].join(" ")
}

#[test]
fn r075_a_uuid_is_two_little_endian_halves() {
    check(
        "01234567-89ab-cdef-fedc-ba9876543210"
            .parse::<Uuid>()
            .unwrap(),
        "EF CD AB 89 67 45 23 01 10 32 54 76 98 BA DC FE",
    );
}

#[test]
fn r076_dates_count_days_since_1970() {
    check(Date32::from_ymd(1960, 2, 29).unwrap(), "F6 F1 FF FF");
    check(Date::from_ymd(2024, 2, 29).unwrap(), "46 4D");
}

#[test]
fn r077_ipv4_is_little_endian_and_ipv6_in_network_order() {
    let v4: Ipv4Addr = "198.51.100.7".parse().unwrap();
    check(v4, "07 64 33 C6");
    let v6: Ipv6Addr = "2001:db8::1f".parse().unwrap();
    check(v6, &format!("20 01 0D B8 {} 1F", repeated("00", 11)));
    check(v4.to_ipv6_mapped(), &format!("{} FF FF C6 33 64 07", repeated("00", 10)));
}

#[test]
fn r079_instants_before_1970_keep_their_ticks() {
    check(DateTime64::<3>::from_ticks(-1250), "1E FB FF FF FF FF FF FF");
    let seconds =
        i64::from(Date32::from_ymd(1901, 2, 3).unwrap().days()) * 86_400 + 4 * 3600 + 5 * 60 + 6;
    let ticks = seconds * 1_000_000 + 7;
    check(DateTime64::<6>::from_ticks(ticks), "87 60 A6 88 39 46 F8 FF");
}

#[test]
fn r080_times_out_of_range_are_refused() {
    check(DateTime::from_unix_seconds(4_294_967_295), "FF FF FF FF");
    check_refused(DateTime::from_unix_seconds(4_294_967_355));
    check_refused(DateTime::from_unix_seconds(-1));
    check(Date::from_days(65_535), "FF FF");
    check_refused(Date::from_days(65_536));
    check_refused(Date::from_days(-1));
    check_refused(Date32::from_ymd(1899, 12, 31).unwrap());
    check_refused(Date32::from_ymd(2300, 1, 1).unwrap());
    check_refused(DateTime64::<3>::from_unix_seconds(FIRST_SECOND - 1).unwrap());
    check_refused(DateTime64::<0>::from_ticks(END_SECOND));
    encode(DateTime64::<0>::from_ticks(END_SECOND - 1)).unwrap();
    encode(DateTime64::<9>::from_ticks(i64::MAX)).unwrap();
    check_refused(DateTime64::<9>::from_ticks(i64::MIN));
}

#[test]
fn r081_a_decimal_is_its_unscaled_number() {
    check("12.34".parse::<Decimal<18, 4>>().unwrap(), "08 E2 01 00 00 00 00 00");
    check(Decimal::<9, 2>::from_unscaled(-1), "FF FF FF FF");
    check_refused(Decimal::<9, 2>::from_unscaled(1_000_000_000));
    check_refused(Decimal::<18, 2>::from_unscaled(-1_000_000_000_000_000_000));
}

#[test]
fn r083_wide_numbers_carry_their_sign_to_full_width() {
    check(
        "-1.5".parse::<Decimal<76, 20>>().unwrap(),
        &format!("00 00 68 EB BB F2 54 DE F7 {}", repeated("FF", 23)),
    );
    check(Int256::from(-2i128), &format!("FE {}", repeated("FF", 31)));
    check(UInt256::from(1u128), &format!("01 {}", repeated("00", 31)));
    check(
        "-1234567890123456789.5".parse::<Decimal<38, 2>>().unwrap(),
        &format!("9A 93 C9 D0 7E 60 B1 4E F9 {}", repeated("FF", 7)),
    );
    check(-2i128, &format!("FE {}", repeated("FF", 15)));
}

#[test]
fn r085_low_cardinality_leaves_no_trace() {
    check(LowCardinality(None::<&str>), "01");
    check(LowCardinality(Some("")), "00 00");
    check(LowCardinality(Some("ab")), "00 02 61 62");
}

#[test]
fn r086_arrays_and_maps_have_their_count_first() {
    check([Some(1u8), None, Some(3)], "03 00 01 01 00 03");
    let map = BTreeMap::from([("k1", 1u16), ("k2", 300)]);
    check(map, "02 02 6B 31 01 00 02 6B 32 2C 01");
    check((1u8, "a", [2u16]), "01 01 61 01 02 00");
}

/// R086: unequal arrays of a `Nested` are an error of the row, not of the whole batch.
#[test]
fn r086_arrays_of_one_nested_are_equally_long() {
    struct Nested(Vec<u8>, u8, Vec<u8>, Vec<u8>);
    const COLUMNS: [Column; 4] = [
        Column { name: "n.a", rust_type: "Vec<u8>", data_type: <Vec<u8>>::DATA_TYPE },
        Column { name: "x", rust_type: "u8", data_type: u8::DATA_TYPE },
        Column { name: "m.a", rust_type: "Vec<u8>", data_type: <Vec<u8>>::DATA_TYPE },
        Column { name: "n.b", rust_type: "Vec<u8>", data_type: <Vec<u8>>::DATA_TYPE },
    ];
    impl Row for Nested {
        const NAME: &'static str = "Nested";
        const COLUMNS: &'static [Column] = &COLUMNS;
        fn binary_bound(&self) -> usize {
            64
        }
        fn encode<E: ValueEncoder>(&self, e: &mut E) -> Result<(), EncodeError> {
            let [a, x, m, b] = &COLUMNS;
            e.field(a)?;
            self.0.encode(e)?;
            e.field(x)?;
            e.u8(self.1)?;
            e.field(m)?;
            self.2.encode(e)?;
            e.field(b)?;
            self.3.encode(e)
        }
    }
    let mut out = FrameBuf::new(Pool::new(1 << 20));
    RowBinary
        .encode(&Nested(vec![1, 2], 7, vec![], vec![8, 9]), &mut out)
        .unwrap();
    assert_eq!(out.as_slice(), [2, 1, 2, 7, 0, 2, 8, 9]);
    let error = RowBinary
        .encode(&Nested(vec![1, 2], 7, vec![], vec![9]), &mut out)
        .unwrap_err();
    assert_eq!(error.column(), Some("n.b"));
    assert_eq!(out.len(), 8, "nothing of the refused row is left");
}

#[test]
fn r093_of_equal_map_keys_the_last_is_written() {
    check(Map([("a", 1u8), ("a", 2)]), "01 01 61 02");
}

/// R094: a row that fails half-way leaves nothing behind, and its neighbours stand.
#[test]
fn r094_a_failed_row_leaves_no_bytes() {
    let mut out = FrameBuf::new(Pool::new(1 << 20));
    for n in 1..=5i64 {
        let seconds = if n == 3 { -1 } else { n };
        let row = One((n, "ab", DateTime::from_unix_seconds(seconds), 0u8));
        assert_eq!(RowBinary.encode(&row, &mut out).is_err(), n == 3);
    }
    let rows: Vec<u8> = out.as_slice().chunks(16).map(|row| row[0]).collect();
    assert_eq!(rows, [1, 2, 4, 5]);
    assert_eq!(out.len(), 4 * 16);
}

#[test]
fn strings_have_a_leb128_length() {
    check("", "00");
    check(Bytes(&[0xff, 0]), "02 FF 00");
    check(FixedBytes([1, 2, 3]), "01 02 03");
    for len in [127usize, 128, 16_383, 16_384, 300_000] {
        let text = "x".repeat(len);
        let bytes = encode(text.as_str()).unwrap();
        let prefix = bytes.len() - len;
        let decoded = bytes[..prefix]
            .iter()
            .rev()
            .fold(0usize, |number, byte| (number << 7) | usize::from(byte & 0x7f));
        assert_eq!(decoded, len);
        assert!(bytes[..prefix - 1].iter().all(|byte| byte & 0x80 != 0));
        assert_eq!(bytes[prefix - 1] & 0x80, 0);
    }
}

#[test]
fn scalars_are_little_endian() {
    check(true, "01");
    check(0x0102u16, "02 01");
    check(-2i32, "FE FF FF FF");
    check(1.5f64, "00 00 00 00 00 00 F8 3F");
    check(1.5f32, "00 00 C0 3F");
}

/// `binary_bound` is safe code: a wrong one is an error, not a write out of bounds.
#[test]
fn a_bound_that_is_too_small_is_an_error() {
    struct Liar;
    impl Value for Liar {
        const DATA_TYPE: DataType = DataType::String;
        fn binary_bound(&self) -> usize {
            7
        }
        fn encode<E: ValueEncoder>(&self, e: &mut E) -> Result<(), EncodeError> {
            e.str("seven b")
        }
    }
    check_refused(Liar);
}

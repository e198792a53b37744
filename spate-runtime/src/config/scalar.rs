//! Reading one value by its type. Pure, and `const`.

use super::nearest::same;
use super::schema::Type;

/// Why a value is not of its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It is a list, a section or a single value where another of the three is asked for.
    Shape,
    /// It cannot be read as the type at all.
    Form,
    /// It is a number without a unit.
    NoUnit,
    /// It has a unit, but an unknown one.
    UnknownUnit,
    /// It is a number outside of the range, or too large to be one.
    Range,
}

/// `true` or `false`.
pub(super) const fn boolean(text: &str) -> Result<bool, Why> {
    if same(text, "true") {
        Ok(true)
    } else if same(text, "false") {
        Ok(false)
    } else {
        Err(Why::Form)
    }
}

/// A whole number; `_` may stand between digits, a leading zero is refused (octal or not?).
pub(super) const fn integer(text: &str) -> Result<u64, Why> {
    match leading_number(text.as_bytes()) {
        Ok((number, end)) if end == text.len() => Ok(number),
        Ok(_) => Err(Why::Form),
        Err(why) => Err(why),
    }
}

/// A duration in microseconds.
pub(super) const fn micros(text: &str) -> Result<u64, Why> {
    const UNITS: &[(&str, u64)] = &[
        ("us", 1),
        ("ms", 1_000),
        ("s", 1_000_000),
        ("m", 60_000_000),
        ("h", 3_600_000_000),
        ("d", 86_400_000_000),
    ];
    with_unit(text, UNITS)
}

/// A size in bytes.
pub(super) const fn bytes(text: &str) -> Result<u64, Why> {
    const UNITS: &[(&str, u64)] = &[
        ("B", 1),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("KB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
    ];
    with_unit(text, UNITS)
}

/// Whether `text` is a value of the scalar type `ty`, no smaller than `min` where that has a unit.
pub(super) const fn verify(text: &str, ty: &Type, min: Option<&str>) -> Result<(), Why> {
    match ty {
        Type::Text => Ok(()),
        Type::Bool => match boolean(text) {
            Ok(_) => Ok(()),
            Err(why) => Err(why),
        },
        Type::Integer { min, max } => within(integer(text), *min, *max),
        Type::Duration => match min {
            Some(min) => within(micros(text), floor(micros(min)), u64::MAX),
            None => within(micros(text), 0, u64::MAX),
        },
        Type::Size => match min {
            Some(min) => within(bytes(text), floor(bytes(min)), u64::MAX),
            None => within(bytes(text), 0, u64::MAX),
        },
        Type::Choice(words) => {
            let mut i = 0;
            while i < words.len() {
                if same(words[i], text) {
                    return Ok(());
                }
                i += 1;
            }
            Err(Why::Form)
        }
        Type::Either(a, b) => match (verify(text, a, min), verify(text, b, min)) {
            (Ok(()), _) | (_, Ok(())) => Ok(()),
            (Err(Why::Range), _) | (_, Err(Why::Range)) => Err(Why::Range),
            (Err(why), _) => Err(why),
        },
        Type::List(_) | Type::TextMap | Type::Section(_) => Err(Why::Shape),
    }
}

const fn within(number: Result<u64, Why>, min: u64, max: u64) -> Result<(), Why> {
    match number {
        Ok(number) if number < min || number > max => Err(Why::Range),
        Ok(_) => Ok(()),
        Err(why) => Err(why),
    }
}

const fn floor(min: Result<u64, Why>) -> u64 {
    match min {
        Ok(min) => min,
        Err(_) => panic!("a schema's least value has a unit"),
    }
}

const fn with_unit(text: &str, units: &[(&str, u64)]) -> Result<u64, Why> {
    let (number, end) = match leading_number(text.as_bytes()) {
        Ok(read) => read,
        Err(why) => return Err(why),
    };
    let (_, unit) = text.split_at(end);
    if unit.is_empty() {
        return Err(Why::NoUnit);
    }
    let mut i = 0;
    while i < units.len() {
        if same(units[i].0, unit) {
            return match number.checked_mul(units[i].1) {
                Some(total) => Ok(total),
                None => Err(Why::Range),
            };
        }
        i += 1;
    }
    Err(Why::UnknownUnit)
}

/// The number `text` begins with and where it ends.
const fn leading_number(text: &[u8]) -> Result<(u64, usize), Why> {
    let mut number: u64 = 0;
    let mut end = 0;
    while end < text.len() {
        let byte = text[end];
        if byte == b'_' {
            let between = end > 0 && end + 1 < text.len() && text[end + 1].is_ascii_digit();
            if !between || text[end - 1] == b'_' {
                return Err(Why::Form);
            }
        } else if byte.is_ascii_digit() {
            if end > 0 && number == 0 {
                return Err(Why::Form);
            }
            number = match number.checked_mul(10) {
                Some(tens) => match tens.checked_add((byte - b'0') as u64) {
                    Some(number) => number,
                    None => return Err(Why::Range),
                },
                None => return Err(Why::Range),
            };
        } else {
            break;
        }
        end += 1;
    }
    if end == 0 { Err(Why::Form) } else { Ok((number, end)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_and_say_so() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("500_000", Ok(500_000)),
            ("18446744073709551615", Ok(u64::MAX)),
            ("18446744073709551616", Err(Why::Range)),
            ("0123", Err(Why::Form)),
            ("1__0", Err(Why::Form)),
            ("_1", Err(Why::Form)),
            ("1_", Err(Why::Form)),
            ("-1", Err(Why::Form)),
            ("1.5", Err(Why::Form)),
            ("0x10", Err(Why::Form)),
            ("", Err(Why::Form)),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn durations_and_sizes_need_a_known_unit() {
        for (text, expected) in [
            ("250ms", Ok(250_000)),
            ("1s", Ok(1_000_000)),
            ("5m", Ok(300_000_000)),
            ("12h", Ok(43_200_000_000)),
            ("5", Err(Why::NoUnit)),
            ("0", Err(Why::NoUnit)),
            ("5sec", Err(Why::UnknownUnit)),
            ("5 s", Err(Why::UnknownUnit)),
            ("soon", Err(Why::Form)),
            ("213503982334602d", Err(Why::Range)),
        ] {
            assert_eq!(micros(text), expected, "{text}");
        }
        for (text, expected) in [
            ("64KiB", Ok(65_536)),
            ("16MiB", Ok(16_777_216)),
            ("1GB", Ok(1_000_000_000)),
            ("1024", Err(Why::NoUnit)),
            ("16M", Err(Why::UnknownUnit)),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn ranges_hold_their_ends() {
        let ty = Type::Integer { min: 1, max: 8 };
        assert_eq!(verify("1", &ty, None), Ok(()));
        assert_eq!(verify("8", &ty, None), Ok(()));
        assert_eq!(verify("0", &ty, None), Err(Why::Range));
        assert_eq!(verify("9", &ty, None), Err(Why::Range));
        assert_eq!(verify("1ms", &Type::Duration, Some("1ms")), Ok(()));
        assert_eq!(verify("0ms", &Type::Duration, Some("1ms")), Err(Why::Range));
    }
}

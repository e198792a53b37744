//! P056: durations have units.
//!
//! In attributes; in the YAML the runtime's checker says the same, in the same form.

use syn::LitStr;

use crate::report::{Report, Rule};

const UNIT: Rule = Rule { code: "P056", help: "" };

/// Units and their milliseconds, as in the YAML.
const UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// The milliseconds of a duration such as `5s`; at its text what is wrong with it.
pub(crate) fn millis(text: &LitStr, option: &str, report: &mut Report) -> Option<u64> {
    let value = text.value();
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = value.split_at(digits);
    let known = UNITS.iter().find(|(name, _)| *name == unit);
    let millis = known.and_then(|(_, millis)| number.parse::<u64>().ok()?.checked_mul(*millis));
    let (message, help) = match (number, unit, millis) {
        ("", _, _) => {
            (format!("`{option}` is no duration: `{value}`"), "write a number and its unit: `5s`")
        }
        (_, "", _) => (
            format!("`{option}` has no unit: `{value}`"),
            "write one of `ms`, `s`, `m`, `h`, `d`: `5s`",
        ),
        (_, _, None) if known.is_none() => (
            format!("`{option}` has an unknown unit: `{unit}`"),
            "write one of `ms`, `s`, `m`, `h`, `d`",
        ),
        (_, _, None) => (format!("`{option}` is too long: `{value}`"), "write less"),
        (_, _, Some(0)) => {
            (format!("`{option}` is zero: a loader would never rest"), "write `1s` or more")
        }
        (_, _, Some(millis)) => return Some(millis),
    };
    report.push_with(text.span(), &UNIT, message, help);
    None
}

//! Days and times as text, by the proleptic Gregorian calendar, in UTC.
//!
//! Source: Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.

use std::fmt::{self, Display, Formatter};

/// The most decimals a second has: 10^18 is the largest power of ten that fits an `i64`.
pub(super) const SCALE_MAX: u8 = 18;

/// Days since 1970-01-01.
pub(super) struct Day(pub(super) i64);

/// Ticks of 10^-scale seconds since 1970-01-01T00:00:00Z.
pub(super) struct Instant {
    pub(super) ticks: i64,
    /// At most [`SCALE_MAX`].
    pub(super) scale: u8,
}

impl Display for Day {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Days are counted from 0000-03-01, so that the leap day is a year's last.
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        if (0..10_000).contains(&year) {
            write!(f, "{year:04}-{month:02}-{day:02}")
        } else {
            write!(f, "{year:+07}-{month:02}-{day:02}")
        }
    }
}

impl Display for Instant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let per_second = 10_i64.pow(u32::from(self.scale));
        let seconds = self.ticks.div_euclid(per_second);
        let decimals = self.ticks.rem_euclid(per_second);
        let of_day = seconds.rem_euclid(86_400);
        Day(seconds.div_euclid(86_400)).fmt(f)?;
        write!(f, "T{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)?;
        if self.scale > 0 {
            write!(f, ".{decimals:0width$}", width = usize::from(self.scale))?;
        }
        f.write_str("Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_read_as_the_calendar_says() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-000001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+010000-01-01"),
        ] {
            assert_eq!(Day(days).to_string(), text, "day {days}");
        }
    }

    #[test]
    fn times_carry_as_many_decimals_as_their_scale() {
        for (ticks, scale, text) in [
            (0, 0, "1970-01-01T00:00:00Z"),
            (1_767_225_599, 0, "2025-12-31T23:59:59Z"),
            (-1, 3, "1969-12-31T23:59:59.999Z"),
            (1_500, 3, "1970-01-01T00:00:01.500Z"),
            (1_000_000_001, 9, "1970-01-01T00:00:01.000000001Z"),
            (-1, 18, "1969-12-31T23:59:59.999999999999999999Z"),
            (i64::MAX, 0, "+292277026596-12-04T15:30:07Z"),
            (i64::MIN, 0, "-292277022657-01-27T08:29:52Z"),
        ] {
            assert_eq!(Instant { ticks, scale }.to_string(), text, "{ticks} at {scale}");
        }
    }
}

//! Days, seconds and ticks as values.
//!
//! All of them count from 1970-01-01 00:00:00 UTC and know no time zone: a zone changes how a
//! value reads, never what it is. Going to a coarser scale rounds down, also before 1970, so equal
//! distances stay equal; a range is checked when a value is encoded, because it is the format's.

use super::row::{DataType, EncodeError, Value, ValueEncoder};

macro_rules! value {
    ($t:ident $(<$s:ident>)?, $data_type:expr, $bound:literal, |$self:ident, $e:ident| $encode:expr) => {
        impl $(<const $s: u8>)? Value for $t $(<$s>)? {
            const DATA_TYPE: DataType = $data_type;

            #[inline]
            fn binary_bound(&self) -> usize {
                $bound
            }

            #[inline]
            fn encode<E: ValueEncoder>(&self, $e: &mut E) -> Result<(), EncodeError> {
                let $self = self;
                $encode
            }
        }
    };
}

/// A day, stored in a warehouse's short form: in ClickHouse 1970-01-01 to 2149-06-06.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Date(i32);

/// A day, signed: in ClickHouse 1900-01-01 to 2299-12-31.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Date32(i32);

macro_rules! days {
    ($($t:ident),*) => {$(
        impl $t {
            /// The day that is so many days after 1970-01-01.
            #[must_use]
            pub const fn from_days(days: i32) -> Self {
                Self(days)
            }

            /// A day of the Gregorian calendar; `None` if there is no such day.
            #[must_use]
            pub const fn from_ymd(year: i32, month: u8, day: u8) -> Option<Self> {
                match days_of(year, month, day) {
                    Some(days) => Some(Self(days)),
                    None => None,
                }
            }

            /// The day that instant lies in, in UTC; `None` beyond the years of an `i32` of days.
            #[must_use]
            pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
                i32::try_from(seconds.div_euclid(86_400)).ok().map(Self)
            }

            /// Days since 1970-01-01.
            #[must_use]
            pub const fn days(self) -> i32 {
                self.0
            }
        }
    )*};
}
days!(Date, Date32);
value!(Date, DataType::Date, 2, |day, e| e.date(day.0));
value!(Date32, DataType::Date32, 4, |day, e| e.date32(day.0));

/// Days since 1970-01-01 of a day of the Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`.
const fn days_of(year: i32, month: u8, day: u8) -> Option<i32> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day == 0 || day > last || year < -5_000_000 || year > 5_000_000 {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month as i32 + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day as i32 - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// An instant in whole seconds: in ClickHouse 1970-01-01 to 2106-02-07 06:28:15.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct DateTime(i64);

impl DateTime {
    /// So many seconds after the Unix epoch.
    #[must_use]
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The second that millisecond lies in.
    #[must_use]
    pub const fn from_unix_millis(millis: i64) -> Self {
        Self(millis.div_euclid(1000))
    }

    /// Seconds since the Unix epoch.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        self.0
    }
}
value!(DateTime, DataType::DateTime, 4, |instant, e| e.datetime(instant.0));

/// An instant in ticks of 10^-S seconds: in ClickHouse 1900-01-01 to 2299-12-31 (to 2262 at S = 9).
///
/// ```
/// use spate_runtime::chain::time::DateTime64;
///
/// let at = DateTime64::<3>::from_unix_micros(-1500).unwrap();
/// assert_eq!(at.ticks(), -2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct DateTime64<const S: u8>(i64);

impl<const S: u8> DateTime64<S> {
    const VALID: bool = S <= 9;

    /// So many ticks of 10^-S seconds after the Unix epoch.
    #[must_use]
    pub const fn from_ticks(ticks: i64) -> Self {
        const { assert!(Self::VALID, "DateTime64 has a scale of 0 to 9") };
        Self(ticks)
    }

    /// From seconds; `None` if the ticks do not fit 64 bits.
    #[must_use]
    pub const fn from_unix_seconds(seconds: i64) -> Option<Self> {
        DateTime64::<0>(seconds).rescale()
    }

    /// From milliseconds, rounded down; `None` if the ticks do not fit 64 bits.
    #[must_use]
    pub const fn from_unix_millis(millis: i64) -> Option<Self> {
        DateTime64::<3>(millis).rescale()
    }

    /// From microseconds, rounded down; `None` if the ticks do not fit 64 bits.
    #[must_use]
    pub const fn from_unix_micros(micros: i64) -> Option<Self> {
        DateTime64::<6>(micros).rescale()
    }

    /// From nanoseconds, rounded down.
    #[must_use]
    pub const fn from_unix_nanos(nanos: i64) -> Option<Self> {
        DateTime64::<9>(nanos).rescale()
    }

    /// The same instant at another scale, rounded down; `None` if the ticks do not fit 64 bits.
    #[must_use]
    pub const fn rescale<const T: u8>(self) -> Option<DateTime64<T>> {
        const { assert!(DateTime64::<T>::VALID, "DateTime64 has a scale of 0 to 9") };
        let factor = 10i64.pow(S.abs_diff(T) as u32);
        if T < S {
            return Some(DateTime64(self.0.div_euclid(factor)));
        }
        match self.0.checked_mul(factor) {
            Some(ticks) => Some(DateTime64(ticks)),
            None => None,
        }
    }

    /// Ticks of 10^-S seconds since the Unix epoch.
    #[must_use]
    pub const fn ticks(self) -> i64 {
        self.0
    }
}

value!(
    DateTime64<S>,
    {
        assert!(Self::VALID);
        DataType::DateTime64(S)
    },
    8,
    |instant, e| e.datetime64(instant.0, S)
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_the_calendar() {
        for (year, month, day, days) in [
            (1970, 1, 1, 0),
            (1960, 2, 29, -3594),
            (2024, 2, 29, 19_782),
            (1900, 1, 1, -25_567),
            (2299, 12, 31, 120_529),
            (2149, 6, 6, 65_535),
        ] {
            assert_eq!(Date32::from_ymd(year, month, day), Some(Date32(days)));
        }
        for (year, month, day) in
            [(2023, 2, 29), (1900, 2, 29), (2000, 13, 1), (2000, 4, 31), (2000, 1, 0)]
        {
            assert_eq!(Date::from_ymd(year, month, day), None);
        }
        assert_eq!(Date32::from_unix_seconds(-1), Some(Date32(-1)));
    }

    /// R079: floor on down-scaling.
    #[test]
    fn r079_coarser_scales_round_down_also_before_1970() {
        assert_eq!(DateTime64::<3>::from_unix_micros(-1500).unwrap().ticks(), -2);
        assert_eq!(DateTime64::<0>::from_unix_millis(-1).unwrap().ticks(), -1);
        assert_eq!(DateTime::from_unix_millis(-1).unix_seconds(), -1);
        assert_eq!(DateTime64::<6>::from_unix_seconds(7).unwrap().ticks(), 7_000_000);
        assert_eq!(DateTime64::<9>::from_unix_seconds(i64::MAX / 1_000), None);
    }
}

//! What a whole run of a generator holds: exact answers for tests.

use crate::order::{Fate, Kind, Orders, Poison, Settings, Shape, is_cancelled};

/// Exact totals of a bounded generator.
///
/// The second half follows the program of the `orders` example: of the orders that decode, those
/// with `qty` 0 are dropped, then those whose id came before in the partition, and the rest goes
/// by kind. A placed order whose total does not fit 32 bits cannot be priced.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// Records of every fate.
    pub records: u64,
    /// Records without a value.
    pub tombstones: u64,
    /// Records with a value of no bytes.
    pub empty: u64,
    /// Poison that is no JSON.
    pub malformed: u64,
    /// Poison with a field of another type.
    pub wrong_type: u64,
    /// Poison that is no UTF-8.
    pub invalid_utf8: u64,
    /// Records that decode, duplicates counted.
    pub orders: u64,
    /// Records that repeat an earlier one.
    pub repeats: u64,

    /// Orders with `qty` 0, duplicates counted.
    pub out_of_stock: u64,
    /// Orders in stock that repeat an earlier one.
    pub duplicates: u64,
    /// Placed orders, in stock, first of their id: `lines` and `overflows` together.
    pub placed: u64,
    /// Placed orders whose total does not fit 32 bits.
    pub overflows: u64,
    /// Placed orders that can be priced.
    pub lines: u64,
    /// The sum of their totals.
    pub lines_total_cents: u64,
    /// The sum of their ids, modulo 2^64.
    pub lines_id_sum: u64,
    /// Refunded orders, in stock, first of their id.
    pub refunds: u64,
    /// The sum of their totals.
    pub refunds_total_cents: u64,
    /// The sum of their ids, modulo 2^64.
    pub refunds_id_sum: u64,
    /// Pings, first of their id.
    pub pings: u64,

    /// Orders of [`Shape::Wide`] that are cancelled, duplicates counted.
    pub cancelled: u64,
}

impl Expected {
    /// Counts what `settings` make; an endless generator has no totals and counts as empty.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let orders = Orders::new(settings);
        let mut expected = Self::default();
        for index in 0..settings.records.unwrap_or(0) {
            expected.count(&orders, settings.shape, index);
        }
        expected
    }

    /// Records that no decoder accepts: poison and empty values.
    #[must_use]
    pub const fn rejects(&self) -> u64 {
        self.empty + self.malformed + self.wrong_type + self.invalid_utf8
    }

    fn count(&mut self, orders: &Orders, shape: Shape, index: u64) {
        self.records += 1;
        match orders.head(index).fate {
            Fate::Tombstone => self.tombstones += 1,
            Fate::Empty => self.empty += 1,
            Fate::Poison(Poison::Malformed) => self.malformed += 1,
            Fate::Poison(Poison::WrongType) => self.wrong_type += 1,
            Fate::Poison(Poison::InvalidUtf8) => self.invalid_utf8 += 1,
            Fate::Plain => self.count_order(orders, shape, index, false),
            Fate::Repeat(earlier) => self.count_order(orders, shape, earlier, true),
        }
    }

    fn count_order(&mut self, orders: &Orders, shape: Shape, index: u64, repeat: bool) {
        self.orders += 1;
        self.repeats += u64::from(repeat);
        if shape == Shape::Wide {
            self.cancelled += u64::from(is_cancelled(index));
            return;
        }
        let order = orders.order(index);
        if order.qty == 0 {
            self.out_of_stock += 1;
            return;
        }
        if repeat {
            self.duplicates += 1;
            return;
        }
        let total = order.total_cents();
        match order.kind {
            Kind::Placed if u32::try_from(total).is_err() => {
                self.placed += 1;
                self.overflows += 1;
            }
            Kind::Placed => {
                self.placed += 1;
                self.lines += 1;
                self.lines_total_cents += total;
                self.lines_id_sum = self.lines_id_sum.wrapping_add(order.order_id);
            }
            Kind::Refunded => {
                self.refunds += 1;
                self.refunds_total_cents += total;
                self.refunds_id_sum = self.refunds_id_sum.wrapping_add(order.order_id);
            }
            Kind::Ping => self.pings += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Counts the records themselves, by their text and a set of ids: shares nothing with `of`.
    #[test]
    fn the_totals_are_those_of_the_records() {
        let settings = Settings {
            records: Some(30_000),
            partitions: 5,
            poison_ppm: 30_000,
            tombstone_ppm: 20_000,
            empty_ppm: 10_000,
            duplicate_ppm: 50_000,
            ..Settings::default()
        };
        let mut seen = HashSet::new();
        let mut counted = Expected::default();
        for record in Orders::new(&settings) {
            counted.records += 1;
            let Some(value) = record.value else {
                counted.tombstones += 1;
                continue;
            };
            match record.head.fate {
                Fate::Empty => counted.empty += u64::from(value.is_empty()),
                Fate::Poison(Poison::Malformed) => counted.malformed += 1,
                Fate::Poison(Poison::WrongType) => counted.wrong_type += 1,
                Fate::Poison(Poison::InvalidUtf8) => {
                    counted.invalid_utf8 += u64::from(std::str::from_utf8(&value).is_err());
                }
                _ => count_text(&value, &mut seen, &mut counted),
            }
        }
        assert_eq!(counted, Expected::of(&settings));
        assert!(counted.overflows > 0 && counted.out_of_stock > 0 && counted.refunds > 0);
    }

    fn count_text(value: &[u8], seen: &mut HashSet<u64>, counted: &mut Expected) {
        let text = std::str::from_utf8(value).unwrap();
        let number = |name: &str| -> u64 {
            let (_, rest) = text.split_once(&format!("\"{name}\":")).unwrap();
            let digits = rest.split([',', '}']).next().unwrap();
            digits.parse().unwrap()
        };
        let (id, qty, cents) = (number("order_id"), number("qty"), number("unit_cents"));
        counted.orders += 1;
        let first = seen.insert(id);
        counted.repeats += u64::from(!first);
        if qty == 0 {
            counted.out_of_stock += 1;
        } else if !first {
            counted.duplicates += 1;
        } else if text.contains("\"ping\"") {
            counted.pings += 1;
        } else if text.contains("\"refunded\"") {
            counted.refunds += 1;
            counted.refunds_total_cents += qty * cents;
            counted.refunds_id_sum += id;
        } else {
            counted.placed += 1;
            if qty * cents > u64::from(u32::MAX) {
                counted.overflows += 1;
            } else {
                counted.lines += 1;
                counted.lines_total_cents += qty * cents;
                counted.lines_id_sum += id;
            }
        }
    }
}

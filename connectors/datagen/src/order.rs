//! The orders: what record `i` is, and its bytes.
//!
//! Pure. Records are dealt to partitions in turn: record `i` stands in partition `i % partitions`
//! at offset `i / partitions`. A duplicate repeats an earlier order byte for byte, in the same
//! partition, at most 16 records back.
//!
//! ```text
//! index -> Fate     Plain | Repeat(earlier index) | Poison | Empty | Tombstone
//! index -> Order    the fields, for Plain and Repeat
//! ```

use crate::rng::SplitMix64;

/// Which orders are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shape {
    /// `order_id`, `customer`, `qty`, `unit_cents`, `kind`.
    #[default]
    Orders,
    /// Ten fields in about 208 bytes from 64 templates, 13 of them `"cancelled"`: for benchmarks.
    Wide,
}

/// What a generator makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// How many records in all partitions together; `None` is endless.
    pub records: Option<u64>,
    /// Partitions, at least 1 (0 counts as 1).
    pub partitions: u32,
    /// Other seeds give other orders.
    pub seed: u64,
    /// The order id of the first record; later ones count up.
    pub first_id: u64,
    /// Which orders.
    pub shape: Shape,
    /// Records in a million that no decoder accepts: malformed, wrong types, invalid UTF-8.
    pub poison_ppm: u32,
    /// Records in a million without a value.
    pub tombstone_ppm: u32,
    /// Records in a million with a value of no bytes; no decoder accepts these either.
    pub empty_ppm: u32,
    /// Records in a million that repeat an earlier order.
    pub duplicate_ppm: u32,
}

impl Default for Settings {
    /// Endless orders in one partition: 0.1 % poison, 0.2 % tombstones, 0.02 % empty values and
    /// 1 % duplicates.
    fn default() -> Self {
        Self {
            records: None,
            partitions: 1,
            seed: 1,
            first_id: 1,
            shape: Shape::Orders,
            poison_ppm: 1000,
            tombstone_ppm: 2000,
            empty_ppm: 200,
            duplicate_ppm: 10_000,
        }
    }
}

impl Settings {
    /// `records` orders and nothing else among them.
    #[must_use]
    pub fn clean(records: u64) -> Self {
        Self {
            records: Some(records),
            poison_ppm: 0,
            tombstone_ppm: 0,
            empty_ppm: 0,
            duplicate_ppm: 0,
            ..Self::default()
        }
    }

    /// Partitions, never 0.
    pub(crate) fn partitions(&self) -> u64 {
        u64::from(self.partitions.max(1))
    }

    /// How many records stand in `partition`; `u64::MAX` when endless.
    #[must_use]
    pub fn records_in(&self, partition: u32) -> u64 {
        let partition = u64::from(partition);
        self.records.map_or(u64::MAX, |records| {
            let partitions = self.partitions();
            records / partitions + u64::from(partition < records % partitions)
        })
    }
}

/// What an order is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 85 in 100.
    Placed,
    /// 10 in 100.
    Refunded,
    /// 5 in 100: a heartbeat with `qty` 1 and `unit_cents` 0.
    Ping,
}

impl Kind {
    /// The kind as it stands in the JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Placed => "placed",
            Self::Refunded => "refunded",
            Self::Ping => "ping",
        }
    }
}

/// Why no decoder accepts a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poison {
    /// The document ends early, or holds what is no JSON (`NaN`, `1_000`).
    Malformed,
    /// JSON, but a field has another type or does not fit: text, a fraction, 2^64.
    WrongType,
    /// A byte that is no UTF-8 within a string.
    InvalidUtf8,
}

/// What becomes of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// An order of its own.
    Plain,
    /// The order of this earlier index again, byte for byte.
    Repeat(u64),
    /// What no decoder accepts.
    Poison(Poison),
    /// A value of no bytes.
    Empty,
    /// No value.
    Tombstone,
}

/// The fields of an order of [`Shape::Orders`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Unique but for duplicates.
    pub order_id: u64,
    /// Decoded: some are escaped in the JSON.
    pub customer: Customer,
    /// 1 to 12; 0 in one placed or refunded order of 32; 4,000,000 in one placed order of 1,024,
    /// whose total does not fit 32 bits.
    pub qty: u32,
    /// 1 to 99,999.
    pub unit_cents: u32,
    /// What it is about.
    pub kind: Kind,
}

impl Order {
    /// `qty` times `unit_cents`.
    #[must_use]
    pub fn total_cents(&self) -> u64 {
        u64::from(self.qty) * u64::from(self.unit_cents)
    }
}

/// A customer's name: one of a thousand plain ones, or one that takes escapes or is not ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Customer(CustomerName);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CustomerName {
    Numbered(u16),
    Special(u8),
}

/// As in the JSON, and what it means.
const SPECIAL: [(&str, &str); 6] = [
    ("Ann \\\"A\\\" O'Hara", "Ann \"A\" O'Hara"),
    ("Zo\\u00eb", "Zo\u{eb}"),
    ("Grüße", "Grüße"),
    ("日本", "日本"),
    ("\\ud83d\\ude80 co", "\u{1f680} co"),
    ("tab\\tslash\\\\", "tab\tslash\\"),
];

impl std::fmt::Display for Customer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            CustomerName::Numbered(number) => write!(f, "customer-{number:03}"),
            CustomerName::Special(index) => f.write_str(SPECIAL[usize::from(index)].1),
        }
    }
}

/// A record's key: its order id in decimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    digits: [u8; 20],
    len: u8,
}

impl Key {
    fn new(number: u64) -> Self {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(number).as_bytes();
        let mut digits = [0; 20];
        digits[..text.len()].copy_from_slice(text);
        Self { digits, len: small(text.len() as u64) }
    }

    /// The key's bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.digits[..usize::from(self.len)]
    }
}

/// A record without its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// Counts all records from 0.
    pub index: u64,
    /// `index % partitions`.
    pub partition: u32,
    /// `index / partitions`.
    pub offset: u64,
    /// The id the key is made of; also of poison and tombstones. A duplicate's is its original's.
    pub order_id: u64,
    /// Milliseconds since the Unix epoch: one per record from 2025-01-01 on, not the wall clock's.
    pub timestamp_ms: i64,
    /// What becomes of it.
    pub fate: Fate,
}

impl Head {
    /// Whether the record has no value (then the bytes are empty, and mean nothing).
    #[must_use]
    pub const fn is_tombstone(&self) -> bool {
        matches!(self.fate, Fate::Tombstone)
    }

    /// The record's key.
    #[must_use]
    pub fn key(&self) -> Key {
        Key::new(self.order_id)
    }
}

/// A whole record, for tests that do not mind allocating.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Everything but the bytes.
    pub head: Head,
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The value's bytes; `None` is a tombstone.
    pub value: Option<Vec<u8>>,
}

/// Makes records one after the other.
#[derive(Clone, Debug)]
pub struct Orders {
    settings: Settings,
    next: u64,
    step: u64,
    end: u64,
}

const CONTENT: u64 = 0x5bd1_e995;
const FIRST_MS: i64 = 1_735_689_600_000;

impl Orders {
    /// All records of all partitions, in order of their index.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let end = settings.records.unwrap_or(u64::MAX);
        Self { settings: settings.clone(), next: 0, step: 1, end }
    }

    /// The records of one partition from `offset` on.
    #[must_use]
    pub fn partition(settings: &Settings, partition: u32, offset: u64) -> Self {
        let step = settings.partitions();
        let next = offset
            .saturating_mul(step)
            .saturating_add(u64::from(partition));
        Self { next, step, ..Self::new(settings) }
    }

    /// Writes the next record's value into `value` (cleared first) and returns the rest of it.
    ///
    /// Allocates nothing once `value` has room. `None` after the last record.
    pub fn next_into(&mut self, value: &mut Vec<u8>) -> Option<Head> {
        value.clear();
        self.append_next(value)
    }

    /// As [`next_into`](Self::next_into), behind what `value` holds already.
    pub fn append_next(&mut self, value: &mut Vec<u8>) -> Option<Head> {
        if self.next >= self.end {
            return None;
        }
        let head = self.head(self.next);
        self.next = self.next.saturating_add(self.step);
        self.write_value(&head, value);
        Some(head)
    }

    /// What record `index` is, without its value.
    #[must_use]
    pub fn head(&self, index: u64) -> Head {
        let partitions = self.settings.partitions();
        let fate = self.fate(index);
        let order = if let Fate::Repeat(earlier) = fate { earlier } else { index };
        Head {
            index,
            partition: small(index % partitions),
            offset: index / partitions,
            order_id: self.settings.first_id.wrapping_add(order),
            timestamp_ms: FIRST_MS.saturating_add(i64::try_from(index).unwrap_or(i64::MAX)),
            fate,
        }
    }

    /// The fields of the order at `index` (of [`Shape::Orders`]), whatever becomes of it.
    #[must_use]
    pub fn order(&self, index: u64) -> Order {
        let mut numbers = SplitMix64::at(self.settings.seed ^ CONTENT, index);
        let kind = match numbers.below(100) {
            0..85 => Kind::Placed,
            85..95 => Kind::Refunded,
            _ => Kind::Ping,
        };
        let customer = match numbers.below(16) {
            0 => CustomerName::Special(small(numbers.below(SPECIAL.len() as u64))),
            _ => CustomerName::Numbered(small(numbers.below(1000))),
        };
        let mut qty = small(1 + numbers.below(12));
        let mut unit_cents = small(1 + numbers.below(99_999));
        match (kind, numbers.below(1024)) {
            (Kind::Ping, _) => (qty, unit_cents) = (1, 0),
            (_, 0..32) => qty = 0,
            (Kind::Placed, 32) => (qty, unit_cents) = (4_000_000, unit_cents.max(2000)),
            _ => {}
        }
        let order_id = self.settings.first_id.wrapping_add(index);
        Order { order_id, customer: Customer(customer), qty, unit_cents, kind }
    }

    fn fate(&self, index: u64) -> Fate {
        let (drawn, mut numbers) = self.draw(index);
        let Fate::Repeat(_) = drawn else { return drawn };
        let back = (1 + numbers.below(16)).saturating_mul(self.settings.partitions());
        match index.checked_sub(back) {
            Some(earlier) if self.draw(earlier).0 == Fate::Plain => Fate::Repeat(earlier),
            _ => Fate::Plain,
        }
    }

    /// What the numbers say, before it is known whether there is something to repeat.
    fn draw(&self, index: u64) -> (Fate, SplitMix64) {
        let mut numbers = SplitMix64::at(self.settings.seed, index);
        let drawn = numbers.below(1_000_000);
        let settings = &self.settings;
        let mut bound = 0;
        let mut is = |ppm: u32| {
            bound += u64::from(ppm);
            drawn < bound
        };
        let fate = if is(settings.tombstone_ppm) {
            Fate::Tombstone
        } else if is(settings.empty_ppm) {
            Fate::Empty
        } else if is(settings.poison_ppm) {
            Fate::Poison(match numbers.below(3) {
                0 => Poison::Malformed,
                1 => Poison::WrongType,
                _ => Poison::InvalidUtf8,
            })
        } else if is(settings.duplicate_ppm) {
            Fate::Repeat(index)
        } else {
            Fate::Plain
        };
        (fate, numbers)
    }

    fn write_value(&self, head: &Head, out: &mut Vec<u8>) {
        match head.fate {
            Fate::Tombstone | Fate::Empty => {}
            Fate::Plain => self.write_order(head.index, out),
            Fate::Repeat(earlier) => self.write_order(earlier, out),
            Fate::Poison(poison) => write_poison(poison, head, out),
        }
    }

    fn write_order(&self, index: u64, out: &mut Vec<u8>) {
        match self.settings.shape {
            Shape::Orders => write_plain(&self.order(index), out),
            Shape::Wide => write_wide(self.settings.first_id.wrapping_add(index), index, out),
        }
    }
}

impl Iterator for Orders {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let mut value = Vec::new();
        let head = self.next_into(&mut value)?;
        let key = head.key().as_bytes().to_vec();
        let value = if head.is_tombstone() { None } else { Some(value) };
        Some(Record { head, key, value })
    }
}

/// Narrows a number that is small by construction.
fn small<T: TryFrom<u64>>(number: u64) -> T {
    T::try_from(number)
        .ok()
        .expect("drawn below a bound that fits")
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn put_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    put(out, itoa::Buffer::new().format(number));
}

fn write_plain(order: &Order, out: &mut Vec<u8>) {
    put(out, "{\"order_id\":");
    put_number(out, order.order_id);
    put(out, ",\"customer\":\"");
    match order.customer.0 {
        CustomerName::Numbered(number) => {
            put(out, "customer-");
            let digits = [number / 100, number / 10 % 10, number % 10];
            out.extend(digits.map(|digit| b'0' + small::<u8>(u64::from(digit))));
        }
        CustomerName::Special(index) => put(out, SPECIAL[usize::from(index)].0),
    }
    put(out, "\",\"qty\":");
    put_number(out, order.qty);
    put(out, ",\"unit_cents\":");
    put_number(out, order.unit_cents);
    put(out, ",\"kind\":\"");
    put(out, order.kind.as_str());
    put(out, "\"}");
}

const REGIONS: [&str; 8] = [
    "eu-central-1",
    "eu-west-2",
    "us-east-1",
    "us-west-2",
    "ap-south-1",
    "ap-northeast-1",
    "sa-east-1",
    "af-south-1",
];
const STATUSES: [&str; 4] = ["created", "paid", "shipped", "delivered"];
const NOTES: [&str; 4] = [
    "leave it at the back door, please",
    "gift wrap in blue, with a card",
    "call before delivery",
    "fragile, keep this side up: glass",
];
const DISCOUNTS: [&str; 8] = ["0.0", "0.05", "0.1", "0.125", "0.15", "0.2", "0.25", "0.333"];

/// Whether template `index % 64` is a cancelled order: 13 of the 64, spread evenly.
pub(crate) const fn is_cancelled(index: u64) -> bool {
    (index % 64 * 13) % 64 < 13
}

fn write_wide(id: u64, index: u64, out: &mut Vec<u8>) {
    let template = index % 64;
    let pick = |among: usize| small::<usize>(template * 7 % among as u64);
    put(out, "{\"order_id\":");
    put_number(out, id);
    put(out, ",\"customer_id\":");
    put_number(out, 100_000 + id % 9973);
    put(out, ",\"sku\":\"SKU-");
    put_number(out, 10_000 + template * 37);
    put(out, "\",\"region\":\"");
    put(out, REGIONS[pick(REGIONS.len())]);
    put(out, "\",\"status\":\"");
    put(out, if is_cancelled(index) { "cancelled" } else { STATUSES[pick(STATUSES.len())] });
    put(out, "\",\"qty\":");
    put_number(out, 1 + template % 9);
    put(out, ",\"price_cents\":");
    put_number(out, 199 + template * 151);
    put(out, ",\"discount\":");
    put(out, DISCOUNTS[pick(DISCOUNTS.len())]);
    put(out, ",\"placed_at\":");
    put_number(out, FIRST_MS.saturating_add(i64::try_from(index).unwrap_or(i64::MAX)));
    put(out, ",\"note\":\"");
    put(out, NOTES[pick(NOTES.len())]);
    put(out, "\"}");
}

/// Poison of every kind in several forms; the same for both shapes.
fn write_poison(poison: Poison, head: &Head, out: &mut Vec<u8>) {
    let form = head.index / 3 % 4;
    put(out, "{\"order_id\":");
    if poison == Poison::WrongType && form == 0 {
        put(out, "18446744073709551616");
    } else {
        put_number(out, head.order_id);
    }
    put(out, ",\"customer\":\"poison");
    if poison == Poison::InvalidUtf8 {
        let bad: [&[u8]; 4] = [b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x9a"];
        out.extend_from_slice(bad[small::<usize>(form)]);
    }
    put(out, "\",\"qty\":");
    match (poison, form) {
        (Poison::Malformed, 0) => return,
        (Poison::Malformed, 1) => put(out, "NaN"),
        (Poison::Malformed, 2) => put(out, "1_000"),
        (Poison::WrongType, 1) => put(out, "\"3\""),
        (Poison::WrongType, 2) => put(out, "-1"),
        (Poison::WrongType, 3) => put(out, "2.5"),
        _ => put(out, "3"),
    }
    put(out, ",\"unit_cents\":100,\"kind\":\"placed\"");
    put(out, if poison == Poison::Malformed && form == 3 { "" } else { "}" });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messy() -> Settings {
        Settings {
            records: Some(20_000),
            partitions: 3,
            poison_ppm: 50_000,
            tombstone_ppm: 50_000,
            empty_ppm: 20_000,
            duplicate_ppm: 100_000,
            ..Settings::default()
        }
    }

    #[test]
    fn the_first_orders_of_seed_one_are_these() {
        let lines: Vec<String> = Orders::new(&Settings::clean(3))
            .map(|record| String::from_utf8(record.value.unwrap()).unwrap())
            .collect();
        assert_eq!(lines, FIRST_LINES);
    }

    const FIRST_LINES: [&str; 3] = [
        r#"{"order_id":1,"customer":"tab\tslash\\","qty":1,"unit_cents":5602,"kind":"placed"}"#,
        r#"{"order_id":2,"customer":"customer-245","qty":7,"unit_cents":91199,"kind":"placed"}"#,
        r#"{"order_id":3,"customer":"customer-743","qty":10,"unit_cents":28075,"kind":"placed"}"#,
    ];

    #[test]
    fn a_partition_alone_gives_what_it_gives_among_all() {
        let settings = messy();
        for partition in 0..3 {
            let among = Orders::new(&settings)
                .filter(|record| record.head.partition == partition)
                .skip(100);
            let alone = Orders::partition(&settings, partition, 100);
            assert!(among.eq(alone), "partition {partition}");
        }
    }

    #[test]
    fn offsets_are_dense_and_partitions_add_up() {
        let settings = messy();
        let mut total = 0;
        for partition in 0..3 {
            let heads: Vec<Head> = Orders::partition(&settings, partition, 0)
                .map(|record| record.head)
                .collect();
            assert_eq!(heads.len() as u64, settings.records_in(partition));
            assert!(
                heads
                    .iter()
                    .map(|head| head.offset)
                    .eq(0..heads.len() as u64)
            );
            total += heads.len() as u64;
        }
        assert_eq!(total, 20_000);
    }

    #[test]
    fn a_duplicate_repeats_an_earlier_record_of_its_partition() {
        let records: Vec<Record> = Orders::new(&messy()).collect();
        let mut repeats = 0;
        for record in &records {
            if let Fate::Repeat(earlier) = record.head.fate {
                let original = &records[usize::try_from(earlier).unwrap()];
                assert_eq!(original.head.fate, Fate::Plain);
                assert_eq!(original.head.partition, record.head.partition);
                assert_eq!((&original.key, &original.value), (&record.key, &record.value));
                repeats += 1;
            }
        }
        assert!((1000..2100).contains(&repeats), "{repeats}");
    }

    #[test]
    fn ids_are_unique_but_for_duplicates() {
        let mut ids: Vec<u64> = Orders::new(&messy())
            .filter(|record| !matches!(record.head.fate, Fate::Repeat(_)))
            .map(|record| record.head.order_id)
            .collect();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn another_seed_gives_other_orders() {
        let settings = Settings::clean(100);
        let other = Settings { seed: 2, ..Settings::clean(100) };
        let same = Orders::new(&settings)
            .zip(Orders::new(&other))
            .filter(|(a, b)| a.value == b.value)
            .count();
        assert!(same < 3, "{same} of 100 are the same");
    }

    #[test]
    fn wide_orders_take_about_208_bytes_and_13_of_64_are_cancelled() {
        let settings = Settings { shape: Shape::Wide, ..Settings::clean(6400) };
        let values: Vec<String> = Orders::new(&settings)
            .map(|record| String::from_utf8(record.value.unwrap()).unwrap())
            .collect();
        let mean = values.iter().map(String::len).sum::<usize>() / values.len();
        assert!((200..=216).contains(&mean), "{mean} bytes: {}", values[0]);
        let cancelled = values
            .iter()
            .filter(|value| value.contains("\"cancelled\""));
        assert_eq!(cancelled.count(), 1300);
    }

    #[test]
    fn an_id_may_begin_above_what_a_float_holds() {
        let settings = Settings { first_id: (1 << 53) + 1, ..Settings::clean(1) };
        let value = Orders::new(&settings).next().unwrap().value.unwrap();
        assert!(value.starts_with(b"{\"order_id\":9007199254740993,"));
    }
}

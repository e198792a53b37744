//! Records of many shapes, and what it takes to hold one decoder against the other.
//!
//! The fuzz target of the same name feeds them too.

#![expect(dead_code, reason = "fields are read by `Debug` alone")]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use serde::Deserialize;
use spate::prelude::Record;
use spate_json::scan::Scan;
use spate_json::{Json, JsonRecord};
use spate_runtime::chain::format::Format;

/// What one decoder says about a payload, record by record.
pub(crate) type Outcomes = Vec<Result<String, String>>;

/// By `Debug`, which tells `-0.0` from `0.0`, and neighbouring floats from each other.
fn outcome<T: Debug, E: std::error::Error>(outcome: Result<T, E>) -> Result<String, String> {
    match outcome {
        Ok(record) => Ok(format!("{record:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// One shape: its name, a document of it, and a check of a payload against both decoders.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) examples: &'static [&'static str],
    /// Takes payloads in turn, so that what the decoder learns is put to the test.
    pub(crate) twins: fn() -> Twins,
}

/// Both decoders, with what they have learnt.
type Twins = Box<dyn FnMut(&[u8]) -> Twin>;

/// What both decoders said.
pub(crate) struct Twin {
    pub(crate) derived: Outcomes,
    pub(crate) serde_json: Outcomes,
    /// Whether the whole payload, as one record, was read without serde_json.
    pub(crate) scanned: bool,
}

macro_rules! shapes {
    ($($name:literal $t:ty: [$($example:expr),* $(,)?];)*) => {
        /// All shapes.
        pub(crate) const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            examples: &[$($example),*],
            twins: || {
                let mut decoder = Default::default();
                let mut plan = Default::default();
                Box::new(move |payload| Twin {
                    derived: JsonRecord::<$t>::records(&mut decoder, payload).map(outcome).collect(),
                    serde_json: Json::<$t>::records(&mut Default::default(), payload)
                        .map(outcome)
                        .collect(),
                    scanned: std::str::from_utf8(payload)
                        .is_ok_and(|text| <$t as Scan<'_>>::scan(text, &mut plan).is_some()),
                })
            },
        }),*];
    };
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Order<'a> {
    order_id: u64,
    customer_id: u64,
    sku: &'a str,
    #[serde(borrow)]
    region: Cow<'a, str>,
    status: Status,
    qty: u32,
    discount: f64,
    placed_at: i64,
    #[serde(borrow)]
    note: Option<Cow<'a, str>>,
    #[serde(borrow)]
    lines: Vec<Line<'a>>,
    #[serde(default)]
    paid: bool,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Line<'a> {
    #[serde(borrow)]
    sku: Cow<'a, str>,
    qty: u8,
    price: Option<f32>,
}

#[derive(Debug, Deserialize, Record)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Created,
    Paid,
    #[serde(alias = "sent", alias = "gone")]
    Shipped,
    #[serde(rename = "dé\"livré")]
    Delivered,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Numbers {
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: u128,
    f: i8,
    g: i16,
    h: i32,
    i: i64,
    j: i128,
    k: f32,
    l: f64,
    m: usize,
    n: isize,
    o: bool,
    p: char,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct One {
    a: i64,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Float {
    a: f64,
    b: f32,
}

#[derive(Debug, Deserialize, Record)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Strict {
    order_id: u64,
    #[serde(alias = "qty", alias = "count")]
    how_many: Option<u32>,
    #[serde(rename = "type")]
    r#type: String,
    #[serde(skip)]
    seen: u32,
}

#[derive(Debug, Deserialize, Record)]
#[serde(default)]
pub(crate) struct Defaults {
    a: u32,
    b: String,
    #[serde(default = "nine")]
    c: u32,
    #[serde(skip)]
    d: u32,
    e: [i16; 3],
}

fn nine() -> u32 {
    9
}

impl Default for Defaults {
    fn default() -> Self {
        Self { a: 1, b: "b".to_owned(), c: 3, d: 4, e: [5, 6, 7] }
    }
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Nested {
    inner: Option<Box<Inner>>,
    pair: (u8, String),
    grid: Vec<Vec<i32>>,
    #[serde(with = "seconds")]
    at: u64,
    #[serde(deserialize_with = "seconds::deserialize")]
    until: u64,
    #[record(serde)]
    any: serde_json::Value,
    by_name: HashMap<String, Inner>,
    #[record(serde)]
    tree: Option<Tree>,
    id: Id,
    wrapped: Wrapped,
    point: Point,
}

#[derive(Debug, Deserialize, Record, PartialEq, Eq)]
pub(crate) struct Inner {
    x: i32,
    y: Option<i32>,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Tree {
    name: String,
    #[record(serde)]
    children: Vec<Self>,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Id(u64);

#[derive(Debug, Deserialize, Record)]
#[serde(transparent)]
pub(crate) struct Wrapped {
    inside: Option<u8>,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Point(i32, i32);

mod seconds {
    use serde::{Deserialize, Deserializer};

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(decoder: D) -> Result<u64, D::Error> {
        let text = <&str>::deserialize(decoder)?;
        let number = text.strip_suffix('s').ok_or("no seconds");
        number
            .and_then(|number| number.parse().or(Err("no number")))
            .map_err(serde::de::Error::custom)
    }
}

#[derive(Debug, Deserialize, Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outside<'a> {
    Ping,
    Id(u64),
    #[serde(borrow)]
    Line(Line<'a>),
    TwoOf(u8, #[serde(borrow)] Cow<'a, str>),
    #[serde(rename_all = "UPPERCASE")]
    Named {
        x: i32,
        y: Option<&'a str>,
    },
    Maybe(Option<u8>),
}

#[derive(Debug, Deserialize, Record)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Inside<'a> {
    Ping,
    #[serde(borrow)]
    Bought(Bought<'a>),
    Moved {
        x: i32,
        y: Option<&'a str>,
        #[serde(default)]
        steps: Vec<Inner>,
    },
    Float {
        f: f32,
    },
    #[serde(other)]
    Else,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Bought<'a> {
    #[serde(borrow)]
    sku: Cow<'a, str>,
    qty: u8,
    total: f64,
}

#[derive(Debug, Deserialize, Record)]
#[serde(tag = "kind")]
pub(crate) enum Clash {
    A(HasKind),
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct HasKind {
    kind: Option<String>,
    x: u8,
}

#[derive(Debug, Deserialize, Record)]
#[serde(tag = "t", content = "c", deny_unknown_fields)]
pub(crate) enum Beside<'a> {
    Ping,
    Id(u64),
    Two(i8, i8),
    Named {
        x: i32,
        #[serde(borrow)]
        y: Cow<'a, str>,
    },
    Maybe(Option<Inner>),
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Empty {}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Nothing;

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Odd {
    #[serde(rename = "a\"b\\c")]
    quoted: u8,
    #[serde(rename = "schlüssel", alias = "\u{1}")]
    key: u8,
    #[serde(rename = "")]
    none: Option<u8>,
}

#[derive(Debug, Deserialize, Record)]
pub(crate) struct Borrowed<'a, 'b> {
    a: &'a str,
    #[serde(borrow)]
    b: Cow<'b, str>,
    events: Vec<Status>,
    map: BTreeMap<&'a str, u8>,
}

shapes! {
    "order" Order<'_>: [
        r#"{"order_id":1,"customer_id":100001,"sku":"SKU-10000","region":"eu-central-1","status":"paid","qty":3,"discount":0.125,"placed_at":1735689600000,"note":"call before delivery","lines":[{"sku":"a","qty":1,"price":1.5},{"sku":"bé","qty":255,"price":null}],"paid":true}"#,
        r#"{"lines": [], "qty": 3, "order_id": 18446744073709551615, "customer_id": 0, "extra": {"a": [1, -2.5e3, true, null, "x\ny"], "b": {}}, "sku": "", "region": "", "status": "sent", "discount": 1, "placed_at": -1}"#,
        "{\n  \"order_id\": 7,\n  \"customer_id\": 8,\n  \"sku\": \"x\",\n  \"region\": \"\\u00fc\\ud83d\\ude80\",\n  \"status\": \"created\",\n  \"qty\": 0,\n  \"discount\": 1e-3,\n  \"placed_at\": 0,\n  \"note\": null,\n  \"lines\": [ ]\n}",
    ];
    "numbers" Numbers: [
        r#"{"a":255,"b":65535,"c":4294967295,"d":18446744073709551615,"e":340282366920938463463374607431768211455,"f":-128,"g":-32768,"h":-2147483648,"i":-9223372036854775808,"j":-170141183460469231731687303715884105728,"k":3.4028235e38,"l":1.7976931348623157e308,"m":9007199254740993,"n":-9007199254740993,"o":false,"p":"é"}"#,
        r#"{"a":0,"b":1,"c":12,"d":123456789,"e":1234567890123456789012,"f":0,"g":-1,"h":12345678,"i":123456789012345678,"j":-1,"k":0.1,"l":0.30000000000000004,"m":1234567890123456789,"n":0,"o":true,"p":"x"}"#,
    ];
    "one" One: [r#"{"a":1}"#, r#"{"a":-123456789012345678}"#];
    "float" Float: [
        r#"{"a":0.5,"b":0.1}"#, r#"{"a":-0,"b":-0.0}"#, r#"{"a":1e400,"b":1}"#,
        r#"{"a":123456789.123456789,"b":16777217}"#, r#"{"a":5e-324,"b":1.17549435e-38}"#,
    ];
    "strict" Strict: [
        r#"{"orderId":1,"qty":2,"type":"x"}"#, r#"{"type":"\u0041","orderId":1}"#,
        r#"{"orderId":1,"count":2,"howMany":3,"type":""}"#,
    ];
    "defaults" Defaults: [r#"{}"#, r#"{"e":[1,2,3],"a":2}"#, r#"{"a":1,"b":"x","c":2,"e":[-1,0,1],"d":7}"#];
    "nested" Nested: [
        r#"{"inner":{"x":1,"y":2},"pair":[1,"a"],"grid":[[1,2],[],[3]],"at":"5s","until":"6s","any":{"a":[1]},"by_name":{"a":{"x":1},"a":{"x":2}},"tree":{"name":"r","children":[{"name":"c","children":[]}]},"id":7,"wrapped":null,"point":[1,2]}"#,
        r#"{"inner":null,"pair":[0,""],"grid":[],"at":"0s","until":"1s","any":null,"by_name":{},"id":0,"point":[-1,-2]}"#,
    ];
    "tree" Tree: [r#"{"name":"r","children":[{"name":"c","children":[]}]}"#];
    "id" Id: ["7", " 18446744073709551615 "];
    "wrapped" Wrapped: ["null", "7"];
    "point" Point: ["[1,2]", "[ -1 , 0 ]"];
    "status" Status: [r#""paid""#, r#"{"paid":null}"#];
    "outside" Outside<'_>: [
        r#""ping""#, r#"{"id":7}"#, r#"{"line":{"sku":"a","qty":1}}"#, r#"{"two_of":[1,"x"]}"#,
        r#"{"named":{"X":1,"Y":"y"}}"#, r#"{ "maybe" : null }"#,
    ];
    "inside" Inside<'_>: [
        r#"{"kind":"ping"}"#, r#"{"kind":"bought","sku":"a","qty":1,"total":1.5}"#,
        r#"{"kind": "moved", "x": 1, "y": "y", "steps": [{"x":1,"y":2,"z":1e999}]}"#,
        r#"{"kind":"moved","x":1,"steps":[{"x":1,"z":1.5e9,"w":"\ud83d\ude80"}]}"#,
        r#"{"kind":"float","f":0.1}"#, r#"{"sku":"a","kind":"bought","qty":1,"total":0}"#,
        r#"{"kind":"more"}"#, r#"{"kind":"moved","x":1,"kind":"ping"}"#,
    ];
    "clash" Clash: [r#"{"kind":"A","x":1}"#, r#"{"kind":"A","kind":"B","x":1}"#];
    "beside" Beside<'_>: [
        r#"{"t":"Ping"}"#, r#"{"t":"Id","c":7}"#, r#"{"t":"Two","c":[1,-1]}"#,
        r#"{"t":"Named","c":{"x":1,"y":"y"}}"#, r#"{"c":7,"t":"Id"}"#, r#"{"t":"Maybe","c":null}"#,
        r#"{"t":"Maybe","c":{"x":1}}"#, r#"{"t":"Ping","c":null}"#,
    ];
    "empty" Empty: ["{}", r#"{"a":1}"#, "{ }"];
    "nothing" Nothing: ["null"];
    "odd" Odd: [r#"{"a\"b\\c":1,"schlüssel":2}"#, r#"{"":1,"\u0061\"b\\c":1,"\u0001":2}"#];
    "borrowed" Borrowed<'_, '_>: [r#"{"a":"x","b":"y\n","events":["paid","gone"],"map":{"k":1}}"#];
}

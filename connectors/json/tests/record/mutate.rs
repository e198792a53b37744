//! Documents near an example: keys swapped, doubled, dropped; numbers, texts and blanks of every
//! kind; bytes changed, cut and put together.

use serde_json::Value;

use crate::shapes::SHAPES;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    /// A byte out of `bound` from `first` on.
    fn byte(&mut self, first: u8, bound: usize) -> u8 {
        first.wrapping_add(u8::try_from(self.below(bound)).unwrap_or(0))
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// A shape and a payload out of a fuzzer's bytes: the first one picks.
pub(crate) fn of_fuzz(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (shape, payload) = bytes.split_first()?;
    Some((usize::from(*shape) % SHAPES.len(), payload))
}

/// A payload: mostly one document near one of `examples`, now and then several, a line each.
pub(crate) fn document(examples: &[&str], random: &mut Random) -> Vec<u8> {
    let count = if random.one_in(8) { 1 + random.below(4) } else { 1 };
    let mut payload = Vec::new();
    for index in 0..count {
        if index > 0 {
            payload.extend_from_slice(random.pick(&[&b"\n"[..], b"\r\n", b"\n\n", b" ", b""]));
        }
        let example = random.pick(examples);
        let mut text = match random.below(8) {
            0 | 1 => example.to_owned(),
            _ => rewritten(example, random),
        }
        .into_bytes();
        if random.one_in(3) {
            for _ in 0..=random.below(3) {
                change(&mut text, random);
            }
        }
        payload.extend(text);
    }
    if random.one_in(8) {
        payload.extend_from_slice(random.pick(&[
            &b"\n"[..],
            b" ",
            b"x",
            b"\0",
            b",",
            b"}",
            b"\xff",
        ]));
    }
    if random.one_in(40) {
        payload.splice(0..0, *b"\xef\xbb\xbf");
    }
    payload
}

/// The example written anew: other blanks, another order, other values.
fn rewritten(example: &str, random: &mut Random) -> String {
    let Ok(value) = serde_json::from_str::<Value>(example) else { return example.to_owned() };
    let style = Style {
        comma: random.pick(&[",", ",", ", ", " ,\n\t"]),
        colon: random.pick(&[":", ":", ": ", " : "]),
        shuffles: random.one_in(2),
        odd: random.below(12),
    };
    let mut out = String::new();
    write(&value, &style, 0, random, &mut out);
    out
}

struct Style {
    comma: &'static str,
    colon: &'static str,
    shuffles: bool,
    /// One value in so many is another one; 0 is none.
    odd: usize,
}

impl Style {
    fn is_odd(&self, random: &mut Random) -> bool {
        self.odd > 0 && random.one_in(4 + self.odd * 3)
    }
}

fn write(value: &Value, style: &Style, depth: usize, random: &mut Random, out: &mut String) {
    if depth > 0 && style.is_odd(random) {
        return out.push_str(&odd(random));
    }
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            if style.shuffles {
                for index in (1..fields.len()).rev() {
                    fields.swap(index, random.below(index + 1));
                }
            }
            if style.is_odd(random) && !fields.is_empty() {
                let field = random.below(fields.len());
                match random.below(3) {
                    0 => drop(fields.remove(field)),
                    1 => fields.push(fields[field]),
                    _ => fields.insert(field, fields[random.below(fields.len())]),
                }
            }
            out.push('{');
            let unknown = style.is_odd(random).then(|| random.below(fields.len() + 1));
            let mut first = true;
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if unknown == Some(index) {
                    separate(&mut first, style, out);
                    write_text(random.pick(&["zzz", "", "a", "é", "kind"]), style, random, out);
                    out.push_str(style.colon);
                    out.push_str(&odd(random));
                }
                separate(&mut first, style, out);
                write_text(key, style, random, out);
                out.push_str(style.colon);
                write(value, style, depth + 1, random, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            let mut first = true;
            for item in items {
                if style.is_odd(random) {
                    continue;
                }
                separate(&mut first, style, out);
                write(item, style, depth + 1, random, out);
            }
            if style.is_odd(random) {
                separate(&mut first, style, out);
                out.push_str(&odd(random));
            }
            out.push(']');
        }
        Value::String(text) => write_text(text, style, random, out),
        Value::Number(number) if random.one_in(3) => {
            out.push_str(&other_number(&number.to_string(), random));
        }
        other => out.push_str(&other.to_string()),
    }
}

fn separate(first: &mut bool, style: &Style, out: &mut String) {
    if !std::mem::take(first) {
        out.push_str(style.comma);
    }
}

/// A text, its characters escaped now and then.
fn write_text(text: &str, style: &Style, random: &mut Random, out: &mut String) {
    if !style.is_odd(random) {
        return out.push_str(&Value::from(text).to_string());
    }
    out.push('"');
    for char in text.chars() {
        if random.one_in(3) {
            let mut units = [0; 2];
            for unit in char.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            let quoted = Value::from(char.to_string()).to_string();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push_str(random.pick(&[
        "",
        "\\n",
        "\\ud800",
        "\\udc00\\ud800",
        "\\ud83d\\ude80",
        "\\x",
        "\t",
        "\\/",
    ]));
    out.push('"');
}

/// A number that is more or less the same, or just as long.
fn other_number(number: &str, random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("{number}.0"),
        1 => format!("{number}e{}", random.below(30)),
        2 => format!("-{number}"),
        3 => {
            let digits = 1 + random.below(22);
            (0..digits)
                .map(|_| char::from(random.byte(b'0', 10)))
                .collect()
        }
        4 => {
            let float = f64::from_bits(random.next());
            if float.is_finite() { format!("{float:e}") } else { "0".to_owned() }
        }
        _ => format!("{}.{}", random.below(1000), random.next() >> random.below(64)),
    }
}

/// Values that stand in the way.
fn odd(random: &mut Random) -> String {
    const ODD: &[&str] = &[
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-1",
        "1.0",
        "1e3",
        "1E+2",
        "1e-400",
        "0e99999",
        "01",
        "00",
        "-",
        "+1",
        ".5",
        "1.",
        "1.e1",
        "0x1",
        "NaN",
        "Infinity",
        "nul",
        "tru",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "4294967296",
        "256",
        "-129",
        "99999999999999999999999999999999999999999",
        "1.7976931348623159e308",
        "3.4028236e38",
        "1e39",
        "0.1e1",
        "123456789012345678.25",
        "16777217",
        "9007199254740993",
        "9007199254740992.5",
        r#""""#,
        r#""x""#,
        r#""paid""#,
        r#""\u0070aid""#,
        r#""\"""#,
        r#""\ud800""#,
        r#""\ud83d\ude80""#,
        "\"\u{7f}\"",
        r#""5s""#,
        "\"\n\"",
        r#""a"#,
        "[]",
        "{}",
        "[1]",
        "[1,2]",
        "[1,2,3]",
        "[1,]",
        "[,]",
        "{\"a\":1,}",
        r#"{"a":1,"a":2}"#,
        r#"{"x":1}"#,
        r#"{"x":1,"x":2}"#,
        r#"{"x":1,"y":null}"#,
        r#"["x"]"#,
        r#"{"Ping":null}"#,
        "[[[[]]]]",
        "\"é\"",
        "\"\u{10ffff}\"",
        "",
    ];
    match random.below(24) {
        0 => {
            let levels = [10, 31, 32, 33, 100, 126, 127, 128, 129, 200][random.below(10)];
            format!("{}{}", "[".repeat(levels), "]".repeat(levels))
        }
        1 => format!("\"{}\"", "x".repeat(random.below(40))),
        2 => format!("{}", f64::from_bits(random.next())),
        3 => random.next().to_string(),
        _ => random.pick(ODD).to_owned(),
    }
}

/// A byte changed, put in, taken out, or the end cut off; a stretch doubled.
fn change(text: &mut Vec<u8>, random: &mut Random) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    let byte = match random.below(4) {
        0 => random.byte(0, 256),
        _ => *random
            .pick(&[
                &b"\""[..],
                b"\\",
                b"{",
                b"}",
                b"[",
                b"]",
                b",",
                b":",
                b" ",
                b"\n",
                b"0",
                b"9",
                b"-",
                b".",
                b"e",
                b"\0",
            ])
            .first()
            .unwrap_or(&0),
    };
    match random.below(6) {
        0 | 1 => text[at] = byte,
        2 => text.insert(at, byte),
        3 => drop(text.remove(at)),
        4 => text.truncate(at),
        _ => {
            let end = at + random.below(text.len() - at);
            let stretch = text[at..end].to_vec();
            text.splice(at..at, stretch);
        }
    }
}

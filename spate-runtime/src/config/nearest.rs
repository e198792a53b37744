//! The nearest known name to one that was mistyped. Pure, and `const`.

/// Whether two texts are equal.
#[must_use]
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// How far `name` lies from `wanted`; `usize::MAX` if it is not near.
///
/// Near is: a third of the letters differ at most, and one may always.
#[must_use]
pub const fn near(wanted: &str, name: &str) -> usize {
    let third = wanted.len() / 3;
    let bound = if third == 0 { 1 } else { third };
    if wanted.len().abs_diff(name.len()) > bound {
        return usize::MAX;
    }
    let distance = distance(wanted, name);
    if distance <= bound { distance } else { usize::MAX }
}

/// What to say after a name that is not among `names`: the nearest of them, or all.
#[must_use]
pub fn nearest<'a, N: IntoIterator<Item = &'a str>>(wanted: &str, names: N) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let near = names.iter().min_by_key(|name| near(wanted, name));
    match near.filter(|name| near_enough(wanted, name)) {
        Some(name) => format!("; did you mean `{name}`?"),
        None if names.is_empty() => "; there is none".to_owned(),
        None => format!("; there are `{}`", names.join("`, `")),
    }
}

const fn near_enough(wanted: &str, name: &str) -> bool {
    near(wanted, name) != usize::MAX
}

const WIDEST: usize = 64;

/// Optimal string alignment: insert, delete, replace, swap neighbours; bytes, case ignored.
const fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() >= WIDEST || b.len() >= WIDEST {
        return usize::MAX;
    }
    let mut before = [0; WIDEST];
    let mut last = [0; WIDEST];
    let mut row = [0; WIDEST];
    let mut j = 0;
    while j <= b.len() {
        last[j] = j;
        j += 1;
    }
    let mut i = 1;
    while i <= a.len() {
        row[0] = i;
        j = 1;
        while j <= b.len() {
            let differs = !a[i - 1].eq_ignore_ascii_case(&b[j - 1]);
            let mut least = min(min(last[j] + 1, row[j - 1] + 1), last[j - 1] + differs as usize);
            if i > 1 && j > 1 && swapped(a, b, i, j) {
                least = min(least, before[j - 2] + 1);
            }
            row[j] = least;
            j += 1;
        }
        before = last;
        last = row;
        i += 1;
    }
    last[b.len()]
}

const fn swapped(a: &[u8], b: &[u8], i: usize, j: usize) -> bool {
    a[i - 1].eq_ignore_ascii_case(&b[j - 2]) && a[i - 2].eq_ignore_ascii_case(&b[j - 1])
}

const fn min(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_edits_and_swaps() {
        for (a, b, expected) in [
            ("", "abc", 3),
            ("table", "table", 0),
            ("tabel", "table", 1),
            ("lingr", "linger", 1),
            ("batchrows", "batch_rows", 1),
            ("kitten", "sitting", 3),
            ("URL", "url", 0),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn a_third_of_the_letters_may_differ() {
        assert_eq!(near("lines", "linse"), 1);
        assert_eq!(near("ab", "ac"), 1);
        assert_eq!(near("abcdef", "abcdxx"), 2);
        assert_eq!(near("abcdef", "abcxxx"), usize::MAX);
        assert_eq!(near("zzz", "linger"), usize::MAX);
    }
}

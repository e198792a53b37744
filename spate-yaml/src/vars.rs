//! `${VAR}` and `${VAR:-default}` inside a value that was read already. Pure.
//!
//! What a variable holds is a value and never syntax: it is not looked at again. `$${` stands for
//! a literal `${`; any other `$` is itself.
//!
//! Source: field report R130.

use crate::Vars;

/// What became of a value's variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Filled {
    /// It has none.
    Plain,
    /// All were there.
    Text(String),
    /// They are filled in at start.
    Later,
    /// This one is not set and has no default.
    Unset(String),
    /// A `${` that is not what it should be, and why.
    Malformed(&'static str),
}

/// Fills in the variables of `text`.
pub(crate) fn fill(text: &str, vars: Vars<'_>) -> Filled {
    let mut filled = String::new();
    let mut rest = text;
    let (mut any, mut later) = (false, false);
    while let Some(at) = rest.find("${") {
        any = true;
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            filled.push_str(before);
            filled.push_str("${");
            rest = after;
            continue;
        }
        filled.push_str(before);
        let Some(end) = after.find('}') else { return Filled::Malformed("`${` without its `}`") };
        let (name, default) = match after[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&after[..end], None),
        };
        if !is_name(name) {
            return Filled::Malformed("`${` without the name of a variable");
        }
        let Vars::From(env) = vars else {
            later = true;
            rest = &after[end + 1..];
            continue;
        };
        match env(name).filter(|value| default.is_none() || !value.is_empty()) {
            Some(value) => filled.push_str(&value),
            None => match default {
                Some(default) => filled.push_str(default),
                None => return Filled::Unset(name.to_owned()),
            },
        }
        rest = &after[end + 1..];
    }
    if !any {
        return Filled::Plain;
    }
    if later {
        return Filled::Later;
    }
    filled.push_str(rest);
    Filled::Text(filled)
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str) -> Option<String> {
        match name {
            "HOST" => Some("db".to_owned()),
            "PW" => Some("p>\"\\C: #$x${Y}".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &Filled) {
        assert_eq!(&fill(text, Vars::From(&env)), expected, "{text}");
    }

    #[test]
    fn a_value_without_variables_is_itself() {
        for text in ["", "plain", "$1", "a$", "$x", "cost: $5", "{a}"] {
            check(text, &Filled::Plain);
        }
    }

    #[test]
    fn variables_are_filled_in_once() {
        let text = |text: &str| Filled::Text(text.to_owned());
        check("http://${HOST}:8123", &text("http://db:8123"));
        check("${HOST}${HOST}", &text("dbdb"));
        check("${PW}", &text("p>\"\\C: #$x${Y}"));
        check("${EMPTY}", &text(""));
        check("${EMPTY:-x}", &text("x"));
        check("${NONE:-a:-b}", &text("a:-b"));
        check("${NONE:-}", &text(""));
        check("$${HOST}", &text("${HOST}"));
        check("$1 ${HOST}", &text("$1 db"));
    }

    #[test]
    fn what_cannot_be_filled_in_says_so() {
        check("${NONE}", &Filled::Unset("NONE".to_owned()));
        assert!(matches!(fill("${HOST", Vars::From(&env)), Filled::Malformed(_)));
        assert!(matches!(fill("${}", Vars::From(&env)), Filled::Malformed(_)));
        assert!(matches!(fill("${a b}", Vars::From(&env)), Filled::Malformed(_)));
    }

    #[test]
    fn what_is_filled_in_at_start_is_read_by_a_build_only_for_its_form() {
        let fill = |text| fill(text, Vars::Later);
        assert_eq!(fill("http://${HOST}:8123"), Filled::Later);
        assert_eq!(fill("${NONE:-x} $${y}"), Filled::Later);
        assert_eq!(fill("$${HOST}"), Filled::Text("${HOST}".to_owned()));
        assert_eq!(fill("plain"), Filled::Plain);
        assert!(matches!(fill("${HOST"), Filled::Malformed(_)));
    }
}

//! SQL text and URLs: identifiers quoted, values escaped, in one place each (R114).

use spate_runtime::chain::row::Column;

/// An identifier in backticks; a backtick in it is doubled, a backslash too.
pub(crate) fn quoted(identifier: &str) -> String {
    let mut text = String::with_capacity(identifier.len() + 2);
    text.push('`');
    for c in identifier.chars() {
        if c == '`' || c == '\\' {
            text.push(c);
        }
        text.push(c);
    }
    text.push('`');
    text
}

/// The insert of a row type: every column by name, so that neither the order of the table's columns
/// nor a new one matters (R088, R089).
pub(crate) fn insert(database: &str, table: &str, columns: &[Column]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| quoted(column.name)).collect();
    format!(
        "INSERT INTO {}.{} ({}) FORMAT RowBinary",
        quoted(database),
        quoted(table),
        columns.join(", ")
    )
}

/// Appends `&name=value`, both percent-encoded.
pub(crate) fn push_parameter(url: &mut String, name: &str, value: &str) {
    if !url.ends_with('?') {
        url.push('&');
    }
    push_encoded(url, name);
    url.push('=');
    push_encoded(url, value);
}

/// Appends `text`, every byte but RFC 3986's unreserved ones as `%XX`.
pub(crate) fn push_encoded(url: &mut String, text: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            url.push(char::from(byte));
        } else {
            url.push('%');
            url.push(char::from(HEX[usize::from(byte >> 4)]));
            url.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

/// Rows of a `TabSeparated` answer, escapes undone.
pub(crate) fn tab_separated(body: &str) -> Vec<Vec<String>> {
    body.lines()
        .map(|line| line.split('\t').map(unescaped).collect())
        .collect()
}

fn unescaped(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('t') => text.push('\t'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('0') => text.push('\0'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some(other) => text.push(other),
            None => text.push('\\'),
        }
    }
    text
}

/// The texts of an `Array(String)` as `TabSeparated` prints it, its field unescaped already.
pub(crate) fn strings(array: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = array.chars();
    while chars.by_ref().any(|c| c == '\'') {
        let mut text = String::new();
        while let Some(c) = chars.next().filter(|c| *c != '\'') {
            text.extend(if c == '\\' { chars.next() } else { Some(c) });
        }
        texts.push(text);
    }
    texts
}

/// Database and table a materialized view writes to, if its definition names one.
pub(crate) fn view_target(definition: &str) -> Option<(String, String)> {
    let rest = definition.strip_prefix("CREATE MATERIALIZED VIEW ")?;
    let (_, rest) = qualified(rest)?;
    qualified(rest.strip_prefix(" TO ")?).map(|(target, _)| target)
}

/// `database.table`, each in backticks where it needs them, and what follows.
fn qualified(text: &str) -> Option<((String, String), &str)> {
    let (database, rest) = identifier(text)?;
    let (table, rest) = identifier(rest.strip_prefix('.')?)?;
    Some(((database, table), rest))
}

fn identifier(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('`') else {
        let end = text
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        return (!name.is_empty()).then(|| (name.to_owned(), rest));
    };
    let mut name = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = &quoted[at + c.len_utf8()..];
        match c {
            '`' if rest.starts_with('`') => name.extend(chars.next().map(|(_, c)| c)),
            '`' => return Some((name, rest)),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            c => name.push(c),
        }
    }
    None
}

/// The number that `name` is set to behind `SETTINGS` in an engine's definition.
pub(crate) fn setting(definition: &str, name: &str) -> Option<u64> {
    let (_, settings) = definition.rsplit_once(" SETTINGS ")?;
    settings
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| known.trim() == name)
        .and_then(|(_, value)| value.trim().trim_matches('\'').parse().ok())
}

#[cfg(test)]
mod tests {
    use spate_runtime::chain::row::DataType;

    use super::*;

    const fn column(name: &'static str) -> Column {
        Column { name, rust_type: "u8", data_type: DataType::UInt8 }
    }

    /// R114: hyphen, colon, dot and backtick in names.
    #[test]
    fn r114_every_identifier_is_quoted() {
        let columns = [column("a`b"), column("ns:attr"), column("x.y")];
        assert_eq!(
            insert("default", "my-table", &columns),
            "INSERT INTO `default`.`my-table` (`a``b`, `ns:attr`, `x.y`) FORMAT RowBinary"
        );
        assert_eq!(quoted("t; DROP TABLE x"), "`t; DROP TABLE x`");
        assert_eq!(quoted("a\\`; --"), "`a\\\\``; --`");
    }

    #[test]
    fn parameters_are_percent_encoded() {
        let mut url = "/?".to_owned();
        push_parameter(&mut url, "query", "SELECT 1 + `ü`");
        push_parameter(&mut url, "a", "b-c_d.e~");
        assert_eq!(url, "/?query=SELECT%201%20%2B%20%60%C3%BC%60&a=b-c_d.e~");
    }

    #[test]
    fn answers_are_unescaped() {
        let body = "a\\tb\tEnum8(\\'x\\' = 1)\nc\\\\d\t\n";
        assert_eq!(tab_separated(body), [["a\tb", "Enum8('x' = 1)"], ["c\\d", ""]]);
    }

    #[test]
    fn definitions_are_read() {
        assert_eq!(strings("['a','b\\'c','']"), ["a", "b'c", ""]);
        assert_eq!(strings("[]"), [""; 0]);
        let target = |text: &str| view_target(&format!("CREATE MATERIALIZED VIEW {text}"));
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(target("default.mv TO default.t (`a` UInt8) AS SELECT 1"), pair("default", "t"));
        assert_eq!(target("d.`m v` TO `x``y`.`.z` AS SELECT 1"), pair("x`y", ".z"));
        assert_eq!(target("default.mv (`a` UInt8) ENGINE = Null AS SELECT 1"), None);
        let definition =
            "MergeTree ORDER BY id SETTINGS a = 1, non_replicated_deduplication_window = 100";
        assert_eq!(setting(definition, "non_replicated_deduplication_window"), Some(100));
        assert_eq!(setting(definition, "replicated_deduplication_window"), None);
        assert_eq!(setting("MergeTree ORDER BY id", "a"), None);
    }
}

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
}

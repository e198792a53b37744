//! The words of a DDL file: names, texts, numbers and marks, without comments.
//!
//! Pure. ClickHouse's own rules: `--`, `#` and `//` to the end of a line, `/* */` that nests, names in
//! backticks or double quotes, texts in single quotes or between `$tag$`, a quote inside doubled or
//! behind a backslash.
//!
//! Source: `src/Parsers/Lexer.cpp` of ClickHouse; what the engine answers is compared in `tests.rs`.

use super::Fault;

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or keyword as it stands, or a number.
    Word,
    /// A name in quotes, without them.
    Name(String),
    /// A text, without its quotes.
    Text(String),
    /// One character of anything else.
    Mark(char),
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// As written.
    pub(super) text: &'a str,
    /// Its first byte in the file.
    pub(super) at: usize,
}

impl Token<'_> {
    /// Whether it is this keyword, in whatever case.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// Whether it is this mark.
    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// All tokens of a file.
pub(super) fn tokens(file: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut lexer = Lexer { file, at: 0 };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next()? {
        tokens.push(token);
    }
    Ok(tokens)
}

/// Comments that begin the part of a migration that undoes it: what follows is not the table.
const UNDOES: [&str; 3] = ["+goose Down", "+migrate Down", "migrate:down"];

struct Lexer<'a> {
    file: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.file.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, Fault> {
        self.skip_blank()?;
        let (rest, at) = (self.rest(), self.at);
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let kind = if let Some(tag) = heredoc(rest) {
            self.at += tag.len();
            let text = self.up_to(tag, at, "a text in `$$`")?;
            Kind::Text(text.to_owned())
        } else if is_of_word(first) {
            let len = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            self.at += len;
            Kind::Word
        } else {
            self.at += first.len_utf8();
            match first {
                '\'' => Kind::Text(self.quoted(first, at, "a text")?),
                '`' | '"' => Kind::Name(self.quoted(first, at, "a name in quotes")?),
                mark => Kind::Mark(mark),
            }
        };
        let text = self.file.get(at..self.at).unwrap_or_default();
        Ok(Some(Token { kind, text, at }))
    }

    /// Leaves blanks and comments behind.
    fn skip_blank(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            if ["--", "#", "//"]
                .iter()
                .any(|begin| trimmed.starts_with(begin))
            {
                let len = trimmed.find('\n').unwrap_or(trimmed.len());
                let undoes = UNDOES.contains(&trimmed.get(2..len).unwrap_or_default().trim());
                self.at += if undoes { trimmed.len() } else { len };
            } else if trimmed.starts_with("/*") {
                self.skip_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    /// `/* .. */`, with such comments in it.
    fn skip_comment(&mut self) -> Result<(), Fault> {
        let from = self.at;
        let mut depth = 0_usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else {
                let Some(c) = rest.chars().next() else {
                    return Err(Fault::new(from, "a comment is not closed", "write `*/`"));
                };
                self.at += c.len_utf8();
            }
        }
    }

    /// What stands before `end`, which is passed as well.
    fn up_to(&mut self, end: &str, from: usize, what: &str) -> Result<&'a str, Fault> {
        let rest = self.rest();
        let Some(len) = rest.find(end) else { return Err(not_closed(from, what, end)) };
        self.at += len + end.len();
        Ok(rest.get(..len).unwrap_or_default())
    }

    /// What stands in quotes, escapes undone.
    fn quoted(&mut self, quote: char, from: usize, what: &str) -> Result<String, Fault> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                let Some((_, escaped)) = chars.next() else { break };
                let mut digits = chars.clone().map(|(_, digit)| digit.to_digit(16));
                match (escaped, digits.next().flatten(), digits.next().flatten()) {
                    ('x', Some(high), Some(low)) => {
                        text.extend(char::from_u32(high * 16 + low));
                        chars.next();
                        chars.next();
                    }
                    _ => push_escaped(escaped, &mut text),
                }
            } else if c != quote {
                text.push(c);
            } else if chars.next_if(|(_, next)| *next == quote).is_some() {
                text.push(quote);
            } else {
                self.at += at + quote.len_utf8();
                return Ok(text);
            }
        }
        Err(not_closed(from, what, &quote.to_string()))
    }
}

fn not_closed(from: usize, what: &str, end: &str) -> Fault {
    Fault::new(from, format!("{what} is not closed"), format!("write `{end}` behind it"))
}

/// A letter, digit or `_`; `$` too, where it begins no heredoc.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// `$$` or `$tag$` at the beginning of `text`.
fn heredoc(text: &str) -> Option<&str> {
    let tag = text.strip_prefix('$')?.split('$').next()?;
    let is_tag = tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let whole = text.get(..tag.len() + 2)?;
    (is_tag && whole.ends_with('$')).then_some(whole)
}

/// An escape that stands for no other character keeps its backslash.
fn push_escaped(escaped: char, text: &mut String) {
    let meant = match escaped {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'a' => '\u{7}',
        'v' => '\u{b}',
        'e' => '\u{1b}',
        other => other,
    };
    if meant == escaped && !matches!(escaped, '\\' | '\'' | '"' | '`' | '/') {
        text.push('\\');
    }
    text.push(meant);
}

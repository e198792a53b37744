//! Walks over the tokens of a statement, or of a part of one.
//!
//! Pure; never goes back, never leaves its part.

use super::Fault;
use super::token::{Kind, Token};

/// Tokens that are still to be read.
#[derive(Clone)]
pub(super) struct Cursor<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// Where the part ends in the file.
    end: usize,
}

impl<'t, 'a> Cursor<'t, 'a> {
    /// Over all of `tokens`, which end at byte `end`.
    pub(super) const fn new(tokens: &'t [Token<'a>], end: usize) -> Self {
        Self { tokens, end }
    }

    /// An empty part at this place.
    pub(super) fn nothing(&self) -> Self {
        Self { tokens: &[], end: self.at() }
    }

    pub(super) fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.first()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// What is still to be read.
    pub(super) fn ahead(&self) -> std::slice::Iter<'t, Token<'a>> {
        self.tokens.iter()
    }

    /// Where the next token begins.
    pub(super) fn at(&self) -> usize {
        self.peek().map_or(self.end, |token| token.at)
    }

    /// The next statement; its `;` is left behind.
    pub(super) fn statement(&mut self) -> Self {
        let is_end = |token: &Token<'_>| token.is_mark(';');
        let count = self.tokens.iter().position(is_end);
        let count = count.unwrap_or(self.tokens.len());
        let tokens = self.tokens.get(..count).unwrap_or_default();
        self.skip(count);
        let part = Self { tokens, end: self.at() };
        self.skip(1);
        part
    }

    /// Leaves so many tokens behind.
    pub(super) fn skip(&mut self, count: usize) {
        self.tokens = self.tokens.get(count..).unwrap_or_default();
    }

    /// Whether these keywords come next.
    pub(super) fn sees(&self, words: &[&str]) -> bool {
        self.tokens.len() >= words.len()
            && self
                .tokens
                .iter()
                .zip(words)
                .all(|(token, word)| token.is_word(word))
    }

    /// Takes these keywords, if they come next.
    pub(super) fn words(&mut self, words: &[&str]) -> bool {
        let sees = self.sees(words);
        if sees {
            self.skip(words.len());
        }
        sees
    }

    /// Takes this mark, if it comes next.
    pub(super) fn mark(&mut self, mark: char) -> bool {
        let sees = self.peek().is_some_and(|token| token.is_mark(mark));
        if sees {
            self.skip(1);
        }
        sees
    }

    /// Whether a name or keyword comes next.
    pub(super) fn sees_name(&self) -> bool {
        matches!(self.peek().map(|token| &token.kind), Some(Kind::Word | Kind::Name(_)))
    }

    /// A name, in quotes or not; or what a tool puts one in for, as in `{db:Identifier}`.
    pub(super) fn name(&mut self) -> Result<String, Fault> {
        let name = match self.peek().map(|token| (&token.kind, token.text)) {
            Some((Kind::Word, text)) => text.to_owned(),
            Some((Kind::Name(name), _)) => name.clone(),
            Some((Kind::Mark('{'), _)) => {
                return Ok(self
                    .group('{')
                    .map_or_else(String::new, |inside| format!("{{{}}}", inside.raw())));
            }
            _ => return Err(self.unexpected("a name")),
        };
        self.skip(1);
        Ok(name)
    }

    /// `name` or `database.name`.
    pub(super) fn qualified(&mut self) -> Result<(Option<String>, String), Fault> {
        let first = self.name()?;
        if self.mark('.') { Ok((Some(first), self.name()?)) } else { Ok((None, first)) }
    }

    /// A name that may have dots in it: `n.a`.
    pub(super) fn dotted(&mut self) -> Result<String, Fault> {
        let mut name = self.name()?;
        while self.mark('.') {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name)
    }

    /// A text in single quotes.
    pub(super) fn text(&mut self) -> Result<String, Fault> {
        match self.peek().map(|token| &token.kind) {
            Some(Kind::Text(text)) => {
                self.skip(1);
                Ok(text.clone())
            }
            _ => Err(self.unexpected("a text in quotes")),
        }
    }

    /// A whole number with its sign.
    pub(super) fn number(&mut self) -> Result<i64, Fault> {
        let sign = if self.mark('-') { -1 } else { 1 };
        let number = self.peek().and_then(|token| token.text.parse::<i64>().ok());
        let Some(number) = number else { return Err(self.unexpected("a number")) };
        self.skip(1);
        Ok(sign * number)
    }

    /// What stands in brackets, if they come next: it is taken with them.
    pub(super) fn group(&mut self, open: char) -> Option<Self> {
        self.peek().filter(|token| token.is_mark(open))?;
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate() {
            depth = depth_behind(depth, token);
            if depth == 0 {
                let inside = self.tokens.get(1..index).unwrap_or_default();
                let inside = Self { tokens: inside, end: token.at };
                self.skip(index + 1);
                return Some(inside);
            }
        }
        let inside = Self { tokens: self.tokens.get(1..).unwrap_or_default(), end: self.end };
        self.skip(self.tokens.len());
        Some(inside)
    }

    /// Whether the bracket that comes next is closed in this part.
    pub(super) fn is_closed(&self) -> bool {
        let mut depth = 0_usize;
        self.tokens.iter().any(|token| {
            depth = depth_behind(depth, token);
            depth == 0
        })
    }

    /// Takes all up to the first token outside of brackets that `stops`.
    pub(super) fn until(&mut self, stops: impl Fn(&Token<'_>) -> bool) -> Self {
        let mut depth = 0_usize;
        let mut count = 0;
        for token in self.tokens {
            if depth == 0 && stops(token) {
                break;
            }
            depth = depth_behind(depth, token);
            count += 1;
        }
        let (part, rest) = self.tokens.split_at_checked(count).unwrap_or_default();
        let end = rest.first().map_or(self.end, |token| token.at);
        self.tokens = rest;
        Self { tokens: part, end }
    }

    /// The parts between commas outside of brackets; an empty last one is none.
    pub(super) fn parts(&self) -> Vec<Self> {
        let mut rest = self.clone();
        let mut parts = Vec::new();
        while !rest.is_empty() {
            parts.push(rest.until(|token| token.is_mark(',')));
            rest.skip(1);
        }
        parts
    }

    /// The tokens as one text, with blanks where the server prints them.
    pub(super) fn raw(&self) -> String {
        let mut text = String::new();
        let mut word_before = false;
        for token in self.tokens {
            let is_word = !matches!(token.kind, Kind::Mark(_));
            match token.kind {
                Kind::Mark(',') => text.push_str(", "),
                _ => {
                    if word_before && is_word {
                        text.push(' ');
                    }
                    text.push_str(token.text);
                }
            }
            word_before = is_word;
        }
        text
    }

    /// Nothing may follow.
    pub(super) fn end(&self, behind: &str) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(token) => {
                let text = format!("`{}` is not expected behind {behind}", token.text);
                Err(Fault::new(token.at, text, "is a comma missing before it?"))
            }
        }
    }

    /// The next token is not what belongs here.
    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.peek() {
            Some(token) => format!("{wanted} is expected, not `{}`", token.text),
            None => format!("{wanted} is missing"),
        };
        Fault::new(self.at(), found, "ClickHouse could not read this either")
    }
}

/// How many brackets are open behind `token`.
fn depth_behind(depth: usize, token: &Token<'_>) -> usize {
    match token.kind {
        Kind::Mark('(' | '[' | '{') => depth + 1,
        Kind::Mark(')' | ']' | '}') => depth.saturating_sub(1),
        _ => depth,
    }
}

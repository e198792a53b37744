//! Tokens as text, the way a person writes them: for messages and for the graph.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of `tokens`, without the blanks `TokenStream` puts around every token.
pub(crate) fn of(tokens: impl ToTokens) -> String {
    let mut text = Text::default();
    text.write(tokens.into_token_stream());
    text.out
}

/// What stands to the left of the next token.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Left {
    /// Nothing, or something that the next token is joined to: `.`, `&`, `(`.
    #[default]
    Joins,
    /// A name, a literal or a closing `>`: an operand ends here.
    Operand,
    /// A bracketed group, which is an operand too.
    Group,
    /// A lifetime.
    Lifetime,
    /// A keyword, `,` or an operator between operands: a blank follows.
    Parts,
}

#[derive(Default)]
struct Text {
    out: String,
    left: Left,
    in_bars: bool,
}

impl Text {
    fn write(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) => self.word(&ident.to_string()),
                TokenTree::Literal(literal) => self.word(&literal.to_string()),
                TokenTree::Group(group) => self.group(&group),
                TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                    let name = tokens.next().map(|name| name.to_string());
                    self.blank_unless(Left::Joins);
                    self.out.push('\'');
                    self.out.push_str(&name.unwrap_or_default());
                    self.left = Left::Lifetime;
                }
                TokenTree::Punct(punct) => {
                    let mut op = punct.as_char().to_string();
                    if punct.spacing() == Spacing::Joint
                        && let Some(TokenTree::Punct(next)) = tokens.peek()
                    {
                        let both = format!("{op}{}", next.as_char());
                        if ["->", "=>", "==", "!=", "..", "::"].contains(&both.as_str()) {
                            op = both;
                            tokens.next();
                        }
                    }
                    self.punct(&op);
                }
            }
        }
    }

    fn word(&mut self, word: &str) {
        self.blank_unless(Left::Joins);
        self.out.push_str(word);
        let keywords = ["as", "mut", "dyn", "impl", "in", "if", "else", "match", "return", "move"];
        self.left = if keywords.contains(&word) { Left::Parts } else { Left::Operand };
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{ ", " }"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        let braces = group.delimiter() == Delimiter::Brace;
        let parted = matches!(self.left, Left::Parts | Left::Lifetime);
        if parted || (braces && self.left != Left::Joins) {
            self.out.push(' ');
        }
        self.out.push_str(open);
        self.left = Left::Joins;
        self.write(group.stream());
        self.out.push_str(close);
        self.left = Left::Group;
    }

    fn punct(&mut self, op: &str) {
        let operand = matches!(self.left, Left::Operand | Left::Group | Left::Lifetime);
        match op {
            "," | ";" | ":" => {
                self.out.push_str(op);
                self.left = Left::Parts;
            }
            ">" => {
                self.out.push_str(op);
                self.left = Left::Operand;
            }
            "." | "::" | "<" | "?" | "#" | "!" | ".." => {
                if self.left == Left::Parts {
                    self.out.push(' ');
                }
                self.out.push_str(op);
                self.left = if op == "?" { Left::Operand } else { Left::Joins };
            }
            "|" if self.in_bars || !operand => {
                if self.left == Left::Parts && !self.in_bars {
                    self.out.push(' ');
                }
                self.out.push('|');
                self.in_bars = !self.in_bars;
                self.left = if self.in_bars { Left::Joins } else { Left::Parts };
            }
            "&" | "*" | "-" if !operand => {
                self.blank_unless(Left::Joins);
                self.out.push_str(op);
                self.left = Left::Joins;
            }
            _ => {
                self.blank_unless(Left::Joins);
                self.out.push_str(op);
                self.left = Left::Parts;
            }
        }
    }

    fn blank_unless(&mut self, left: Left) {
        if self.left != left && !self.out.is_empty() {
            self.out.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;

    #[test]
    fn types_and_closures_read_as_they_were_written() {
        for text in [
            "Kafka<Json<OrderEvent<'_>>>",
            "&'a [u8]",
            "Result<OrderLine<'_>, Overflow>",
            "|e| e.kind",
            "Kind::Placed",
            "some::path::<T>",
            "|e: &Order<'_>, meta| e.qty + 1 == -2",
            "&mut [u8; 4]",
            "fn(&'a str) -> u64",
            "impl Iterator<Item = u64> + use<'a>",
        ] {
            let tokens: TokenStream = text.parse().unwrap();
            assert_eq!(super::of(tokens), text);
        }
    }
}

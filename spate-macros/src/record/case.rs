//! How `rename_all` writes names: serde's eight cases.

/// A case, as serde names it by an example of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    pub(super) fn of(text: &str) -> Option<Self> {
        Some(match text {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// The name of a field, which is written in snake case.
    pub(super) fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(name),
            Self::Camel => lower_first(&pascal(name)),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The name of a variant, which is written in Pascal case.
    pub(super) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => lower_first(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut begins = true;
    for letter in name.chars() {
        if letter == '_' {
            begins = true;
        } else {
            out.push(if begins { letter.to_ascii_uppercase() } else { letter });
            begins = false;
        }
    }
    out
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_serde_writes_them() {
        for (case, field, variant) in [
            ("lowercase", "order_id", "orderplaced"),
            ("UPPERCASE", "ORDER_ID", "ORDERPLACED"),
            ("PascalCase", "OrderId", "OrderPlaced"),
            ("camelCase", "orderId", "orderPlaced"),
            ("snake_case", "order_id", "order_placed"),
            ("SCREAMING_SNAKE_CASE", "ORDER_ID", "ORDER_PLACED"),
            ("kebab-case", "order-id", "order-placed"),
            ("SCREAMING-KEBAB-CASE", "ORDER-ID", "ORDER-PLACED"),
        ] {
            let case = Case::of(case).unwrap();
            assert_eq!(case.field("order_id"), field);
            assert_eq!(case.variant("OrderPlaced"), variant);
        }
        assert_eq!(Case::of("Title Case"), None);
    }
}

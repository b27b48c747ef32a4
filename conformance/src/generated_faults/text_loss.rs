//! Ways in which adapters damage texts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextLoss {
    /// Combining characters are composed (a part of Unicode normalization form C).
    Composed,
    /// CR LF becomes LF.
    CarriageReturns,
    /// Joiners, other invisible characters and the byte order mark are removed.
    Invisible,
    /// HTML entities are decoded.
    Entities,
    /// What looks like a colour without its escape character is removed.
    BareColours,
    /// Tabs become spaces.
    Tabs,
    /// Several spaces become one.
    SpaceRuns,
}

impl TextLoss {
    /// Every loss with the name of its fault.
    pub(super) const ALL: [(Self, &'static str); 7] = [
        (Self::Composed, "composed"),
        (Self::CarriageReturns, "no_carriage_return"),
        (Self::Invisible, "no_invisible"),
        (Self::Entities, "entities_decoded"),
        (Self::BareColours, "no_bare_colour"),
        (Self::Tabs, "no_tab"),
        (Self::SpaceRuns, "single_spaces"),
    ];

    /// The damaged value; texts at any depth are damaged.
    pub(super) fn damage(self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.damage_text(text)),
            Value::Array(items) => items.iter().map(|item| self.damage(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), self.damage(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn damage_text(self, text: &str) -> String {
        match self {
            Self::Composed => compose(text),
            Self::CarriageReturns => text.replace("\r\n", "\n"),
            Self::Invisible => text.replace(is_invisible, ""),
            Self::Entities => decode_entities(text),
            Self::BareColours => remove_bare_colours(text),
            Self::Tabs => text.replace('\t', "    "),
            Self::SpaceRuns => single_spaces(text),
        }
    }
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Composes the letters that occur in test texts; a complete table is not needed to lose one.
fn compose(text: &str) -> String {
    const COMPOSED: [(&str, &str); 10] = [
        ("e\u{301}", "é"),
        ("a\u{301}", "á"),
        ("o\u{301}", "ó"),
        ("a\u{308}", "ä"),
        ("o\u{308}", "ö"),
        ("u\u{308}", "ü"),
        ("A\u{30a}", "Å"),
        ("n\u{303}", "ñ"),
        ("e\u{300}", "è"),
        ("c\u{327}", "ç"),
    ];
    COMPOSED.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

fn decode_entities(text: &str) -> String {
    const ENTITIES: [(&str, &str); 5] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    ENTITIES.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Removes `[31m` and similar.
fn remove_bare_colours(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('[') {
        let (before, from_bracket) = rest.split_at(start);
        clean.push_str(before);
        let body = &from_bracket[1..];
        let digits = body.find(|character: char| !character.is_ascii_digit() && character != ';');
        match digits {
            Some(end) if end > 0 && body[end..].starts_with('m') => rest = &body[end + 1..],
            _ => {
                clean.push('[');
                rest = body;
            }
        }
    }
    clean + rest
}

fn single_spaces(text: &str) -> String {
    let mut previous = ' ';
    let mut single = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        if character != ' ' || previous != ' ' || index == 0 {
            single.push(character);
        }
        previous = character;
    }
    single
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loss_damages_its_characters_only() {
        let plain = Value::from("plain [text] 1; ü\n");
        for (loss, name) in TextLoss::ALL {
            assert_eq!(loss.damage(&plain), plain, "{name}");
        }
        let check = |loss: TextLoss, text: &str, damaged: &str| {
            assert_eq!(loss.damage(&Value::from(text)), damaged, "{loss:?}");
        };
        check(TextLoss::Composed, "cafe\u{301}", "café");
        check(TextLoss::CarriageReturns, "a\r\nb\r", "a\nb\r");
        check(TextLoss::Invisible, "\u{feff}a\u{200d}b", "ab");
        check(TextLoss::Entities, "&lt;p&gt;", "<p>");
        check(TextLoss::BareColours, "[31mred[0m [x] [1m", "red [x] ");
        check(TextLoss::Tabs, "\t", "    ");
        check(TextLoss::SpaceRuns, "  a   b", " a b");
    }
}

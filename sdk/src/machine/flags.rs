//! The flags that an agent CLI lists in its help.

use std::collections::BTreeSet;

/// The long flags of help pages, with their dashes.
///
/// A flag that is listed exists. A flag that is not listed may be hidden (several agent CLIs hide
/// the ones adapters need most), so decide by the version for a flag that is known to be hidden.
///
/// ```
/// use od_sdk::Flags;
///
/// let flags = Flags::parse("Usage: acme [--verbose] --model=<id>\n  --[no-]color");
/// assert!(flags.contains("--model") && flags.contains("--no-color"));
/// assert!(!flags.contains("--effort"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    names: BTreeSet<String>,
}

impl Flags {
    /// Parses a help page: `--flag`, `--flag=VALUE`, and `--[no-]flag` as both of its forms.
    pub fn parse(text: &str) -> Self {
        let text = anstream::adapter::strip_str(text).to_string();
        let mut names = BTreeSet::new();
        for (index, dashes) in text.match_indices("--") {
            let is_bounded = text[..index].chars().next_back().is_none_or(can_precede_flag);
            let rest = &text[index + dashes.len()..];
            match rest.strip_prefix("[no-]") {
                _ if !is_bounded => {}
                Some(rest) => {
                    names.extend(flag_name(rest).map(|name| format!("--{name}")));
                    names.extend(flag_name(rest).map(|name| format!("--no-{name}")));
                }
                None => names.extend(flag_name(rest).map(|name| format!("--{name}"))),
            }
        }
        Self { names }
    }

    /// Whether a help page lists the flag, given with its dashes.
    pub fn contains(&self, flag: &str) -> bool {
        self.names.contains(flag)
    }

    /// Whether no flag was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The flags as plain names.
    pub(crate) fn into_names(self) -> BTreeSet<String> {
        self.names
    }

    pub(crate) fn from_names(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect() }
    }
}

fn can_precede_flag(before: char) -> bool {
    before.is_whitespace() || "[(<{|,/'\"`".contains(before)
}

fn flag_name(text: &str) -> Option<&str> {
    let in_name = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let length = text.find(|character| !in_name(character)).unwrap_or(text.len());
    let name = text[..length].trim_end_matches(['-', '_', '.']);
    name.starts_with(|first: char| first.is_ascii_alphanumeric()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_page_flags_are_parsed() {
        let flags = Flags::parse(
            "Usage: x [--verbose|--quiet] -m,--model <id>\n\
             \x1b[1m  --output-format\x1b[0m=<text|json>  see --input-format.\n\
             \x20 --[no-]color   'use --effort'\n  a -- b ---- c-- x--y",
        );
        let names: Vec<&str> = flags.names.iter().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "--color",
                "--effort",
                "--input-format",
                "--model",
                "--no-color",
                "--output-format",
                "--quiet",
                "--verbose"
            ]
        );
        assert!(flags.contains("--effort"));
        assert!(!flags.contains("--eff") && !flags.contains("effort"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_parses(text: String) {
            assert!(Flags::parse(&text).names.iter().all(|name| name.starts_with("--")));
        }
    }
}

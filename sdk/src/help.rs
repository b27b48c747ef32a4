//! The flags an agent CLI names in its help.
//!
//! The rule for adapters: a flag that is named is there. A flag that is *not* named may be hidden
//! (several agent CLIs hide the ones we need most), so absence alone proves nothing: decide by the
//! version for a flag that is known to be hidden.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::probe::ask::{End, Question, ask};
use crate::probe::cache;
use crate::{Install, Machine};

/// How long one help page may take.
pub const LIMIT: Duration = Duration::from_secs(3);

/// The long flags that help pages name, with their dashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    names: BTreeSet<String>,
}

impl Flags {
    /// Reads a help page: `--flag`, `--flag=VALUE`, and `--[no-]flag` as both of its forms.
    pub fn parse(text: &str) -> Self {
        let text = anstream::adapter::strip_str(text).to_string();
        let mut names = BTreeSet::new();
        for (index, dashes) in text.match_indices("--") {
            let bounded = text[..index].chars().next_back().is_none_or(begins_a_word);
            let rest = &text[index + dashes.len()..];
            match rest.strip_prefix("[no-]") {
                _ if !bounded => {}
                Some(rest) => {
                    names.extend(flag_name(rest).map(|name| format!("--{name}")));
                    names.extend(flag_name(rest).map(|name| format!("--no-{name}")));
                }
                None => names.extend(flag_name(rest).map(|name| format!("--{name}"))),
            }
        }
        Self { names }
    }

    /// Whether a help page names the flag, given with its dashes.
    pub fn knows(&self, flag: &str) -> bool {
        self.names.contains(flag)
    }

    pub(crate) fn from_names(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect() }
    }
}

/// Forgets the help pages of a file: the next [`probe`] asks again.
pub(crate) fn forget(install: &Install, machine: &Machine) {
    cache::remember(machine, &install.path, |answers| answers.help.clear());
}

/// Asks for one help page (`["--help"]`, `["exec", "--help"]`), at most once as long as the file
/// stays the same, and returns the flags of all pages that were asked for so far. It starts the
/// agent CLI: call it from a detection, never on the way of a run, where
/// [`Install::flags`](crate::Install) holds what was learnt.
pub fn probe(
    install: &Install,
    machine: &Machine,
    page: &[&str],
    limit: Duration,
) -> Option<Flags> {
    let key = page.join(" ");
    let mut answers = cache::recall(machine, &install.path);
    if answers.help.contains_key(&key) {
        return answers.flags();
    }
    let names = ask_for_page(install, machine, page, limit)?.names;
    cache::remember(machine, &install.path, |kept| {
        kept.help.insert(key.clone(), names.clone());
    });
    answers.help.insert(key, names);
    answers.flags()
}

/// `None` when the page did not come whole: half a page would deny flags that are there.
fn ask_for_page(
    install: &Install,
    machine: &Machine,
    page: &[&str],
    limit: Duration,
) -> Option<Flags> {
    match ask(&Question::to_cli(install, page, limit), machine) {
        Ok(answer) if matches!(answer.end, End::Exited(_)) => {
            let mut text = String::from_utf8_lossy(&answer.stdout).into_owned();
            text.push('\n');
            text.push_str(&String::from_utf8_lossy(&answer.stderr));
            Some(Flags::parse(&text)).filter(|flags| !flags.names.is_empty())
        }
        Ok(answer) => {
            tracing::debug!(end = ?answer.end, ?page, "the help page did not come whole");
            None
        }
        Err(error) => {
            tracing::debug!(%error, ?page, "the agent CLI does not start");
            None
        }
    }
}

fn begins_a_word(before: char) -> bool {
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
    fn flags_of_a_page() {
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
        assert!(flags.knows("--effort"));
        assert!(!flags.knows("--eff") && !flags.knows("effort"));
    }

    proptest::proptest! {
        #[test]
        fn no_page_is_a_failure(text: String) {
            assert!(Flags::parse(&text).names.iter().all(|name| name.starts_with("--")));
        }
    }
}

//! Versions of agent CLIs: parses them from free text and compares them. The installed version comes
//! from `metadata` (files) or `query` (`--version`, a last resort).

mod metadata;
mod npm;
mod python;
mod query;
mod shim;

pub use metadata::{Installer, Metadata, from_metadata};
pub(crate) use query::{is_recent, query};

use std::cmp::Ordering;

use od_protocol::{CliInfo, TestedVersion};

/// Pre-release names: a version with one is older than the same version without it.
const PRE_RELEASE_WORDS: &[&str] = &[
    "alpha",
    "beta",
    "rc",
    "pre",
    "preview",
    "dev",
    "nightly",
    "canary",
    "next",
    "snapshot",
    "insiders",
    "experimental",
];

/// Python's short forms, directly after the number: `1.0rc1`, `1.0b2`.
const SHORT_PRE_RELEASE_WORDS: &[&str] = &["a", "b", "c", "rc", "dev", "alpha", "beta", "pre"];

/// A version that can be compared: any number of numeric parts and an optional pre-release suffix.
/// Other suffixes (a build, a commit, a platform) do not count.
///
/// ```
/// use od_sdk::probe::version::CliVersion;
///
/// let parse = |text| CliVersion::parse(text).expect("a version");
/// assert!(parse("1.10.0") > parse("1.9"));
/// assert!(parse("1.0rc1") < parse("1.0.0"));
/// assert!(parse("2025.09.18-7ae6800") == parse("2025.09.18"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliVersion {
    numbers: Vec<u64>,
    pre_release: Vec<Identifier>,
}

/// A part of a pre-release suffix; numbers come before words, as in semver.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(String),
}

impl CliVersion {
    /// Parses `1.2.3`, `v22`, `2025.09.18-7ae6800`, `1.0rc1`, `0.1.0-beta.2+build`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let length = numeric_length(text);
        let (numeric, tail) = text.split_at(length);
        let numbers: Vec<u64> =
            numeric.split('.').map(|part| part.parse().unwrap_or(u64::MAX)).collect();
        (length > 0).then(|| Self { numbers, pre_release: pre_release(tail) })
    }
}

impl Ord for CliVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        let parts = self.numbers.len().max(other.numbers.len());
        let part = |version: &Self, index| version.numbers.get(index).copied().unwrap_or(0);
        (0..parts)
            .map(|index| part(self, index).cmp(&part(other, index)))
            .find(|ordering| ordering.is_ne())
            .unwrap_or_else(|| {
                let released = |version: &Self| version.pre_release.is_empty();
                released(self)
                    .cmp(&released(other))
                    .then_with(|| self.pre_release.cmp(&other.pre_release))
            })
    }
}

impl PartialOrd for CliVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns whether an installed version is at least the manifest's minimum; `None` when the version
/// is unknown. Without a valid minimum every version is new enough.
pub fn meets_minimum(version: Option<&str>, cli: &CliInfo) -> Option<bool> {
    let version = CliVersion::parse(version?)?;
    let minimum = cli.version_min.as_deref().and_then(CliVersion::parse);
    Some(minimum.is_none_or(|minimum| version >= minimum))
}

/// Compares an installed version with the one the adapter was tested with.
pub fn against_tested(version: Option<&str>, cli: &CliInfo) -> Option<TestedVersion> {
    let version = CliVersion::parse(version?)?;
    let tested = CliVersion::parse(cli.version_tested.as_deref()?)?;
    Some(match version.cmp(&tested) {
        Ordering::Less => TestedVersion::Older,
        Ordering::Equal => TestedVersion::Same,
        Ordering::Greater => TestedVersion::Newer,
    })
}

/// Finds the version in the output of a program. Warnings of an interpreter are skipped; a line that
/// starts with a version or names the program is preferred.
pub fn find_in_text(text: &str, program: &str) -> Option<String> {
    let text = anstream::adapter::strip_str(text).to_string();
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_warning(line)).collect();
    let program = program.to_lowercase();
    let starts = |line: &&&str| version_at(line.strip_prefix('v').unwrap_or(line)).is_some();
    let named = |line: &&&str| line.to_lowercase().contains(&program);
    let best = lines.iter().filter(starts).chain(lines.iter().filter(named)).chain(&lines);
    let mut best = best.copied();
    best.find_map(version_in_line).or_else(|| lines.first().and_then(|line| bare_number(line)))
}

fn is_warning(line: &str) -> bool {
    let line = line.to_lowercase();
    ["warning", "warn", "(node:", "(use `node", "error", "deprecat", "update available"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Finds the first dotted version of a line.
fn version_in_line(line: &str) -> Option<String> {
    line.char_indices().find_map(|(index, _)| {
        let before = &line[..index];
        let before = before.strip_suffix(['v', 'V']).unwrap_or(before);
        let bounded = before
            .chars()
            .next_back()
            .is_none_or(|character| character.is_whitespace() || "(/@\"'`=[".contains(character));
        let version = bounded.then(|| version_at(&line[index..])).flatten()?;
        Some(version.to_owned())
    })
}

/// Returns the dotted version at the start of a text, without punctuation after it.
fn version_at(text: &str) -> Option<&str> {
    let length = numeric_length(text);
    if !text[..length].contains('.') {
        return None;
    }
    let tail = &text[length..];
    let tail_length = tail
        .find(|character: char| !character.is_ascii_alphanumeric() && !"-+._~".contains(character))
        .unwrap_or(tail.len());
    let tail = tail[..tail_length].trim_end_matches(|character: char| "-+._~".contains(character));
    let attached = leading_letters(tail);
    let is_version =
        attached.is_empty() || SHORT_PRE_RELEASE_WORDS.contains(&attached.to_lowercase().as_str());
    is_version.then(|| &text[..length + tail.len()])
}

/// Returns `7` for a line that is only `7` or `v7`.
fn bare_number(line: &str) -> Option<String> {
    let digits = line.strip_prefix('v').unwrap_or(line);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.to_owned())
}

/// Returns the length of `digits(.digits)*` at the start.
fn numeric_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    while length > 0 && bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    length
}

fn leading_letters(text: &str) -> &str {
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    &text[..length]
}

fn pre_release(tail: &str) -> Vec<Identifier> {
    let tail = tail.split('+').next().unwrap_or_default().to_lowercase();
    let body = tail.trim_start_matches(['-', '.', '_', '~']);
    let words = if body.len() == tail.len() { SHORT_PRE_RELEASE_WORDS } else { PRE_RELEASE_WORDS };
    if !words.contains(&leading_letters(body)) {
        return Vec::new();
    }
    body.split(['-', '.', '_'])
        .flat_map(|part| {
            let (word, number) = part.split_at(leading_letters(part).len());
            [word, number]
        })
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().map_or_else(|_| Identifier::Word(part.into()), Identifier::Number))
        .collect()
}

#[cfg(test)]
mod tests;

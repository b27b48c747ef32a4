//! Known failures: checks that fail for a documented reason, listed in the pack or in a baseline
//! file. The list is strict: entries that pass, have expired or name no check are failures, so that
//! the list stays current.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::civil::Date;
use serde::Deserialize;
use toml::Spanned;
use toml::value::Datetime;

use crate::check::{Check, Status};
use crate::pack::{Pack, PackError};

/// The checks that are known to fail, by id.
#[derive(Debug, Clone, Default)]
pub struct KnownFailures {
    entries: BTreeMap<String, KnownFailure>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownFailure {
    /// The file, and the line if known.
    listed_at: String,
    reason: String,
    link: Option<String>,
    /// The last day on which the failure is accepted.
    expires: Option<Date>,
}

/// The format of a baseline file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    #[serde(default)]
    known_failure: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Spanned<String>,
    reason: String,
    link: Option<String>,
    expires: Option<Datetime>,
}

impl KnownFailures {
    /// Returns the known failures of a pack.
    pub fn from_pack(pack: &Pack) -> Self {
        Self::listed_in(pack, &pack.settings.known_failures)
    }

    /// Returns the known failures of a table in the pack: id = reason.
    pub fn listed_in(pack: &Pack, table: &BTreeMap<String, String>) -> Self {
        let listed_at = pack.settings_file().display().to_string();
        let entry = |(id, reason): (&String, &String)| {
            let known = KnownFailure {
                listed_at: listed_at.clone(),
                reason: reason.clone(),
                link: None,
                expires: None,
            };
            (id.clone(), known)
        };
        Self { entries: table.iter().map(entry).collect() }
    }

    /// Adds the entries of a baseline file; they take precedence.
    ///
    /// # Errors
    /// When it cannot be read or parsed, with file and line.
    pub fn add_file(&mut self, file: &Path) -> Result<(), PackError> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| PackError::file(file, format!("cannot be read: {error}")))?;
        let mut own = BTreeMap::new();
        for (id, known) in parse(file, &text)? {
            let location = known.listed_at.clone();
            if own.insert(id.clone(), known).is_some() {
                return Err(PackError::file(
                    file,
                    format!("{id} is listed twice, also at {location}"),
                ));
            }
        }
        self.entries.extend(own);
        Ok(())
    }

    /// Returns the entries that name no check of the suite.
    pub fn unknown_checks(&self, checks: &[Check]) -> Vec<String> {
        let is_known = |id: &str| checks.iter().any(|check| check.id == id);
        let unknown = self.entries.iter().filter(|(id, _)| !is_known(id));
        unknown.map(|(id, known)| format!("{}: unknown check {id}", known.listed_at)).collect()
    }

    /// Applies the list to the status of a check and returns the new status with a remark.
    pub fn apply(&self, id: &str, status: Status, today: Date) -> (Status, Option<String>) {
        let Some(known) = self.entries.get(id) else { return (status, None) };
        let location = &known.listed_at;
        let link = known.link.as_ref().map(|link| format!(" ({link})")).unwrap_or_default();
        let expired = known.expires.filter(|last| *last < today);
        match (status, expired) {
            (Status::SuiteError, _) => (status, None),
            (_, Some(last)) => {
                let text = format!("{location}: accepted until {last}: {}{link}", known.reason);
                (Status::Stale, Some(text))
            }
            (Status::Pass, None) => {
                let text = format!("it passes, but {location} lists it as a known failure");
                (Status::Stale, Some(text))
            }
            (Status::Skip, None) => (status, None),
            (_, None) => {
                (Status::KnownFailure, Some(format!("{location}: {}{link}", known.reason)))
            }
        }
    }
}

/// Returns the current date in UTC, so that a baseline expires at the same time everywhere.
pub fn today() -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn parse(file: &Path, text: &str) -> Result<Vec<(String, KnownFailure)>, PackError> {
    let line_at = |offset: usize| text[..offset].matches('\n').count() + 1;
    let written: BaselineFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_at(span.start));
        PackError::at(file, line, error.message())
    })?;
    let read = |entry: Entry| {
        let line = line_at(entry.id.span().start);
        if entry.reason.trim().is_empty() {
            return Err(PackError::at(file, line, "the reason is missing"));
        }
        let expires = entry.expires.map(|when| {
            day(&when).ok_or_else(|| {
                PackError::at(file, line, "`expires` is not a date such as 2027-01-31")
            })
        });
        let known = KnownFailure {
            listed_at: format!("{}:{line}", file.display()),
            reason: entry.reason,
            link: entry.link,
            expires: expires.transpose()?,
        };
        Ok((entry.id.into_inner(), known))
    };
    written.known_failure.into_iter().map(read).collect()
}

fn day(when: &Datetime) -> Option<Date> {
    let date = when.date?;
    let number = |value: u8| i8::try_from(value).ok();
    Date::new(i16::try_from(date.year).ok()?, number(date.month)?, number(date.day)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# why\n[[known_failure]]\nid = \"ENC-03\"\nreason = \"cut\"\n\
                        link = \"https://example.org/7\"\nexpires = 2026-06-30\n\
                        [[known_failure]]\nid = \"ODD-99\"\nreason = \"old\"\n";

    fn known() -> KnownFailures {
        let entries = parse(Path::new("b.toml"), TEXT).expect("it can be parsed");
        KnownFailures { entries: entries.into_iter().collect() }
    }

    fn apply_on(status: Status, today: &str) -> (Status, String) {
        let today = today.parse().expect("a day");
        let (status, remark) = known().apply("ENC-03", status, today);
        (status, remark.unwrap_or_default())
    }

    #[test]
    fn entry_is_known_until_expiry_and_stale_after() {
        let expected = "b.toml:3: cut (https://example.org/7)".to_owned();
        assert_eq!(apply_on(Status::Fail, "2026-06-30"), (Status::KnownFailure, expected));
        let (status, remark) = apply_on(Status::Fail, "2026-07-01");
        assert_eq!(status, Status::Stale);
        assert!(remark.contains("accepted until 2026-06-30"), "{remark}");
        assert_eq!(apply_on(Status::Pass, "2026-01-01").0, Status::Stale);
        assert_eq!(apply_on(Status::Skip, "2026-01-01").0, Status::Skip);
        assert_eq!(apply_on(Status::SuiteError, "2027-01-01").0, Status::SuiteError);
    }

    #[test]
    fn entry_without_check_is_reported() {
        let unknown = known().unknown_checks(&crate::checks::all());
        assert_eq!(unknown, ["b.toml:8: unknown check ODD-99"]);
    }

    #[test]
    fn errors_contain_their_line() {
        let check = |text: &str, wanted: &str| {
            let error = parse(Path::new("b.toml"), text).expect_err("it is invalid");
            assert!(error.to_string().contains(wanted), "{error}");
        };
        check("\ncolour = 1\n", "b.toml:2: unknown field `colour`");
        check("[[known_failure]]\nid = \"A-1\"\nreason = \" \"\n", "b.toml:2: the reason");
        let text = "[[known_failure]]\nid = \"A-1\"\nreason = \"r\"\nexpires = 10:00:00\n";
        check(text, "b.toml:2: `expires` is not a date");
    }
}

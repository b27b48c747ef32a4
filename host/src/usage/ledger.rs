//! The ledger's files: `usage/YYYY-MM.jsonl`. Rows are appended, and read from the newest to the oldest. The month is
//! that of `endedAt` in UTC, so that a file's name does not depend on the time zone.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::os;
use super::row::{self, LedgerRow};
use crate::error::HostError;
use crate::files::{LinesFromEnd, names_in};
use crate::home::{OdHome, make_private_folder};

/// Bytes that are read at once to find an incomplete last line.
const CHUNK_BYTES: u64 = 64 * 1024;

/// A time span in milliseconds since 1970; the end is exclusive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    pub(super) since: u64,
    pub(super) until: u64,
}

impl Period {
    /// All of time.
    pub(super) const ALL: Self = Self { since: 0, until: u64::MAX };

    pub(super) fn contains(self, time: u64) -> bool {
        (self.since..self.until).contains(&time)
    }
}

/// The state of one file of the ledger, for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LedgerFile {
    pub(crate) path: PathBuf,
    /// The number of valid rows.
    pub(crate) rows: u64,
    /// The number of lines that cannot be parsed.
    pub(crate) unread: u64,
}

/// Checks each file of the ledger, the newest first.
pub(crate) fn examine(home: &OdHome) -> Result<Vec<LedgerFile>, HostError> {
    let mut files = Vec::new();
    for path in months(home, Period::ALL)? {
        let mut rows = 0;
        let unread = read_month(&path, &mut |_| {
            rows += 1;
            true
        })?;
        files.push(LedgerFile { path, rows, unread });
    }
    Ok(files)
}

/// Appends the rows of one run in one write.
pub(super) fn append(home: &OdHome, rows: &[LedgerRow<'_>]) -> std::io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let mut lines = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut lines, row)?;
        lines.push(b'\n');
    }
    make_private_folder(&home.usage())?;
    let mut file = os::open_exclusive(&file_of(home, first.ended_at))?;
    remove_incomplete_line(&mut file)?;
    file.write_all(&lines)
}

/// Calls `visit` with the rows of a period, those of the newest run first, until it returns `false`. Of a run that was
/// recorded twice only the newer rows count. Returns the number of lines that cannot be parsed.
pub(super) fn read(
    home: &OdHome,
    period: Period,
    visit: &mut dyn FnMut(&LedgerRow<'_>) -> bool,
) -> Result<u64, HostError> {
    let mut unread = 0;
    let mut is_finished = false;
    let mut seen = Seen::default();
    for path in months(home, period)? {
        unread += read_month(&path, &mut |row| {
            is_finished = period.contains(row.ended_at) && seen.is_new(row) && !visit(row);
            !is_finished
        })?;
        if is_finished {
            break;
        }
    }
    Ok(unread)
}

/// The rows that were visited, as hashes to save memory.
#[derive(Default)]
struct Seen {
    state: RandomState,
    hashes: HashSet<u64>,
}

impl Seen {
    fn is_new(&mut self, row: &LedgerRow<'_>) -> bool {
        self.hashes.insert(self.state.hash_one((&row.run_id, row.attempt, &row.model)))
    }
}

fn read_month(
    path: &Path,
    visit: &mut dyn FnMut(&LedgerRow<'_>) -> bool,
) -> Result<u64, HostError> {
    let failed = |error: std::io::Error| HostError::file("read the usage ledger", path, &error);
    let mut lines = File::open(path).and_then(LinesFromEnd::open).map_err(failed)?;
    let mut unread = 0;
    while let Some(line) = lines.next().map_err(failed)? {
        match row::parse(line) {
            Some(row) if !visit(&row) => break,
            Some(_) => {}
            None => unread += 1,
        }
    }
    Ok(unread)
}

/// The files that can contain rows of a period, the newest first.
fn months(home: &OdHome, period: Period) -> Result<Vec<PathBuf>, HostError> {
    let folder = home.usage();
    let mut names = names_in(&folder)
        .map_err(|error| HostError::file("read the usage ledger", &folder, &error))?;
    let (first, last) = (month(period.since), month(period.until.saturating_sub(1)));
    names.retain(|name| {
        let month = name.strip_suffix(".jsonl").filter(|month| is_month(month));
        month.is_some_and(|month| (first.as_str()..=last.as_str()).contains(&month))
    });
    names.sort_unstable_by(|left, right| right.cmp(left));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

fn is_month(name: &str) -> bool {
    let shape =
        |(index, byte): (usize, u8)| if index == 4 { byte == b'-' } else { byte.is_ascii_digit() };
    name.len() == 7 && name.bytes().enumerate().all(shape)
}

fn file_of(home: &OdHome, time: u64) -> PathBuf {
    home.usage().join(format!("{}.jsonl", month(time)))
}

/// `2026-11`. A time beyond the calendar gives its last month.
fn month(time: u64) -> String {
    let time = i64::try_from(time).ok();
    let time = time.and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    let date = time.unwrap_or(jiff::Timestamp::MAX).to_zoned(TimeZone::UTC).date();
    format!("{:04}-{:02}", date.year(), date.month())
}

/// Removes the incomplete last line of a host that died while it wrote a row, so that the next row starts a new line.
fn remove_incomplete_line(file: &mut File) -> std::io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(CHUNK_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut chunk = Vec::new();
        (&*file).take(end - start).read_to_end(&mut chunk)?;
        if let Some(found) = memchr::memrchr(b'\n', &chunk) {
            end = start + found as u64 + 1;
            break;
        }
        end = start;
    }
    if end < length { file.set_len(end) } else { Ok(()) }
}

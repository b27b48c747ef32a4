//! The ledger's files: `usage/YYYY-MM.jsonl`, rows appended and read back from the newest on. The month is the one
//! of `endedAt` in UTC, so that a file's name does not depend on where the host is.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::lines::LinesFromEnd;
use super::os;
use super::row::{self, LedgerRow};
use crate::error::HostError;
use crate::home::{OdHome, make_private_folder};

/// How much of a file's end is looked at for half a line at once.
const CHUNK: u64 = 64 * 1024;

/// A span of time in milliseconds since 1970; the end is outside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    pub(super) since: u64,
    pub(super) until: u64,
}

impl Period {
    /// All of time.
    pub(super) const ALL: Self = Self { since: 0, until: u64::MAX };

    pub(super) fn contains(self, moment: u64) -> bool {
        (self.since..self.until).contains(&moment)
    }
}

/// How a file of the ledger is, for `doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The file.
    pub(crate) path: PathBuf,
    /// Rows that can be read.
    pub(crate) rows: u64,
    /// Lines that cannot.
    pub(crate) unread: u64,
}

/// How each file of the ledger is, the newest first.
pub(crate) fn examine(home: &OdHome) -> Result<Vec<Condition>, HostError> {
    let mut conditions = Vec::new();
    for path in months(home, Period::ALL)? {
        let mut condition = Condition { path, rows: 0, unread: 0 };
        let path = condition.path.clone();
        condition.unread = read_month(&path, &mut |_| {
            condition.rows += 1;
            true
        })?;
        conditions.push(condition);
    }
    Ok(conditions)
}

/// Appends the rows of one run, all of them in one write.
pub(super) fn append(home: &OdHome, rows: &[LedgerRow<'_>]) -> std::io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let mut lines = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut lines, row)?;
        lines.push(b'\n');
    }
    make_private_folder(&home.usage())?;
    let mut file = os::open_alone(&file_of(home, first.ended_at))?;
    take_back_half_a_line(&mut file)?;
    file.write_all(&lines)
}

/// Tells the rows of a period, those of the newest run first, until `told` says that it has enough; of a run that
/// was entered twice only the newer entry. Returns how many lines cannot be read.
pub(super) fn read(
    home: &OdHome,
    period: Period,
    told: &mut dyn FnMut(&LedgerRow<'_>) -> bool,
) -> Result<u64, HostError> {
    let mut unread = 0;
    let mut enough = false;
    let mut seen = Seen::default();
    for path in months(home, period)? {
        unread += read_month(&path, &mut |row| {
            enough = period.contains(row.ended_at) && seen.is_new(row) && !told(row);
            !enough
        })?;
        if enough {
            break;
        }
    }
    Ok(unread)
}

/// The rows that were told already, as hashes: a few bytes for each.
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

fn read_month(path: &Path, told: &mut dyn FnMut(&LedgerRow<'_>) -> bool) -> Result<u64, HostError> {
    let failed = |error: std::io::Error| {
        HostError::storage(format!("cannot read the usage ledger {}", path.display()), &error)
    };
    let mut lines = File::open(path).and_then(LinesFromEnd::open).map_err(failed)?;
    let mut unread = 0;
    while let Some(line) = lines.next().map_err(failed)? {
        match row::read(line) {
            Some(row) if !told(&row) => break,
            Some(_) => {}
            None => unread += 1,
        }
    }
    Ok(unread)
}

/// The files that can hold rows of a period, the newest first.
fn months(home: &OdHome, period: Period) -> Result<Vec<PathBuf>, HostError> {
    let folder = home.usage();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let tried = format!("cannot read the usage ledger {}", folder.display());
            return Err(HostError::storage(tried, &error));
        }
    };
    let (first, last) = (month(period.since), month(period.until.saturating_sub(1)));
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.strip_suffix(".jsonl").is_some_and(is_month))
        .filter(|name| (first.as_str()..=last.as_str()).contains(&&name[..name.len() - 6]))
        .collect();
    names.sort_unstable_by(|left, right| right.cmp(left));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

fn is_month(name: &str) -> bool {
    let shape =
        |(index, byte): (usize, u8)| if index == 4 { byte == b'-' } else { byte.is_ascii_digit() };
    name.len() == 7 && name.bytes().enumerate().all(shape)
}

fn file_of(home: &OdHome, moment: u64) -> PathBuf {
    home.usage().join(format!("{}.jsonl", month(moment)))
}

/// `2026-11`. What is beyond all calendars is the last month of them.
fn month(moment: u64) -> String {
    let moment = i64::try_from(moment).ok();
    let moment = moment.and_then(|moment| jiff::Timestamp::from_millisecond(moment).ok());
    let date = moment.unwrap_or(jiff::Timestamp::MAX).to_zoned(TimeZone::UTC).date();
    format!("{:04}-{:02}", date.year(), date.month())
}

/// A host that died in the middle of a row has left half a line: the next row must not be glued to it.
fn take_back_half_a_line(file: &mut File) -> std::io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
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

//! The summary as CSV: one line per group, no totals.

use od_host::HostError;
use od_protocol::api::{UsageRow, UsageSummary};

/// The names of the API; also printed without rows.
const HEADER: [&str; 9] = [
    "group",
    "runs",
    "inputTokens",
    "outputTokens",
    "cacheReadTokens",
    "cacheWriteTokens",
    "totalTokens",
    "costUsd",
    "runsWithoutCost",
];

/// The rows as CSV. A missing cost is an empty cell.
pub(super) fn text(summary: &UsageSummary) -> Result<Vec<u8>, HostError> {
    write(&summary.rows)
        .map_err(|error| HostError::storage("cannot write CSV", &std::io::Error::other(error)))
}

fn write(rows: &[UsageRow]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(HEADER)?;
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_matches_row_members() {
        let row = UsageRow { group: "a, b".to_owned(), runs: 2, ..UsageRow::default() };
        let mut named = csv::Writer::from_writer(Vec::new());
        named.serialize(&row).expect("a row");
        let named = named.into_inner().expect("memory");
        assert_eq!(write(&[row]).expect("CSV"), named);
        let text = String::from_utf8(named).expect("UTF-8");
        assert!(text.ends_with("\n\"a, b\",2,0,0,0,0,0,,0\n"), "{text}");
    }
}

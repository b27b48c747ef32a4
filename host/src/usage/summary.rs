//! Sums of the ledger by agent, model, provider, credential or day. Only one row is in memory at a time.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::tz::TimeZone;
use od_protocol::api::{SummarizeUsageParams, UsageGroup, UsageRow, UsageSummary};

use super::ledger::{self, Period};
use super::row::LedgerRow;
use crate::error::HostError;
use crate::home::OdHome;

/// Sums are rounded to nine digits, which removes the errors of floating-point addition.
const COST_PRECISION: f64 = 1e9;

/// Sums up the ledger; days are those of the time zone.
///
/// # Errors
/// When the period ends before it begins, or the ledger cannot be read.
pub fn summarize(
    home: &OdHome,
    params: &SummarizeUsageParams,
    zone: &TimeZone,
) -> Result<UsageSummary, HostError> {
    let period = Period {
        since: params.since.unwrap_or(Period::ALL.since),
        until: params.until.unwrap_or(Period::ALL.until),
    };
    if period.since >= period.until {
        return Err(HostError::usage("the period ends before it begins")
            .with_hint("choose a start (`since`) that is earlier than the end (`until`)"));
    }
    let by = params.by.unwrap_or(UsageGroup::Agent);
    let mut groups: HashMap<String, Sum> = HashMap::new();
    let mut total = Sum::default();
    let unread_lines = ledger::read(home, period, &mut |row| {
        let name = group(by, row, zone);
        match groups.get_mut(&*name) {
            Some(sum) => sum.add(row),
            None => groups.entry(name.into_owned()).or_default().add(row),
        }
        total.add(row);
        true
    })?;
    let mut rows: Vec<UsageRow> = groups.into_iter().map(|(name, sum)| sum.finish(name)).collect();
    rows.sort_by(|left, right| match by {
        UsageGroup::Day => left.group.cmp(&right.group),
        _ => right.total_tokens.cmp(&left.total_tokens).then_with(|| left.group.cmp(&right.group)),
    });
    Ok(UsageSummary { by, rows, total: total.finish(String::new()), unread_lines })
}

fn group<'a>(by: UsageGroup, row: &'a LedgerRow<'_>, zone: &TimeZone) -> Cow<'a, str> {
    match by {
        UsageGroup::Model => Cow::Borrowed(&row.model),
        UsageGroup::Provider => Cow::Borrowed(&row.provider),
        UsageGroup::Credential => {
            let kind = row.credential.as_ref().map(|credential| credential.kind.as_str());
            Cow::Borrowed(kind.unwrap_or_default())
        }
        UsageGroup::Day => Cow::Owned(day(row.ended_at, zone)),
        _ => Cow::Borrowed(&row.agent),
    }
}

/// `2026-11-16`; empty for a time beyond the calendar.
fn day(time: u64, zone: &TimeZone) -> String {
    let time = i64::try_from(time).ok();
    let time = time.and_then(|time| jiff::Timestamp::from_millisecond(time).ok());
    time.map_or_else(String::new, |time| time.to_zoned(zone.clone()).date().to_string())
}

/// The figures of one group so far. The rows of a run are consecutive.
#[derive(Debug, Default)]
struct Sum {
    row: UsageRow,
    run: Option<OpenRun>,
}

/// The run whose rows are being added.
#[derive(Debug)]
struct OpenRun {
    run_id: String,
    /// Some of its rows have a cost.
    has_cost: bool,
    /// Some of its rows have usage without a cost.
    lacks_cost: bool,
}

impl Sum {
    fn add(&mut self, row: &LedgerRow<'_>) {
        if self.run.as_ref().is_none_or(|run| run.run_id != row.run_id) {
            self.close_run();
            self.row.runs += 1;
            self.run = Some(OpenRun {
                run_id: row.run_id.clone().into_owned(),
                has_cost: false,
                lacks_cost: false,
            });
        }
        if let Some(run) = &mut self.run {
            run.has_cost |= row.tokens.cost_usd.is_some();
            run.lacks_cost |= row.tokens.cost_usd.is_none() && row.source.is_some();
        }
        let (sum, tokens) = (&mut self.row, &row.tokens);
        sum.input_tokens = sum.input_tokens.saturating_add(tokens.input_tokens);
        sum.output_tokens = sum.output_tokens.saturating_add(tokens.output_tokens);
        sum.cache_read_tokens = sum.cache_read_tokens.saturating_add(tokens.cache_read_tokens);
        sum.cache_write_tokens = sum.cache_write_tokens.saturating_add(tokens.cache_write_tokens);
        sum.total_tokens = sum.total_tokens.saturating_add(tokens.total_tokens);
        sum.cost_usd = [sum.cost_usd, tokens.cost_usd].into_iter().flatten().reduce(|a, b| a + b);
    }

    fn close_run(&mut self) {
        if self.run.take().is_some_and(|run| run.lacks_cost || !run.has_cost) {
            self.row.runs_without_cost += 1;
        }
    }

    fn finish(mut self, group: String) -> UsageRow {
        self.close_run();
        let cost_usd =
            self.row.cost_usd.map(|cost| (cost * COST_PRECISION).round() / COST_PRECISION);
        UsageRow { group, cost_usd, ..self.row }
    }
}

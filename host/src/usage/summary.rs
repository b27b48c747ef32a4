//! Adding up: rows in, figures by agent, model, provider, credential or day out. One row is held at a time.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::tz::TimeZone;
use od_protocol::api::{SummarizeUsageParams, UsageGroup, UsageRow, UsageSummary};

use super::ledger::{self, Period};
use super::row::LedgerRow;
use crate::error::HostError;
use crate::home::OdHome;

/// Nine digits of a dollar are kept of a sum; what is beyond is noise of the adding.
const DIGITS: f64 = 1e9;

/// Adds up the ledger; days are those of the zone.
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
            .with_hint("let `since` be an earlier time than `until`"));
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

/// `2026-11-16`; empty for a time that no calendar has.
fn day(moment: u64, zone: &TimeZone) -> String {
    let moment = i64::try_from(moment).ok();
    let moment = moment.and_then(|moment| jiff::Timestamp::from_millisecond(moment).ok());
    moment.map_or_else(String::new, |moment| moment.to_zoned(zone.clone()).date().to_string())
}

/// The figures of one group so far. The rows of a run follow each other.
#[derive(Debug, Default)]
struct Sum {
    row: UsageRow,
    run: Option<OpenRun>,
}

/// The run whose rows are being told.
#[derive(Debug)]
struct OpenRun {
    run_id: String,
    /// Some of its rows state a cost.
    states_cost: bool,
    /// Some of its rows tell of use, but not what it cost.
    lacks_cost: bool,
}

impl Sum {
    fn add(&mut self, row: &LedgerRow<'_>) {
        if self.run.as_ref().is_none_or(|run| run.run_id != row.run_id) {
            self.close_run();
            self.row.runs += 1;
            self.run = Some(OpenRun {
                run_id: row.run_id.clone().into_owned(),
                states_cost: false,
                lacks_cost: false,
            });
        }
        if let Some(run) = &mut self.run {
            run.states_cost |= row.spent.cost_usd.is_some();
            run.lacks_cost |= row.spent.cost_usd.is_none() && row.source.is_some();
        }
        let (sum, spent) = (&mut self.row, &row.spent);
        sum.input_tokens = sum.input_tokens.saturating_add(spent.input_tokens);
        sum.output_tokens = sum.output_tokens.saturating_add(spent.output_tokens);
        sum.cache_read_tokens = sum.cache_read_tokens.saturating_add(spent.cache_read_tokens);
        sum.cache_write_tokens = sum.cache_write_tokens.saturating_add(spent.cache_write_tokens);
        sum.total_tokens = sum.total_tokens.saturating_add(spent.total_tokens);
        sum.cost_usd = [sum.cost_usd, spent.cost_usd].into_iter().flatten().reduce(|a, b| a + b);
    }

    fn close_run(&mut self) {
        if self.run.take().is_some_and(|run| run.lacks_cost || !run.states_cost) {
            self.row.runs_without_cost += 1;
        }
    }

    fn finish(mut self, group: String) -> UsageRow {
        self.close_run();
        let cost_usd = self.row.cost_usd.map(|cost| (cost * DIGITS).round() / DIGITS);
        UsageRow { group, cost_usd, ..self.row }
    }
}

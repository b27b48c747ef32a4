//! `od-host usage`: the usage of runs as a table, JSON or CSV.

#[cfg(feature = "csv")]
mod csv_export;
mod table;
mod time_argument;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use od_host::{ExitStatus, Host, HostError};
use od_protocol::api::{SummarizeUsageParams, UsageGroup, UsageSummary};

use self::time_argument::TimeArgument;
use crate::cli::format::counted;
use crate::cli::print::{print, print_json, print_remark, print_warning, write_bytes};
use crate::cli::terminal;

const EXAMPLES: &str = "\
Examples:
  od-host usage
  od-host usage --by day --since 7d
  od-host usage --by model --since 2026-11-01 --until 2026-11-15
  od-host usage --by provider --csv > usage.csv
  od-host usage --json | jq .total.costUsd";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Group by
    #[arg(long, value_name = "WHAT", default_value = "agent", value_parser = groups())]
    by: UsageGroup,
    /// Only runs that ended at or after: 7d, 24h, 2w, 2026-11-01, 2026-11, today, yesterday
    #[arg(long, value_name = "WHEN", value_parser = TimeArgument::parse)]
    since: Option<TimeArgument>,
    /// Only runs that ended before; includes the named day or month
    #[arg(long, value_name = "WHEN", value_parser = TimeArgument::parse)]
    until: Option<TimeArgument>,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    /// Print CSV for spreadsheets
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub(crate) fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let now = jiff::Zoned::now();
    let begin = |time: &TimeArgument| time.begin(&now);
    let end = |time: &TimeArgument| time.end(&now);
    let params = SummarizeUsageParams {
        by: Some(arguments.by),
        since: arguments.since.as_ref().map(begin),
        until: arguments.until.as_ref().map(end),
    };
    let summary = host.usage(&params)?;
    if arguments.json {
        print_json(&summary)?;
    } else if arguments.csv {
        write_bytes(&csv_text(&summary)?)?;
    } else if summary.rows.is_empty() {
        let period = arguments.since.is_some() || arguments.until.is_some();
        print_remark(if period { NO_RUNS_IN_PERIOD } else { NO_RUNS });
    } else {
        print(&table::text(&summary, terminal::columns()))?;
        print_missing_cost(&summary);
    }
    print_unread_lines(&summary);
    Ok(ExitStatus::Completed)
}

const NO_RUNS: &str = "no run has ended yet; start one: od-host run \"…\"";
const NO_RUNS_IN_PERIOD: &str = "no run ended in that period; `od-host usage` shows all runs";

#[cfg(feature = "csv")]
use csv_export::text as csv_text;

#[cfg(not(feature = "csv"))]
fn csv_text(_summary: &UsageSummary) -> Result<Vec<u8>, HostError> {
    Err(HostError::missing_feature("CSV output", "csv"))
}

/// The groups of the API as possible values.
fn groups() -> impl TypedValueParser<Value = UsageGroup> {
    let words = UsageGroup::ALL.iter().map(|group| group.as_str());
    PossibleValuesParser::new(words).map(|word| UsageGroup::from_wire(&word))
}

fn print_missing_cost(summary: &UsageSummary) {
    let without = summary.total.runs_without_cost;
    if without > 0 {
        let runs = counted(without, "run");
        print_remark(format!("{runs} reported no cost; totals exclude it"));
    }
}

fn print_unread_lines(summary: &UsageSummary) {
    let unread = summary.unread_lines;
    if unread > 0 {
        let lines = counted(unread, "line");
        print_warning(&format!(
            "cannot read {lines} of the usage ledger; `od-host doctor` names the files"
        ));
    }
}

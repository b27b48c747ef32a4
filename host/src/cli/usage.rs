//! `od-host usage`: what runs have used, as a table with bars, JSON or CSV.

mod moment;
mod sheet;
mod table;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use od_host::{ExitStatus, Host, HostError};
use od_protocol::api::{SummarizeUsageParams, UsageGroup, UsageSummary};

use self::moment::Moment;
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

/// The arguments of `usage`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What to add up by
    #[arg(long, value_name = "WHAT", default_value = "agent", value_parser = groups())]
    by: UsageGroup,
    /// Only runs that ended then or later: 7d, 24h, 2w, 2026-11-01, 2026-11, today, yesterday
    #[arg(long, value_name = "WHEN", value_parser = Moment::read)]
    since: Option<Moment>,
    /// Only runs that ended before; a day or month is included
    #[arg(long, value_name = "WHEN", value_parser = Moment::read)]
    until: Option<Moment>,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    /// Print CSV for spreadsheets
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// # Errors
/// When the period ends before it begins, or the ledger cannot be read.
pub(crate) fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let now = jiff::Zoned::now();
    let begin = |moment: &Moment| moment.begin(&now);
    let end = |moment: &Moment| moment.end(&now);
    let params = SummarizeUsageParams {
        by: Some(arguments.by),
        since: arguments.since.as_ref().map(begin),
        until: arguments.until.as_ref().map(end),
    };
    let summary = host.usage(&params)?;
    if arguments.json {
        print_json(&summary)?;
    } else if arguments.csv {
        write_bytes(&sheet::text(&summary)?)?;
    } else if summary.rows.is_empty() {
        let period = arguments.since.is_some() || arguments.until.is_some();
        print_remark(if period { NOTHING_THEN } else { NOTHING });
    } else {
        print(&table::text(&summary, terminal::columns()))?;
        tell_of_cost(&summary);
    }
    tell_of_damage(&summary);
    Ok(ExitStatus::Completed)
}

const NOTHING: &str = "no run has ended yet, so nothing was used; start one: od-host run \"…\"";
const NOTHING_THEN: &str = "no run ended in that time; `od-host usage` shows all of them";

/// The groups of the API as words to type.
fn groups() -> impl TypedValueParser<Value = UsageGroup> {
    let words = UsageGroup::ALL.iter().map(|group| group.as_str());
    PossibleValuesParser::new(words).map(|word| UsageGroup::from_wire(&word))
}

fn tell_of_cost(summary: &UsageSummary) {
    let without = summary.total.runs_without_cost;
    if without > 0 {
        let runs = counted(without, "run");
        print_remark(format!("the cost of {runs} is not stated by the agent, and not in the sums"));
    }
}

fn tell_of_damage(summary: &UsageSummary) {
    let unread = summary.unread_lines;
    if unread > 0 {
        let lines = counted(unread, "line");
        print_warning(&format!(
            "{lines} of the ledger could not be read; `od-host doctor` names the files"
        ));
    }
}

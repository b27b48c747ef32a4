//! `od-host runs`: lists the runs, newest first.

use clap::Args;
use od_host::journal::{RunRecord, RunStatus};
use od_host::{ExitStatus, Host, HostError};

use crate::cli::print::{print, print_json, print_remark};
use crate::cli::terminal::{self, BOLD, DIM, FAILURE, SUCCESS, WARNING, paint, single_line};
use crate::cli::{format, labels};

const EXAMPLES: &str = "\
Examples:
  od-host runs
  od-host runs --limit 100
  od-host runs --json | jq -r '.[] | select(.status == \"failed\") | .runId'";

/// The minimum length of a shown id prefix.
const MIN_ID_CHARS: usize = 8;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    /// Maximum number of runs; 0 means all
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    limit: usize,
}

pub(crate) fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let records = host.runs()?;
    let shown = match arguments.limit {
        0 => records.len(),
        limit => records.len().min(limit),
    };
    if arguments.json {
        print_json(&&records[..shown])?;
        return Ok(ExitStatus::Completed);
    }
    if records.is_empty() {
        print_remark("no runs yet; start one: od-host run \"…\"");
        return Ok(ExitStatus::Completed);
    }
    let id_length = unique_length(&records);
    print(&text(&records[..shown], id_length, terminal::columns(), &jiff::Zoned::now()))?;
    if shown < records.len() {
        print_remark(format!("{} older runs: od-host runs --limit 0", records.len() - shown));
    }
    Ok(ExitStatus::Completed)
}

fn text(records: &[RunRecord], id_length: usize, columns: usize, now: &jiff::Zoned) -> String {
    let agent_width = records.iter().map(|record| format::width(&record.agent)).max();
    let agent_width = agent_width.unwrap_or_default().max(5);
    let heading = format!(
        "{:id_length$}  {:agent_width$}  {:9}  {:12}  {:>10}  PROMPT",
        "RUN", "AGENT", "STATUS", "STARTED", "TOOK"
    );
    let mut text = format!("{}\n", paint(BOLD, heading));
    let available = columns.saturating_sub(id_length + agent_width + 41).max(10);
    for record in records {
        let style = match record.status {
            RunStatus::Queued => DIM,
            RunStatus::Running => BOLD,
            RunStatus::Completed => SUCCESS,
            RunStatus::Cancelled => WARNING,
            RunStatus::Failed | RunStatus::TimedOut => FAILURE,
        };
        let status = paint(style, format!("{:9}", labels::run_status(record.status)));
        let took =
            record.ended_at.map(|end| format::duration(end.saturating_sub(record.started_at)));
        let line = format!(
            "{:id_length$}  {:agent_width$}  {status}  {:12}  {:>10}  {}",
            prefix(&record.run_id, id_length),
            record.agent,
            format::time(record.started_at, now),
            took.unwrap_or_default(),
            paint(DIM, format::fit(&single_line(&record.prompt_preview), available)),
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The length of an id prefix that is unique among all runs.
fn unique_length(records: &[RunRecord]) -> usize {
    let mut ids: Vec<&str> = records.iter().map(|record| record.run_id.as_str()).collect();
    ids.sort_unstable();
    let common = |pair: &[&str]| {
        let same = pair[0].bytes().zip(pair[1].bytes()).take_while(|(left, right)| left == right);
        same.count() + 1
    };
    ids.windows(2).map(common).max().unwrap_or_default().max(MIN_ID_CHARS)
}

fn prefix(run_id: &str, length: usize) -> &str {
    run_id.get(..length).unwrap_or(run_id)
}

//! `od-host doctor`: everything that could be wrong, with the fix.

use clap::Args;
use od_host::doctor::{Check, CheckStatus};
use od_host::{ExitStatus, Host, HostError};

use crate::cli::format;
use crate::cli::print::{print, print_json};
use crate::cli::terminal::{
    self, ASK, BAD, BOLD, DIM, GOOD, WARN, paint, single_line, while_waiting,
};

const EXAMPLES: &str = "\
Examples:
  od-host doctor
  od-host doctor --json | jq '.[] | select(.status != \"ok\")'

Exit code 1 when something does not work.";

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// # Errors
/// When stdout cannot be written.
pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let checks = while_waiting("looking at everything", host.doctor()).await;
    if arguments.json {
        print_json(&checks)?;
    } else {
        print(&text(&checks, terminal::columns()))?;
    }
    let failed = checks.iter().any(|check| check.status == CheckStatus::Fail);
    Ok(if failed { ExitStatus::Failed } else { ExitStatus::Completed })
}

fn text(checks: &[Check], columns: usize) -> String {
    let mut text = String::new();
    for check in checks {
        let sign = match check.status {
            CheckStatus::Ok => paint(GOOD, "✓"),
            CheckStatus::Warn => paint(WARN, "!"),
            CheckStatus::Fail => paint(BAD, "✗"),
        };
        text.push_str(&format!("{sign} {}\n", paint(BOLD, single_line(&check.name))));
        let room = columns.saturating_sub(4);
        for line in format::wrap(&single_line(&check.found), room) {
            text.push_str(&format!("  {}\n", paint(DIM, line)));
        }
        for (index, line) in
            check.fix.iter().flat_map(|fix| format::wrap(&single_line(fix), room)).enumerate()
        {
            let lead = if index == 0 { "→" } else { " " };
            text.push_str(&format!("  {}\n", paint(ASK, format!("{lead} {line}"))));
        }
    }
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let (bad, odd) = (count(CheckStatus::Fail), count(CheckStatus::Warn));
    let verdict = match (bad, odd) {
        (0, 0) => paint(GOOD, "all is well"),
        (0, odd) => paint(WARN, format!("it works; {odd} to look at")),
        (bad, odd) => paint(BAD, format!("{bad} not working, {odd} to look at")),
    };
    text.push_str(&format!("\n{verdict}\n"));
    text
}

//! `od-host doctor`: checks the setup and shows fixes.

use clap::Args;
use od_host::doctor::{Check, CheckStatus};
use od_host::{ExitStatus, Host, HostError};

use crate::cli::format;
use crate::cli::print::{print, print_json};
use crate::cli::terminal::{
    self, BOLD, DIM, FAILURE, PROMPT, SUCCESS, WARNING, paint, single_line, while_waiting,
};

const EXAMPLES: &str = "\
Examples:
  od-host doctor
  od-host doctor --json | jq '.[] | select(.status != \"ok\")'

Exits with 1 when a check fails.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let checks = while_waiting("checking", host.doctor()).await;
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
            CheckStatus::Ok => paint(SUCCESS, "✓"),
            CheckStatus::Warn => paint(WARNING, "!"),
            CheckStatus::Fail => paint(FAILURE, "✗"),
        };
        text.push_str(&format!("{sign} {}\n", paint(BOLD, single_line(&check.name))));
        let available = columns.saturating_sub(4);
        for line in format::wrap(&single_line(&check.found), available) {
            text.push_str(&format!("  {}\n", paint(DIM, line)));
        }
        for (index, line) in
            check.fix.iter().flat_map(|fix| format::wrap(&single_line(fix), available)).enumerate()
        {
            let lead = if index == 0 { "→" } else { " " };
            text.push_str(&format!("  {}\n", paint(PROMPT, format!("{lead} {line}"))));
        }
    }
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let (failed, warnings) = (count(CheckStatus::Fail), count(CheckStatus::Warn) as u64);
    let warnings = (warnings > 0).then(|| format!(", {}", format::counted(warnings, "warning")));
    let summary = match (failed, warnings) {
        (0, None) => paint(SUCCESS, "OK"),
        (0, Some(warnings)) => paint(WARNING, format!("OK{warnings}")),
        (failed, warnings) => {
            paint(FAILURE, format!("{failed} failed{}", warnings.unwrap_or_default()))
        }
    };
    text.push_str(&format!("\n{summary}\n"));
    text
}

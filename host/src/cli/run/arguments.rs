//! The arguments of `od-host run`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use od_protocol::Effort;

use crate::cli::arguments::OutputMode;

const EXAMPLES: &str = "\
Examples:
  od-host run \"make a small page\"
  od-host run -a demo -C ~/shop -m demo-1-fast --effort high \"fix the failing test\"
  od-host run -a FIRST --retry 2 --fallback SECOND,THIRD \"fix the failing test\"
  od-host run --resume last \"now add a test for it\"
  od-host run --allow-tool Bash --timeout 600 --output jsonl \"…\" > events.jsonl
  cat report.txt | od-host run --output text --system \"answer in one sentence\"

Approvals: on a terminal you are asked. Without a terminal they are denied, unless --yes or
--allow-tool allows them.
Ctrl-C cancels the run, a second Ctrl-C kills it at once.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The agent; `auto` is the active one, or the best ready one
    #[arg(short, long, value_name = "ID", default_value = "auto", env = "OD_AGENT")]
    pub(crate) agent: String,
    /// The working folder of the agent [default: the current folder]
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The model; `od-host models -a ID` lists them
    #[arg(short, long)]
    pub(crate) model: Option<String>,
    /// Reasoning effort
    #[arg(long, value_name = "EFFORT", value_parser = effort_values())]
    pub(crate) effort: Option<String>,
    /// System prompt, or @FILE to read it from a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) system: Option<String>,
    /// Resume a session of the agent; `last` is the session of the newest run
    #[arg(long, value_name = "SESSION", conflicts_with = "fork")]
    pub(crate) resume: Option<String>,
    /// Resume a copy of a session
    #[arg(long, value_name = "SESSION")]
    pub(crate) fork: Option<String>,
    /// Allow this tool without an approval; repeatable
    #[arg(long = "allow-tool", value_name = "TOOL")]
    pub(crate) allowed_tools: Vec<String>,
    /// Forbid this tool; repeatable
    #[arg(long = "deny-tool", value_name = "TOOL")]
    pub(crate) denied_tools: Vec<String>,
    /// A permission mode of the agent; `od-host capabilities -a ID` lists them
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Allow every approval
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// An environment variable for the agent; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Stop the run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = milliseconds)]
    pub(crate) timeout: Option<u64>,
    /// Append the raw output of the agent CLI to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Retry up to this many times after a temporary failure: a rate limit (waits for its reset), an unreachable
    /// network, a crash
    #[arg(long, value_name = "TIMES")]
    pub(crate) retry: Option<u32>,
    /// Agents that take over, in this order, when the previous one fails; repeatable
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub(crate) fallback: Vec<String>,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "pretty")]
    pub(crate) output: OutputMode,
    /// The prompt; `-` or nothing reads it from stdin
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
}

fn effort_values() -> PossibleValuesParser {
    PossibleValuesParser::new(Effort::ALL.iter().map(|effort| effort.as_str()))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

fn milliseconds(text: &str) -> Result<u64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if !(0.001..=31_536_000.0).contains(&seconds) {
        return Err("expected a number of seconds above 0 and at most a year".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    Ok((seconds * 1000.0) as u64)
}

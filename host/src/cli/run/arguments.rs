//! What was typed after `od-host run`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use od_protocol::Effort;

use crate::cli::arguments::OutputMode;

const EXAMPLES: &str = "\
Examples:
  od-host run \"make a small page\"
  od-host run -a claude-code -C ~/shop -m sonnet --effort high \"fix the failing test\"
  od-host run -a claude-code --retry 2 --fallback codex,gemini-cli \"fix the failing test\"
  od-host run --resume last \"now add a test for it\"
  od-host run --allow-tool Bash --timeout 600 --output jsonl \"…\" > events.jsonl
  cat report.txt | od-host run --output text --system \"answer in one sentence\"

Approvals: on a terminal you are asked. Without one, what needs an approval is denied, unless
--yes or --allow-tool says otherwise.
Ctrl-C cancels the run politely, a second Ctrl-C stops it at once.";

/// The arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The agent; `auto` takes the active one, or else the best that is ready
    #[arg(short, long, value_name = "ID", default_value = "auto", env = "OD_AGENT")]
    pub(crate) agent: String,
    /// The folder the agent works in [default: the current one]
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The model; `od-host models -a ID` lists them
    #[arg(short, long)]
    pub(crate) model: Option<String>,
    /// How hard the model shall think
    #[arg(long, value_name = "EFFORT", value_parser = effort_words())]
    pub(crate) effort: Option<String>,
    /// Instructions above the conversation, or @FILE to read them from a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) system: Option<String>,
    /// Go on with a session of the agent; `last` is the session of the newest run
    #[arg(long, value_name = "SESSION", conflicts_with = "fork")]
    pub(crate) resume: Option<String>,
    /// Go on with a copy of a session
    #[arg(long, value_name = "SESSION")]
    pub(crate) fork: Option<String>,
    /// A tool that needs no approval; may be given more than once
    #[arg(long = "allow-tool", value_name = "TOOL")]
    pub(crate) allowed_tools: Vec<String>,
    /// A tool the agent may not use; may be given more than once
    #[arg(long = "deny-tool", value_name = "TOOL")]
    pub(crate) denied_tools: Vec<String>,
    /// One of the agent's own modes; `od-host capabilities -a ID` lists them
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Allow whatever the agent asks for
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// A variable for the agent; may be given more than once
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Stop the run after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = milliseconds)]
    pub(crate) timeout: Option<u64>,
    /// Append everything the agent CLI prints to this file, as it comes
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Try again up to so many times when it fails with something that passes: a rate limit (its reset is
    /// waited for), a network that is down, a crash
    #[arg(long, value_name = "TIMES")]
    pub(crate) retry: Option<u32>,
    /// Agents that take over, in this order, when the one before cannot go on; may be given more than once
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    pub(crate) fallback: Vec<String>,
    /// How the run is shown
    #[arg(long, value_enum, value_name = "FORM", default_value = "pretty")]
    pub(crate) output: OutputMode,
    /// What to do; `-` or nothing reads it from stdin
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
}

fn effort_words() -> PossibleValuesParser {
    PossibleValuesParser::new(Effort::ALL.iter().map(|effort| effort.as_str()))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

fn milliseconds(text: &str) -> Result<u64, String> {
    let seconds: f64 = text.parse().map_err(|_| "write a number of seconds".to_owned())?;
    if !(0.001..=31_536_000.0).contains(&seconds) {
        return Err("write a number of seconds above 0 and at most a year".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    Ok((seconds * 1000.0) as u64)
}

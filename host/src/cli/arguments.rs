//! What was typed: the commands and the switches that all of them share. What it means is decided
//! in each command's own file.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use od_host::telemetry::logs::{self, LogFormat};

use crate::cli::{
    agents, attach, cancel, capabilities, choose, completions, doctor, input, models, replay, run,
    runs, serve, usage,
};

const EXAMPLES: &str = "\
Examples:
  od-host agents                      which agents work here, and what the others need
  od-host run \"make a small page\"     the active agent, or the best that is ready
  od-host run -a claude-code -C ~/shop \"fix the failing test\"
  git diff | od-host run --output text --system \"write a commit message for this diff\" -
  od-host attach last                 watch a run that another terminal started

Exit codes of run and attach:
  0 completed · 1 failed · 2 usage · 3 agent unavailable · 4 not authenticated
  124 timed out · 130 cancelled";

/// One command line for every code agent.
#[derive(Debug, Parser)]
#[command(name = "od-host", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shared: SharedArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct SharedArguments {
    /// Look for adapters here first; may be given more than once
    #[arg(long = "adapter-dir", value_name = "DIR", global = true)]
    pub(crate) adapter_dirs: Vec<PathBuf>,
    /// The host's folder [default: $OD_HOME, else ~/.open-design]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) home: Option<PathBuf>,
    /// Tell on stderr what the host does; twice or three times tells more
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// The form of what is told: text or json
    #[arg(long, value_name = "FORM", global = true, env = logs::FORMAT_VARIABLE)]
    pub(crate) log_format: Option<LogFormat>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the agents: which are ready, which credential pays, what the others need
    Agents(agents::Arguments),
    /// Make an agent the active one: `run` without --agent takes it
    Use(choose::Arguments),
    /// Run an agent on a prompt and show what it does
    Run(Box<run::Arguments>),
    /// List the models of an agent
    Models(models::Arguments),
    /// Show what an agent can do here
    Capabilities(capabilities::Arguments),
    /// Check everything that could be wrong, and say how to fix it
    Doctor(doctor::Arguments),
    /// List the runs, the newest first
    Runs(runs::Arguments),
    /// Add up what runs have used: tokens, and dollars where the agent CLI states them
    Usage(usage::Arguments),
    /// Watch a run that is going on, or read one that is over
    Attach(attach::Arguments),
    /// Show a run again from its journal
    Replay(replay::Arguments),
    /// Stop a run and everything it started
    Cancel(cancel::Arguments),
    /// Say something to a run that is going on
    Input(input::Arguments),
    /// Serve the API to apps: WebSocket and HTTP, or stdin and stdout
    Serve(Box<serve::Arguments>),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputMode {
    /// A live feed for people
    Pretty,
    /// The protocol's events, one JSON object per line, byte for byte
    Jsonl,
    /// Only the text of the last message
    Text,
    /// Nothing but errors
    Quiet,
}

/// A run, as it is named on the command line.
#[derive(Debug, Args)]
pub(crate) struct RunReference {
    /// A run's id, the beginning of it, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
}

/// How a run that exists is shown.
#[derive(Debug, Args)]
pub(crate) struct OutputArgument {
    /// How the run is shown
    #[arg(long, value_enum, value_name = "FORM", default_value = "pretty")]
    pub(crate) output: OutputMode,
}

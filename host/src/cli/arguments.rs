//! The commands and global options as typed. Each command's own file decides what they mean.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use od_host::telemetry::logs::{self, LogFormat};

use crate::cli::{
    agents, attach, cancel, capabilities, completions, doctor, input, models, replay, run, runs,
    serve, usage, use_agent,
};

const EXAMPLES: &str = "\
Examples:
  od-host agents                      list the agents and what is missing
  od-host run \"make a small page\"     run the active agent, or the best ready one
  od-host run -a demo -C ~/shop \"fix the failing test\"
  git diff | od-host run --output text --system \"write a commit message for this diff\" -
  od-host attach last                 follow a run of another terminal

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

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct SharedArguments {
    /// Search this folder for adapters first; repeatable
    #[arg(long = "adapter-dir", value_name = "DIR", global = true)]
    pub(crate) adapter_dirs: Vec<PathBuf>,
    /// The host's data folder [default: $OD_HOME, else ~/.open-design]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) home: Option<PathBuf>,
    /// Log to stderr; repeat for more detail (-vv, -vvv)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Format of the log: text or json
    #[arg(long, value_name = "FORMAT", global = true, env = logs::FORMAT_VARIABLE)]
    pub(crate) log_format: Option<LogFormat>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the agents: which are ready, which credential pays, what is missing
    Agents(agents::Arguments),
    /// Set the active agent, which `run` without --agent uses
    Use(use_agent::Arguments),
    /// Run an agent with a prompt and show its progress
    Run(Box<run::Arguments>),
    /// List the models of an agent
    Models(models::Arguments),
    /// Show the capabilities of an agent
    Capabilities(capabilities::Arguments),
    /// Check the setup and show how to fix problems
    Doctor(doctor::Arguments),
    /// List the runs, newest first
    Runs(runs::Arguments),
    /// Summarize the token usage of runs, and the cost where the agent CLI reports it
    Usage(usage::Arguments),
    /// Follow an active run, or show an ended one
    Attach(attach::Arguments),
    /// Show a run from its journal
    Replay(replay::Arguments),
    /// Cancel a run and stop every process it started
    Cancel(cancel::Arguments),
    /// Send input to an active run
    Input(input::Arguments),
    /// Serve the API over WebSocket and HTTP, or over stdin and stdout
    Serve(Box<serve::Arguments>),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

/// The output format of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputMode {
    /// A live feed for people
    Pretty,
    /// The protocol's events, unchanged, one JSON object per line
    Jsonl,
    /// Only the text of the last message
    Text,
    /// Only errors
    Quiet,
}

/// A run on the command line.
#[derive(Debug, Args)]
pub(crate) struct RunReference {
    /// The id of a run, a unique prefix of it, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
}

/// The options of a command that inspects one agent.
#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The agent
    #[arg(short, long, value_name = "ID")]
    pub(crate) agent: String,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// The output format of an existing run.
#[derive(Debug, Args)]
pub(crate) struct OutputArgument {
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "pretty")]
    pub(crate) output: OutputMode,
}

//! `conformance run --profile acp-agent -- COMMAND`: checks an agent that implements the Agent
//! Client Protocol.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::run::{BUDGET, JOBS, RunArguments, add_baseline, build_result, selected, shows_text};
use super::suite_setup::WorkFolder;
use super::{CommandError, EXIT_NO_PLUGIN, real};
use crate::acp::{
    AgentCommand, AgentOpenError, AgentOptions, AgentSuite, checks, open_agent, run_agent_checks,
};
use crate::baseline::KnownFailures;
use crate::console::say;
use crate::real::find_cli;
use crate::report::{AgentSubject, Coverage, Report, print_result};
use crate::requirements::{DEFAULT_ACP_SET, Requirements};
use crate::runner::RunnerOptions;

/// The kind of program under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Profile {
    /// An agent that implements the Agent Client Protocol, without an adapter.
    AcpAgent,
}

/// The arguments for an agent.
#[derive(Debug, Args)]
pub(super) struct AcpArguments {
    /// Check another kind of program: `acp-agent` is an agent that implements the Agent Client Protocol.
    #[arg(long, value_enum, conflicts_with_all = ["real", "pack"])]
    pub(super) profile: Option<Profile>,
    /// An environment variable of the agent; {{url}} becomes the fake model's address, {{secret}} a
    /// dummy key. Repeatable.
    #[arg(long, visible_alias = "fake-model", value_name = "NAME=TEXT", requires = "profile")]
    env: Vec<Variable>,
    /// A folder whose files are copied into the agent's empty home, {{url}} and {{secret}} filled in.
    #[arg(long, value_name = "DIR", requires = "profile")]
    home: Option<PathBuf>,
    /// Call `authenticate` with this method before the first session.
    #[arg(long, value_name = "ID", requires = "profile")]
    auth_method: Option<String>,
}

/// `NAME=TEXT`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    name: String,
    text: String,
}

impl FromStr for Variable {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, Self::Err> {
        match typed.split_once('=') {
            Some((name, text)) if !name.is_empty() => {
                Ok(Self { name: name.to_owned(), text: text.to_owned() })
            }
            _ => Err("expected NAME=TEXT, such as BASE_URL={{url}}".to_owned()),
        }
    }
}

/// Checks an agent.
pub(super) fn run(arguments: &RunArguments) -> Result<u8, CommandError> {
    let tier = arguments.tier();
    let set = arguments.requirements.as_deref().unwrap_or(DEFAULT_ACP_SET);
    let requirements = Requirements::for_agents(set)
        .map_err(|error| CommandError::usage(error.to_string(), "conformance run --help"))?;
    let checks = requirements.with_levels(selected(checks(), &arguments.only, tier)?);
    let command = command(arguments)?;
    let mut known_failures = KnownFailures::default();
    if let Some(file) = &arguments.baseline {
        add_baseline(&mut known_failures, file)?;
    }
    let runner_options = RunnerOptions {
        strict: arguments.strict,
        fail_fast: false,
        jobs: arguments.jobs.unwrap_or(JOBS),
        budget: BUDGET,
        requirements,
        known_failures,
    };
    let confinement = real::confined(arguments.real.allow_network)?;
    let mut work = WorkFolder::make(arguments.keep.as_deref())?;
    let started = Instant::now();
    let suite = open_agent(AgentOptions {
        command,
        seed: arguments.seed.unwrap_or_else(rand::random),
        time_factor: arguments.patience.max(0.1),
        work: work.path().to_owned(),
    });
    let suite = Arc::new(suite.map_err(setup_error)?);
    if shows_text(arguments) {
        let (name, version) = suite.name();
        say!("{name} {version} ({})", confinement.as_str());
    }
    let results = run_agent_checks(&suite, &checks, &runner_options, &mut |result| {
        if shows_text(arguments) {
            print_result(result);
        }
    });
    let (adapter_id, adapter_version) = suite.name();
    let report = Report {
        adapter: suite.command.program.clone(),
        adapter_id,
        adapter_version,
        pack: None,
        tier,
        requirements: runner_options.requirements.name().to_owned(),
        baseline: arguments.baseline.clone(),
        seed: suite.seed,
        real: None,
        agent: Some(subject(arguments, &suite)),
        coverage: Coverage::default(),
        results,
        stale_entries: runner_options.known_failures.unknown_checks(&crate::acp::checks()),
        took: started.elapsed(),
    };
    build_result(arguments, report, &mut work)
}

/// The agent's command: everything after `--`, or a program in front of it.
fn command(arguments: &RunArguments) -> Result<AgentCommand, CommandError> {
    let mut words = arguments.plugin_arguments.iter().cloned();
    let program = match &arguments.plugin {
        Some(program) => program.clone(),
        None => words.next().map(PathBuf::from).ok_or_else(|| {
            let hint = "conformance run --profile acp-agent -- COMMAND [ARGUMENTS]";
            CommandError::usage("no agent given", hint)
        })?,
    };
    let is_path = program.components().count() > 1;
    let name = program.to_string_lossy();
    let found = find_cli(is_path.then_some(program.as_path()), &name).ok_or_else(|| {
        let location = if is_path { "" } else { " on PATH" };
        CommandError {
            code: EXIT_NO_PLUGIN,
            message: format!("program {name} not found{location}"),
            hint: "pass the path of the agent's program".to_owned(),
        }
    })?;
    let acp = &arguments.acp;
    if let Some(folder) = acp.home.as_deref().filter(|folder| !folder.is_dir()) {
        let message = format!("folder {} not found", folder.display());
        return Err(CommandError::usage(
            message,
            "pass --home a folder with files for the agent's home",
        ));
    }
    Ok(AgentCommand {
        program: found,
        arguments: words.collect(),
        env: acp.env.iter().map(|it| (it.name.clone(), it.text.clone())).collect(),
        home: acp.home.clone(),
        auth_method: acp.auth_method.clone(),
    })
}

/// The agent in reports, with the switches that repeat the run.
fn subject(arguments: &RunArguments, suite: &AgentSuite) -> AgentSubject {
    let acp = &arguments.acp;
    let typed = |path: &Path| path.to_string_lossy().into_owned();
    let mut switches: Vec<String> = Vec::new();
    for variable in &acp.env {
        switches.extend(["--env".to_owned(), format!("{}={}", variable.name, variable.text)]);
    }
    if let Some(home) = &acp.home {
        switches.extend(["--home".to_owned(), typed(home)]);
    }
    if let Some(method) = &acp.auth_method {
        switches.extend(["--auth-method".to_owned(), method.clone()]);
    }
    let program = typed(&suite.command.program);
    let command = std::iter::once(program).chain(suite.command.arguments.clone()).collect();
    AgentSubject { command, switches, has_model: suite.model.is_some() }
}

/// Converts a setup error to a command error.
pub(super) fn setup_error(error: AgentOpenError) -> CommandError {
    match error {
        AgentOpenError::Agent(message) => CommandError {
            code: EXIT_NO_PLUGIN,
            message,
            hint: "start the command by hand: it should wait for JSON-RPC on stdin".to_owned(),
        },
        AgentOpenError::Suite(message) => CommandError::suite(message),
    }
}

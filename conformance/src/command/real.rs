//! `conformance run PLUGIN --real`: runs the real agent CLI against the fake model. Also finds the
//! CLI for `drift` and `record`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::CommandError;
use super::suite_setup::{Subject, WorkFolder, open_suite};
use crate::check::{CheckResult, Tier};
use crate::console::say;
use crate::pack::RealSettings;
use crate::real::{
    Confinement, Drift, FLAGS_FILE, FlagFacts, REAL_SCENARIOS, RealFacts, RealOptions, Recordings,
    VersionFacts, confine, find_cli, flags_in, help_text, other_check_results, outputs_by_scenario,
    recordings, run_scenarios, scenario_check_result, unmapped, version_text,
};
use crate::report::print_result;
use crate::runner::RunnerOptions;
use crate::suite::Suite;

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct RealArguments {
    /// Run the real agent CLI against the fake model, in a network namespace with loopback only.
    #[arg(long)]
    pub(super) real: bool,
    /// The agent CLI [default: the first with its name on PATH].
    #[arg(long, value_name = "FILE", requires = "real")]
    cli: Option<PathBuf>,
    /// Continue if the agent CLI cannot be isolated from the network.
    #[arg(long)]
    pub(super) allow_network: bool,
}

/// The adapter and its agent CLI: arguments of `drift` and `record`.
#[derive(Debug, Args)]
pub(super) struct AgentArguments {
    /// The od-adapter-* executable.
    plugin: PathBuf,
    /// The fixture pack [default: conformance/ beside the adapter, or in adapters/ID].
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// The agent CLI [default: the first with its name on PATH].
    #[arg(long, value_name = "FILE")]
    pub(super) cli: Option<PathBuf>,
    /// Run only these scenarios; repeatable.
    #[arg(long, value_name = "SCENARIO", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// How many scenarios run in parallel.
    #[arg(long, default_value_t = 3)]
    pub(super) jobs: usize,
    /// Multiply every time limit, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    patience: f64,
    /// Continue if the agent CLI cannot be isolated from the network.
    #[arg(long)]
    allow_network: bool,
}

impl AgentArguments {
    /// Checks the names and isolates the network; this may replace the process.
    pub(super) fn prepare(&self, names: &[&str]) -> Result<Confinement, CommandError> {
        check_names(&self.only, names)?;
        confined(self.allow_network)
    }

    /// Opens the adapter.
    pub(super) fn open_suite(
        &self,
        seed: Option<u64>,
        work: &WorkFolder,
    ) -> Result<Suite, CommandError> {
        let subject = Subject {
            plugin: &self.plugin,
            arguments: &[],
            pack: self.pack.as_deref(),
            seed,
            tier: Tier::Fast,
            patience: self.patience,
        };
        open_suite(&subject, work)
    }
}

/// Checks the arguments and isolates the network; this may replace the process.
pub(super) fn prepare(
    arguments: &RealArguments,
    only: &[String],
) -> Result<Confinement, CommandError> {
    let names: Vec<&str> = REAL_SCENARIOS.iter().map(|scenario| scenario.name).collect();
    check_names(only, &names)?;
    confined(arguments.allow_network)
}

/// Reports names that are not scenarios.
fn check_names(only: &[String], names: &[&str]) -> Result<(), CommandError> {
    match only.iter().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(CommandError::usage(
            format!("unknown scenario {unknown} of the real agent CLI"),
            format!("known scenarios: {}", names.join(", ")),
        )),
    }
}

/// Isolates the network; this may replace the process.
pub(super) fn confined(allow_network: bool) -> Result<Confinement, CommandError> {
    confine(allow_network).map_err(|reason| {
        let message = format!("the agent CLI cannot be isolated from the network: {reason}");
        CommandError::usage(message, "install unshare and ip, or add --allow-network")
    })
}

/// How scenarios run.
pub(super) struct RealRunOptions<'a> {
    /// Only these; empty means all.
    pub(super) only: &'a [String],
    /// How results are scored.
    pub(super) options: &'a RunnerOptions,
    /// How the network is isolated.
    pub(super) confinement: Confinement,
    /// Whether each result is printed immediately.
    pub(super) shows_text: bool,
}

/// The results of a run with the real agent CLI.
pub(super) struct RealRun {
    /// One per scenario, rule and comparison.
    pub(super) results: Vec<CheckResult>,
    /// How long it took.
    pub(super) took: Duration,
    /// Version, drift and confinement, for reports.
    pub(super) facts: RealFacts,
}

/// Runs the scenarios and compares the output with the pack.
pub(super) fn run_and_compare(
    arguments: &RealArguments,
    suite: &Suite,
    real_run_options: &RealRunOptions<'_>,
) -> Result<RealRun, CommandError> {
    let RealRunOptions { only, options, confinement, shows_text } = *real_run_options;
    let settings = table(suite)?;
    let agent = Agent::find(suite, settings, arguments.cli.as_deref())?;
    let known = recorded(suite, settings, None)?;
    if shows_text {
        let (found, cli) = (&agent.version.found, agent.cli.display());
        say!("{found} at {cli} ({})", confinement.as_str());
    }
    let show = |result: &CheckResult| {
        if shows_text {
            print_result(result);
        }
    };
    let started = Instant::now();
    let real_options = RealOptions { suite, settings, cli: &agent.cli, only, is_relayed: false };
    let scenario_results = run_scenarios(real_options, options.jobs, &mut |it| {
        show(&scenario_check_result(it, options))
    });
    let mut results: Vec<CheckResult> = scenario_results
        .iter()
        .map(|scenario_result| scenario_check_result(scenario_result, options))
        .collect();
    let scenario_records = scenario_results
        .into_iter()
        .map(|scenario_result| (scenario_result.scenario.name, scenario_result.scenario_record))
        .collect();
    let mut drift = Drift { unmapped: unmapped(&scenario_records), ..Drift::default() };
    if let Some(known) = &known {
        drift.compare_lines(&outputs_by_scenario(&scenario_records), &known.lines);
        drift.flags = Some(flag_facts(&agent, settings, known, suite)?);
    }
    drift.version = agent.version;
    let rest = other_check_results(suite, &drift, options);
    rest.iter().for_each(show);
    results.extend(rest);
    let facts = RealFacts { cli: agent.cli, confinement, drift, scenario_records };
    Ok(RealRun { results, took: started.elapsed(), facts })
}

/// The agent CLI and its version.
pub(super) struct Agent {
    /// Its executable.
    pub(super) cli: PathBuf,
    /// Its version, and those that the manifest names.
    pub(super) version: VersionFacts,
}

impl Agent {
    /// Finds it and reads its version.
    pub(super) fn find(
        suite: &Suite,
        settings: &RealSettings,
        named: Option<&Path>,
    ) -> Result<Self, CommandError> {
        let cli = find(suite, named)?;
        let home = suite.work.join("version-home");
        let found = version_text(&cli, &settings.version_arguments(), &home)
            .map_err(|message| CommandError::usage(message, "pass another agent CLI with --cli"))?;
        let info = suite.manifest.as_ref().map(|manifest| &manifest.cli);
        let version = VersionFacts {
            found,
            tested: info.and_then(|info| info.version_tested.clone()),
            minimum: info.and_then(|info| info.version_min.clone()),
        };
        Ok(Self { cli, version })
    }
}

/// The pack's `[real]` table.
pub(super) fn table(suite: &Suite) -> Result<&RealSettings, CommandError> {
    let table = suite.pack.as_ref().and_then(|pack| pack.settings.real.as_ref());
    table.ok_or_else(|| {
        let message = format!("no fixture pack with a [real] table for {}", suite.adapter_id());
        CommandError::usage(message, "the table is described in conformance/README.md")
    })
}

/// The recordings to compare with.
pub(super) struct Known {
    /// Where.
    pub(super) folder: PathBuf,
    /// Its lines.
    pub(super) lines: Recordings,
}

/// Reads the given recordings, or those of the pack.
pub(super) fn recorded(
    suite: &Suite,
    settings: &RealSettings,
    named: Option<&Path>,
) -> Result<Option<Known>, CommandError> {
    let from_pack = || Some(suite.pack.as_ref()?.folder.join(settings.recordings.as_ref()?));
    let Some(folder) = named.map(Path::to_owned).or_else(from_pack) else { return Ok(None) };
    match recordings(&folder) {
        Ok(lines) => Ok(Some(Known { folder, lines })),
        Err(error) => {
            let message = format!("could not read the recordings in {}: {error}", folder.display());
            let hint = "set real.recordings to a folder relative to the pack, or pass --recordings";
            Err(CommandError::usage(message, hint))
        }
    }
}

/// The flags in the CLI's help, and the recorded ones.
pub(super) fn flag_facts(
    agent: &Agent,
    settings: &RealSettings,
    known: &Known,
    suite: &Suite,
) -> Result<FlagFacts, CommandError> {
    let home = suite.work.join("version-home");
    let help = help_text(&agent.cli, &settings.help_arguments(), &home)
        .map_err(|message| CommandError::usage(message, "pass another agent CLI with --cli"))?;
    let kept = std::fs::read_to_string(known.folder.join(FLAGS_FILE)).ok();
    Ok(FlagFacts {
        shown: flags_in(&help),
        kept: kept.map(|text| flags_in(&text)),
        hidden: settings.hidden_flags.iter().cloned().collect(),
        ..FlagFacts::default()
    })
}

fn find(suite: &Suite, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let name = suite.cli_name();
    find_cli(named, &name).ok_or_else(|| {
        let methods = suite.manifest.iter().flat_map(|manifest| &manifest.cli.install);
        let install = methods.map(|method| method.command.as_str()).next();
        let message = match named {
            Some(file) => format!("agent CLI {} not found", file.display()),
            None => format!("{name} not found on PATH"),
        };
        let hint =
            install.map_or_else(String::new, |command| format!(", or install it: {command}"));
        CommandError::usage(message, format!("pass its path with --cli FILE{hint}"))
    })
}

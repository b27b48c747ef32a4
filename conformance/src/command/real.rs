//! `conformance run PLUGIN --real`: drives the real agent CLI against the fake model. What `drift`
//! and `record` need to find it is here too.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::CommandError;
use super::work::{Subject, Work, opened};
use crate::case::Tier;
use crate::console::say;
use crate::judge::{CheckResult, JudgeOptions};
use crate::real::{
    Confinement, Drift, FLAGS_FILE, FlagFacts, REAL_SCENARIOS, RealFacts, RealOptions,
    RealSettings, Recordings, VersionFacts, conclude_rest, conclude_scenario, confine, find_cli,
    flags_in, heard, help_text, play, recordings, unmapped, version_text,
};
use crate::report::print_result;
use crate::suite::Suite;

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct RealArguments {
    /// Drives the real agent CLI against the fake model, in a network that has only loopback.
    #[arg(long)]
    pub(super) real: bool,
    /// The agent CLI; by default the first of its name on PATH.
    #[arg(long, value_name = "FILE", requires = "real")]
    cli: Option<PathBuf>,
    /// Goes on where the network cannot be taken away from the agent CLI.
    #[arg(long)]
    pub(super) allow_network: bool,
}

/// The plugin and its agent CLI, as `drift` and `record` take them.
#[derive(Debug, Args)]
pub(super) struct AgentArguments {
    /// The od-adapter-* executable.
    plugin: PathBuf,
    /// The fixture pack; by default `conformance/` beside the plugin or `adapters/ID/conformance`.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// The agent CLI; by default the first of its name on PATH.
    #[arg(long, value_name = "FILE")]
    pub(super) cli: Option<PathBuf>,
    /// Only these scenarios are played; may be given several times.
    #[arg(long, value_name = "SCENARIO", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// How many scenarios are played at once.
    #[arg(long, default_value_t = 3)]
    pub(super) jobs: usize,
    /// Stretches every limit of time, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    patience: f64,
    /// Goes on where the network cannot be taken away from the agent CLI.
    #[arg(long)]
    allow_network: bool,
}

impl AgentArguments {
    /// Looks at the names, and takes the network away: this process may be replaced here.
    pub(super) fn prepare(&self, names: &[&str]) -> Result<Confinement, CommandError> {
        check_names(&self.only, names)?;
        confined(self.allow_network)
    }

    /// Opens the plugin.
    pub(super) fn opened(&self, seed: Option<u64>, work: &Work) -> Result<Suite, CommandError> {
        let subject = Subject {
            plugin: &self.plugin,
            arguments: &[],
            pack: self.pack.as_deref(),
            seed,
            tier: Tier::Fast,
            patience: self.patience,
        };
        opened(&subject, work)
    }
}

/// Looks at what was typed, and takes the network away: this process may be replaced here.
pub(super) fn prepare(
    arguments: &RealArguments,
    only: &[String],
) -> Result<Confinement, CommandError> {
    let names: Vec<&str> = REAL_SCENARIOS.iter().map(|scenario| scenario.name).collect();
    check_names(only, &names)?;
    confined(arguments.allow_network)
}

/// Names that are no scenarios are wrong usage.
fn check_names(only: &[String], names: &[&str]) -> Result<(), CommandError> {
    match only.iter().find(|name| !names.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(CommandError::usage(
            format!("there is no scenario {unknown} of the real agent CLI"),
            format!("there are {}", names.join(", ")),
        )),
    }
}

/// Takes the network away: this process may be replaced here.
pub(super) fn confined(allow_network: bool) -> Result<Confinement, CommandError> {
    confine(allow_network).map_err(|reason| {
        let message = format!("the agent CLI cannot be kept from the network: {reason}");
        CommandError::usage(message, "install unshare and ip, or add --allow-network")
    })
}

/// How scenarios are judged.
pub(super) struct Terms<'a> {
    /// Only these; empty means all.
    pub(super) only: &'a [String],
    /// What verdicts come to.
    pub(super) options: &'a JudgeOptions,
    /// What can be reached.
    pub(super) confinement: Confinement,
    /// Whether each result is printed at once.
    pub(super) shows_text: bool,
}

/// What was judged.
pub(super) struct Judged {
    /// What became of each scenario, each rule and each comparison.
    pub(super) results: Vec<CheckResult>,
    /// How long it took.
    pub(super) took: Duration,
    /// What is known beyond the verdicts.
    pub(super) facts: RealFacts,
}

/// Plays the scenarios and compares what was heard with the pack.
pub(super) fn judge(
    arguments: &RealArguments,
    suite: &Suite,
    terms: &Terms<'_>,
) -> Result<Judged, CommandError> {
    let Terms { only, options, confinement, shows_text } = *terms;
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
    let played = play(real_options, options.jobs, &mut |it| show(&conclude_scenario(it, options)));
    let mut results: Vec<CheckResult> =
        played.iter().map(|played| conclude_scenario(played, options)).collect();
    let performances =
        played.into_iter().map(|played| (played.scenario.name, played.performance)).collect();
    let mut drift = Drift { unmapped: unmapped(&performances), ..Drift::default() };
    if let Some(known) = &known {
        drift.compare_lines(&heard(&performances), &known.lines);
        drift.flags = Some(flag_facts(&agent, settings, known, suite)?);
    }
    drift.version = agent.version;
    let rest = conclude_rest(suite, &drift, options);
    rest.iter().for_each(show);
    results.extend(rest);
    let facts = RealFacts { cli: agent.cli, confinement, drift, performances };
    Ok(Judged { results, took: started.elapsed(), facts })
}

/// The agent CLI and what it says its version is.
pub(super) struct Agent {
    /// Its executable.
    pub(super) cli: PathBuf,
    /// Its version, and those that the manifest names.
    pub(super) version: VersionFacts,
}

impl Agent {
    /// Finds it and asks for its version.
    pub(super) fn find(
        suite: &Suite,
        settings: &RealSettings,
        named: Option<&Path>,
    ) -> Result<Self, CommandError> {
        let cli = find(suite, named)?;
        let home = suite.work.join("version-home");
        let found = version_text(&cli, &settings.version_arguments(), &home)
            .map_err(|message| CommandError::usage(message, "name another agent CLI with --cli"))?;
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
        let message = format!("there is no pack with a [real] table for {}", suite.adapter_id());
        CommandError::usage(message, "the table is described in conformance/README.md")
    })
}

/// What is kept of the recorded version.
pub(super) struct Known {
    /// Where.
    pub(super) folder: PathBuf,
    /// Its lines.
    pub(super) lines: Recordings,
}

/// Reads the recordings: those that were named, else those of the pack.
pub(super) fn recorded(
    suite: &Suite,
    settings: &RealSettings,
    named: Option<&Path>,
) -> Result<Option<Known>, CommandError> {
    let of_pack = || Some(suite.pack.as_ref()?.folder.join(settings.recordings.as_ref()?));
    let Some(folder) = named.map(Path::to_owned).or_else(of_pack) else { return Ok(None) };
    match recordings(&folder) {
        Ok(lines) => Ok(Some(Known { folder, lines })),
        Err(error) => {
            let message = format!("the recordings in {} cannot be read: {error}", folder.display());
            let hint =
                "real.recordings is a folder, seen from the pack; --recordings names another";
            Err(CommandError::usage(message, hint))
        }
    }
}

/// The flags that the agent CLI shows, and those that were kept.
pub(super) fn flag_facts(
    agent: &Agent,
    settings: &RealSettings,
    known: &Known,
    suite: &Suite,
) -> Result<FlagFacts, CommandError> {
    let home = suite.work.join("version-home");
    let help = help_text(&agent.cli, &settings.help_arguments(), &home)
        .map_err(|message| CommandError::usage(message, "name another agent CLI with --cli"))?;
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
            Some(file) => format!("there is no agent CLI {}", file.display()),
            None => format!("there is no {name} on PATH"),
        };
        let hint =
            install.map_or_else(String::new, |command| format!(", or install it: {command}"));
        CommandError::usage(message, format!("name it with --cli FILE{hint}"))
    })
}

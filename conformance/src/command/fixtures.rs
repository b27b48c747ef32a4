//! `conformance fixtures`: begins a fixture pack, or looks one over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::starter::{Kind, STARTER_CLI};
use super::work::open_failed;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_USAGE};
use crate::case::Tier;
use crate::cases;
use crate::console::say;
use crate::judge::gate;
use crate::open::{OpenOptions, open, own_executable};
use crate::pack::{self, SCENARIOS};
use crate::plugin::PluginPath;
use crate::suite::{Suite, adapter_id};
use crate::verdict::Finding;

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct FixturesArguments {
    #[command(subcommand)]
    command: FixturesCommand,
}

#[derive(Debug, Subcommand)]
enum FixturesCommand {
    /// Writes a commented pack to start from; overwrites nothing.
    Init(InitArguments),
    /// Reads a pack as `run` would and names every fault. Exit code: 2 faults, 1 missing scenarios.
    Lint(LintArguments),
}

#[derive(Debug, Args)]
struct InitArguments {
    /// The folder of the pack, such as adapters/x/conformance.
    folder: PathBuf,
    /// The file name of the agent CLI.
    #[arg(long, value_name = "NAME", default_value = STARTER_CLI)]
    cli: String,
    /// How the agent CLI is talked to.
    #[arg(long, value_enum, default_value = "rpc")]
    kind: Kind,
}

#[derive(Debug, Args)]
struct LintArguments {
    /// The folder of the pack; by default the plugin's, else ./conformance, else the current one.
    folder: Option<PathBuf>,
    /// Says which scenarios are missing for what this adapter declares.
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
}

/// Runs the subcommand that was typed.
pub(super) fn fixtures(arguments: &FixturesArguments) -> Result<u8, CommandError> {
    match &arguments.command {
        FixturesCommand::Init(arguments) => init(arguments),
        FixturesCommand::Lint(arguments) => lint(arguments),
    }
}

fn init(arguments: &InitArguments) -> Result<u8, CommandError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if arguments.cli.is_empty() || !arguments.cli.chars().all(is_plain) {
        let message = format!("{:?} is no file name of an agent CLI", arguments.cli);
        return Err(CommandError::usage(message, "--cli takes a name such as my-agent"));
    }
    let folder = &arguments.folder;
    let files = arguments.kind.files(&arguments.cli);
    if let Some(there) = files.iter().map(|(name, _)| folder.join(name)).find(|it| it.exists()) {
        let message = format!("{} is already there", there.display());
        return Err(CommandError::usage(message, "give a new folder, or remove it first"));
    }
    let failed = |error: std::io::Error| {
        let message = format!("{} cannot be written: {error}", folder.display());
        CommandError::usage(message, "give a folder that can be written")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(failed)?;
        say!("wrote {}", folder.join(name).display());
    }
    let shown = folder.display();
    say!("\nnext: put the lines that {} really prints into text.steps, then", arguments.cli);
    say!("  conformance fixtures lint {shown} --plugin ./od-adapter-…");
    say!("  conformance run ./od-adapter-… --pack {shown} --only RUN-02");
    Ok(EXIT_CONFORMANT)
}

fn lint(arguments: &LintArguments) -> Result<u8, CommandError> {
    let folder = folder(arguments)?;
    let found = pack::lint(&folder);
    for fault in &found.faults {
        say!("fault    {fault}");
    }
    for warning in &found.warnings {
        say!("warning  {warning}");
    }
    let missing = match &arguments.plugin {
        Some(plugin) if found.faults.is_empty() => missing_scenarios(plugin, &folder)?,
        _ => BTreeMap::new(),
    };
    for (scenario, ids) in &missing {
        let about = SCENARIOS.iter().find(|(name, _)| name == scenario).map_or("", |(_, it)| it);
        say!("missing  scenario {scenario} ({about}), asked for by {}", ids.join(" "));
    }
    if !missing.is_empty() {
        say!("hint: add them, or list them under [not_applicable] with the reason");
    }
    say!(
        "{}: faults {}, warnings {}, missing scenarios {}",
        folder.display(),
        found.faults.len(),
        found.warnings.len(),
        missing.len()
    );
    Ok(match (found.faults.is_empty(), missing.is_empty()) {
        (false, _) => EXIT_USAGE,
        (true, false) => EXIT_FAILURES,
        (true, true) => EXIT_CONFORMANT,
    })
}

/// The pack that was meant.
fn folder(arguments: &LintArguments) -> Result<PathBuf, CommandError> {
    if let Some(folder) = &arguments.folder {
        return Ok(folder.clone());
    }
    if let Some(plugin) = &arguments.plugin {
        return pack::find(plugin, &adapter_id(plugin)).ok_or_else(|| {
            let message = format!("{} has no pack", plugin.display());
            CommandError::usage(message, "conformance fixtures init DIR begins one")
        });
    }
    let below = PathBuf::from("conformance");
    Ok(if below.join("conformance.toml").is_file() { below } else { PathBuf::from(".") })
}

/// Scenarios that checks of this adapter will ask for in vain, with those checks.
fn missing_scenarios(
    plugin: &Path,
    folder: &Path,
) -> Result<BTreeMap<&'static str, Vec<&'static str>>, CommandError> {
    let failed =
        |error: std::io::Error| CommandError::suite(format!("no folder to work in: {error}"));
    let work = tempfile::Builder::new().prefix("conformance-lint-").tempdir().map_err(failed)?;
    let suite: Suite = open(OpenOptions {
        plugin: PluginPath { executable: plugin.to_owned(), arguments: Vec::new() },
        pack: Some(folder.to_owned()),
        seed: 0,
        tier: Tier::Full,
        patience: 1.0,
        work: work.path().to_owned(),
        executable: own_executable(work.path()).map_err(failed)?,
    })
    .map_err(open_failed)?;
    if suite.manifest.is_none() {
        let message = format!("{} --manifest says nothing that can be read", plugin.display());
        return Err(CommandError::usage(message, "conformance run PLUGIN --only MAN says why"));
    }
    let mut missing: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    for check in cases::all() {
        if let (Err(Finding::Untestable(_)), Some(scenario)) =
            (gate(&suite, &check), check.gate.scenario)
        {
            missing.entry(scenario).or_default().push(check.id);
        }
    }
    Ok(missing)
}

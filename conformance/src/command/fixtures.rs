//! `conformance fixtures`: creates a fixture pack, or lints one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::starter_pack::{Kind, STARTER_CLI};
use super::suite_setup::setup_error;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_USAGE};
use crate::adapter_client::AdapterPath;
use crate::check::Tier;
use crate::checks;
use crate::console::say;
use crate::outcome::Finding;
use crate::pack::{self, SCENARIOS};
use crate::runner::gate;
use crate::suite::{Suite, SuiteOptions, adapter_id, copy_own_executable, open};

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct FixturesArguments {
    #[command(subcommand)]
    command: FixturesCommand,
}

#[derive(Debug, Subcommand)]
enum FixturesCommand {
    /// Write a commented pack to start from; never overwrites a file.
    Init(InitArguments),
    /// Report every fault of a pack. Exit code: 2 faults, 1 missing scenarios.
    Lint(LintArguments),
}

#[derive(Debug, Args)]
struct InitArguments {
    /// The folder of the pack, such as adapters/x/conformance.
    folder: PathBuf,
    /// The file name of the agent CLI.
    #[arg(long, value_name = "NAME", default_value = STARTER_CLI)]
    cli: String,
    /// How the agent CLI exchanges messages.
    #[arg(long, value_enum, default_value = "rpc")]
    kind: Kind,
}

#[derive(Debug, Args)]
struct LintArguments {
    /// The folder of the pack [default: the adapter's, then ./conformance, then the current folder].
    folder: Option<PathBuf>,
    /// Also report the scenarios that this adapter's capabilities require.
    #[arg(long, value_name = "FILE")]
    plugin: Option<PathBuf>,
}

/// Runs the subcommand.
pub(super) fn fixtures(arguments: &FixturesArguments) -> Result<u8, CommandError> {
    match &arguments.command {
        FixturesCommand::Init(arguments) => init(arguments),
        FixturesCommand::Lint(arguments) => lint(arguments),
    }
}

fn init(arguments: &InitArguments) -> Result<u8, CommandError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if arguments.cli.is_empty() || !arguments.cli.chars().all(is_plain) {
        let message = format!("{:?} is not a file name of an agent CLI", arguments.cli);
        return Err(CommandError::usage(message, "pass --cli a name such as my-agent"));
    }
    let folder = &arguments.folder;
    let files = arguments.kind.files(&arguments.cli);
    if let Some(there) = files.iter().map(|(name, _)| folder.join(name)).find(|it| it.exists()) {
        let message = format!("{} already exists", there.display());
        return Err(CommandError::usage(message, "choose a new folder, or remove it first"));
    }
    let failed = |error: std::io::Error| {
        let message = format!("could not write {}: {error}", folder.display());
        CommandError::usage(message, "choose a folder that can be written")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(failed)?;
        say!("wrote {}", folder.join(name).display());
    }
    let shown = folder.display();
    say!("\nnext: replace the lines of text.steps by those that {} prints, then", arguments.cli);
    say!("  conformance fixtures lint {shown} --plugin ./od-adapter-…");
    say!("  conformance run ./od-adapter-… --pack {shown} --only RUN-02");
    Ok(EXIT_CONFORMANT)
}

fn lint(arguments: &LintArguments) -> Result<u8, CommandError> {
    let folder = folder(arguments)?;
    let found = pack::lint(&folder, &checks::all());
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
        say!("missing  scenario {scenario} ({about}), required by {}", ids.join(" "));
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

/// The folder of the pack.
fn folder(arguments: &LintArguments) -> Result<PathBuf, CommandError> {
    if let Some(folder) = &arguments.folder {
        return Ok(folder.clone());
    }
    if let Some(plugin) = &arguments.plugin {
        return pack::find(plugin, &adapter_id(plugin)).ok_or_else(|| {
            let message = format!("{} has no fixture pack", plugin.display());
            CommandError::usage(message, "conformance fixtures init DIR writes one")
        });
    }
    let below = PathBuf::from("conformance");
    Ok(if below.join("conformance.toml").is_file() { below } else { PathBuf::from(".") })
}

/// Missing scenarios, each with the checks that require it.
fn missing_scenarios(
    plugin: &Path,
    folder: &Path,
) -> Result<BTreeMap<&'static str, Vec<&'static str>>, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::suite(format!("could not create a work folder: {error}"))
    };
    let work = tempfile::Builder::new().prefix("conformance-lint-").tempdir().map_err(failed)?;
    let suite: Suite = open(SuiteOptions {
        adapter: AdapterPath { executable: plugin.to_owned(), arguments: Vec::new() },
        pack: Some(folder.to_owned()),
        seed: 0,
        tier: Tier::Full,
        time_factor: 1.0,
        work: work.path().to_owned(),
        executable: copy_own_executable(work.path()).map_err(failed)?,
    })
    .map_err(setup_error)?;
    if suite.manifest.is_none() {
        let message = format!("{} --manifest printed no valid manifest", plugin.display());
        return Err(CommandError::usage(message, "conformance run PLUGIN --only MAN explains why"));
    }
    let mut missing: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    for check in checks::all() {
        if let (Err(Finding::Untestable(_)), Some(scenario)) =
            (gate(&suite, &check), check.gate.scenario)
        {
            missing.entry(scenario).or_default().push(check.id);
        }
    }
    Ok(missing)
}

//! `conformance run PLUGIN --real`: drives the real agent CLI against the fake model.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::target::ReportTarget;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_SUITE};
use crate::console::say;
use crate::real::{
    Confinement, REAL_SCENARIOS, RealOptions, RealReport, RealSettings, Recordings, confine,
    find_cli, judge, print_report, print_result, recordings, to_json, version_text,
};
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
    #[arg(long, requires = "real")]
    allow_network: bool,
}

/// Looks at what was typed, and takes the network away: this process may be replaced here.
pub(super) fn prepare(
    arguments: &RealArguments,
    only: &[String],
    reports: &[ReportTarget],
) -> Result<Confinement, CommandError> {
    let known = |name: &&String| REAL_SCENARIOS.iter().any(|scenario| scenario.name == **name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        let names: Vec<&str> = REAL_SCENARIOS.iter().map(|scenario| scenario.name).collect();
        return Err(CommandError::usage(
            format!("there is no scenario {unknown} of the real agent CLI"),
            format!("there are {}", names.join(", ")),
        ));
    }
    let fits = |target: &ReportTarget| matches!(target, ReportTarget::Text | ReportTarget::Json(_));
    if !reports.iter().all(fits) {
        let message = "--real reports as text and json=FILE only";
        return Err(CommandError::usage(message, "leave the other --report out"));
    }
    confine(arguments.allow_network).map_err(|reason| {
        let message = format!("the agent CLI cannot be kept from the network: {reason}");
        CommandError::usage(message, "install unshare and ip, or add --allow-network")
    })
}

/// Plays the scenarios and reports.
pub(super) fn run(
    arguments: &RealArguments,
    suite: &Suite,
    only: &[String],
    reports: &[ReportTarget],
    confinement: Confinement,
) -> Result<u8, CommandError> {
    let settings = table(suite)?;
    let cli = cli(arguments, suite)?;
    let version_args =
        settings.version_args.clone().unwrap_or_else(|| vec!["--version".to_owned()]);
    let found = version_text(&cli, &version_args, &suite.work.join("version-home"))
        .map_err(|message| CommandError::usage(message, "name another agent CLI with --cli"))?;
    let recordings = recorded(suite, settings)?;
    let tested = suite.manifest.as_ref().and_then(|manifest| manifest.cli.version_tested.clone());
    say!("{found} at {} ({})", cli.display(), confinement.as_str());
    let started = Instant::now();
    let options = RealOptions { suite, settings, cli: &cli, only };
    let results = judge(&options, &mut |result| print_result(result));
    let report = RealReport {
        plugin: suite.plugin.executable.clone(),
        adapter_id: suite.adapter_id(),
        cli: cli.clone(),
        found,
        tested,
        recordings,
        confinement,
        seed: suite.seed,
        results,
        took: started.elapsed(),
    };
    print_report(&report);
    write_reports(&report, reports)?;
    Ok(match (report.count("suite error"), report.count("fail")) {
        (0, 0) => EXIT_CONFORMANT,
        (0, _) => EXIT_FAILURES,
        _ => EXIT_SUITE,
    })
}

fn table(suite: &Suite) -> Result<&RealSettings, CommandError> {
    let table = suite.pack.as_ref().and_then(|pack| pack.settings.real.as_ref());
    table.ok_or_else(|| {
        let message = format!("there is no pack with a [real] table for {}", suite.adapter_id());
        CommandError::usage(message, "the table is described in conformance/README.md")
    })
}

fn recorded(suite: &Suite, settings: &RealSettings) -> Result<Option<Recordings>, CommandError> {
    let (Some(pack), Some(folder)) = (&suite.pack, &settings.recordings) else { return Ok(None) };
    let folder = pack.folder.join(folder);
    recordings(&folder).map(Some).map_err(|error| {
        let message = format!("the recordings in {} cannot be read: {error}", folder.display());
        CommandError::usage(message, "real.recordings is a folder, seen from the pack")
    })
}

fn cli(arguments: &RealArguments, suite: &Suite) -> Result<PathBuf, CommandError> {
    let name = suite.cli_name();
    find_cli(arguments.cli.as_deref(), &name).ok_or_else(|| {
        let methods = suite.manifest.iter().flat_map(|manifest| &manifest.cli.install);
        let install = methods.map(|method| method.command.as_str()).next();
        let message = match &arguments.cli {
            Some(file) => format!("there is no agent CLI {}", file.display()),
            None => format!("there is no {name} on PATH"),
        };
        let hint =
            install.map_or_else(String::new, |command| format!(", or install it: {command}"));
        CommandError::usage(message, format!("name it with --cli FILE{hint}"))
    })
}

fn write_reports(report: &RealReport, targets: &[ReportTarget]) -> Result<(), CommandError> {
    for target in targets {
        if let ReportTarget::Json(file) = target {
            let text = format!("{:#}\n", to_json(report));
            std::fs::write(file, text).map_err(|error| {
                CommandError::suite(format!("{} cannot be written: {error}", file.display()))
            })?;
        }
    }
    Ok(())
}

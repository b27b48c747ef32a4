//! `conformance real-all`: installs the pinned agent CLI of every pack and runs each adapter with it,
//! or checks the CLI itself as an ACP agent. `make real` calls it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use super::acp::Profile;
use super::real_acp::{self, AcpCandidate};
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_USAGE};
use crate::console::say;
use crate::pack::{Pack, adapter_folders};
use crate::process;
use crate::real::{InstallError, Installed, Package, can_confine, install};
use crate::suite::copy_own_executable;

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 nothing failed, 1 a scenario failed or a package does not exist, 2 wrong usage.
With --profile acp-agent the results of the agents do not change the exit code.
An unreachable registry or missing network namespaces print NOT TESTED and do not fail. An agent CLI
never runs with network access.")]
pub(super) struct RealAllArguments {
    /// The folder with the adapters.
    #[arg(long, value_name = "DIR", default_value = "adapters")]
    adapters: PathBuf,
    /// The folder with the od-adapter-* executables.
    #[arg(long, value_name = "DIR", default_value = "target/debug")]
    plugins: PathBuf,
    /// The folder for packages and reports.
    #[arg(long, value_name = "DIR", default_value = "target/real")]
    into: PathBuf,
    /// Run only these adapters; repeatable.
    #[arg(long, value_name = "ADAPTER", value_delimiter = ',')]
    only: Vec<String>,
    /// How many scenarios of an adapter run in parallel.
    #[arg(long, default_value_t = 3)]
    jobs: usize,
    /// Multiply every time limit, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    patience: f64,
    /// Check the agent CLIs themselves: `acp-agent` those that implement the Agent Client Protocol.
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Write the table of ACP agents between its markers in this file.
    #[arg(long, value_name = "FILE", requires = "profile", conflicts_with = "only")]
    write: Option<PathBuf>,
}

/// An adapter that has a real agent CLI.
struct Candidate {
    name: String,
    pack: PathBuf,
    package: Package,
    /// The agent CLI as an ACP agent, if that is checked.
    acp: Option<AcpCandidate>,
}

/// The result of one adapter.
enum Outcome {
    /// It ran.
    Ran { code: Option<i32>, report: Value },
    /// It could not run, for reasons outside this repository.
    NotTested(String),
    /// It could not run, and that must be fixed.
    Broken(String),
}

/// A row of the table.
struct Row {
    name: String,
    package: String,
    outcome: Outcome,
    took: Duration,
}

/// Installs and runs.
pub(super) fn real_all(arguments: &RealAllArguments) -> Result<u8, CommandError> {
    let candidates = candidates(arguments)?;
    if let Err(reason) = can_confine() {
        let reason = format!("the agent CLI cannot be isolated from the network: {reason}");
        let rows = candidates.iter().map(|it| it.row(Outcome::NotTested(reason.clone())));
        return Ok(print_rows(&rows.collect::<Vec<_>>()));
    }
    let no_folder = |error: std::io::Error| {
        CommandError::suite(format!("could not use {}: {error}", arguments.into.display()))
    };
    std::fs::create_dir_all(arguments.into.join("reports")).map_err(no_folder)?;
    let into = std::path::absolute(&arguments.into).map_err(no_folder)?;
    let work = tempfile::Builder::new().prefix("conformance-").tempdir().map_err(no_folder)?;
    // A build may replace the executable while this runs.
    let suite = copy_own_executable(work.path()).map_err(no_folder)?;
    let (sender, receiver) = channel();
    let mut rows = Vec::new();
    std::thread::scope(|scope| {
        let (list, folder) = (&candidates, &into);
        scope.spawn(move || install_all(list, folder, &sender));
        for (candidate, installed) in candidates.iter().zip(receiver) {
            let started = Instant::now();
            let outcome = match installed {
                Ok(installed) => run_suite(arguments, candidate, &installed, &suite, &into),
                Err(error @ InstallError::Unreachable { .. }) => {
                    Outcome::NotTested(error.to_string())
                }
                Err(error) => Outcome::Broken(error.to_string()),
            };
            rows.push(Row { took: started.elapsed(), ..candidate.row(outcome) });
        }
    });
    let code = print_rows(&rows);
    match arguments.profile {
        Some(Profile::AcpAgent) => publish_table(arguments, &rows),
        None => Ok(code),
    }
}

/// Prints the table of ACP agents and writes it if requested. Results of agents are no failure of
/// this command.
fn publish_table(arguments: &RealAllArguments, rows: &[Row]) -> Result<u8, CommandError> {
    let reports: Vec<&Value> = rows
        .iter()
        .filter_map(|row| match &row.outcome {
            Outcome::Ran { report, .. } => Some(report),
            Outcome::NotTested(_) | Outcome::Broken(_) => None,
        })
        .collect();
    let table = real_acp::table(&reports);
    say!("\n{table}");
    if let Some(file) = &arguments.write {
        if reports.len() < rows.len() {
            let message = format!("{} is unchanged: not every agent was tested", file.display());
            return Err(CommandError::suite(message));
        }
        real_acp::write_table(file, &table)?;
    }
    let is_broken = rows.iter().any(|row| matches!(row.outcome, Outcome::Broken(_)));
    Ok(if is_broken { EXIT_FAILURES } else { EXIT_CONFORMANT })
}

impl Candidate {
    fn row(&self, outcome: Outcome) -> Row {
        let (name, package) = (self.name.clone(), self.package.to_string());
        Row { name, package, outcome, took: Duration::ZERO }
    }
}

/// Every adapter whose pack names a package.
fn candidates(arguments: &RealAllArguments) -> Result<Vec<Candidate>, CommandError> {
    let unusable = |message: String| {
        let hint = "the [real] table is described in conformance/README.md";
        CommandError { code: EXIT_USAGE, message, hint: hint.to_owned() }
    };
    let folder = arguments.adapters.display();
    std::fs::read_dir(&arguments.adapters)
        .map_err(|error| unusable(format!("could not read {folder}: {error}")))?;
    let folders = adapter_folders(&arguments.adapters);
    let name_of = |folder: &PathBuf| Some(folder.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = folders.iter().filter_map(name_of).collect();
    if let Some(unknown) = arguments.only.iter().find(|name| !names.contains(name)) {
        return Err(unusable(format!("{folder} has no adapter {unknown} with a fixture pack")));
    }
    let mut found = Vec::new();
    for (name, folder) in names.into_iter().zip(folders) {
        if !arguments.only.is_empty() && !arguments.only.contains(&name) {
            continue;
        }
        let pack = folder.join("conformance");
        let settings = Pack::load(&pack).map_err(|error| unusable(error.to_string()))?.settings;
        let acp = AcpCandidate::from_settings(&settings).filter(|_| arguments.profile.is_some());
        if arguments.profile.is_some() && acp.is_none() {
            continue;
        }
        if let Some(package) = settings.real.and_then(|real| real.package) {
            let package = package
                .parse()
                .map_err(|error| unusable(format!("{}: {error}", pack.display())))?;
            found.push(Candidate { name, pack, package, acp });
        }
    }
    Ok(found)
}

/// Installs the packages in order, while adapters run with those already installed.
fn install_all(
    candidates: &[Candidate],
    into: &Path,
    sender: &Sender<Result<Installed, InstallError>>,
) {
    for candidate in candidates {
        if sender.send(install(&candidate.package, into)).is_err() {
            return;
        }
    }
}

fn run_suite(
    arguments: &RealAllArguments,
    candidate: &Candidate,
    installed: &Installed,
    suite: &Path,
    into: &Path,
) -> Outcome {
    let fresh = if installed.was_installed { "already installed" } else { "installed" };
    say!("--- real: {} with {} ({fresh})", candidate.name, candidate.package);
    let report = |form: &str| into.join("reports").join(format!("{}.{form}", candidate.name));
    let (json, html) = (report("json"), report("html"));
    // An old report must not be taken for this run's.
    for old in [&json, &html] {
        let _absent = std::fs::remove_file(old);
    }
    let mut command = Command::new(suite);
    command
        .args(["run", "--jobs", &arguments.jobs.to_string()])
        .args(["--patience", &arguments.patience.to_string()])
        .args(["--report", &format!("json={}", json.display())])
        .args(["--report", &format!("html={}", html.display())]);
    let home = into.join("home").join(&candidate.name);
    let prepared = match &candidate.acp {
        Some(acp) => acp.add_arguments(&mut command, &installed.executables, &home),
        None => {
            let plugin = process::executable_name(&format!("od-adapter-{}", candidate.name));
            command.arg(arguments.plugins.join(plugin)).arg("--pack").arg(&candidate.pack);
            command.arg("--real").env("PATH", path_with(&installed.executables));
            Ok(())
        }
    };
    let status = match prepared.and_then(|()| command.status()) {
        Ok(status) => status,
        Err(error) => return Outcome::Broken(format!("could not start the suite: {error}")),
    };
    let read = std::fs::read(&json).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let Some(report) = read else {
        return Outcome::Broken(format!("no report was written ({status}): see above"));
    };
    let report: Value = report;
    let cli = PathBuf::from(report["real"]["cli"].as_str().unwrap_or_default());
    if candidate.acp.is_none() && !cli.starts_with(&installed.executables) {
        return Outcome::Broken(format!(
            "{} has no such command; {} was used",
            candidate.package,
            cli.display()
        ));
    }
    Outcome::Ran { code: status.code(), report }
}

/// PATH with the installed executables first.
fn path_with(executables: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(executables.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap_or(path)
}

/// Prints the table, warnings and errors; returns the exit code.
fn print_rows(rows: &[Row]) -> u8 {
    say!("\n{:<14} {:<40} {:<10} {:<34} {:>6}", "adapter", "package", "result", "checks", "time");
    for row in rows {
        let (result, checks) = describe(&row.outcome);
        let seconds = row.took.as_secs_f64();
        say!("{:<14} {:<40} {result:<10} {checks:<34} {seconds:>4.0} s", row.name, row.package);
        if let Outcome::Ran { report, .. } = &row.outcome
            && report["real"].is_object()
        {
            let found = report["real"]["drift"]["version"]["found"].as_str().unwrap_or_default();
            say!("{:<14} found {found}", "");
        }
    }
    for row in rows {
        match &row.outcome {
            Outcome::NotTested(reason) => {
                say!("\nWARNING: NOT TESTED: {} with {}: {reason}", row.name, row.package);
            }
            Outcome::Broken(reason) => say!("\nERROR: {} with {}: {reason}", row.name, row.package),
            Outcome::Ran { .. } => {}
        }
    }
    let is_good = |row: &Row| {
        matches!(row.outcome, Outcome::NotTested(_) | Outcome::Ran { code: Some(0), .. })
    };
    if rows.iter().all(is_good) { EXIT_CONFORMANT } else { EXIT_FAILURES }
}

fn describe(outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Ran { code, report } => {
            let counts = report["counts"].as_object().into_iter().flatten();
            let counts = counts.filter(|(_, count)| count.as_u64() != Some(0));
            let parts: Vec<String> =
                counts.map(|(status, count)| format!("{count} {status}")).collect();
            (if *code == Some(0) { "passed" } else { "FAILED" }, parts.join(", "))
        }
        Outcome::NotTested(_) => ("NOT TESTED", String::new()),
        Outcome::Broken(_) => ("ERROR", String::new()),
    }
}

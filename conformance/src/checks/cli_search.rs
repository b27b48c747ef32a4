//! DET: the search for the agent CLI on PATH, and files that are not an agent CLI.

use std::path::{Path, PathBuf};

use od_protocol::ErrorKind;
use od_protocol::adapter::DetectAdapterResult;

use super::AdapterCheck;
use super::detection::{detect, failed};
use super::expectations::{exact_answer, plain_answer, refused_with};
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, CliPath, LaunchOptions, execute_on, initialize};
use crate::fake_cli::FakeCli;
use crate::outcome::{CheckOutcome, Finding, shorten, skip_if};
use crate::process;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "DET-08",
        "without `config.cliPath` the adapter uses the first executable file of the agent CLI's \
         name in an absolute folder of PATH, for detection and for runs; without one the agent CLI \
         is not installed and a run is refused as cli_not_found with a hint",
        "most users configure no path, and a file in the working folder can be anything",
        Gate::cli_scenario("text"),
        searched_on_path,
    ),
    active(
        "DET-09",
        "a folder, a file that is not executable and a link to a missing file at `config.cliPath` \
         are not an installed agent CLI; a link to an executable is one",
        "a wrong setting must be visible before a run fails",
        Gate::cli_scenario("text"),
        unusable_files,
    ),
];

/// What precedes the folder of the agent CLI on PATH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    EmptyFolder,
    FolderOfSameName,
    FileWithoutPermission,
    RelativeEntries,
}

/// The entries of PATH before the agent CLI, and the name of its folder.
const PLACES: &[(Before, &str)] = &[
    (Before::Nothing, "bin"),
    (Before::EmptyFolder, "ein Ordner, ünïcödé 海"),
    (Before::FolderOfSameName, "bin"),
    (Before::FileWithoutPermission, "bin"),
    (Before::RelativeEntries, "bin"),
];

/// How a run with an agent CLI that cannot be started may be refused.
const UNUSABLE_KINDS: &[ErrorKind] = &[
    ErrorKind::CliNotFound,
    ErrorKind::CliSpawnFailed,
    ErrorKind::PermissionDenied,
    ErrorKind::ConfigInvalid,
];

fn searched_on_path(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let name = context.suite.cli_name();
    let names = context.suite.manifest.as_ref().map(|manifest| manifest.cli.names.clone());
    let is_searched = names.is_some_and(|names| names.contains(&name));
    skip_if(!is_searched, "the pack's agent CLI has none of the names in the manifest")?;
    let file_name = process::executable_name(&name);
    for (before, folder_name) in PLACES {
        let folder = context.folder("path")?;
        let cli_folder = folder.join(folder_name);
        let mut entries = entries_before(*before, &folder, &file_name)?;
        entries.push(cli_folder.clone());
        let (mut adapter, options) = launch_searching(context, &entries, cli_folder)?;
        let decoys = match before {
            Before::RelativeEntries => decoys(context, &adapter, &entries)?,
            _ => Vec::new(),
        };
        initialize(&mut adapter, &options)?;
        let sent = format!("PATH {entries:?} ({before:?} before the agent CLI), no config.cliPath");
        let expected = adapter.fake_cli.executable().to_owned();
        found_and_used(context, &mut adapter, &expected, &sent)?;
        if let Some(decoy) = decoys.iter().find(|decoy| !decoy.invocations().is_empty()) {
            let got = format!("{} was started", decoy.executable().display());
            let expected = "files in relative and empty entries of PATH are not started";
            return Err(adapter.failure(expected, got, sent));
        }
    }
    link_on_path(context, &file_name)?;
    not_on_path(context)
}

/// The link is on PATH, the folder of the agent CLI is not.
fn link_on_path(context: &mut CheckContext, file_name: &str) -> CheckOutcome {
    let folder = context.folder("links")?;
    let links = folder.join("links");
    std::fs::create_dir_all(&links)?;
    let (mut adapter, options) =
        launch_searching(context, std::slice::from_ref(&links), folder.join("installed"))?;
    process::link_file(adapter.fake_cli.executable(), &links.join(file_name))?;
    initialize(&mut adapter, &options)?;
    let sent = format!("PATH with {}, which contains a link to the agent CLI", links.display());
    found_and_used(context, &mut adapter, &links.join(file_name), &sent)
}

fn not_on_path(context: &mut CheckContext) -> CheckOutcome {
    let folder = context.folder("elsewhere")?;
    let empty = folder.join("empty");
    std::fs::create_dir_all(&empty)?;
    let (mut adapter, options) = launch_searching(context, &[empty], folder.join("installed"))?;
    initialize(&mut adapter, &options)?;
    let (result, value) = detect(&mut adapter)?;
    let is_ours = |path: &String| Path::new(path).starts_with(&context.suite.work);
    if result.installed && result.path.as_ref().is_some_and(|path| !is_ours(path)) {
        // The real agent CLI is installed in a folder of this machine that the adapter knows.
        return Ok(());
    }
    if result.installed || result.path.is_some() {
        let expected = "installed: false without a path, since no folder of PATH has the CLI";
        return Err(failed(&adapter, expected, shorten(&value.to_string(), 400)));
    }
    let request = context.prepare("text")?.request;
    let sent = "run/start without config.cliPath; no folder of PATH has the agent CLI";
    match adapter.start_run(&request)? {
        Answer::Error(error)
            if error.kind() == ErrorKind::CliNotFound
                && error.hint().is_some_and(|hint| !hint.trim().is_empty()) =>
        {
            Ok(())
        }
        other => Err(adapter.failure("the error cli_not_found with a hint", other.summary(), sent)),
    }
}

fn unusable_files(context: &mut CheckContext) -> CheckOutcome {
    type Make = fn(&Path) -> std::io::Result<()>;
    plain_answer(context)?;
    let mut kinds: Vec<(&str, Make)> = vec![("a folder", |path| std::fs::create_dir(path))];
    if cfg!(unix) {
        kinds.push(("a file that is not executable", |path| {
            std::fs::write(path, "#!/bin/sh\necho 99.0.0\n")?;
            process::set_mode(path, 0o644)
        }));
        kinds.push(("an empty file that is not executable", |path| std::fs::write(path, "")));
        kinds.push(("a link to a missing file", |path| {
            process::link_file(&path.with_file_name("missing"), path)
        }));
    }
    for (what, make) in kinds {
        let path = context.folder("unusable")?.join(context.suite.cli_name());
        make(&path)?;
        not_installed(context, path, what)?;
    }
    linked_executable(context)
}

fn not_installed(context: &mut CheckContext, path: PathBuf, what: &str) -> CheckOutcome {
    let options = LaunchOptions { cli_path: CliPath::At(path), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let (result, value) = detect(&mut adapter)?;
    if result.installed || result.path.is_some() {
        let expected = format!("installed: false without a path, since config.cliPath is {what}");
        return Err(failed(&adapter, expected, shorten(&value.to_string(), 400)));
    }
    let request = context.prepare("text")?.request;
    let sent = format!("run/start; config.cliPath is {what}");
    refused_with(&mut adapter, &request, UNUSABLE_KINDS, &sent)?;
    let started = adapter.fake_cli.invocations().len();
    let got = format!("it was started {started} time(s)");
    adapter.ensure(started == 0, "the file of that name on PATH is not started", got, sent)
}

fn linked_executable(context: &mut CheckContext) -> CheckOutcome {
    let link = context.folder("link")?.join(context.suite.cli_name());
    let options = LaunchOptions {
        cli_path: CliPath::At(link.clone()),
        initialize: false,
        ..LaunchOptions::default()
    };
    let mut adapter = context.launch_with(&options)?;
    if process::link_file(adapter.fake_cli.executable(), &link).is_err() {
        return Ok(());
    }
    initialize(&mut adapter, &options)?;
    let sent = "config.cliPath is a link to the agent CLI";
    found_and_used(context, &mut adapter, &link, sent)
}

/// Fails unless detection reports this file, or the target of this link, and a run starts it.
fn found_and_used(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    expected: &Path,
    sent: &str,
) -> CheckOutcome {
    let (result, value) = detect(adapter)?;
    if !is_found(&result, expected) {
        let expected = format!("installed: true with the path {}", expected.display());
        return Err(adapter.failure(expected, shorten(&value.to_string(), 400), sent));
    }
    let prepared = context.prepare("text")?;
    let completed_run = execute_on(adapter, prepared)?;
    exact_answer(&completed_run, sent)?;
    completed_run.started().map(drop)
}

fn is_found(result: &DetectAdapterResult, expected: &Path) -> bool {
    let path = result.path.as_deref().map(Path::new);
    let is_same = |path: &Path| {
        path.is_absolute() && path.canonicalize().ok() == expected.canonicalize().ok()
    };
    result.installed && path.is_some_and(is_same)
}

/// Starts an adapter that gets these entries before the system folders on PATH.
fn launch_searching(
    context: &mut CheckContext,
    entries: &[PathBuf],
    cli_folder: PathBuf,
) -> Result<(AdapterClient, LaunchOptions), Finding> {
    let system = std::env::split_paths(process::SYSTEM_PATH);
    let path = std::env::join_paths(entries.iter().cloned().chain(system))
        .map_err(|error| Finding::Suite(format!("PATH cannot be joined: {error}")))?;
    let path = path.to_string_lossy().into_owned();
    let options = LaunchOptions {
        cli_path: CliPath::Search,
        cli_folder: Some(cli_folder),
        initialize: false,
        env: [("PATH".to_owned(), path)].into(),
        ..LaunchOptions::default()
    };
    let adapter = context.launch_with(&options)?;
    Ok((adapter, options))
}

fn entries_before(before: Before, folder: &Path, file_name: &str) -> Result<Vec<PathBuf>, Finding> {
    let first = folder.join("first");
    std::fs::create_dir_all(&first)?;
    match before {
        Before::Nothing => return Ok(Vec::new()),
        Before::RelativeEntries => return Ok(vec![PathBuf::new(), PathBuf::from("relative")]),
        Before::EmptyFolder => {}
        Before::FolderOfSameName => std::fs::create_dir(first.join(file_name))?,
        Before::FileWithoutPermission => {
            std::fs::write(first.join(file_name), "#!/bin/sh\necho 99.0.0\n")?;
            process::set_mode(&first.join(file_name), 0o644)?;
        }
    }
    Ok(vec![first])
}

/// Installs other executables of that name below the adapter's working folder, where the relative
/// entries lead.
fn decoys(
    context: &CheckContext,
    adapter: &AdapterClient,
    entries: &[PathBuf],
) -> Result<Vec<FakeCli>, Finding> {
    let cwd = adapter.home.parent().unwrap_or(&adapter.home).to_owned();
    let relative = entries.iter().filter(|entry| !entry.is_absolute());
    let install = |entry: &PathBuf| {
        let folder = cwd.join(entry);
        FakeCli::install(&folder, &context.suite.cli_name(), &context.suite.executable)
    };
    Ok(relative.map(install).collect::<std::io::Result<_>>()?)
}

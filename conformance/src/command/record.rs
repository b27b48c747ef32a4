//! `conformance record PLUGIN`: records the real agent CLI.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;

use super::real::{Agent, AgentArguments, table};
use super::suite_setup::WorkFolder;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES};
use crate::console::say;
use crate::outcome::{Finding, shorten};
use crate::pack::RealSettings;
use crate::real::{
    FLAGS_FILE, RECORDED, RealOptions, Recorded, flags_in, help_text, record as run_scenarios,
};
use crate::suite::Suite;

/// The default seed, so that recordings have the same values every time.
const SEED: u64 = 1;

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = "\
Writes a pack that can be tried at once: DIR/conformance.toml, DIR/steps/SCENARIO, and the recordings
DIR/recordings/NAME.{stdout.jsonl,stderr.txt,meta.json} with flags.txt. Look them over before you
keep them. Exit code: 0 everything was recorded, 1 something was not, 2 wrong usage, 3 the plugin
cannot be started, 4 the suite failed.")]
pub(super) struct RecordArguments {
    #[command(flatten)]
    agent: AgentArguments,
    /// The folder to write; must be empty or absent.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Use other random values.
    #[arg(long, default_value_t = SEED)]
    seed: u64,
}

/// Records all scenarios.
pub(super) fn record(arguments: &RecordArguments) -> Result<u8, CommandError> {
    let names: Vec<&str> = RECORDED.iter().map(|scenario| scenario.name).collect();
    arguments.agent.prepare(&names)?;
    let out = WorkFolder::make(Some(&arguments.out))?;
    let work = WorkFolder::make(None)?;
    let suite = arguments.agent.open_suite(Some(arguments.seed), &work)?;
    let settings = table(&suite)?;
    let agent = Agent::find(&suite, settings, arguments.agent.cli.as_deref())?;
    say!("{} at {}", agent.version.found, agent.cli.display());
    let options = RealOptions {
        suite: &suite,
        settings,
        cli: &agent.cli,
        only: &arguments.agent.only,
        is_relayed: true,
    };
    let all =
        run_scenarios(options, arguments.agent.jobs, &mut |recorded| print_recorded(recorded));
    let help = help_text(&agent.cli, &settings.help_arguments(), &work.path().join("help-home"))
        .map_err(|message| CommandError::usage(message, "pass another agent CLI with --cli"))?;
    let mut files = files(&all);
    let flags: String = flags_in(&help).iter().map(|flag| format!("{flag}\n")).collect();
    files.insert(format!("recordings/{FLAGS_FILE}"), flags);
    let text = settings_text(&suite, settings, &agent.version.found, &all)?;
    files.insert("conformance.toml".to_owned(), text);
    refuse_leaks(&files, &all)?;
    write(out.path(), &files)?;
    say!("wrote {}", arguments.out.display());
    let is_bad = |it: &Recorded| !matches!(it.missing, None | Some(Finding::Skip(_)));
    Ok(if all.iter().any(is_bad) { EXIT_FAILURES } else { EXIT_CONFORMANT })
}

fn print_recorded(recorded: &Recorded) {
    let name = recorded.scenario.name;
    match &recorded.missing {
        None => say!("     recorded  {name}"),
        Some(Finding::Skip(reason)) => say!("         skip  {name}  ({reason})"),
        Some(Finding::Fail(failure)) => {
            let got = shorten(&failure.got, 400);
            say!(" not recorded  {name}\n  expected    {}\n  got         {got}", failure.expected);
        }
        Some(Finding::Blocked(reason) | Finding::Untestable(reason) | Finding::Suite(reason)) => {
            say!(" not recorded  {name}  ({reason})")
        }
    }
}

type Files = BTreeMap<String, String>;

fn files(all: &[Recorded]) -> Files {
    let mut files = Files::new();
    for recorded in all.iter().filter(|recorded| recorded.missing.is_none()) {
        let name = recorded.scenario.name;
        if recorded.scenario.has_steps {
            files.insert(format!("steps/{name}"), recorded.steps.clone());
        }
        let base = format!("recordings/{}", recorded.scenario.recording);
        files.insert(format!("{base}.stdout.jsonl"), recorded.stdout.clone());
        files.insert(format!("{base}.stderr.txt"), recorded.stderr.clone());
        files.insert(format!("{base}.meta.json"), format!("{:#}\n", recorded.meta));
    }
    files
}

/// The conformance.toml of the recorded pack.
fn settings_text(
    suite: &Suite,
    settings: &RealSettings,
    version: &str,
    all: &[Recorded],
) -> Result<String, CommandError> {
    let text = |text: &str| toml::Value::String(text.to_owned());
    let way = all.iter().find(|it| it.missing.is_none()).map_or("rpc", |it| it.prompt_transport);
    let probes: BTreeMap<&Vec<String>, &String> =
        all.iter().flat_map(|recorded| &recorded.probes).collect();
    let is_version = |arguments: &Vec<String>| *arguments == ["--version"];
    let probes: Vec<toml::Value> = probes
        .into_iter()
        .filter(|(arguments, _)| !is_version(arguments))
        .map(|(arguments, stdout)| {
            let arguments = arguments.iter().map(|argument| text(argument)).collect();
            let args = toml::Value::Array(arguments);
            let stdout = text(stdout);
            toml::Value::Table(toml::Table::from_iter([
                ("args".to_owned(), args),
                ("stdout".to_owned(), stdout),
            ]))
        })
        .collect();
    let mut cli = toml::Table::from_iter([
        ("name".to_owned(), text(&suite.cli_name())),
        ("prompt".to_owned(), text(way)),
        ("version".to_owned(), text(version)),
    ]);
    if !probes.is_empty() {
        cli.insert("probe".to_owned(), toml::Value::Array(probes));
    }
    let env = settings.env.iter().filter(|(_, value)| value.contains("{{secret}}"));
    let env: toml::Table = env.map(|(name, value)| (name.clone(), text(value))).collect();
    let auth = toml::Table::from_iter([("env".to_owned(), toml::Value::Table(env))]);
    let scenarios = all.iter().filter(|it| it.missing.is_none() && it.scenario.has_steps);
    let scenarios: toml::Table =
        scenarios.map(|it| (it.scenario.name.to_owned(), scenario(settings, it))).collect();
    let complete = toml::Table::from_iter([
        ("cli".to_owned(), toml::Value::Table(cli)),
        ("auth".to_owned(), toml::Value::Table(auth)),
        ("scenario".to_owned(), toml::Value::Table(scenarios)),
    ]);
    let lead = "# Written by `conformance record`: review it and keep what you need.\n\n";
    toml::to_string(&complete)
        .map(|text| format!("{lead}{text}"))
        .map_err(|error| CommandError::suite(format!("could not write the settings: {error}")))
}

fn scenario(settings: &RealSettings, recorded: &Recorded) -> toml::Value {
    let name = recorded.scenario.name;
    let real = settings.scenario.get(recorded.scenario.real);
    let mut params = real.map(|real| real.params.clone()).unwrap_or_default();
    if matches!(name, "resume" | "fork") {
        let session = toml::Table::from_iter([
            ("mode".to_owned(), toml::Value::String(name.to_owned())),
            ("id".to_owned(), toml::Value::String("{{session_id}}".to_owned())),
        ]);
        params.insert("session".to_owned(), toml::Value::Table(session));
    }
    let steps = toml::Value::String(format!("steps/{name}"));
    let mut table = toml::Table::from_iter([("steps".to_owned(), steps)]);
    if !params.is_empty() {
        table.insert("params".to_owned(), toml::Value::Table(params));
    }
    toml::Value::Table(table)
}

/// Refuses to write files that contain the key or names of this machine or its user.
fn refuse_leaks(files: &Files, all: &[Recorded]) -> Result<(), CommandError> {
    let forbidden: BTreeSet<&String> = all.iter().flat_map(|it| &it.forbidden).collect();
    for (name, text) in files {
        if let Some(private) = forbidden.iter().find(|private| text.contains(private.as_str())) {
            return Err(CommandError::suite(format!(
                "{name} contains {private:?}, which belongs to this machine; nothing was written"
            )));
        }
    }
    Ok(())
}

fn write(folder: &Path, files: &Files) -> Result<(), CommandError> {
    for (name, text) in files {
        let file = folder.join(name);
        let made = std::fs::create_dir_all(file.parent().unwrap_or(folder));
        made.and_then(|()| std::fs::write(&file, text)).map_err(|error| {
            CommandError::suite(format!("could not write {}: {error}", file.display()))
        })?;
    }
    Ok(())
}

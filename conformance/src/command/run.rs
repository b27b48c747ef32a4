//! `conformance run PLUGIN`: judges a plugin.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_NO_PLUGIN, EXIT_SUITE, EXIT_USAGE};
use crate::case::{Check, Tier};
use crate::cases;
use crate::judge::{JudgeOptions, judge};
use crate::open::{OpenError, OpenOptions, open, own_executable};
use crate::plugin::PluginPath;
use crate::report::{Report, print_result, print_summary, to_json, to_junit};
use crate::suite::Suite;

/// No judgement may take longer, whatever the plugin does.
const BUDGET: Duration = Duration::from_secs(15 * 60);

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The od-adapter-* executable.
    plugin: PathBuf,
    /// The fixture pack; by default `conformance/` beside the plugin or `adapters/ID/conformance`.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// Only this check or chapter; may be given several times.
    #[arg(long, value_name = "ID|CHAPTER")]
    only: Vec<String>,
    /// Repeats the random values of an earlier judgement.
    #[arg(long)]
    seed: Option<u64>,
    /// How much time to take.
    #[arg(long, value_enum, default_value = "fast")]
    tier: TierArgument,
    /// `text`, `json=FILE` or `junit=FILE`; may be given several times.
    #[arg(long, value_name = "FORM")]
    report: Vec<ReportTarget>,
    /// A SHOULD counts as a MUST.
    #[arg(long)]
    strict: bool,
    /// Stretches every limit of time, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    patience: f64,
    /// How many checks run at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Keeps transcripts and everything else in this folder, which must be empty or absent.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Arguments for the plugin, in front of `--stdio`.
    #[arg(last = true)]
    plugin_arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TierArgument {
    Fast,
    Full,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ReportTarget {
    Text,
    Json(PathBuf),
    Junit(PathBuf),
}

impl FromStr for ReportTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            None if text == "text" => Ok(Self::Text),
            Some(("json", file)) if !file.is_empty() => Ok(Self::Json(file.into())),
            Some(("junit", file)) if !file.is_empty() => Ok(Self::Junit(file.into())),
            _ => Err("there is text, json=FILE and junit=FILE".to_owned()),
        }
    }
}

/// Judges a plugin.
pub(super) fn run(arguments: &RunArguments) -> Result<u8, CommandError> {
    let tier = match arguments.tier {
        TierArgument::Fast => Tier::Fast,
        TierArgument::Full => Tier::Full,
    };
    let checks = selected(&arguments.only, tier)?;
    let mut work = Work::make(arguments.keep.as_deref())?;
    let executable = own_executable(work.path()).map_err(|error| open_failed(error.into()))?;
    let options = OpenOptions {
        plugin: PluginPath {
            executable: arguments.plugin.clone(),
            arguments: arguments.plugin_arguments.clone(),
        },
        pack: arguments.pack.clone(),
        seed: arguments.seed.unwrap_or_else(rand::random),
        tier,
        patience: arguments.patience.max(0.1),
        work: work.path().to_owned(),
        executable,
    };
    let suite = Arc::new(open(options).map_err(open_failed)?);
    let judge_options =
        JudgeOptions { strict: arguments.strict, jobs: arguments.jobs, budget: BUDGET };
    let started = Instant::now();
    let results = judge(&suite, &checks, judge_options, &mut print_result);
    let report = report(&suite, results, started.elapsed());
    print_summary(&report);
    write_reports(&report, &arguments.report)?;
    if report.is_conformant() && !report.has_suite_error() {
        return Ok(EXIT_CONFORMANT);
    }
    work.keep();
    Ok(if report.has_suite_error() { EXIT_SUITE } else { EXIT_FAILURES })
}

/// The report of a judgement.
pub(super) fn report(
    suite: &Suite,
    results: Vec<crate::judge::CheckResult>,
    took: Duration,
) -> Report {
    Report {
        plugin: suite.plugin.executable.clone(),
        adapter_id: suite.adapter_id(),
        adapter_version: suite
            .manifest
            .as_ref()
            .map(|manifest| manifest.version.clone())
            .unwrap_or_default(),
        pack: suite.pack.as_ref().map(|pack| pack.folder.clone()),
        tier: suite.tier,
        seed: suite.seed,
        results,
        took,
    }
}

/// The words for a judgement that could not be opened.
pub(super) fn open_failed(error: OpenError) -> CommandError {
    match error {
        OpenError::Plugin(message) => CommandError {
            code: EXIT_NO_PLUGIN,
            message,
            hint: "give the path of an executable called od-adapter-…".to_owned(),
        },
        OpenError::Pack(error) => CommandError {
            code: EXIT_USAGE,
            message: error.to_string(),
            hint: "the format is described in conformance/README.md".to_owned(),
        },
        OpenError::Suite(error) => CommandError::suite(error.to_string()),
    }
}

fn selected(only: &[String], tier: Tier) -> Result<Vec<Check>, CommandError> {
    let all = cases::all();
    let is_meant = |check: &Check, word: &str| {
        check.id.eq_ignore_ascii_case(word) || check.chapter().eq_ignore_ascii_case(word)
    };
    if let Some(unknown) = only.iter().find(|word| !all.iter().any(|check| is_meant(check, word))) {
        return Err(CommandError::usage(
            format!("there is no check or chapter {unknown}"),
            "conformance list shows all of them",
        ));
    }
    // Who names a check wants it, whatever its tier.
    let is_wanted = |check: &Check| match only {
        [] => check.tier <= tier,
        words => words.iter().any(|word| {
            check.id.eq_ignore_ascii_case(word) || (is_meant(check, word) && check.tier <= tier)
        }),
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn write_reports(report: &Report, targets: &[ReportTarget]) -> Result<(), CommandError> {
    for target in targets {
        let (file, text) = match target {
            // It was printed while the checks ran.
            ReportTarget::Text => continue,
            ReportTarget::Json(file) => (file, format!("{:#}\n", to_json(report))),
            ReportTarget::Junit(file) => (file, to_junit(report).map_err(CommandError::suite)?),
        };
        std::fs::write(file, text).map_err(|error| {
            CommandError::suite(format!("{} cannot be written: {error}", file.display()))
        })?;
    }
    Ok(())
}

/// The folder for everything that is written; it goes away unless it is of use.
struct Work {
    path: PathBuf,
    temporary: Option<tempfile::TempDir>,
}

impl Work {
    fn make(keep: Option<&Path>) -> Result<Self, CommandError> {
        let failed =
            |error: std::io::Error| CommandError::suite(format!("no folder to work in: {error}"));
        let Some(folder) = keep else {
            let temporary =
                tempfile::Builder::new().prefix("conformance-").tempdir().map_err(failed)?;
            return Ok(Self { path: temporary.path().to_owned(), temporary: Some(temporary) });
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let path = std::path::absolute(folder).map_err(failed)?;
        if std::fs::read_dir(&path).map_err(failed)?.next().is_some() {
            let message = format!("{} is not empty", path.display());
            return Err(CommandError::usage(message, "give --keep a new folder"));
        }
        Ok(Self { path, temporary: None })
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the folder where it is: the failures point into it.
    fn keep(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let path = temporary.keep();
            anstream::println!("transcripts: {}", path.display());
        }
    }
}

//! `conformance run PLUGIN`: judges a plugin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::real;
use super::target::{ReportTarget, write_reports};
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_NO_PLUGIN, EXIT_SUITE, EXIT_USAGE};
use crate::baseline::KnownFailures;
use crate::case::{Check, Tier};
use crate::cases;
use crate::console::say;
use crate::judge::{CheckResult, JudgeOptions, judge};
use crate::open::{OpenError, OpenOptions, open, own_executable};
use crate::plugin::PluginPath;
use crate::report::{Report, print_result, print_summary};
use crate::requirements::{DEFAULT_SET, Requirements};
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
    /// Only this check or chapter (with --real: scenario); may be given several times.
    #[arg(long, value_name = "ID|CHAPTER")]
    only: Vec<String>,
    /// Repeats the random values of an earlier judgement.
    #[arg(long)]
    seed: Option<u64>,
    /// How much time to take.
    #[arg(long, value_enum, default_value = "fast")]
    tier: TierArgument,
    /// `text`, `tap`, or `json`, `junit`, `tap`, `html` with `=FILE`; may be given several times.
    #[arg(long, value_name = "FORM")]
    report: Vec<ReportTarget>,
    /// The requirement set that counts; `latest` counts every check.
    #[arg(long, value_name = "SET", default_value = DEFAULT_SET)]
    requirements: String,
    /// Known failures besides those of the pack (see the README).
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
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
    #[command(flatten)]
    real: real::RealArguments,
    /// Arguments for the plugin, in front of `--stdio`.
    #[arg(last = true)]
    plugin_arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TierArgument {
    Fast,
    Full,
}

/// Judges a plugin.
pub(super) fn run(arguments: &RunArguments) -> Result<u8, CommandError> {
    let tier = match arguments.tier {
        TierArgument::Fast => Tier::Fast,
        TierArgument::Full => Tier::Full,
    };
    if arguments.real.real {
        return run_real(arguments, tier);
    }
    let checks = selected(&arguments.only, tier)?;
    let requirements = Requirements::named(&arguments.requirements)
        .map_err(|error| CommandError::usage(error.to_string(), "conformance run --help"))?;
    let mut work = Work::make(arguments.keep.as_deref())?;
    let suite = Arc::new(opened(arguments, tier, &work)?);
    let judge_options = JudgeOptions {
        strict: arguments.strict,
        jobs: arguments.jobs,
        budget: BUDGET,
        requirements,
        known_failures: known_failures(&suite, arguments.baseline.as_deref())?,
    };
    let shows_text = !arguments.report.contains(&ReportTarget::Tap(None));
    let started = Instant::now();
    let results = judge(&suite, &checks, &judge_options, &mut |result| {
        if shows_text {
            print_result(result);
        }
    });
    let mut report = report(&suite, &judge_options, results, started.elapsed());
    report.baseline.clone_from(&arguments.baseline);
    if shows_text {
        print_summary(&report);
    }
    write_reports(&report, &arguments.report)?;
    if report.is_conformant() && !report.has_suite_error() {
        return Ok(EXIT_CONFORMANT);
    }
    if let Some(folder) = work.keep() {
        let mark = if shows_text { "" } else { "# " };
        say!("{mark}transcripts: {}", folder.display());
    }
    Ok(if report.has_suite_error() { EXIT_SUITE } else { EXIT_FAILURES })
}

/// Drives the real agent CLI.
fn run_real(arguments: &RunArguments, tier: Tier) -> Result<u8, CommandError> {
    let confinement = real::prepare(&arguments.real, &arguments.only, &arguments.report)?;
    let mut work = Work::make(arguments.keep.as_deref())?;
    let suite = opened(arguments, tier, &work)?;
    let code = real::run(&arguments.real, &suite, &arguments.only, &arguments.report, confinement)?;
    if code != EXIT_CONFORMANT
        && let Some(folder) = work.keep()
    {
        say!("transcripts: {}", folder.display());
    }
    Ok(code)
}

fn opened(arguments: &RunArguments, tier: Tier, work: &Work) -> Result<Suite, CommandError> {
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
    open(options).map_err(open_failed)
}

/// The known failures of the pack and of the baseline file.
fn known_failures(suite: &Suite, baseline: Option<&Path>) -> Result<KnownFailures, CommandError> {
    let mut known = suite.pack.as_ref().map(KnownFailures::of_pack).unwrap_or_default();
    if let Some(file) = baseline {
        let hint = "a baseline is described in conformance/README.md";
        known.add_file(file).map_err(|error| CommandError::usage(error.to_string(), hint))?;
    }
    Ok(known)
}

/// The report of a judgement.
fn report(
    suite: &Suite,
    options: &JudgeOptions,
    results: Vec<CheckResult>,
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
        requirements: options.requirements.name().to_owned(),
        baseline: None,
        seed: suite.seed,
        results,
        stale_entries: options.known_failures.naming_nothing(&cases::all()),
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

    /// Leaves the folder where it is: the failures point into it. Gives it when nobody chose it.
    fn keep(&mut self) -> Option<PathBuf> {
        self.temporary.take().map(tempfile::TempDir::keep)
    }
}

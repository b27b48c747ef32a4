//! `conformance run PLUGIN`: runs the checks on an adapter.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::acp;
use super::real;
use super::report_target::{ReportTarget, write_reports};
use super::suite_setup::{Subject, WorkFolder, open_suite};
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_SUITE};
use crate::baseline::KnownFailures;
use crate::check::{Check, CheckResult, Tier};
use crate::checks;
use crate::console::say;
use crate::real::real_checks;
use crate::report::{Coverage, Report, print_result, print_summary};
use crate::requirements::{DEFAULT_SET, Requirements};
use crate::runner::{RunnerOptions, run_checks};
use crate::suite::Suite;

/// The time budget of a run of the suite.
pub(super) const BUDGET: Duration = Duration::from_secs(15 * 60);
/// The time budget of the tier slow.
const SLOW_BUDGET: Duration = Duration::from_secs(2 * 60 * 60);

/// How many checks run in parallel; they mostly wait.
pub(super) const JOBS: usize = 4;

/// How many scenarios of the real agent CLI run in parallel.
const REAL_JOBS: usize = 3;

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The od-adapter-* executable; with --profile acp-agent the agent's program.
    #[arg(required_unless_present = "profile")]
    pub(super) plugin: Option<PathBuf>,
    /// The fixture pack [default: conformance/ beside the adapter, or in adapters/ID].
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// Run only this check or chapter (with --real: scenario); repeatable.
    #[arg(long, value_name = "ID|CHAPTER", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Use the random values of an earlier run.
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// How thorough to be.
    #[arg(long, value_enum, default_value = "fast")]
    tier: TierArgument,
    /// Write a report: `text`, `tap`, `json=FILE`, `junit=FILE`, `tap=FILE`, `html=FILE` or
    /// `badge=FILE` (SVG); repeatable.
    #[arg(long, value_name = "FORM")]
    report: Vec<ReportTarget>,
    /// The requirement set that is scored: 1.1 or 1.0 (agents: acp-1.1), or `latest` with every check.
    #[arg(long, value_name = "SET")]
    pub(super) requirements: Option<String>,
    /// A file with more known failures than those of the pack.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Score a SHOULD as a MUST.
    #[arg(long)]
    pub(super) strict: bool,
    /// Start no check after the first failure.
    #[arg(long, conflicts_with_all = ["profile", "real"])]
    pub(super) fail_fast: bool,
    /// Multiply every time limit, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    pub(super) patience: f64,
    /// How many checks run in parallel [default: 4, with --real 3].
    #[arg(long)]
    pub(super) jobs: Option<usize>,
    /// Keep transcripts and all other files in this folder, which must be empty or absent.
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<PathBuf>,
    #[command(flatten)]
    pub(super) real: real::RealArguments,
    #[command(flatten)]
    pub(super) acp: acp::AcpArguments,
    /// Arguments for the adapter before `--stdio`; with --profile acp-agent the agent's command.
    #[arg(last = true)]
    pub(super) plugin_arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TierArgument {
    /// Less than a minute.
    Fast,
    /// Less than five minutes: more repetitions and more data.
    Full,
    /// A soak test of up to an hour: many more runs and more data.
    Slow,
}

impl RunArguments {
    /// The tier.
    pub(super) fn tier(&self) -> Tier {
        match self.tier {
            TierArgument::Fast => Tier::Fast,
            TierArgument::Full => Tier::Full,
            TierArgument::Slow => Tier::Slow,
        }
    }
}

/// Checks an adapter, or an agent.
pub(super) fn run(arguments: &RunArguments) -> Result<u8, CommandError> {
    let tier = arguments.tier();
    if arguments.acp.profile.is_some() {
        return acp::run(arguments);
    }
    if arguments.real.real {
        return run_real(arguments, tier);
    }
    let checks = selected(checks::all(), &arguments.only, tier)?;
    let set = arguments.requirements.as_deref().unwrap_or(DEFAULT_SET);
    let requirements = Requirements::named(set)
        .map_err(|error| CommandError::usage(error.to_string(), "conformance run --help"))?;
    let mut work = WorkFolder::make(arguments.keep.as_deref())?;
    let suite = Arc::new(open_suite(&subject(arguments, tier), &work)?);
    let runner_options = RunnerOptions {
        strict: arguments.strict,
        fail_fast: arguments.fail_fast,
        jobs: arguments.jobs.unwrap_or(JOBS),
        budget: if tier == Tier::Slow { SLOW_BUDGET } else { BUDGET },
        requirements,
        known_failures: known_failures(&suite, arguments.baseline.as_deref())?,
    };
    let shows_text = shows_text(arguments);
    let started = Instant::now();
    let results = run_checks(&suite, &checks, &runner_options, &mut |result| {
        if shows_text {
            print_result(result);
        }
    });
    let mut report = report(&suite, &runner_options, results, started.elapsed());
    report.coverage = Coverage::of(&suite, &report.results, !arguments.only.is_empty());
    build_result(arguments, report, &mut work)
}

/// Runs the real agent CLI.
fn run_real(arguments: &RunArguments, tier: Tier) -> Result<u8, CommandError> {
    let confinement = real::prepare(&arguments.real, &arguments.only)?;
    let mut work = WorkFolder::make(arguments.keep.as_deref())?;
    let suite = open_suite(&subject(arguments, tier), &work)?;
    let table = real::table(&suite)?;
    let mut known_failures =
        suite.pack.as_ref().map(|pack| KnownFailures::listed_in(pack, &table.known_failures));
    if let (Some(file), Some(known)) = (&arguments.baseline, &mut known_failures) {
        add_baseline(known, file)?;
    }
    let options = RunnerOptions {
        strict: arguments.strict,
        fail_fast: false,
        jobs: arguments.jobs.unwrap_or(REAL_JOBS),
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: known_failures.unwrap_or_default(),
    };
    let real_run_options = real::RealRunOptions {
        only: &arguments.only,
        options: &options,
        confinement,
        shows_text: shows_text(arguments),
    };
    let real_run = real::run_and_compare(&arguments.real, &suite, &real_run_options)?;
    let mut report = report(&suite, &options, real_run.results, real_run.took);
    report.stale_entries = options.known_failures.unknown_checks(&real_checks(&suite));
    report.real = Some(real_run.facts);
    build_result(arguments, report, &mut work)
}

/// Whether the text report goes to stdout.
pub(super) fn shows_text(arguments: &RunArguments) -> bool {
    !arguments.report.contains(&ReportTarget::Tap(None))
}

/// Writes the reports, keeps the transcripts of failures, returns the exit code.
pub(super) fn build_result(
    arguments: &RunArguments,
    mut report: Report,
    work: &mut WorkFolder,
) -> Result<u8, CommandError> {
    report.baseline.clone_from(&arguments.baseline);
    let shows_text = shows_text(arguments);
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

fn subject(arguments: &RunArguments, tier: Tier) -> Subject<'_> {
    Subject {
        plugin: arguments.plugin.as_deref().unwrap_or(Path::new("")),
        arguments: &arguments.plugin_arguments,
        pack: arguments.pack.as_deref(),
        seed: arguments.seed,
        tier,
        patience: arguments.patience,
    }
}

/// The known failures of the pack and of the baseline file.
fn known_failures(suite: &Suite, baseline: Option<&Path>) -> Result<KnownFailures, CommandError> {
    let mut known = suite.pack.as_ref().map(KnownFailures::from_pack).unwrap_or_default();
    if let Some(file) = baseline {
        add_baseline(&mut known, file)?;
    }
    Ok(known)
}

/// Adds what a baseline file lists.
pub(super) fn add_baseline(known: &mut KnownFailures, file: &Path) -> Result<(), CommandError> {
    let hint = "conformance/README.md describes the format of a baseline";
    known.add_file(file).map_err(|error| CommandError::usage(error.to_string(), hint))
}

/// The report of a run of the suite.
fn report(
    suite: &Suite,
    options: &RunnerOptions,
    results: Vec<CheckResult>,
    took: Duration,
) -> Report {
    Report {
        adapter: suite.adapter.executable.clone(),
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
        real: None,
        agent: None,
        coverage: Coverage::default(),
        results,
        stale_entries: options.known_failures.unknown_checks(&checks::all()),
        took,
    }
}

/// The requested checks.
pub(super) fn selected(
    all: Vec<Check>,
    only: &[String],
    tier: Tier,
) -> Result<Vec<Check>, CommandError> {
    let is_meant = |check: &Check, name: &str| {
        check.id.eq_ignore_ascii_case(name) || check.chapter().eq_ignore_ascii_case(name)
    };
    if let Some(unknown) = only.iter().find(|name| !all.iter().any(|check| is_meant(check, name))) {
        return Err(CommandError::usage(
            format!("unknown check or chapter {unknown}"),
            "conformance list prints all checks",
        ));
    }
    // A check requested by its id runs in every tier.
    let is_wanted = |check: &Check| match only {
        [] => check.tier <= tier,
        names => names.iter().any(|name| {
            check.id.eq_ignore_ascii_case(name) || (is_meant(check, name) && check.tier <= tier)
        }),
    };
    Ok(all.into_iter().filter(is_wanted).collect())
}

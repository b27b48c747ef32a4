//! `conformance run PLUGIN`: judges a plugin.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::acp;
use super::real;
use super::target::{ReportTarget, write_reports};
use super::work::{Subject, Work, opened};
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, EXIT_SUITE};
use crate::baseline::KnownFailures;
use crate::case::{Check, Tier};
use crate::cases;
use crate::console::say;
use crate::judge::{CheckResult, JudgeOptions, judge};
use crate::real::real_checks;
use crate::report::{Report, print_result, print_summary};
use crate::requirements::{DEFAULT_SET, Requirements};
use crate::suite::Suite;

/// No judgement may take longer, whatever the plugin does.
pub(super) const BUDGET: Duration = Duration::from_secs(15 * 60);
/// The same for a soak.
const SLOW_BUDGET: Duration = Duration::from_secs(2 * 60 * 60);

/// How many checks run at once; most of their time is waiting.
pub(super) const JOBS: usize = 4;

/// How many scenarios of the real agent CLI run at once.
const REAL_JOBS: usize = 3;

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The od-adapter-* executable; with --profile acp-agent the agent's program.
    #[arg(required_unless_present = "profile")]
    pub(super) plugin: Option<PathBuf>,
    /// The fixture pack; by default `conformance/` beside the plugin or `adapters/ID/conformance`.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// Only this check or chapter (with --real: scenario); may be given several times.
    #[arg(long, value_name = "ID|CHAPTER", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Repeats the random values of an earlier judgement.
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// How much time to take.
    #[arg(long, value_enum, default_value = "fast")]
    tier: TierArgument,
    /// `text`, `tap`, or `json`, `junit`, `tap`, `html` with `=FILE`; may be given several times.
    #[arg(long, value_name = "FORM")]
    report: Vec<ReportTarget>,
    /// The requirement set that counts: 1.0 (for agents acp-1), or `latest`, which has every check.
    #[arg(long, value_name = "SET")]
    pub(super) requirements: Option<String>,
    /// Known failures besides those of the pack (see the README).
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// A SHOULD counts as a MUST.
    #[arg(long)]
    pub(super) strict: bool,
    /// Stretches every limit of time, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    pub(super) patience: f64,
    /// How many checks run at once (2, with --real 3).
    #[arg(long)]
    pub(super) jobs: Option<usize>,
    /// Keeps transcripts and everything else in this folder, which must be empty or absent.
    #[arg(long, value_name = "DIR")]
    pub(super) keep: Option<PathBuf>,
    #[command(flatten)]
    pub(super) real: real::RealArguments,
    #[command(flatten)]
    pub(super) acp: acp::AcpArguments,
    /// Arguments for the plugin, in front of `--stdio`; with --profile acp-agent the agent's command.
    #[arg(last = true)]
    pub(super) plugin_arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TierArgument {
    /// Less than a minute.
    Fast,
    /// Less than five minutes: repeats more and sends more.
    Full,
    /// A soak, up to an hour: many more runs and larger floods.
    Slow,
}

impl RunArguments {
    /// How much time to take.
    pub(super) fn tier(&self) -> Tier {
        match self.tier {
            TierArgument::Fast => Tier::Fast,
            TierArgument::Full => Tier::Full,
            TierArgument::Slow => Tier::Slow,
        }
    }
}

/// Judges a plugin, or an agent.
pub(super) fn run(arguments: &RunArguments) -> Result<u8, CommandError> {
    let tier = arguments.tier();
    if arguments.acp.profile.is_some() {
        return acp::run(arguments);
    }
    if arguments.real.real {
        return run_real(arguments, tier);
    }
    let checks = selected(cases::all(), &arguments.only, tier)?;
    let set = arguments.requirements.as_deref().unwrap_or(DEFAULT_SET);
    let requirements = Requirements::named(set)
        .map_err(|error| CommandError::usage(error.to_string(), "conformance run --help"))?;
    let mut work = Work::make(arguments.keep.as_deref())?;
    let suite = Arc::new(opened(&subject(arguments, tier), &work)?);
    let judge_options = JudgeOptions {
        strict: arguments.strict,
        jobs: arguments.jobs.unwrap_or(JOBS),
        budget: if tier == Tier::Slow { SLOW_BUDGET } else { BUDGET },
        requirements,
        known_failures: known_failures(&suite, arguments.baseline.as_deref())?,
    };
    let shows_text = shows_text(arguments);
    let started = Instant::now();
    let results = judge(&suite, &checks, &judge_options, &mut |result| {
        if shows_text {
            print_result(result);
        }
    });
    let report = report(&suite, &judge_options, results, started.elapsed());
    conclude(arguments, report, &mut work)
}

/// Drives the real agent CLI.
fn run_real(arguments: &RunArguments, tier: Tier) -> Result<u8, CommandError> {
    let confinement = real::prepare(&arguments.real, &arguments.only)?;
    let mut work = Work::make(arguments.keep.as_deref())?;
    let suite = opened(&subject(arguments, tier), &work)?;
    let table = real::table(&suite)?;
    let mut known_failures =
        suite.pack.as_ref().map(|pack| KnownFailures::listed_in(pack, &table.known_failures));
    if let (Some(file), Some(known)) = (&arguments.baseline, &mut known_failures) {
        add_baseline(known, file)?;
    }
    let options = JudgeOptions {
        strict: arguments.strict,
        jobs: arguments.jobs.unwrap_or(REAL_JOBS),
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: known_failures.unwrap_or_default(),
    };
    let terms = real::Terms {
        only: &arguments.only,
        options: &options,
        confinement,
        shows_text: shows_text(arguments),
    };
    let judged = real::judge(&arguments.real, &suite, &terms)?;
    let mut report = report(&suite, &options, judged.results, judged.took);
    report.stale_entries = options.known_failures.naming_nothing(&real_checks(&suite));
    report.real = Some(judged.facts);
    conclude(arguments, report, &mut work)
}

/// Whether people read along.
pub(super) fn shows_text(arguments: &RunArguments) -> bool {
    !arguments.report.contains(&ReportTarget::Tap(None))
}

/// Writes the reports, keeps what failures point at, and gives the exit code.
pub(super) fn conclude(
    arguments: &RunArguments,
    mut report: Report,
    work: &mut Work,
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
    let mut known = suite.pack.as_ref().map(KnownFailures::of_pack).unwrap_or_default();
    if let Some(file) = baseline {
        add_baseline(&mut known, file)?;
    }
    Ok(known)
}

/// Adds what a baseline file lists.
pub(super) fn add_baseline(known: &mut KnownFailures, file: &Path) -> Result<(), CommandError> {
    let hint = "a baseline is described in conformance/README.md";
    known.add_file(file).map_err(|error| CommandError::usage(error.to_string(), hint))
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
        real: None,
        agent: None,
        results,
        stale_entries: options.known_failures.naming_nothing(&cases::all()),
        took,
    }
}

/// The checks that were asked for.
pub(super) fn selected(
    all: Vec<Check>,
    only: &[String],
    tier: Tier,
) -> Result<Vec<Check>, CommandError> {
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

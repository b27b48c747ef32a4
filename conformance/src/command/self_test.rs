//! `conformance self-test`: the reference adapter passes every check, each mutant fails exactly the
//! checks that must find it, and every check has a mutant.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::acp::Profile;
use super::suite_setup::setup_error;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, acp_self_test, generated_self_test};
use crate::checks;
use crate::console::say;
use crate::mutant::MUTANTS;
use crate::parallel;
use crate::requirements::{DEFAULT_SET, Requirements};
use crate::self_test::{
    FaultCoverage, Location, Outcome, SelfTestOptions, Subject, document, recheck,
    record_fault_coverage, run_subject, subjects, table,
};

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct SelfTestArguments {
    /// Test the checks of another profile, with the reference agent.
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Run the faults that are derived from the schema, and print the share that is found.
    #[arg(long, conflicts_with_all = ["profile", "every"])]
    generated: bool,
    /// Run only these mutants; repeatable. `reference` is the one without a fault. With
    /// `--generated`: only faults whose names start with this.
    #[arg(long, value_name = "FAULT")]
    pub(super) only: Vec<String>,
    /// Run only the checks that must find a mutant, not those that must pass. With `--generated`:
    /// only a sample of the faults.
    #[arg(long)]
    pub(super) quick: bool,
    /// Run every check on every mutant, also checks that never reach its fault.
    #[arg(long, conflicts_with = "quick")]
    every: bool,
    /// How many mutants run in parallel.
    #[arg(long, default_value_t = 6)]
    pub(super) jobs: usize,
    /// Multiply every time limit, for slow machines.
    #[arg(long, default_value_t = 1.5)]
    pub(super) patience: f64,
    /// Use the random values of an earlier self-test.
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// Write the result of each check for each mutant.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// With `--generated`: write the list of found faults that `--quick` samples.
    #[arg(long, value_name = "FILE", requires = "generated")]
    pub(super) write_proven: Option<PathBuf>,
}

/// Runs the self-test.
pub(super) fn self_test(arguments: &SelfTestArguments) -> Result<u8, CommandError> {
    if arguments.profile == Some(Profile::AcpAgent) {
        return acp_self_test::self_test(arguments);
    }
    if arguments.generated {
        return generated_self_test::generated_self_test(arguments);
    }
    let started = Instant::now();
    let location = Location::make()
        .map_err(|error| CommandError::suite(format!("could not create a work folder: {error}")))?;
    let subjects = selected(&arguments.only)?;
    let self_test_options = SelfTestOptions {
        seed: arguments.seed.unwrap_or_else(rand::random),
        time_factor: arguments.patience.max(0.1),
        quick: arguments.quick,
    };
    let coverage = match arguments.quick || arguments.every {
        true => None,
        false => Some(record_coverage(arguments, &location, &self_test_options)?),
    };
    let mut outcomes =
        run_all(arguments.jobs, &location, &self_test_options, coverage.as_ref(), &subjects);
    let rechecked = recheck_unexpected(&location, &self_test_options, &mut outcomes);
    let order = |name: &str| subjects.iter().position(|subject| subject.name == name);
    outcomes.sort_by_key(|outcome| order(outcome.subject.name));
    if !arguments.quick {
        say!("\n{}", table(&checks::all(), &outcomes));
    }
    let mut problems: usize = outcomes.iter().map(|outcome| outcome.problems.len()).sum();
    if arguments.only.is_empty() {
        problems += print_unproven() + print_broken_set()?;
    }
    if let Some(file) = &arguments.json {
        write_json(file, self_test_options.seed, &outcomes)?;
    }
    let results: usize = outcomes.iter().map(|outcome| outcome.cells.len()).sum();
    say!(
        "{} subjects, {results} results, {rechecked} rechecked, {problems} problems in {:.0} s, seed {}",
        outcomes.len(),
        started.elapsed().as_secs_f64(),
        self_test_options.seed
    );
    Ok(if problems == 0 { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

fn selected(only: &[String]) -> Result<Vec<Subject>, CommandError> {
    let all = subjects();
    if let Some(unknown) =
        only.iter().find(|name| !all.iter().any(|subject| subject.name == **name))
    {
        let known: Vec<&str> = all.iter().map(|subject| subject.name).collect();
        let message = format!("unknown mutant {unknown}");
        return Err(CommandError::usage(message, format!("known mutants: {}", known.join(", "))));
    }
    let is_wanted =
        |subject: &Subject| only.is_empty() || only.iter().any(|name| name == subject.name);
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn record_coverage(
    arguments: &SelfTestArguments,
    location: &Location,
    self_test_options: &SelfTestOptions,
) -> Result<FaultCoverage, CommandError> {
    let started = Instant::now();
    let coverage = record_fault_coverage(location, self_test_options, arguments.jobs * 2)
        .map_err(setup_error)?;
    let seconds = started.elapsed().as_secs_f64();
    say!("recorded which checks reach which faults in {seconds:.0} s");
    Ok(coverage)
}

/// Runs all subjects, the slowest first: those that fail most checks.
fn run_all(
    jobs: usize,
    location: &Location,
    self_test_options: &SelfTestOptions,
    coverage: Option<&FaultCoverage>,
    subjects: &[Subject],
) -> Vec<Outcome> {
    let mut order = subjects.to_vec();
    let breaks =
        |subject: &Subject| subject.mutant.map_or(usize::MAX, |mutant| mutant.may_fail.len());
    order.sort_by_key(|subject| std::cmp::Reverse(breaks(subject)));
    let run = |subject: &Subject| run_subject(location, self_test_options, coverage, *subject);
    parallel::each(&order, jobs, run, &mut print_outcome)
}

/// Runs unexpected results again, one subject at a time.
fn recheck_unexpected(
    location: &Location,
    self_test_options: &SelfTestOptions,
    outcomes: &mut [Outcome],
) -> usize {
    let mut rechecked = 0;
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.unexpected.is_empty()) {
        rechecked += outcome.unexpected.len();
        say!("recheck {} with {}", outcome.subject.name, outcome.unexpected.join(" "));
        recheck(location, self_test_options, outcome);
        print_outcome(outcome);
    }
    rechecked
}

fn print_outcome(outcome: &Outcome) {
    let word = if outcome.problems.is_empty() { "ok" } else { "BAD" };
    let caught_by = outcome.caught_by();
    let caught = if caught_by.is_empty() {
        "passes every check".to_owned()
    } else {
        format!("caught by {}", caught_by.join(" "))
    };
    let seconds = outcome.took.as_secs_f64();
    say!("{word:>4}  {:24} {seconds:5.1} s  {caught}", outcome.subject.name);
    for problem in &outcome.problems {
        say!("      {problem}");
    }
}

fn write_json(file: &Path, seed: u64, outcomes: &[Outcome]) -> Result<(), CommandError> {
    let text = format!("{:#}\n", document(seed, outcomes));
    std::fs::write(file, text).map_err(|error| {
        let message = format!("could not write {}: {error}", file.display());
        CommandError::usage(message, "pass --json a file in an existing folder")
    })
}

/// A check that no mutant must fail is unproven.
fn print_unproven() -> usize {
    let unproven: Vec<&str> = checks::all()
        .iter()
        .map(|check| check.id)
        .filter(|id| !MUTANTS.iter().any(|mutant| mutant.must_fail.contains(id)))
        .collect();
    if !unproven.is_empty() {
        say!("no mutant must fail: {}", unproven.join(" "));
    }
    unproven.len()
}

/// Checks that differ from the frozen set.
fn print_broken_set() -> Result<usize, CommandError> {
    let requirements =
        Requirements::named(DEFAULT_SET).map_err(|error| CommandError::suite(error.to_string()))?;
    let broken = requirements.mismatches(&checks::all());
    for problem in &broken {
        say!("{problem}");
    }
    Ok(broken.len())
}

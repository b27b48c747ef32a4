//! `conformance self-test --generated`: the share of the generated faults that the checks find, and
//! the legal variants that they must not find.

use std::path::Path;
use std::time::Instant;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::self_test::SelfTestArguments;
use super::suite_setup::setup_error;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES};
use crate::console::say;
use crate::generated_faults::{GeneratedFault, LegalVariant, catalogue, legal_variants};
use crate::parallel;
use crate::self_test::generated::{
    CatchHistory, FaultResult, Outcome, ProvenFault, VariantOutcome, count_chapters, document,
    evaluate_unreached, print_summary, proven_faults, proven_text, record_reach, run_fault,
    run_proven, run_variant,
};
use crate::self_test::{Location, SelfTestOptions};

/// The share of the forbidden faults that the checks must find, in percent.
const TARGET_SHARE: f64 = 95.0;

/// How many proven faults the quick form repeats.
const QUICK_FAULTS: usize = 60;

/// Runs the generated faults.
pub(super) fn generated_self_test(arguments: &SelfTestArguments) -> Result<u8, CommandError> {
    let started = Instant::now();
    let location = Location::make()
        .map_err(|error| CommandError::suite(format!("could not create a work folder: {error}")))?;
    let self_test_options = SelfTestOptions {
        seed: arguments.seed.unwrap_or_else(rand::random),
        time_factor: arguments.patience.max(0.1),
        quick: arguments.quick,
    };
    let (outcomes, is_enough) = match arguments.quick {
        true => run_sample(arguments, &location, &self_test_options),
        false => run_complete(arguments, &location, &self_test_options)?,
    };
    let variants = run_variants(arguments, &location, &self_test_options);
    let false_failures: usize = variants.iter().map(|variant| variant.false_failures.len()).sum();
    if let Some(file) = &arguments.json {
        let text = format!("{:#}\n", document(self_test_options.seed, &outcomes, &variants));
        write(file, &text)?;
    }
    if let Some(file) = &arguments.write_proven {
        write(file, &proven_text(&outcomes))?;
    }
    say!(
        "{} faults, {} legal variants with {false_failures} false failures in {:.0} s, seed {}",
        outcomes.len(),
        variants.len(),
        started.elapsed().as_secs_f64(),
        self_test_options.seed
    );
    let is_good = is_enough && false_failures == 0;
    Ok(if is_good { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

/// Runs every fault; returns whether enough of them are found.
fn run_complete(
    arguments: &SelfTestArguments,
    location: &Location,
    self_test_options: &SelfTestOptions,
) -> Result<(Vec<Outcome>, bool), CommandError> {
    let started = Instant::now();
    let faults: Vec<GeneratedFault> =
        catalogue().into_iter().filter(|fault| is_selected(arguments, &fault.name)).collect();
    if faults.is_empty() {
        return Ok((Vec::new(), true));
    }
    let reach =
        record_reach(location, self_test_options, arguments.jobs * 2).map_err(setup_error)?;
    if !reach.failures.is_empty() {
        say!("the reference adapter fails {}", reach.failures.join(" "));
    }
    let is_reached = |name: &str| !reach.checks(name).is_empty() || reach.exercise_reaches(name);
    let (mut reached, mut outcomes) = evaluate_unreached(faults, is_reached);
    say!(
        "recorded which checks reach which faults in {:.0} s: {} faults reached",
        started.elapsed().as_secs_f64(),
        reached.len()
    );
    // Similar faults spread over time, so that later ones profit from what found the first.
    reached.shuffle(&mut StdRng::seed_from_u64(self_test_options.seed));
    let history = CatchHistory::default();
    let run =
        |fault: &GeneratedFault| run_fault(location, self_test_options, &reach, &history, fault);
    outcomes.extend(parallel::each(&reached, arguments.jobs, run, &mut print_outcome));
    outcomes.sort_by(|a, b| a.fault.name.cmp(&b.fault.name));
    print_summary(&outcomes);
    let (_, total) = count_chapters(&outcomes);
    Ok((outcomes, total.share() >= TARGET_SHARE))
}

/// Runs a random sample of the proven faults, each with the check that found it.
fn run_sample(
    arguments: &SelfTestArguments,
    location: &Location,
    self_test_options: &SelfTestOptions,
) -> (Vec<Outcome>, bool) {
    let faults = catalogue();
    let find = |proven: ProvenFault| {
        let fault = faults.iter().find(|fault| fault.name == proven.name)?;
        Some((fault.clone(), proven))
    };
    let mut proven: Vec<(GeneratedFault, ProvenFault)> = proven_faults()
        .into_iter()
        .filter(|proven| is_selected(arguments, &proven.name))
        .filter_map(find)
        .collect();
    proven.shuffle(&mut StdRng::seed_from_u64(self_test_options.seed));
    proven.truncate(QUICK_FAULTS);
    let run = |(fault, proven): &(GeneratedFault, ProvenFault)| {
        run_proven(location, self_test_options, fault, proven)
    };
    let outcomes = parallel::each(&proven, arguments.jobs, run, &mut print_outcome);
    let are_caught = outcomes.iter().all(Outcome::is_caught);
    (outcomes, are_caught)
}

fn run_variants(
    arguments: &SelfTestArguments,
    location: &Location,
    self_test_options: &SelfTestOptions,
) -> Vec<VariantOutcome> {
    let variants: Vec<LegalVariant> = legal_variants()
        .into_iter()
        .filter(|variant| is_selected(arguments, variant.name))
        .collect();
    let run = |variant: &LegalVariant| run_variant(location, self_test_options, variant);
    let jobs = if arguments.quick { arguments.jobs } else { arguments.jobs.div_ceil(2) };
    parallel::each(&variants, jobs, run, &mut print_variant)
}

/// `--only` names faults by the first parts of their names; without it everything is selected.
fn is_selected(arguments: &SelfTestArguments, name: &str) -> bool {
    let starts = |prefix: &String| {
        name.strip_prefix(prefix.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || prefix.ends_with('.'))
    };
    arguments.only.is_empty() || arguments.only.iter().any(starts)
}

fn print_outcome(outcome: &Outcome) {
    let seconds = outcome.took.as_secs_f64();
    let name = &outcome.fault.name;
    match &outcome.result {
        FaultResult::Caught { by, .. } => say!("caught    {name:56} {seconds:5.1} s  {by}"),
        FaultResult::NotRun(reason) => say!("NOT RUN   {name:56} {seconds:5.1} s  {reason}"),
        _ => say!("SURVIVED  {name:56} {seconds:5.1} s"),
    }
}

fn print_variant(outcome: &VariantOutcome) {
    let word = if outcome.false_failures.is_empty() { "passes" } else { "FAILS" };
    say!("{word:9} {:56} {:5.1} s", outcome.name, outcome.took.as_secs_f64());
    for (check, got) in &outcome.false_failures {
        say!("      {check} fails, but must not: {got}");
    }
}

fn write(file: &Path, text: &str) -> Result<(), CommandError> {
    std::fs::write(file, text).map_err(|error| {
        let message = format!("could not write {}: {error}", file.display());
        CommandError::usage(message, "pass a file in an existing folder")
    })
}

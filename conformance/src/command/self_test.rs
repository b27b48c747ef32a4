//! `conformance self-test`: the reference adapter passes everything, each mutant is caught by the
//! checks that must catch it and by no others, and no check is without a mutant.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::Args;

use super::acp::Profile;
use super::work::open_failed;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES, acp_self_test};
use crate::cases;
use crate::console::say;
use crate::mutant::MUTANTS;
use crate::requirements::{DEFAULT_SET, Requirements};
use crate::self_test::{
    Judging, Outcome, Place, Reach, Subject, document, judge_subject, look_again, record_reach,
    subjects, table,
};

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct SelfTestArguments {
    /// Judges the checks of another profile, with the suite's own agent.
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Only these mutants; may be given several times. `reference` is the one without a fault.
    #[arg(long, value_name = "FAULT")]
    pub(super) only: Vec<String>,
    /// Runs only the checks that must catch a mutant, not those that must not.
    #[arg(long)]
    pub(super) quick: bool,
    /// Runs every check on every mutant, also those that never come to the place of its fault.
    #[arg(long, conflicts_with = "quick")]
    every: bool,
    /// How many mutants are judged at once.
    #[arg(long, default_value_t = 6)]
    pub(super) jobs: usize,
    /// Stretches every limit of time, for slow machines.
    #[arg(long, default_value_t = 1.5)]
    pub(super) patience: f64,
    /// Repeats the random values of an earlier self-test.
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// Writes what each check said about each mutant.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Judges the suite.
pub(super) fn self_test(arguments: &SelfTestArguments) -> Result<u8, CommandError> {
    if arguments.profile == Some(Profile::AcpAgent) {
        return acp_self_test::self_test(arguments);
    }
    let started = Instant::now();
    let place = Place::make()
        .map_err(|error| CommandError::suite(format!("no folder to work in: {error}")))?;
    let subjects = selected(&arguments.only)?;
    let judging = Judging {
        seed: arguments.seed.unwrap_or_else(rand::random),
        patience: arguments.patience.max(0.1),
        quick: arguments.quick,
    };
    let reach = match arguments.quick || arguments.every {
        true => None,
        false => Some(recorded(arguments, &place, &judging)?),
    };
    let mut outcomes = first_look(arguments.jobs, &place, &judging, reach.as_ref(), &subjects);
    let doubted = second_look(&place, &judging, &mut outcomes);
    let order = |name: &str| subjects.iter().position(|subject| subject.name == name);
    outcomes.sort_by_key(|outcome| order(outcome.subject.name));
    if !arguments.quick {
        say!("\n{}", table(&cases::all(), &outcomes));
    }
    let mut complaints: usize = outcomes.iter().map(|outcome| outcome.complaints.len()).sum();
    if arguments.only.is_empty() {
        complaints += print_unproven() + print_broken_set()?;
    }
    if let Some(file) = &arguments.json {
        write_json(file, judging.seed, &outcomes)?;
    }
    let judged: usize = outcomes.iter().map(|outcome| outcome.cells.len()).sum();
    say!(
        "{} subjects, {judged} judgements, {doubted} looked at twice, {complaints} complaints in \
         {:.0} s, seed {}",
        outcomes.len(),
        started.elapsed().as_secs_f64(),
        judging.seed
    );
    Ok(if complaints == 0 { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

fn selected(only: &[String]) -> Result<Vec<Subject>, CommandError> {
    let all = subjects();
    if let Some(unknown) =
        only.iter().find(|name| !all.iter().any(|subject| subject.name == **name))
    {
        let known: Vec<&str> = all.iter().map(|subject| subject.name).collect();
        let message = format!("there is no mutant {unknown}");
        return Err(CommandError::usage(message, format!("there are: {}", known.join(", "))));
    }
    let is_wanted =
        |subject: &Subject| only.is_empty() || only.iter().any(|name| name == subject.name);
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn recorded(
    arguments: &SelfTestArguments,
    place: &Place,
    judging: &Judging,
) -> Result<Reach, CommandError> {
    let begun = Instant::now();
    let reach = record_reach(place, judging, arguments.jobs * 2).map_err(open_failed)?;
    let seconds = begun.elapsed().as_secs_f64();
    say!("the places of all faults were looked for in {seconds:.0} s");
    Ok(reach)
}

/// Judges everybody, those first that break most: they take longest.
fn first_look(
    jobs: usize,
    place: &Place,
    judging: &Judging,
    reach: Option<&Reach>,
    subjects: &[Subject],
) -> Vec<Outcome> {
    let mut order = subjects.to_vec();
    let breaks =
        |subject: &Subject| subject.mutant.map_or(usize::MAX, |mutant| mutant.may_fail.len());
    order.sort_by_key(|subject| std::cmp::Reverse(breaks(subject)));
    let queue = Mutex::new(VecDeque::from(order));
    let (sender, receiver) = channel();
    let mut outcomes = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || judge_subjects(place, judging, reach, queue, &sender));
        }
        drop(sender);
        for outcome in receiver {
            print_outcome(&outcome);
            outcomes.push(outcome);
        }
    });
    outcomes
}

fn judge_subjects(
    place: &Place,
    judging: &Judging,
    reach: Option<&Reach>,
    queue: &Mutex<VecDeque<Subject>>,
    sender: &Sender<Outcome>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(subject) = next else { return };
        if sender.send(judge_subject(place, judging, reach, subject)).is_err() {
            return;
        }
    }
}

/// Looks again at what came out otherwise than it must, one after the other.
fn second_look(place: &Place, judging: &Judging, outcomes: &mut [Outcome]) -> usize {
    let mut doubted = 0;
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.doubts.is_empty()) {
        doubted += outcome.doubts.len();
        say!("a second look at {} with {}", outcome.subject.name, outcome.doubts.join(" "));
        look_again(place, judging, outcome);
        print_outcome(outcome);
    }
    doubted
}

fn print_outcome(outcome: &Outcome) {
    let word = if outcome.complaints.is_empty() { "good" } else { "BAD" };
    let caught_by = outcome.caught_by();
    let caught = if caught_by.is_empty() {
        "passes everything".to_owned()
    } else {
        format!("caught by {}", caught_by.join(" "))
    };
    let seconds = outcome.took.as_secs_f64();
    say!("{word:>4}  {:24} {seconds:5.1} s  {caught}", outcome.subject.name);
    for complaint in &outcome.complaints {
        say!("      {complaint}");
    }
}

fn write_json(file: &Path, seed: u64, outcomes: &[Outcome]) -> Result<(), CommandError> {
    let text = format!("{:#}\n", document(seed, outcomes));
    std::fs::write(file, text).map_err(|error| {
        let message = format!("{} cannot be written: {error}", file.display());
        CommandError::usage(message, "give --json a file in a folder that is there")
    })
}

/// Checks that no mutant must fail prove nothing.
fn print_unproven() -> usize {
    let unproven: Vec<&str> = cases::all()
        .iter()
        .map(|check| check.id)
        .filter(|id| !MUTANTS.iter().any(|mutant| mutant.must_fail.contains(id)))
        .collect();
    if !unproven.is_empty() {
        say!("no mutant must fail: {}", unproven.join(" "));
    }
    unproven.len()
}

/// Checks that are no longer what was frozen.
fn print_broken_set() -> Result<usize, CommandError> {
    let requirements =
        Requirements::named(DEFAULT_SET).map_err(|error| CommandError::suite(error.to_string()))?;
    let broken = requirements.broken_by(&cases::all());
    for complaint in &broken {
        say!("{complaint}");
    }
    Ok(broken.len())
}

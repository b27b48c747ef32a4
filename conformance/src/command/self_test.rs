//! `conformance self-test`: the reference adapter passes everything, each mutant is caught by the
//! checks that must catch it and by no others, and no check is without a mutant.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;

use super::work::open_failed;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES};
use crate::baseline::KnownFailures;
use crate::case::{Check, Tier};
use crate::cases;
use crate::console::say;
use crate::judge::{JudgeOptions, Status, judge};
use crate::mutant::{EXECUTABLE, FAULT_FILE, MUTANTS, Mutant};
use crate::open::{OpenOptions, open, own_executable};
use crate::plugin::PluginPath;
use crate::process;
use crate::reference_pack::REFERENCE_PACK;
use crate::requirements::{DEFAULT_SET, Requirements};

/// No mutant may take longer, however it hangs.
const BUDGET: Duration = Duration::from_secs(120);

/// How many checks of one mutant run at once. Most of their time is waiting.
const BENCHES: usize = 3;

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct SelfTestArguments {
    /// Only these mutants; may be given several times. `reference` is the one without a fault.
    #[arg(long, value_name = "FAULT")]
    only: Vec<String>,
    /// Runs only the checks that must catch a mutant, not those that must not.
    #[arg(long)]
    quick: bool,
    /// How many mutants are judged at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Stretches every limit of time, for slow machines.
    #[arg(long, default_value_t = 1.0)]
    patience: f64,
    /// Repeats the random values of an earlier self-test.
    #[arg(long)]
    seed: Option<u64>,
}

/// What became of one mutant.
struct Outcome {
    name: &'static str,
    caught_by: Vec<&'static str>,
    complaints: Vec<String>,
}

/// The reference adapter counts as a mutant that nothing may catch.
#[derive(Clone, Copy)]
struct Subject {
    name: &'static str,
    mutant: Option<&'static Mutant>,
}

/// Where the self-test works, and what mutants are made of.
#[derive(Clone, Copy)]
struct Place<'a> {
    work: &'a Path,
    executable: &'a Path,
}

/// Judges the suite.
pub(super) fn self_test(arguments: &SelfTestArguments) -> Result<u8, CommandError> {
    let failed =
        |error: std::io::Error| CommandError::suite(format!("no folder to work in: {error}"));
    let work = tempfile::Builder::new().prefix("conformance-self-").tempdir().map_err(failed)?;
    let pack = work.path().join("pack");
    write_pack(&pack).map_err(failed)?;
    let executable = own_executable(work.path()).map_err(failed)?;
    let subjects = subjects(&arguments.only)?;
    let queue = Mutex::new(subjects.iter().copied().collect::<VecDeque<_>>());
    let (sender, receiver) = channel();
    let mut complaints = 0;
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let (queue, sender) = (&queue, sender.clone());
            let place = Place { work: work.path(), executable: &executable };
            scope.spawn(move || judge_subjects(arguments, place, queue, &sender));
        }
        drop(sender);
        for outcome in receiver {
            complaints += outcome.complaints.len();
            print_outcome(&outcome);
        }
    });
    if arguments.only.is_empty() {
        complaints += print_unproven() + print_broken_set()?;
    }
    say!("\n{} subjects, {complaints} complaints", subjects.len());
    Ok(if complaints == 0 { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

fn subjects(only: &[String]) -> Result<Vec<Subject>, CommandError> {
    let reference = Subject { name: "reference", mutant: None };
    let mutants =
        MUTANTS.iter().map(|mutant| Subject { name: mutant.fault.name(), mutant: Some(mutant) });
    let all: Vec<Subject> = std::iter::once(reference).chain(mutants).collect();
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

fn judge_subjects(
    arguments: &SelfTestArguments,
    place: Place<'_>,
    queue: &Mutex<VecDeque<Subject>>,
    sender: &Sender<Outcome>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(subject) = next else { return };
        let outcome = judge_subject(arguments, place, subject).unwrap_or_else(|error| Outcome {
            name: subject.name,
            caught_by: Vec::new(),
            complaints: vec![format!("it cannot be judged: {}", error.message)],
        });
        if sender.send(outcome).is_err() {
            return;
        }
    }
}

fn judge_subject(
    arguments: &SelfTestArguments,
    place: Place<'_>,
    subject: Subject,
) -> Result<Outcome, CommandError> {
    let folder = place.work.join(subject.name);
    let executable = place_mutant(&folder, place.executable, subject)
        .map_err(|error| CommandError::suite(format!("the mutant cannot be placed: {error}")))?;
    let suite = open(OpenOptions {
        plugin: PluginPath { executable, arguments: Vec::new() },
        pack: Some(place.work.join("pack")),
        seed: arguments.seed.unwrap_or_else(rand::random),
        tier: if subject.mutant.is_some() { Tier::Brief } else { Tier::Fast },
        patience: arguments.patience.max(0.1),
        work: folder.join("work"),
        executable: place.executable.to_owned(),
    })
    .map_err(open_failed)?;
    let checks = checks_for(subject, arguments.quick);
    let options = JudgeOptions {
        strict: true,
        jobs: BENCHES,
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: KnownFailures::default(),
    };
    let results = judge(&Arc::new(suite), &checks, &options, &mut |_| {});
    let with = |wanted: Status| {
        results.iter().filter(move |result| result.status == wanted).map(|result| result.check.id)
    };
    let caught_by: Vec<&'static str> = with(Status::Fail).collect();
    let mut complaints: Vec<String> =
        with(Status::SuiteError).map(|id| format!("{id} is a suite error")).collect();
    complaints.extend(missing(subject, &caught_by));
    let may = |id: &str| subject.mutant.is_some_and(|mutant| mutant.allows(id));
    complaints.extend(
        caught_by.iter().filter(|id| !may(id)).map(|id| format!("{id} fails, which it must not")),
    );
    // What a run writes can be large, and there are many mutants.
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        complaints.push(format!("its folder cannot be removed: {error}"));
    }
    Ok(Outcome { name: subject.name, caught_by, complaints })
}

fn missing(subject: Subject, caught_by: &[&str]) -> Vec<String> {
    let must = subject.mutant.map_or(&[][..], |mutant| mutant.must_fail);
    let known = cases::all();
    must.iter()
        .filter(|id| !caught_by.contains(*id))
        .map(|id| match known.iter().any(|check| check.id == *id) {
            true => format!("{id} does not fail, which it must"),
            false => format!("there is no check {id}"),
        })
        .collect()
}

fn checks_for(subject: Subject, quick: bool) -> Vec<Check> {
    let is_wanted = |check: &Check| match subject.mutant {
        Some(mutant) if quick => mutant.must_fail.contains(&check.id),
        _ => check.tier == Tier::Fast,
    };
    cases::all().into_iter().filter(is_wanted).collect()
}

fn place_mutant(folder: &Path, own: &Path, subject: Subject) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder.join("work"))?;
    let executable = folder.join(process::executable_name(EXECUTABLE));
    if std::fs::hard_link(own, &executable).is_err() {
        std::fs::copy(own, &executable)?;
    }
    if subject.mutant.is_some() {
        std::fs::write(folder.join(FAULT_FILE), subject.name)?;
    }
    Ok(executable)
}

fn write_pack(folder: &Path) -> std::io::Result<()> {
    for (name, text) in REFERENCE_PACK {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(folder))?;
        std::fs::write(file, text)?;
    }
    Ok(())
}

fn print_outcome(outcome: &Outcome) {
    let word = if outcome.complaints.is_empty() { "good" } else { "BAD" };
    let caught = if outcome.caught_by.is_empty() {
        "passes everything".to_owned()
    } else {
        format!("caught by {}", outcome.caught_by.join(" "))
    };
    say!("{word:>4}  {:24} {caught}", outcome.name);
    for complaint in &outcome.complaints {
        say!("      {complaint}");
    }
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

//! `conformance self-test --profile acp-agent`: the suite's own agent passes everything, each fault
//! is caught by the checks that must catch it and by no others.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::self_test::SelfTestArguments;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES};
use crate::acp::{
    AGENT_EXECUTABLE, AGENT_MUTANTS, AgentCommand, AgentMutant, AgentOptions, MODEL_VARIABLE,
    checks, judge_agent, open_agent,
};
use crate::baseline::KnownFailures;
use crate::case::{Check, Tier};
use crate::console::say;
use crate::judge::{CheckResult, JudgeOptions, Status};
use crate::mutant::FAULT_FILE;
use crate::open::own_executable;
use crate::process;
use crate::requirements::{DEFAULT_ACP_SET, Requirements};
use crate::self_test::lacking;

/// No mutant may take longer, however it hangs.
const BUDGET: Duration = Duration::from_secs(300);

/// How many checks of one mutant run at once. Most of their time is waiting.
const BENCHES: usize = 3;

/// A second look is taken with limits of time so much longer.
const CALM: f64 = 3.0;

/// The reference agent counts as a mutant that nothing may catch.
#[derive(Clone, Copy)]
struct Subject(Option<&'static AgentMutant>);

/// Where the self-test works, and what mutants are made of.
#[derive(Clone, Copy)]
struct Place<'a> {
    work: &'a Path,
    executable: &'a Path,
}

/// What became of one subject.
struct Outcome {
    subject: Subject,
    caught_by: Vec<&'static str>,
    complaints: Vec<String>,
    /// Checks that are worth a second look on a calm machine.
    doubts: Vec<&'static str>,
}

/// Judges the checks of agents.
pub(super) fn self_test(arguments: &SelfTestArguments) -> Result<u8, CommandError> {
    let started = Instant::now();
    let failed =
        |error: std::io::Error| CommandError::suite(format!("no folder to work in: {error}"));
    let work = tempfile::Builder::new().prefix("conformance-self-").tempdir().map_err(failed)?;
    let executable = own_executable(work.path()).map_err(failed)?;
    let place = Place { work: work.path(), executable: &executable };
    let subjects = selected(&arguments.only)?;
    let mut outcomes = first_look(arguments, place, &subjects);
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.doubts.is_empty()) {
        say!("a second look at {} with {}", outcome.subject.name(), outcome.doubts.join(" "));
        look_again(arguments, place, outcome);
    }
    let mut complaints: usize = outcomes.iter().map(|outcome| outcome.complaints.len()).sum();
    if arguments.only.is_empty() {
        complaints += broken_set()?;
    }
    let seconds = started.elapsed().as_secs_f64();
    say!("{} subjects, {complaints} complaints in {seconds:.0} s", subjects.len());
    Ok(if complaints == 0 { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

impl Subject {
    fn name(self) -> &'static str {
        self.0.map_or("reference", |mutant| mutant.fault.name())
    }

    fn must_fail(self) -> &'static [&'static str] {
        self.0.map_or(&[], |mutant| mutant.must_fail)
    }

    fn may_fail(self, check: &Check) -> bool {
        let covers = |pattern: &&str| check.id == *pattern || check.chapter() == *pattern;
        self.0.is_some_and(|mutant| mutant.may_fail.iter().any(covers))
    }
}

impl Outcome {
    fn of(subject: Subject, asked: &[Check], results: &[CheckResult]) -> Self {
        let with = |wanted: Status| results.iter().filter(move |it| it.status == wanted);
        let caught_by: Vec<&'static str> = with(Status::Fail).map(|it| it.check.id).collect();
        let errors = with(Status::SuiteError).map(|it| format!("{} is a suite error", it.check.id));
        let mut complaints: Vec<String> = errors.collect();
        for result in with(Status::Fail).filter(|result| !lacking(result).is_empty()) {
            let lacks = lacking(result).join(", ");
            complaints.push(format!("{} fails without telling {lacks}", result.check.id));
        }
        let must = subject.must_fail();
        let is_asked = |id: &str| asked.iter().any(|check| check.id == id);
        let missing = must.iter().filter(|id| is_asked(id) && !caught_by.contains(id));
        let wrong = with(Status::Fail)
            .filter(|it| !must.contains(&it.check.id) && !subject.may_fail(&it.check))
            .map(|it| it.check.id);
        let mut doubts: Vec<&'static str> = wrong.collect();
        complaints.extend(doubts.iter().map(|id| format!("{id} fails, which it must not")));
        complaints.extend(missing.clone().map(|id| format!("{id} does not fail, which it must")));
        doubts.extend(missing);
        Self { subject, caught_by, complaints, doubts }
    }

    fn print(&self) {
        let word = if self.complaints.is_empty() { "good" } else { "BAD" };
        let caught = match self.caught_by.is_empty() {
            true => "passes everything".to_owned(),
            false => format!("caught by {}", self.caught_by.join(" ")),
        };
        say!("{word:>4}  {:24} {caught}", self.subject.name());
        self.complaints.iter().for_each(|complaint| say!("      {complaint}"));
    }
}

fn selected(only: &[String]) -> Result<Vec<Subject>, CommandError> {
    let mutants = AGENT_MUTANTS.iter().map(|mutant| Subject(Some(mutant)));
    let all: Vec<Subject> = std::iter::once(Subject(None)).chain(mutants).collect();
    let is_known = |name: &&String| all.iter().any(|subject| subject.name() == **name);
    if let Some(unknown) = only.iter().find(|name| !is_known(name)) {
        let names: Vec<&str> = all.iter().map(|subject| subject.name()).collect();
        let message = format!("there is no mutant {unknown} of the agent");
        return Err(CommandError::usage(message, format!("there are: {}", names.join(", "))));
    }
    let is_wanted = |it: &Subject| only.is_empty() || only.iter().any(|name| name == it.name());
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn first_look(
    arguments: &SelfTestArguments,
    place: Place<'_>,
    subjects: &[Subject],
) -> Vec<Outcome> {
    let queue = Mutex::new(subjects.iter().copied().collect::<VecDeque<_>>());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(subject) = next() {
                    let wanted = wanted(subject, arguments.quick);
                    let judged = judged(arguments, place, subject, &wanted, 1.0);
                    if sender.send(outcome(subject, &wanted, judged)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver.iter().inspect(Outcome::print).collect()
    })
}

/// Judges once more what came out otherwise than it must: on a busy machine a limit of time can
/// pass although nothing is wrong.
fn look_again(arguments: &SelfTestArguments, place: Place<'_>, first: &mut Outcome) {
    let is_doubted = |check: &Check| first.doubts.contains(&check.id);
    let doubted: Vec<Check> = checks().into_iter().filter(is_doubted).collect();
    let judged = judged(arguments, place, first.subject, &doubted, CALM);
    *first = outcome(first.subject, &doubted, judged);
    first.print();
}

fn outcome(subject: Subject, asked: &[Check], judged: Result<Vec<CheckResult>, String>) -> Outcome {
    match judged {
        Ok(results) => Outcome::of(subject, asked, &results),
        Err(error) => {
            let complaints = vec![format!("it cannot be judged: {error}")];
            Outcome { subject, caught_by: Vec::new(), complaints, doubts: Vec::new() }
        }
    }
}

fn wanted(subject: Subject, quick: bool) -> Vec<Check> {
    let is_wanted = |check: &Check| match subject.0 {
        Some(mutant) if quick => mutant.must_fail.contains(&check.id),
        _ => true,
    };
    checks().into_iter().filter(is_wanted).collect()
}

fn judged(
    arguments: &SelfTestArguments,
    place: Place<'_>,
    subject: Subject,
    checks: &[Check],
    calm: f64,
) -> Result<Vec<CheckResult>, String> {
    let folder = tempfile::Builder::new().prefix(subject.name()).tempdir_in(place.work);
    let folder = folder.map_err(|error| error.to_string())?;
    let program = put(folder.path(), place.executable, subject).map_err(|it| it.to_string())?;
    let suite = open_agent(AgentOptions {
        command: AgentCommand {
            program,
            arguments: Vec::new(),
            env: vec![(MODEL_VARIABLE.to_owned(), "{{url}}".to_owned())],
            home: None,
            auth_method: None,
        },
        seed: arguments.seed.unwrap_or_else(rand::random),
        tier: Tier::Fast,
        patience: arguments.patience.max(0.1) * calm,
        work: folder.path().join("work"),
    })
    .map_err(|error| error.to_string())?;
    let options = JudgeOptions {
        strict: true,
        jobs: BENCHES,
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: KnownFailures::default(),
    };
    Ok(judge_agent(&Arc::new(suite), checks, &options, &mut |_| {}))
}

/// Puts the agent into a folder, with its fault beside it.
fn put(folder: &Path, own: &Path, subject: Subject) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder.join("work"))?;
    let program = folder.join(process::executable_name(AGENT_EXECUTABLE));
    if std::fs::hard_link(own, &program).is_err() {
        std::fs::copy(own, &program)?;
    }
    if let Some(mutant) = subject.0 {
        std::fs::write(folder.join(FAULT_FILE), mutant.fault.name())?;
    }
    Ok(program)
}

/// Checks that no fault proves, and those that are no longer what was frozen.
fn broken_set() -> Result<usize, CommandError> {
    let requirements = Requirements::for_agents(DEFAULT_ACP_SET)
        .map_err(|error| CommandError::suite(error.to_string()))?;
    let is_proven = |id: &str| AGENT_MUTANTS.iter().any(|mutant| mutant.must_fail.contains(&id));
    let unproven = checks().into_iter().filter(|check| !is_proven(check.id));
    let mut complaints = requirements.broken_by(&checks());
    complaints.extend(unproven.map(|check| format!("no mutant must fail {}", check.id)));
    complaints.iter().for_each(|complaint| say!("{complaint}"));
    Ok(complaints.len())
}

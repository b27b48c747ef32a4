//! `conformance self-test --profile acp-agent`: the reference agent passes every check; each mutant
//! fails exactly the checks that must find it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::self_test::SelfTestArguments;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES};
use crate::acp::{
    AGENT_EXECUTABLE, AGENT_MUTANTS, AgentCommand, AgentMutant, AgentOptions, MODEL_VARIABLE,
    checks, open_agent, run_agent_checks,
};
use crate::baseline::KnownFailures;
use crate::check::{Check, CheckResult, Status};
use crate::console::say;
use crate::mutant::FAULT_FILE;
use crate::parallel;
use crate::process;
use crate::requirements::{DEFAULT_ACP_SET, Requirements};
use crate::runner::RunnerOptions;
use crate::self_test::missing_parts;
use crate::suite::copy_own_executable;

/// The time budget of one mutant.
const BUDGET: Duration = Duration::from_secs(300);

/// How many checks of one mutant run in parallel; they mostly wait.
const PARALLEL_CHECKS: usize = 3;

/// Rechecks use time limits this many times as long.
const RECHECK_TIME_FACTOR: f64 = 3.0;

/// The reference agent, which no check may fail, or a mutant.
#[derive(Clone, Copy)]
struct Subject(Option<&'static AgentMutant>);

/// The folder of the self-test and the executable that becomes every agent.
#[derive(Clone, Copy)]
struct Location<'a> {
    work: &'a Path,
    executable: &'a Path,
}

/// The result of one subject.
struct Outcome {
    subject: Subject,
    caught_by: Vec<&'static str>,
    problems: Vec<String>,
    /// Checks to run again with longer limits.
    unexpected: Vec<&'static str>,
}

/// Runs the self-test of the agent checks.
pub(super) fn self_test(arguments: &SelfTestArguments) -> Result<u8, CommandError> {
    let started = Instant::now();
    let failed = |error: std::io::Error| {
        CommandError::suite(format!("could not create a work folder: {error}"))
    };
    let work = tempfile::Builder::new().prefix("conformance-self-").tempdir().map_err(failed)?;
    let executable = copy_own_executable(work.path()).map_err(failed)?;
    let location = Location { work: work.path(), executable: &executable };
    let subjects = selected(&arguments.only)?;
    let mut outcomes = run_all(arguments, location, &subjects);
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.unexpected.is_empty()) {
        say!("recheck {} with {}", outcome.subject.name(), outcome.unexpected.join(" "));
        recheck(arguments, location, outcome);
    }
    let mut problems: usize = outcomes.iter().map(|outcome| outcome.problems.len()).sum();
    if arguments.only.is_empty() {
        problems += broken_set()?;
    }
    let seconds = started.elapsed().as_secs_f64();
    say!("{} subjects, {problems} problems in {seconds:.0} s", subjects.len());
    Ok(if problems == 0 { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

impl Subject {
    fn name(self) -> &'static str {
        self.0.map_or("reference", |mutant| mutant.fault.name())
    }

    fn must_fail(self) -> &'static [&'static str] {
        self.0.map_or(&[], |mutant| mutant.must_fail)
    }

    fn allows(self, check: &Check) -> bool {
        self.0.is_some_and(|mutant| mutant.allows(check.id))
    }
}

impl Outcome {
    fn of(subject: Subject, requested: &[Check], results: &[CheckResult]) -> Self {
        let is_found = |it: &&CheckResult| matches!(it.status, Status::Fail | Status::Advice);
        let found = || results.iter().filter(is_found);
        let caught_by: Vec<&'static str> = found().map(|it| it.check.id).collect();
        let errors = results.iter().filter(|it| it.status == Status::SuiteError);
        let errors = errors.map(|it| format!("{} is a suite error", it.check.id));
        let mut problems: Vec<String> = errors.collect();
        for result in found().filter(|result| !missing_parts(result).is_empty()) {
            let lacks = missing_parts(result).join(", ");
            problems.push(format!("{} fails without {lacks}", result.check.id));
        }
        let must = subject.must_fail();
        let is_asked = |id: &str| requested.iter().any(|check| check.id == id);
        let missing = must.iter().filter(|id| is_asked(id) && !caught_by.contains(id));
        let wrong = found().filter(|it| !subject.allows(&it.check)).map(|it| it.check.id);
        let mut unexpected: Vec<&'static str> = wrong.collect();
        problems.extend(unexpected.iter().map(|id| format!("{id} fails, but must not")));
        problems.extend(missing.clone().map(|id| format!("{id} does not fail, but must")));
        unexpected.extend(missing);
        Self { subject, caught_by, problems, unexpected }
    }

    fn print(&self) {
        let word = if self.problems.is_empty() { "ok" } else { "BAD" };
        let caught = match self.caught_by.is_empty() {
            true => "passes every check".to_owned(),
            false => format!("caught by {}", self.caught_by.join(" ")),
        };
        say!("{word:>4}  {:24} {caught}", self.subject.name());
        self.problems.iter().for_each(|problem| say!("      {problem}"));
    }
}

fn selected(only: &[String]) -> Result<Vec<Subject>, CommandError> {
    let mutants = AGENT_MUTANTS.iter().map(|mutant| Subject(Some(mutant)));
    let all: Vec<Subject> = std::iter::once(Subject(None)).chain(mutants).collect();
    let is_known = |name: &&String| all.iter().any(|subject| subject.name() == **name);
    if let Some(unknown) = only.iter().find(|name| !is_known(name)) {
        let names: Vec<&str> = all.iter().map(|subject| subject.name()).collect();
        let message = format!("unknown agent mutant {unknown}");
        return Err(CommandError::usage(message, format!("known mutants: {}", names.join(", "))));
    }
    let is_wanted = |it: &Subject| only.is_empty() || only.iter().any(|name| name == it.name());
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn run_all(
    arguments: &SelfTestArguments,
    location: Location<'_>,
    subjects: &[Subject],
) -> Vec<Outcome> {
    let run = |subject: &Subject| {
        let wanted = wanted(*subject, arguments.quick);
        outcome(*subject, &wanted, run_agent(arguments, location, *subject, &wanted, 1.0))
    };
    parallel::each(subjects, arguments.jobs, run, &mut Outcome::print)
}

/// Runs unexpected results again with longer limits: on a busy machine a time limit can pass although
/// nothing is wrong.
fn recheck(arguments: &SelfTestArguments, location: Location<'_>, first: &mut Outcome) {
    let is_unexpected = |check: &Check| first.unexpected.contains(&check.id);
    let rechecked: Vec<Check> = checks().into_iter().filter(is_unexpected).collect();
    let results = run_agent(arguments, location, first.subject, &rechecked, RECHECK_TIME_FACTOR);
    *first = outcome(first.subject, &rechecked, results);
    first.print();
}

fn outcome(
    subject: Subject,
    requested: &[Check],
    results: Result<Vec<CheckResult>, String>,
) -> Outcome {
    match results {
        Ok(results) => Outcome::of(subject, requested, &results),
        Err(error) => {
            let problems = vec![format!("could not be checked: {error}")];
            Outcome { subject, caught_by: Vec::new(), problems, unexpected: Vec::new() }
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

fn run_agent(
    arguments: &SelfTestArguments,
    location: Location<'_>,
    subject: Subject,
    checks: &[Check],
    slower: f64,
) -> Result<Vec<CheckResult>, String> {
    let folder = tempfile::Builder::new().prefix(subject.name()).tempdir_in(location.work);
    let folder = folder.map_err(|error| error.to_string())?;
    let program =
        install_agent(folder.path(), location.executable, subject).map_err(|it| it.to_string())?;
    let suite = open_agent(AgentOptions {
        command: AgentCommand {
            program,
            arguments: Vec::new(),
            env: vec![(MODEL_VARIABLE.to_owned(), "{{url}}".to_owned())],
            home: None,
            auth_method: None,
        },
        seed: arguments.seed.unwrap_or_else(rand::random),
        time_factor: arguments.patience.max(0.1) * slower,
        work: folder.path().join("work"),
    })
    .map_err(|error| error.to_string())?;
    let options = RunnerOptions {
        strict: true,
        fail_fast: false,
        jobs: PARALLEL_CHECKS,
        budget: BUDGET,
        requirements: Requirements::latest(),
        known_failures: KnownFailures::default(),
    };
    Ok(run_agent_checks(&Arc::new(suite), checks, &options, &mut |_| {}))
}

/// Installs the agent in a folder, with its fault beside it.
fn install_agent(folder: &Path, own: &Path, subject: Subject) -> std::io::Result<PathBuf> {
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

/// Counts checks without a mutant and checks that differ from the frozen set.
fn broken_set() -> Result<usize, CommandError> {
    let requirements = Requirements::for_agents(DEFAULT_ACP_SET)
        .map_err(|error| CommandError::suite(error.to_string()))?;
    let is_proven = |id: &str| AGENT_MUTANTS.iter().any(|mutant| mutant.must_fail.contains(&id));
    let unproven = checks().into_iter().filter(|check| !is_proven(check.id));
    let mut problems = requirements.mismatches(&checks());
    problems.extend(unproven.map(|check| format!("no mutant must fail {}", check.id)));
    problems.iter().for_each(|problem| say!("{problem}"));
    Ok(problems.len())
}

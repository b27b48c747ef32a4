//! Running checks: which apply, in what order, on how many benches, and what becomes of them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::civil::Date;

use crate::baseline::{KnownFailures, today};
use crate::bench::Bench;
use crate::case::{Body, Check, Level};
use crate::derive;
use crate::evidence::complete_finding;
use crate::requirements::Requirements;
use crate::stand_in::Step;
use crate::suite::Suite;
use crate::verdict::{Finding, Verdict};

/// Scenarios that are performed when nothing else makes the adapter speak.
const TOUR: &[&str] = &[
    "text",
    "thinking",
    "tool_ok",
    "tool_error",
    "file_write",
    "usage",
    "auth_fail_run",
    "context_exceeded",
];

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The requirement holds.
    Pass,
    /// It does not.
    Fail,
    /// It should, but does not.
    Warn,
    /// It does not apply.
    Skip,
    /// Something else must be mended first.
    Blocked,
    /// It is claimed but cannot be shown.
    Untestable,
    /// It does not hold, and the list of known failures says why.
    KnownFailure,
    /// It is listed as a known failure, but holds, or the entry has run out.
    Stale,
    /// It is younger than the requirement set, and not scored.
    AddedLater,
    /// The suite went wrong.
    SuiteError,
}

impl Status {
    /// Every status, in the order of reports.
    pub const ALL: &'static [Self] = &[
        Self::Pass,
        Self::Fail,
        Self::Warn,
        Self::Skip,
        Self::Blocked,
        Self::Untestable,
        Self::KnownFailure,
        Self::Stale,
        Self::AddedLater,
        Self::SuiteError,
    ];

    /// The word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Skip => "skip",
            Self::Blocked => "blocked",
            Self::Untestable => "untestable",
            Self::KnownFailure => "known failure",
            Self::Stale => "stale",
            Self::AddedLater => "added later",
            Self::SuiteError => "suite error",
        }
    }

    /// Whether the adapter does not conform because of it.
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Fail | Self::Blocked | Self::Untestable | Self::Stale)
    }
}

/// A check and what became of it.
#[derive(Clone)]
pub struct CheckResult {
    /// The check.
    pub check: Check,
    /// What became of it.
    pub status: Status,
    /// Why it did not pass.
    pub finding: Option<Finding>,
    /// How long it took.
    pub took: Duration,
    /// What the list of known failures or the requirement set has to say about it.
    pub remark: Option<String>,
}

/// How checks are run.
#[derive(Debug, Clone)]
pub struct JudgeOptions {
    /// A SHOULD counts as a MUST.
    pub strict: bool,
    /// How many benches work at once.
    pub jobs: usize,
    /// No check is started any more after this time; those left are blocked.
    pub budget: Duration,
    /// Which checks count.
    pub requirements: Requirements,
    /// Which are known to fail.
    pub known_failures: KnownFailures,
}

/// Runs the checks and gives what became of each, in their order. The callback hears of each as
/// soon as it is known.
pub fn judge(
    suite: &Arc<Suite>,
    checks: &[Check],
    options: &JudgeOptions,
    on_result: &mut dyn FnMut(&CheckResult),
) -> Vec<CheckResult> {
    let verdicts = run_active(suite, checks, options, on_result);
    let mut results: Vec<CheckResult> = Vec::new();
    for (check, (verdict, took)) in checks.iter().zip(verdicts) {
        let verdict = match suite.violations.first(check.id) {
            Some(failure) if gate(suite, check).is_ok() => Err(failure.into()),
            None if verdict.is_ok() && !suite.violations.has_been_tried(check.id) => {
                Err(Finding::Skip("no run was made".to_owned()))
            }
            _ => verdict,
        };
        let result = conclude(check, verdict, took, options);
        let is_news =
            matches!(check.body, Body::Invariant) || suite.violations.first(check.id).is_some();
        if is_news {
            on_result(&result);
        }
        results.push(result);
    }
    results
}

type Timed = (Verdict, Duration);

fn run_active(
    suite: &Arc<Suite>,
    checks: &[Check],
    options: &JudgeOptions,
    on_result: &mut dyn FnMut(&CheckResult),
) -> Vec<Timed> {
    let queue = Mutex::new((0..checks.len()).collect::<VecDeque<usize>>());
    let deadline = Instant::now() + options.budget;
    let (sender, receiver) = channel::<(usize, Timed)>();
    let mut verdicts: Vec<Timed> = vec![(Ok(()), Duration::ZERO); checks.len()];
    std::thread::scope(|scope| {
        for worker in 0..options.jobs.max(1) {
            let (queue, sender) = (&queue, sender.clone());
            scope.spawn(move || work(suite, checks, queue, &sender, deadline, worker == 0));
        }
        drop(sender);
        for (index, timed) in receiver {
            let check = &checks[index];
            let is_final = suite.violations.first(check.id).is_none();
            if matches!(check.body, Body::Active(_)) && is_final {
                on_result(&conclude(check, timed.0.clone(), timed.1, options));
            }
            verdicts[index] = timed;
        }
    });
    verdicts
}

fn work(
    suite: &Arc<Suite>,
    checks: &[Check],
    queue: &Mutex<VecDeque<usize>>,
    sender: &Sender<(usize, Timed)>,
    deadline: Instant,
    takes_tour: bool,
) {
    let mut bench = Bench::new(Arc::clone(suite));
    let wants_tour = checks.iter().any(|check| matches!(check.body, Body::Invariant));
    if takes_tour && wants_tour {
        guarded(|| tour(&mut bench)).ok();
    }
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(index) = next else { return };
        let started = Instant::now();
        let verdict = if started >= deadline {
            Err(Finding::Blocked("the budget of time is used up".to_owned()))
        } else {
            one(&mut bench, &checks[index])
        };
        if sender.send((index, (verdict, started.elapsed()))).is_err() {
            return;
        }
    }
}

fn one(bench: &mut Bench, check: &Check) -> Verdict {
    gate(&bench.suite, check)?;
    let Body::Active(run) = check.body else { return Ok(()) };
    bench.turn_to(check.id);
    let verdict = guarded(|| run(bench));
    let verdict = verdict.map_err(|finding| complete_finding(finding, bench.last_place()));
    bench.tidy();
    verdict
}

/// A fault of the suite is reported apart and takes nothing else down.
pub(crate) fn guarded(action: impl FnOnce() -> Verdict) -> Verdict {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Finding::Suite(text.unwrap_or_else(|| "a panic without words".to_owned())))
    })
}

/// Makes the adapter speak, so that the rules over every line have something to look at.
fn tour(bench: &mut Bench) -> Verdict {
    bench.turn_to("tour");
    bench.plugin()?;
    for scenario in TOUR {
        let has = bench.suite.pack.as_ref().is_some_and(|pack| pack.has(scenario));
        if has && bench.shared_run(scenario).is_err() {
            bench.tidy();
        }
    }
    crash(bench)
}

/// Rules about failures need one.
fn crash(bench: &mut Bench) -> Verdict {
    if !bench.suite.has_cli() || bench.suite.pack.is_none() {
        return Ok(());
    }
    let mut play = bench.prepare("text")?;
    play.script = derive::cut_after(&play.script, 1, &[Step::Exit { code: 1 }]);
    bench.perform(play).map(drop)
}

/// Whether a check applies.
pub(crate) fn gate(suite: &Suite, check: &Check) -> Verdict {
    let gate = check.gate;
    let declares = |name: &str| -> Verdict {
        if suite.manifest.is_none() {
            return Err(Finding::Blocked("MAN-01: there is no manifest to read".to_owned()));
        }
        if suite.declares(name) {
            return Ok(());
        }
        Err(Finding::Skip(format!("the adapter does not declare {name}")))
    };
    if let Some(capability) = gate.capability {
        declares(capability)?;
    }
    if gate.cli && !suite.has_cli() {
        return Err(Finding::Skip("the adapter drives no agent CLI".to_owned()));
    }
    let Some(scenario) = gate.scenario else { return Ok(()) };
    declares("run")?;
    let Some(pack) = &suite.pack else {
        return Err(Finding::Skip("there is no fixture pack".to_owned()));
    };
    if pack.has(scenario) {
        return Ok(());
    }
    // What an adapter declares it must show; there is no excuse for that.
    let excuse = pack.settings.not_applicable.get(scenario).filter(|_| gate.capability.is_none());
    match excuse {
        Some(reason) => Err(Finding::Skip(format!("{scenario} does not apply: {reason}"))),
        None => Err(Finding::Untestable(format!(
            "the pack has no scenario {scenario}; add it, or list it under [not_applicable] with the reason"
        ))),
    }
}

/// What becomes of a check with this verdict.
pub(crate) fn conclude(
    check: &Check,
    verdict: Verdict,
    took: Duration,
    options: &JudgeOptions,
) -> CheckResult {
    let plain = match &verdict {
        Ok(()) => Status::Pass,
        Err(Finding::Skip(_)) => Status::Skip,
        Err(Finding::Suite(_)) => Status::SuiteError,
        Err(Finding::Blocked(_)) => Status::Blocked,
        Err(Finding::Untestable(_)) => Status::Untestable,
        Err(Finding::Fail(_)) if check.level == Level::Should && !options.strict => Status::Warn,
        Err(Finding::Fail(_)) => Status::Fail,
    };
    let (status, remark) = ruled(check, plain, options, today());
    CheckResult { check: *check, status, finding: verdict.err(), took, remark }
}

/// What the requirement set and the list of known failures make of a status.
fn ruled(
    check: &Check,
    plain: Status,
    options: &JudgeOptions,
    today: Date,
) -> (Status, Option<String>) {
    let requirements = &options.requirements;
    match plain {
        Status::Skip | Status::SuiteError => options.known_failures.rule(check.id, plain, today),
        _ if requirements.counts(check.id) => options.known_failures.rule(check.id, plain, today),
        _ => {
            let words = if plain == Status::Pass { "it passes" } else { "it does not pass" };
            let name = requirements.name();
            (Status::AddedLater, Some(format!("{words}; not scored by requirement set {name}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirements::DEFAULT_SET;

    fn check_later(verdict: Verdict, set: &str, wanted: Status) {
        let mut check = crate::cases::all()[0];
        check.id = "NEW-01";
        let options = JudgeOptions {
            strict: false,
            jobs: 1,
            budget: Duration::ZERO,
            requirements: Requirements::named(set).expect("there is such a set"),
            known_failures: KnownFailures::default(),
        };
        let result = conclude(&check, verdict, Duration::ZERO, &options);
        assert_eq!(result.status, wanted);
        assert!(!result.status.is_failure() || set != DEFAULT_SET);
    }

    #[test]
    fn a_check_younger_than_the_set_is_reported_and_not_scored() {
        let failed = || crate::verdict::fail("one thing", "another");
        let suite_error = || Err(Finding::Suite("broken".to_owned()));
        check_later(failed(), DEFAULT_SET, Status::AddedLater);
        check_later(Ok(()), DEFAULT_SET, Status::AddedLater);
        check_later(suite_error(), DEFAULT_SET, Status::SuiteError);
        check_later(failed(), "latest", Status::Fail);
        check_later(Ok(()), "latest", Status::Pass);
    }
}

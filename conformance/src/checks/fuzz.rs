//! Damaged output: how it is generated, how an adapter reacts, and the smallest damage that causes
//! the same failure. Contains no check.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::DoneStatus;
use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::Value;

use super::expectations::{
    PerTier, SHORT_RUN_TIMEOUT, after_last_expectation, describe_end, output_steps, still_answers,
};
use crate::adapter_client::AdapterClient;
use crate::context::CheckContext;
use crate::fake_cli::{Script, Step};
use crate::outcome::{Failure, Finding, shorten};
use crate::prepared_run::PreparedRun;
use crate::shrink::{ShrinkBudget, smallest};

/// How many attempts are made to minimize a damage.
const MAX_SHRINK_TRIES: PerTier = PerTier { brief: 120, fast: 300, full: 400, slow: 1_000 };
/// The timeout of the minimization.
const SHRINK_TIMEOUT: Duration = Duration::from_secs(30);
/// The timeout of a run during the minimization; a longer run counts as hung.
const SHRINK_RUN_TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout for an adapter that has closed its stdout to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How many bytes of a damaged line are shown.
const MAX_SHOWN_BYTES: usize = 400;

/// A line of output with different bytes than the agent CLI would print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    /// The step that prints it.
    pub(super) step: usize,
    /// The bytes that it prints instead, line end included.
    pub(super) bytes: Vec<u8>,
}

/// A wrong reaction of an adapter.
#[derive(Debug, Clone)]
pub(super) struct FuzzFinding {
    /// Distinguishes findings: a smaller damage must cause the same kind.
    kind: &'static str,
    expected: String,
    got: String,
}

/// Runs damaged output on one adapter process, which is replaced after a finding.
pub(super) struct FuzzRunner {
    adapter: Option<AdapterClient>,
    /// Rules that undamaged runs break too; other checks report them.
    excused: Vec<&'static str>,
}

impl FuzzRunner {
    pub(super) const fn new() -> Self {
        Self { adapter: None, excused: Vec::new() }
    }

    /// Runs undamaged output and returns the final status; the rules it breaks are excused.
    pub(super) fn run_undamaged(
        &mut self,
        context: &mut CheckContext,
        prepared: &PreparedRun,
    ) -> Result<Option<DoneStatus>, Finding> {
        let adapter = self.adapter(context)?;
        let prepared = with_new_id(context, prepared, prepared.script.clone());
        let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
        let broken = adapter.inbox.checker.broken_rules();
        self.excused.extend(broken.iter().map(|(rule, _)| *rule));
        Ok(record.done().map(|done| done.status))
    }

    /// Runs damaged output: the run must end, with the expected status if there is one, and the
    /// adapter must stay alive.
    pub(super) fn run_damaged(
        &mut self,
        context: &mut CheckContext,
        prepared: &PreparedRun,
        script: Script,
        trial: Trial,
    ) -> Result<Option<FuzzFinding>, Finding> {
        let prepared = with_new_id(context, prepared, script);
        let adapter = self.adapter(context)?;
        let finding = run_and_evaluate(adapter, &prepared, trial)?;
        let broken = adapter.inbox.checker.broken_rules();
        let is_new = |(rule, _): &&(&'static str, Failure)| !self.excused.contains(rule);
        let rule = trial.expected_status.and_then(|_| broken.iter().find(is_new));
        Ok(finding.or_else(|| {
            rule.map(|(rule, failure)| FuzzFinding {
                kind: rule,
                expected: format!("{rule} holds: {}", failure.expected),
                got: failure.got.clone(),
            })
        }))
    }

    /// Builds the failure with the smallest damage that causes it.
    pub(super) fn minimized_failure(
        &mut self,
        context: &mut CheckContext,
        fuzz_case: &FuzzCase<'_>,
        finding: FuzzFinding,
    ) -> Finding {
        // This process is no longer trusted, and its transcript contains the failure.
        let failed_adapter = self.adapter.take();
        let mut budget =
            ShrinkBudget::new(MAX_SHRINK_TRIES.of(context), context.limit(SHRINK_TIMEOUT));
        let minimized = self.shrink(context, fuzz_case, finding.kind, &mut budget);
        let description = fuzz_case.describe(context.suite.seed, &minimized, budget.attempts());
        let failure = Failure::new(finding.expected, finding.got).sent(description.clone());
        match failed_adapter.or_else(|| self.adapter.take()) {
            Some(adapter) => failure.at(adapter.remark(&description)).into(),
            None => failure.into(),
        }
    }

    fn shrink(
        &mut self,
        context: &mut CheckContext,
        fuzz_case: &FuzzCase<'_>,
        kind: &'static str,
        budget: &mut ShrinkBudget,
    ) -> Minimized {
        let mut minimized =
            Minimized { damages: fuzz_case.damages.clone(), others: fuzz_case.undamaged() };
        let mut fails = |damages: &[Damage], others: &[usize]| {
            let script = fuzz_case.script(damages, others);
            let trial = Trial { limit: SHRINK_RUN_TIMEOUT, ..fuzz_case.trial };
            let found = self.run_damaged(context, fuzz_case.prepared, script, trial);
            if !matches!(found, Ok(None)) {
                self.adapter = None;
            }
            matches!(found, Ok(Some(found)) if found.kind == kind)
        };
        let Minimized { damages, others } = &mut minimized;
        // The expected status was determined for the whole output without the one line, so the
        // other lines must stay.
        if fuzz_case.trial.expected_status.is_none() {
            *damages = smallest(damages, budget, |fewer| fails(fewer, others));
            *others = smallest(others, budget, |fewer| fails(damages, fewer));
        }
        for index in 0..damages.len() {
            let whole = damages[index].bytes.clone();
            let bytes = smallest(&whole, budget, |fewer| {
                let mut candidate = damages.clone();
                candidate[index].bytes = fewer.to_vec();
                fuzz_case.is_still_damaged(&candidate[index]) && fails(&candidate, others)
            });
            damages[index].bytes = bytes;
        }
        minimized
    }

    fn adapter(&mut self, context: &mut CheckContext) -> Result<&mut AdapterClient, Finding> {
        let is_running = self.adapter.as_mut().is_some_and(|adapter| adapter.is_running());
        if !is_running {
            self.adapter = Some(context.launch()?);
        }
        self.adapter.as_mut().ok_or_else(|| Finding::Suite("no adapter process".to_owned()))
    }
}

/// How a damaged run is evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    pub(super) limit: Duration,
    /// The expected final status; `None` accepts any.
    pub(super) expected_status: Option<DoneStatus>,
}

/// A damaged run.
pub(super) struct FuzzCase<'a> {
    pub(super) prepared: &'a PreparedRun,
    pub(super) damages: Vec<Damage>,
    pub(super) round: usize,
    pub(super) trial: Trial,
}

struct Minimized {
    damages: Vec<Damage>,
    /// The undamaged lines that are printed too.
    others: Vec<usize>,
}

impl FuzzCase<'_> {
    /// Returns the whole output with its damages.
    pub(super) fn damaged(&self) -> Script {
        self.script(&self.damages, &self.undamaged())
    }

    /// Returns every line that may be changed and is not damaged.
    fn undamaged(&self) -> Vec<usize> {
        let is_damaged = |step: &usize| self.damages.iter().any(|damage| damage.step == *step);
        changeable(&self.prepared.script).into_iter().filter(|step| !is_damaged(step)).collect()
    }

    /// Returns the output with these damages and only these of the other lines.
    fn script(&self, damages: &[Damage], others: &[usize]) -> Script {
        let original = &self.prepared.script;
        let lines = changeable(original);
        let steps = original.steps.iter().enumerate().filter_map(|(index, step)| {
            if let Some(damage) = damages.iter().find(|damage| damage.step == index) {
                return Some(Step::OutBytes { bytes: damage.bytes.clone() });
            }
            let was_damaged = self.damages.iter().any(|damage| damage.step == index);
            let stays = !lines.contains(&index) || others.contains(&index) || was_damaged;
            stays.then(|| step.clone())
        });
        Script { steps: steps.collect(), ..original.clone() }
    }

    /// With an expected status the line must stay unreadable.
    fn is_still_damaged(&self, damage: &Damage) -> bool {
        self.trial.expected_status.is_none() || is_unreadable(&damage.bytes)
    }

    fn describe(&self, seed: u64, minimized: &Minimized, attempts: usize) -> String {
        let lines = changeable(&self.prepared.script);
        let location =
            |step: usize| lines.iter().position(|line| *line == step).map_or(0, |at| at + 1);
        let shown = minimized.damages.iter().map(|damage| {
            let bytes = shorten(&damage.bytes.escape_ascii().to_string(), MAX_SHOWN_BYTES);
            format!("line {}: `{bytes}`", location(damage.step))
        });
        let shown: Vec<String> = shown.collect();
        let shown = if shown.is_empty() { "no damage".to_owned() } else { shown.join(", ") };
        let others: Vec<String> =
            minimized.others.iter().map(|step| location(*step).to_string()).collect();
        let others = match others.as_slice() {
            [] => "with no other line".to_owned(),
            others => format!("with the undamaged lines {}", others.join(" ")),
        };
        format!(
            "run/start of text; the smallest damage that causes this, {others}, is {shown} (of {} lines; seed \
             {seed}, round {}, {attempts} attempts to minimize it)",
            lines.len(),
            self.round
        )
    }
}

/// Returns the lines that may be changed: those after the last input that the agent CLI waits for.
pub(super) fn changeable(script: &Script) -> Vec<usize> {
    output_steps(script, after_last_expectation(script))
}

/// Changes a few bytes of a line at random.
pub(super) fn damage(random: &mut StdRng, bytes: &mut Vec<u8>) {
    for _ in 0..random.random_range(1..5_u32) {
        if bytes.is_empty() {
            return;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..6_u32) {
            0 => bytes[at] = random.random(),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.random()),
            3 => bytes.truncate(at),
            4 => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
            _ => bytes[at] ^= 1 << random.random_range(0..8_u32),
        }
    }
}

/// Whether no reader, however lenient about whitespace and characters, finds a message in these
/// bytes.
pub(super) fn is_unreadable(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let is_message = |line: &str| {
        serde_json::from_str::<Value>(line.trim_matches(is_space))
            .is_ok_and(|value| value.is_object())
    };
    !text.split('\n').any(is_message) && !is_message(&text)
}

/// Returns the final status of the run without each of these lines.
pub(super) fn statuses_without(
    runner: &mut FuzzRunner,
    context: &mut CheckContext,
    prepared: &PreparedRun,
    lines: &[usize],
) -> Result<BTreeMap<usize, DoneStatus>, Finding> {
    let mut statuses = BTreeMap::new();
    for line in lines {
        let mut without = prepared.clone();
        without.script.steps.remove(*line);
        if let Some(status) = runner.run_undamaged(context, &without)? {
            statuses.insert(*line, status);
        }
    }
    Ok(statuses)
}

/// Returns the same run with a new id.
fn with_new_id(context: &mut CheckContext, prepared: &PreparedRun, script: Script) -> PreparedRun {
    let mut prepared = PreparedRun { script, ..prepared.clone() };
    prepared.script.exit_after_last_step();
    prepared.request.run_id = format!("run-{}", context.nonce());
    prepared
}

/// Whether the adapter has exited; one that has closed its stdout gets time to exit.
fn has_exited(adapter: &mut AdapterClient) -> bool {
    let limit = if adapter.is_stdout_closed() { EXIT_TIMEOUT } else { Duration::ZERO };
    adapter.wait_exit(limit).is_some()
}

fn run_and_evaluate(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    trial: Trial,
) -> Result<Option<FuzzFinding>, Finding> {
    let finding = |kind, expected: &str, got: String| {
        Ok(Some(FuzzFinding { kind, expected: expected.to_owned(), got }))
    };
    let continues = "the adapter continues";
    adapter.begin(prepared)?;
    let ended = adapter.finish(prepared.run_id(), trial.limit);
    if has_exited(adapter) {
        let how = describe_end(&adapter.run(prepared.run_id()));
        return finding("exit", continues, format!("it has exited; {how}"));
    }
    let record = match ended {
        Ok(record) => record,
        Err(Finding::Fail(failure)) => {
            return finding("hang", &failure.expected, failure.got.clone());
        }
        Err(other) => return Err(other),
    };
    if let Err(Finding::Fail(failure)) = still_answers(adapter, "ping") {
        return match has_exited(adapter) {
            true => finding("exit", continues, "it has exited".to_owned()),
            false => finding("silence", &failure.expected, failure.got.clone()),
        };
    }
    let status = record.done().map(|done| done.status);
    match trial.expected_status {
        Some(wanted) if status != Some(wanted) => {
            let expected = format!("`done` with status {wanted}, as without the damaged line");
            finding("status", &expected, describe_end(&record))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_line_has_no_message() {
        for line in ["{\"t\":\"end\"", "", "7", "[{}]", "{\"t\":\"en\nd\"}", "}{"] {
            assert!(is_unreadable(line.as_bytes()), "{line:?}");
        }
        for line in ["{}", " {\"a\":1}\r\n", "\u{b}{}\u{1c}", "x\n{}\ny"] {
            assert!(!is_unreadable(line.as_bytes()), "{line:?}");
        }
        assert!(!is_unreadable(b"{\"a\":\"\xff\"}"));
    }
}

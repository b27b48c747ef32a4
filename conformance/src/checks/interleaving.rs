//! Concurrent runs whose output is interleaved: the agent CLIs wait at gates that the suite opens
//! in turn. Contains no check.

use std::time::Duration;

use od_protocol::ErrorKind;

use super::expectations::after_last_expectation;
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::fake_cli::{Invocation, Outlet, Script, Step};
use crate::outcome::{CheckOutcome, Finding};
use crate::pack::Values;
use crate::prepared_run::PreparedRun;

/// The timeout for an agent CLI to be started and to reach a gate.
const GATE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the suite waits after a gate, so that the adapter reads what was printed.
const READ_TIME: Duration = Duration::from_millis(10);

/// A run whose agent CLI stops at gates.
pub(super) struct GatedRun {
    pub(super) prepared: PreparedRun,
    /// The index of its invocation of the fake CLI.
    pub(super) index: usize,
    gates: Vec<String>,
    opened: usize,
}

impl GatedRun {
    /// Starts a run that stops in the middle of every line; `None` if the adapter supports no
    /// further run.
    pub(super) fn begin_cut(
        adapter: &mut AdapterClient,
        mut prepared: PreparedRun,
    ) -> Result<Option<Self>, Finding> {
        let name = format!("cut-{}", prepared.values.text("nonce"));
        let (script, gates) = cut_lines(&prepared.script, &name);
        prepared.script = script;
        Self::begin(adapter, prepared, gates)
    }

    /// Starts a run that stops before this step.
    pub(super) fn begin_before(
        adapter: &mut AdapterClient,
        mut prepared: PreparedRun,
        step: usize,
    ) -> Result<Option<Self>, Finding> {
        let name = format!("stop-{}", prepared.values.text("nonce"));
        prepared.script.steps.insert(step, Step::Gate { name: name.clone() });
        Self::begin(adapter, prepared, vec![name])
    }

    fn begin(
        adapter: &mut AdapterClient,
        prepared: PreparedRun,
        gates: Vec<String>,
    ) -> Result<Option<Self>, Finding> {
        let index = adapter.fake_cli.starts().len();
        match adapter.try_begin(&prepared)? {
            Answer::Error(error) if error.kind() == ErrorKind::TooManyRuns => return Ok(None),
            refused @ Answer::Error(_) => {
                let expected = "the run is accepted, or refused with too_many_runs";
                return Err(adapter.failure(expected, refused.summary(), "run/start"));
            }
            Answer::Result(_) => {}
        }
        let run = Self { prepared, index, gates, opened: 0 };
        run.reaches_gate(adapter)?;
        Ok(Some(run))
    }

    /// Returns the run's id.
    pub(super) fn run_id(&self) -> &str {
        self.prepared.run_id()
    }

    /// Opens the next gate and waits until the agent CLI reaches the one after it; `false` after
    /// the last gate.
    pub(super) fn open_next(&mut self, adapter: &mut AdapterClient) -> Result<bool, Finding> {
        let Some(gate) = self.gates.get(self.opened) else { return Ok(false) };
        adapter.fake_cli.open_gate(gate)?;
        self.opened += 1;
        self.reaches_gate(adapter)?;
        adapter.listen(READ_TIME);
        Ok(true)
    }

    /// Opens all gates.
    pub(super) fn open_all(&mut self, adapter: &AdapterClient) -> Result<(), Finding> {
        for gate in self.gates.iter().skip(self.opened) {
            adapter.fake_cli.open_gate(gate)?;
        }
        self.opened = self.gates.len();
        Ok(())
    }

    /// Returns what the agent CLI of this run recorded.
    pub(super) fn invocation(&self, adapter: &AdapterClient) -> Invocation {
        adapter.fake_cli.starts().into_iter().nth(self.index).unwrap_or_default()
    }

    fn reaches_gate(&self, adapter: &AdapterClient) -> CheckOutcome {
        let Some(gate) = self.gates.get(self.opened) else { return Ok(()) };
        let limit = adapter.limit(GATE_TIMEOUT);
        let (has_reached, starts) = adapter
            .fake_cli
            .wait_until(limit, |starts| starts.iter().any(|start| start.gates.contains(gate)));
        let problem = starts.last().and_then(Invocation::problem).unwrap_or_default();
        let expected = format!("the agent CLI is started and continues within {limit:.1?}");
        let got = format!("the agent CLI of {} did not: {problem}", self.run_id());
        adapter.ensure(has_reached, expected, got, "run/start")
    }
}

/// Adds a gate in the middle of every line after the last input, inside a character where there is
/// one of several bytes. Events of a server stay whole and get a gate before them.
fn cut_lines(script: &Script, name: &str) -> (Script, Vec<String>) {
    let from = after_last_expectation(script);
    let mut gates = Vec::new();
    let mut steps = Vec::new();
    let mut outlet = Outlet::default();
    for (index, step) in script.steps.iter().enumerate() {
        if let Step::Through { outlet: next } = step {
            outlet = next.clone();
        }
        let Step::Out { text, end } = step else {
            steps.push(step.clone());
            continue;
        };
        if index < from {
            steps.push(step.clone());
            continue;
        }
        let gate = format!("{name}-{}", gates.len());
        gates.push(gate.clone());
        // A placeholder is filled when the step runs, so its line cannot be cut here.
        let is_whole = outlet != Outlet::Stdout || script.terminal || text.contains("{{");
        if is_whole {
            steps.extend([Step::Gate { name: gate }, step.clone()]);
            continue;
        }
        let bytes = format!("{text}{end}").into_bytes();
        let (head, tail) = bytes.split_at(middle(&bytes));
        steps.extend([
            Step::OutBytes { bytes: head.to_vec() },
            Step::Gate { name: gate },
            Step::OutBytes { bytes: tail.to_vec() },
        ]);
    }
    (Script { steps, ..script.clone() }, gates)
}

/// The position inside a character of several bytes, or the middle.
fn middle(bytes: &[u8]) -> usize {
    let is_inside = |index: &usize| bytes[*index] & 0b1100_0000 == 0b1000_0000;
    let half = bytes.len() / 2;
    (1..bytes.len()).filter(is_inside).min_by_key(|index| index.abs_diff(half)).unwrap_or(half)
}

/// Opens the gates of all runs in turn, one line at a time.
pub(super) fn alternate(adapter: &mut AdapterClient, runs: &mut [GatedRun]) -> CheckOutcome {
    let mut is_waiting = true;
    while is_waiting {
        is_waiting = false;
        for run in &mut *runs {
            is_waiting |= run.open_next(adapter)?;
        }
    }
    Ok(())
}

/// Returns a value of another run that the events of a run contain.
pub(super) fn foreign_value(record: &RunRecord, other: &Values) -> Option<String> {
    let names =
        ["session_id", "new_session_id", "tool_id", "tool_output", "tool_command", "nonce", "cwd"];
    let texts = names.iter().map(|name| other.text(name));
    let deltas = other.deltas.iter().map(|delta| delta.trim().to_owned());
    let values: Vec<String> = texts.chain(deltas).filter(|value| !value.is_empty()).collect();
    let events: Vec<String> =
        record.events.iter().map(|received| received.value.to_string()).collect();
    values.into_iter().find(|value| events.iter().any(|event| event.contains(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_cut_inside_wide_character() {
        let text = "aaaa 🐦 b";
        let cut = middle(text.as_bytes());
        assert!(!text.is_char_boundary(cut));
        assert_eq!(middle(b"abcd"), 2);
    }

    #[test]
    fn cut_lines_keep_their_bytes() {
        let steps =
            vec![Step::out("before"), Step::ReadAll { bind: None }, Step::out("ä"), Step::out("b")];
        let script = Script { steps, ..Script::default() };
        let (cut, gates) = cut_lines(&script, "g");
        assert_eq!(gates, ["g-0", "g-1"]);
        assert_eq!(cut.steps[..2], script.steps[..2]);
        let printed: Vec<u8> = cut
            .steps
            .iter()
            .flat_map(|step| match step {
                Step::OutBytes { bytes } => bytes.clone(),
                _ => Vec::new(),
            })
            .collect();
        assert_eq!(printed, "ä\nb\n".as_bytes());
    }
}

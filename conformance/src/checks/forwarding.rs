//! The probes of TOL-02: the agent CLI waits at a gate, and everything that it has printed must have
//! arrived. Contains no check.

use std::time::Duration;

use super::expectations::{SHORT_RUN_TIMEOUT, after_last_expectation, plain_answer};
use super::native_output::{
    first_answer_line, first_line_with, last_line_with, last_thought_line, lines, mark_of,
};
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::context::CheckContext;
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Failure, shorten};
use crate::pack::Values;
use crate::prepared_run::PreparedRun;

const GATE: &str = "continue";

/// How long an event may take whose line is already printed.
const EVENT_TIMEOUT: Duration = Duration::from_secs(5);

/// One part of a run that must arrive before the agent CLI continues.
struct Probe {
    scenario: &'static str,
    capability: &'static str,
    /// What must have arrived.
    expected: &'static str,
    /// The step before which the agent CLI waits; `None` if the scenario does not print the part
    /// separately.
    gate: fn(&Script, &Values) -> Option<usize>,
    has_arrived: fn(&RunRecord, &Values) -> bool,
}

/// Not every agent CLI has sessions.
const SESSION_PROBE: Probe = Probe {
    scenario: "text",
    capability: "run",
    expected: "`session_started` before the answer",
    gate: |script, values| {
        let answer = first_answer_line(script, values)?;
        let known = printed_or_sent(script, &values.text("session_id"), answer);
        known.then_some(answer)
    },
    has_arrived: |record, values| {
        let id = values.text("session_id");
        record.of_type("session_started").any(|it| it.value["sessionId"] == id.as_str())
    },
};

const PROBES: &[Probe] = &[
    Probe {
        scenario: "tool_ok",
        capability: "tools",
        expected: "`tool_call_started` and `tool_call_ready` before the result",
        gate: |script, values| {
            let result = first_line_with(script, &[values.text("tool_output")])?;
            let call = first_line_with(script, &[values.text("tool_command")])?;
            (call < result).then_some(result)
        },
        has_arrived: |record, values| {
            let command = mark_of(&values.text("tool_command"));
            record.position("tool_call_started").is_some()
                && record
                    .of_type("tool_call_ready")
                    .any(|it| it.value["input"].to_string().contains(&command))
        },
    },
    Probe {
        scenario: "tool_ok",
        capability: "tools",
        expected: "`tool_result` before the answer",
        gate: |script, values| {
            let answer = first_answer_line(script, values)?;
            let result = last_line_with(script, &values.text("tool_output"))?;
            (result < answer).then_some(answer)
        },
        has_arrived: |record, values| {
            let output = mark_of(&values.text("tool_output"));
            record.of_type("tool_result").any(|it| it.value["output"].to_string().contains(&output))
        },
    },
    Probe {
        scenario: "thinking",
        capability: "thinking",
        expected: "all of the thought before the answer",
        gate: |script, values| {
            let answer = first_answer_line(script, values)?;
            let pieces = &values.thinking_deltas;
            let first = first_line_with(script, pieces).filter(|first| *first < answer)?;
            // A later line may repeat the thought.
            (first_line_with(script, &pieces[pieces.len() - 1..])? < answer).then_some(())?;
            last_thought_line(script, values).filter(|last| *last > first)?;
            Some(answer)
        },
        has_arrived: |record, values| record.thinking() == values.text("thinking"),
    },
    Probe {
        scenario: "file_write",
        capability: "fileChanges",
        expected: "`file_change` before the answer",
        gate: |script, values| {
            let answer = first_answer_line(script, values)?;
            let path = values.text("file_path");
            let file = last_line_with(script, path.rsplit('/').next().unwrap_or(&path))?;
            (file < answer).then_some(answer)
        },
        has_arrived: |record, _| record.position("file_change").is_some(),
    },
];

/// Fails if an event arrives only after the agent CLI has printed more.
pub(super) fn emitted_at_once(context: &mut CheckContext) -> CheckOutcome {
    let plain = plain_answer(context)?;
    let mut adapter = context.launch()?;
    if plain.record.position("session_started").is_some() {
        let prepared = context.prepare(SESSION_PROBE.scenario)?;
        run_probe(&mut adapter, &SESSION_PROBE, prepared)?;
    }
    for probe in PROBES {
        let applies =
            context.suite.has_scenario(probe.scenario) && context.suite.declares(probe.capability);
        if applies {
            let prepared = context.prepare(probe.scenario)?;
            run_probe(&mut adapter, probe, prepared)?;
        }
    }
    unknown_message(context, &mut adapter)
}

fn run_probe(
    adapter: &mut AdapterClient,
    probe: &Probe,
    mut prepared: PreparedRun,
) -> CheckOutcome {
    let gate = (probe.gate)(&prepared.script, &prepared.values);
    let Some(gate) = gate.filter(|gate| *gate >= after_last_expectation(&prepared.script)) else {
        return Ok(());
    };
    // Every probe needs its own gate: an open one stays open.
    let name = format!("{GATE}-{}", prepared.run_id());
    prepared.script.steps.insert(gate, Step::Gate { name: name.clone() });
    adapter.begin(&prepared)?;
    let run_id = prepared.run_id().to_owned();
    let limit = adapter.limit(EVENT_TIMEOUT);
    let has_arrived = adapter.pump(limit, |inbox| {
        inbox.runs.get(&run_id).is_some_and(|run| (probe.has_arrived)(run, &prepared.values))
    });
    let record = adapter.run(&run_id);
    let location = adapter.location();
    adapter.fake_cli.open_gate(&name)?;
    adapter.finish(&run_id, SHORT_RUN_TIMEOUT)?;
    if has_arrived {
        return Ok(());
    }
    let sent = format!("run/start of the scenario {}; the agent CLI waits", probe.scenario);
    let got = format!("the events were: {}", shorten(&record.summary(), 600));
    Err(Failure::new(format!("{} within {limit:.1?}", probe.expected), got)
        .sent(sent)
        .at(location)
        .into())
}

/// An unknown message is the line that the scenario has in addition to the plain answer.
fn unknown_message(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    const PROBE: Probe = Probe {
        scenario: "unmapped",
        capability: "run",
        expected: "`unmapped` before the answer",
        gate: first_answer_line,
        has_arrived: |record, _| record.position("unmapped").is_some(),
    };
    if !context.suite.has_scenario(PROBE.scenario) {
        return Ok(());
    }
    let (plain, prepared) = (context.prepare("text")?, context.prepare(PROBE.scenario)?);
    let before = |prepared: &PreparedRun| {
        let answer = first_answer_line(&prepared.script, &prepared.values)?;
        Some(lines(&prepared.script).filter(|(index, _)| *index < answer).count())
    };
    if before(&prepared) <= before(&plain) {
        return Ok(());
    }
    run_probe(adapter, &PROBE, prepared)
}

/// Whether the agent CLI prints this text, or replies with it, before a step.
fn printed_or_sent(script: &Script, text: &str, before: usize) -> bool {
    let mark = mark_of(text);
    script.steps[..before].iter().any(|step| match step {
        Step::Out { text, .. } => text.contains(&mark),
        Step::Reply { body, .. } => body.contains(&mark),
        _ => false,
    })
}

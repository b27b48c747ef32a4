//! Messages of the agent CLI's own format on stderr.

use crate::checks::expectations::{
    after_last_expectation, exact_answer, output_steps, plain_answer,
};
use crate::context::CheckContext;
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, shorten, skip_if};

/// Events that repeat output of the agent CLI.
const OUTPUT_EVENTS: &[&str] = &[
    "session_started",
    "message_started",
    "text_delta",
    "thinking_delta",
    "tool_call_started",
    "tool_call_ready",
    "tool_result",
    "tool_output_delta",
    "file_change",
    "usage",
    "unmapped",
    "approval_requested",
];

pub(super) fn not_parsed(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let other = context.prepare("text")?;
    let mut prepared = context.prepare("text")?;
    skip_if(prepared.script.terminal, "stderr of this agent CLI is its terminal")?;
    let lines = output_steps(&other.script, after_last_expectation(&other.script));
    let strangers = lines.iter().filter_map(|index| match &other.script.steps[*index] {
        Step::Out { text, .. } => Some(Step::Err { text: text.clone() }),
        _ => None,
    });
    let strangers: Vec<Step> = strangers.collect();
    let own = output_steps(&prepared.script, after_last_expectation(&prepared.script));
    let last = own.last().copied().unwrap_or(prepared.script.steps.len());
    let first = own.first().copied().unwrap_or(last);
    // Once before the first output, and once before the final message.
    prepared.script.steps.splice(last..last, strangers.clone());
    prepared.script.steps.splice(first..first, strangers);
    let completed_run = context.execute(prepared)?;
    let sent = "run/start; the agent CLI printed messages of another session on stderr";
    exact_answer(&completed_run, sent)?;
    let texts = other.values.deltas.iter().map(|text| text.trim().to_owned());
    let marks: Vec<String> = texts.chain([other.values.text("session_id")]).collect();
    let record = &completed_run.record;
    for received in record.events.iter().filter(|it| OUTPUT_EVENTS.contains(&it.type_name())) {
        let text = received.value.to_string();
        let found = marks.iter().find(|mark| text.contains(mark.as_str()));
        let got = format!("{found:?} in {}", shorten(&text, 300));
        record.ensure(found.is_none(), "nothing of stderr in an event of output", got, sent)?;
    }
    Ok(())
}

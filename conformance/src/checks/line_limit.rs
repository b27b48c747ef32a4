//! The probes of TOL-04: large payloads with a small and with the default limit. Contains no check.

use std::time::Duration;

use serde_json::Value;

use super::expectations::{completed, plain_answer};
use super::native_output::{first_answer_line, texts_in};
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::context::{CheckContext, LaunchOptions};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// The announced limit.
const MAX_LINE_BYTES: usize = 65_536;

/// The size of the payloads.
const PAYLOAD_BYTES: usize = 300_000;

/// How many bytes of a payload may surround the text.
const PAYLOAD_RESERVE: usize = 1024;

/// The timeout of a run with a large payload; this chapter does not measure speed.
const LARGE_RUN_TIMEOUT: Duration = Duration::from_secs(60);

/// What is large in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Payload {
    Text,
    Thought,
    ToolInput,
    ToolOutput,
}

/// Fails if a line is longer than the host allows, or if something is missing without a mark.
pub(super) fn lines_fit(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let options =
        LaunchOptions { max_line_bytes: Some(MAX_LINE_BYTES as u64), ..LaunchOptions::default() };
    for (options, limit) in [(options, MAX_LINE_BYTES), (LaunchOptions::default(), 16 << 20)] {
        let mut adapter = context.launch_with(&options)?;
        for (payload, scenario, capability) in [
            (Payload::Text, "text", "run"),
            (Payload::Thought, "thinking", "thinking"),
            (Payload::ToolInput, "tool_ok", "tools"),
            (Payload::ToolOutput, "tool_ok", "tools"),
        ] {
            if context.suite.has_scenario(scenario) && context.suite.declares(capability) {
                large_payload(context, &mut adapter, payload, scenario, limit)?;
            }
        }
        large_rest(context, &mut adapter, limit)?;
    }
    Ok(())
}

fn large_payload(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    payload: Payload,
    scenario: &str,
    limit: usize,
) -> CheckOutcome {
    let text = large_text(context);
    let mut prepared = context.prepare(scenario)?;
    match payload {
        Payload::Text => {
            prepared.values.set("text", text.clone());
            prepared.values.deltas = vec![text.clone()];
        }
        Payload::Thought => {
            prepared.values.set("thinking", text.clone());
            prepared.values.thinking_deltas = vec![text.clone()];
        }
        Payload::ToolInput => prepared.values.set("tool_command", text.clone()),
        Payload::ToolOutput => prepared.values.set("tool_output", text.clone()),
    }
    prepared.script = context.suite.script(scenario, &prepared.values)?;
    let record = adapter.complete_run(&prepared, LARGE_RUN_TIMEOUT)?;
    let sent = format!(
        "run/start with limits.maxLineBytes {limit}; the agent CLI printed a {payload:?} of {} \
         bytes in one line",
        text.len()
    );
    short_lines(&record, limit, &sent)?;
    completed(&record, &sent)?;
    match payload {
        Payload::Text => whole_or_marked(&record, "text_delta", &text, &sent),
        Payload::Thought => whole_or_marked(&record, "thinking_delta", &text, &sent),
        Payload::ToolInput => shortened(&record, "tool_call_ready", "input", &text, &sent),
        Payload::ToolOutput => shortened(&record, "tool_result", "output", &text, &sent),
    }
}

fn short_lines(record: &RunRecord, limit: usize, sent: &str) -> CheckOutcome {
    let Some(long) = record.events.iter().find(|received| received.bytes > limit) else {
        return Ok(());
    };
    let got = format!("a `{}` of {} bytes", long.type_name(), long.bytes);
    Err(record.failure(format!("lines of at most {limit} bytes"), got, sent))
}

/// Fails unless the deltas have the whole text, or say how many bytes are missing at which end.
fn whole_or_marked(record: &RunRecord, name: &'static str, text: &str, sent: &str) -> CheckOutcome {
    let (mut kept, mut missing, mut is_prefix) = (0, 0, true);
    let mut rest = text;
    for received in record.of_type(name) {
        let piece = received.value["text"].as_str().unwrap_or_default();
        kept += piece.len();
        missing += removed(&received.value);
        match rest.strip_prefix(piece) {
            Some(after) => rest = after,
            None => is_prefix = false,
        }
    }
    let is_right = is_prefix && kept + missing == text.len();
    let expected = format!(
        "the start of the text, cut between characters, and `truncated.bytes` for the rest of the {} bytes",
        text.len()
    );
    let got =
        format!("{kept} bytes kept (unchanged: {is_prefix}), {missing} bytes marked as removed");
    record.ensure(is_right, expected, got, sent)
}

/// Fails unless the payload contains the whole text, or its start and the number of removed bytes.
fn shortened(
    record: &RunRecord,
    name: &'static str,
    member: &str,
    text: &str,
    sent: &str,
) -> CheckOutcome {
    let Some(received) = record.of_type(name).next() else {
        return Err(record.failure(format!("a `{name}`"), record.summary(), sent));
    };
    let payload = &received.value[member];
    if texts_in(payload).into_iter().any(|found| found.contains(text)) {
        return Ok(());
    }
    let removed = removed(&received.value);
    let kept: usize = texts_in(payload).into_iter().map(str::len).sum();
    let is_damaged = texts_in(payload).into_iter().any(|found| found.contains('\u{fffd}'));
    // The removed bytes may be counted in the JSON of the payload, which escapes quotes.
    let most = Value::from(text).to_string().len() + 2 * PAYLOAD_RESERVE;
    let is_right = !is_damaged
        && removed > 0
        && (text.len()..=most).contains(&(removed + kept + PAYLOAD_RESERVE))
        && kept < text.len();
    let expected = format!(
        "{member} with the whole text of {} bytes, or its start, cut between characters, with \
         `truncated.bytes` for the rest",
        text.len()
    );
    let got = format!(
        "{kept} bytes kept (U+FFFD inside: {is_damaged}), truncated {}",
        received.value["truncated"]
    );
    record.ensure(is_right, expected, got, sent)
}

fn removed(event: &Value) -> usize {
    let bytes = event["truncated"]["bytes"].as_u64().unwrap_or_default();
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// An unknown message and an error on stderr are summarised, so only the lines are measured.
fn large_rest(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    limit: usize,
) -> CheckOutcome {
    let text = large_text(context);
    let mut prepared = context.prepare("text")?;
    if let Some(answer) = first_answer_line(&prepared.script, &prepared.values) {
        let unknown = serde_json::json!({"type": "conformance_unknown", "payload": text});
        prepared.script.steps.insert(answer, Step::out(unknown.to_string()));
    }
    let record = adapter.complete_run(&prepared, LARGE_RUN_TIMEOUT)?;
    let sent = format!("run/start with limits.maxLineBytes {limit}; an unknown message of 300 KB");
    short_lines(&record, limit, &sent)?;
    let mut prepared = context.prepare("text")?;
    prepared.script = failing_loudly(&prepared, &text)?;
    let record = adapter.complete_run(&prepared, LARGE_RUN_TIMEOUT)?;
    let sent = format!("run/start with limits.maxLineBytes {limit}; a crash with 300 KB on stderr");
    short_lines(&record, limit, &sent)
}

fn failing_loudly(prepared: &PreparedRun, text: &str) -> Result<crate::fake_cli::Script, Finding> {
    let mut script = prepared.script.clone();
    let answer = first_answer_line(&script, &prepared.values);
    let at = answer.ok_or_else(|| Finding::Untestable("no line prints the answer".to_owned()))?;
    script.steps.truncate(at);
    script.steps.push(Step::Err { text: text.to_owned() });
    script.steps.push(Step::Exit { code: 1 });
    Ok(script)
}

/// A text of characters with two, three and four bytes, and some that JSON escapes.
fn large_text(context: &mut CheckContext) -> String {
    let piece = format!("{}äß漢字🦜\"\\", context.nonce());
    piece.repeat(PAYLOAD_BYTES / piece.len() + 1)
}

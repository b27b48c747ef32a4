//! One turn: requests to the model and tool calls until the model has finished or the turn is
//! cancelled.

use std::time::Duration;

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};
use super::model::{self, Answer, Piece};
use super::output::Refusal;
use super::serve::Reference;
use super::session::Session;
use super::tools;

const INTERNAL_ERROR: i64 = -32603;

/// How many requests to the model one turn may send.
const MAX_ROUNDS: usize = 8;

/// How many bytes of a prompt the fault keeps.
const MAX_PROMPT_BYTES: usize = 64 * 1024;

/// Runs a turn and answers its prompt.
pub(super) fn run(reference: &Reference, session: &Session, id: &Value, blocks: &[Value]) {
    let behaviour = reference.behaviour;
    let outcome = run_rounds(reference, session, blocks);
    let is_cancelled = session.stop.is_cancelled();
    session.save();
    session.stop.close();
    let outcome = match outcome {
        _ if is_cancelled && behaviour.has(AgentFault::CancelIsError) => {
            Err((INTERNAL_ERROR, "aborted".to_owned()))
        }
        _ if is_cancelled => Ok("cancelled"),
        Ok(_) if behaviour.has(AgentFault::OddStopReason) => Ok("done"),
        Ok("max_tokens") if behaviour.has(AgentFault::HidesTokenLimit) => Ok("end_turn"),
        Err((_, message_text)) if behaviour.has(AgentFault::ErrorAsText) => {
            send_text(reference, session, "agent_message_chunk", &message_text);
            Ok("end_turn")
        }
        other => other,
    };
    reference.output.reply(id, outcome.map(|reason| json!({"stopReason": reason})));
    if behaviour.has(AgentFault::LateText) {
        std::thread::sleep(Duration::from_millis(10));
        send_text(reference, session, "agent_message_chunk", "one more thing");
    }
}

fn run_rounds(
    reference: &Reference,
    session: &Session,
    blocks: &[Value],
) -> Result<&'static str, Refusal> {
    let behaviour = reference.behaviour;
    if behaviour.has(AgentFault::DeadAfterCancel) && session.stop.was_cancelled() {
        return Err((INTERNAL_ERROR, "the session is broken".to_owned()));
    }
    reference.send_outside_session();
    if behaviour.has(AgentFault::OwnUpdateKind) {
        let update = json!({"sessionUpdate": "status_update", "status": "working"});
        reference.output.update(&session.id, &update);
    }
    let prompt = prompt(reference, blocks);
    let content = json!({"type": "text", "text": prompt});
    session.keep(&json!({"sessionUpdate": "user_message_chunk", "content": content}));
    let message = json!({"role": "user", "content": prompt});
    session.add_message(message.clone());
    for _ in 0..MAX_ROUNDS {
        let messages = match behaviour.has(AgentFault::Forgets) {
            true => since(&session.messages(), &message),
            false => session.messages(),
        };
        let answer = ask(reference, session, &messages)
            .map_err(|message_text| (INTERNAL_ERROR, message_text))?;
        if session.stop.is_cancelled() || answer.calls.is_empty() {
            return Ok(stop_reason(&answer));
        }
        let mut previous = None;
        for call in &answer.calls {
            let output = tools::run(reference, session, call, previous.as_deref());
            let content = match behaviour.has(AgentFault::DropsToolOutput) {
                true => "done",
                false => output.as_str(),
            };
            session
                .add_message(json!({"role": "tool", "tool_call_id": call.id, "content": content}));
            previous = Some(output);
            if session.stop.is_cancelled() {
                return Ok("cancelled");
            }
        }
    }
    Ok("max_turn_requests")
}

/// Returns the messages from this one on.
fn since(messages: &[Value], first: &Value) -> Vec<Value> {
    let start = messages.iter().rposition(|message| message == first).unwrap_or(0);
    messages[start..].to_vec()
}

fn prompt(reference: &Reference, blocks: &[Value]) -> String {
    let behaviour = reference.behaviour;
    let text = |block: &Value| match block["type"].as_str() {
        Some("resource_link") => format!("[{}]", block["uri"].as_str().unwrap_or_default()),
        _ => block["text"].as_str().unwrap_or_default().to_owned(),
    };
    let mut texts: Vec<String> = blocks.iter().map(text).collect();
    if behaviour.has(AgentFault::LastBlockOnly) {
        texts = texts.split_off(texts.len().saturating_sub(1));
    }
    let mut prompt = texts.join("\n");
    if behaviour.has(AgentFault::PromptLineEnds) {
        prompt = prompt.replace("\r\n", "\n");
    }
    if behaviour.has(AgentFault::AsciiPrompt) {
        prompt.retain(|letter| letter.is_ascii());
    }
    if behaviour.has(AgentFault::CutsPrompt) && prompt.len() > MAX_PROMPT_BYTES {
        prompt = prompt
            .chars()
            .rev()
            .take(MAX_PROMPT_BYTES / 4)
            .collect::<Vec<_>>()
            .iter()
            .rev()
            .collect();
    }
    prompt
}

fn ask(reference: &Reference, session: &Session, messages: &[Value]) -> Result<Answer, String> {
    let behaviour = reference.behaviour;
    let buffers = behaviour.has(AgentFault::BuffersText);
    let tools = tools::offered();
    let answer = model::ask(session, messages, &tools, &mut |piece| {
        let (kind, text) = match piece {
            Piece::Text(text) => ("agent_message_chunk", text),
            Piece::Thought(text) if behaviour.has(AgentFault::ThoughtsAsText) => {
                ("agent_message_chunk", text)
            }
            Piece::Thought(text) => ("agent_thought_chunk", text),
        };
        if !buffers && !session.stop.is_cancelled() {
            send_text(reference, session, kind, text);
        }
    })?;
    if buffers && !session.stop.is_cancelled() {
        send_text(reference, session, "agent_message_chunk", &answer.text);
    }
    let calls: Vec<Value> = answer
        .calls
        .iter()
        .map(|call| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": call.id, "type": "function", "function": function})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    session.add_message(message);
    Ok(answer)
}

/// Sends and stores a piece of text.
fn send_text(reference: &Reference, session: &Session, kind: &str, text: &str) {
    let behaviour = reference.behaviour;
    let text = &filtered(behaviour, text);
    let is_thought = kind == "agent_thought_chunk";
    let content = match is_thought && behaviour.has(AgentFault::BareChunk) {
        true => json!(text),
        false => json!({"type": "text", "text": text}),
    };
    let update = json!({"sessionUpdate": kind, "content": content});
    session.keep(&update);
    let other = behaviour.has(AgentFault::Crosstalk).then(|| reference.other_session(&session.id));
    let latest = behaviour.has(AgentFault::LatestSession).then(|| reference.latest_session());
    let target = other.flatten().or(latest).unwrap_or_else(|| session.id.clone());
    reference.output.update(&target, &update);
    if !is_thought && behaviour.has(AgentFault::DupText) {
        reference.output.update(&target, &update);
    }
}

/// Drops characters, as the fault requires.
fn filtered(behaviour: Behaviour, text: &str) -> String {
    let is_dropped = |letter: char| match letter {
        '\r' => behaviour.has(AgentFault::DropsCarriageReturns),
        '\u{feff}' => behaviour.has(AgentFault::DropsByteOrderMarks),
        '\u{301}' => behaviour.has(AgentFault::DropsAccents),
        _ => false,
    };
    text.chars().filter(|letter| !is_dropped(*letter)).collect()
}

fn stop_reason(answer: &Answer) -> &'static str {
    match answer.finish.as_str() {
        "length" => "max_tokens",
        "content_filter" => "refusal",
        _ => "end_turn",
    }
}

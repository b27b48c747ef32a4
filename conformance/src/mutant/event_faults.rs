//! Faults that change, add, drop or delay single events on their way to the host.

use od_protocol::Event;
use serde_json::{Value, json};

use super::fault::{Behaviour, Fault};

/// Faults that replace a part of each text: the fault, what is replaced, and by what.
const REPLACEMENTS: &[(Fault, &str, &str)] = &[
    (Fault::ComposesAccents, "e\u{301}", "é"),
    (Fault::CrLfIsLf, "\r\n", "\n"),
    (Fault::DropsByteOrderMark, "\u{feff}", ""),
    (Fault::DropsJoiners, "\u{200d}", ""),
    (Fault::DecodesEntities, "&amp;", "&"),
    (Fault::StripsBracketCodes, "[31m", ""),
    (Fault::DecodesEscapes, "\\n", "\n"),
    (Fault::StripsThinkTags, "</think>", ""),
];

/// Faults that hold events back until the answer starts or the run ends.
const HELD: &[(Fault, &[&str])] = &[
    (Fault::HoldsResults, &["tool_result"]),
    (Fault::HoldsThoughts, &["thinking_started", "thinking_delta", "thinking_stopped"]),
    (Fault::HoldsFileChanges, &["file_change"]),
    (Fault::HoldsSession, &["session_started"]),
    (Fault::HoldsUnmapped, &["unmapped"]),
];

/// The state of these faults in one run.
#[derive(Default)]
pub(super) struct EventFaults {
    held: Vec<Value>,
    characters: usize,
    file_events: usize,
    messages: usize,
}

impl EventFaults {
    /// Returns the events that are sent instead of this one; without a fault, the same.
    pub(super) fn apply(&mut self, behaviour: Behaviour, event: &Event) -> Vec<Value> {
        let mut value = serde_json::to_value(event).unwrap_or_default();
        let name = value["type"].as_str().unwrap_or_default().to_owned();
        self.change(behaviour, &name, &mut value);
        let sent = self.add_or_drop(behaviour, &name, value);
        self.hold(behaviour, &name, sent)
    }

    fn change(&mut self, behaviour: Behaviour, name: &str, value: &mut Value) {
        match name {
            "text_delta" => self.text_delta(behaviour, value),
            "message_started" | "message_stopped" => message(behaviour, value),
            "thinking_delta" => replace_text(value, "text", |text| {
                if behaviour.has(Fault::TrimsThoughts) { text.trim().to_owned() } else { text }
            }),
            "tool_call_started" if behaviour.has(Fault::OneToolName) => {
                value["name"] = "tool".into();
            }
            "tool_call_ready" => tool_input(behaviour, value),
            "tool_result" => tool_result(behaviour, value),
            "file_change" => {
                self.file_events += 1;
                file_change(behaviour, value);
            }
            "usage" => usage(behaviour, value),
            "run_started" if behaviour.has(Fault::FloatIntegers) => {
                value["pid"] = json!(value["pid"].as_f64());
            }
            "run_started" if behaviour.has(Fault::KeyInArguments) => {
                value["argv"] = json!(["--key", key()]);
            }
            "done" => self.done(behaviour, value),
            _ => {}
        }
    }

    fn text_delta(&mut self, behaviour: Behaviour, value: &mut Value) {
        message(behaviour, value);
        replace_text(value, "text", |mut text| {
            for (fault, from, to) in REPLACEMENTS {
                if text.contains(from) && behaviour.has(*fault) {
                    text = text.replace(from, to);
                }
            }
            match text.ends_with('\n') && behaviour.has(Fault::TrimsDeltas) {
                true => text.trim_end_matches('\n').to_owned(),
                false => text,
            }
        });
        self.characters += value["text"].as_str().unwrap_or_default().chars().count();
    }

    fn done(&self, behaviour: Behaviour, done: &mut Value) {
        let status = done["status"].as_str().unwrap_or_default().to_owned();
        if behaviour.has(Fault::TextBytesAreCharacters) {
            done["totals"]["textBytes"] = self.characters.into();
        }
        if done["totals"]["toolCalls"] != 0 && behaviour.has(Fault::NoCallsInTotals) {
            done["totals"]["toolCalls"] = 0.into();
        }
        if self.file_events > 0 && behaviour.has(Fault::CountsFileEvents) {
            done["totals"]["filesChanged"] = self.file_events.into();
        }
        if done["totals"]["costUsd"].is_number() && behaviour.has(Fault::NoCostInTotals) {
            done["totals"]["costUsd"] = Value::Null;
        }
        if done["sessionId"].is_string() && behaviour.has(Fault::DoneOtherSession) {
            done["sessionId"] = "parrot-session-0".into();
        }
        if status == "cancelled" && behaviour.has(Fault::CancelledEndsTurn) {
            done["stopReason"] = "end_turn".into();
        }
        if status == "completed" && behaviour.has(Fault::CompletedByExitCode) {
            done["evidence"] = "exit_code".into();
        }
        if status == "failed" && behaviour.has(Fault::CrashIsNativeResult) {
            done["evidence"] = "native_result".into();
        }
        if status == "completed" && behaviour.has(Fault::OtherStopReason) {
            done["stopReason"] = "other".into();
        }
        if status == "completed" && behaviour.has(Fault::OwnStopReason) {
            done["stopReason"] = "finished".into();
        }
        duration(behaviour, done);
        exit(behaviour, done);
    }

    fn add_or_drop(&mut self, behaviour: Behaviour, name: &str, value: Value) -> Vec<Value> {
        let is_dropped = match name {
            "message_started" => {
                self.messages += 1;
                behaviour.has(Fault::NoMessageStarted)
            }
            "message_stopped" => behaviour.has(Fault::MessageLeftOpen),
            "text_delta" => self.messages > 1 && behaviour.has(Fault::LosesSecondMessage),
            "tool_call_ready" => behaviour.has(Fault::NoToolInput),
            _ => false,
        };
        if is_dropped {
            return Vec::new();
        }
        let mut sent = vec![value];
        match name {
            "run_started" => sent.extend(after_start(behaviour)),
            "tool_call_ready" if behaviour.has(Fault::RestatesInput) => {
                let delta = json!({
                    "type": "tool_input_delta", "toolCallId": sent[0]["toolCallId"],
                    "text": "{\"command\":\"…\"}",
                });
                sent.insert(0, delta);
            }
            "tool_result" if behaviour.has(Fault::CommandIsFileChange) => {
                let change = json!({"type": "file_change", "path": "/etc/hosts", "op": "edit", "source": "native"});
                sent.push(change);
            }
            "file_change" if behaviour.has(Fault::FileTwice) => sent.push(sent[0].clone()),
            _ => {}
        }
        sent
    }

    fn hold(&mut self, behaviour: Behaviour, name: &str, sent: Vec<Value>) -> Vec<Value> {
        let is_held =
            HELD.iter().any(|(fault, names)| names.contains(&name) && behaviour.has(*fault));
        let is_call = matches!(name, "tool_call_started" | "tool_call_ready");
        if is_held || is_call && behaviour.has(Fault::HoldsCalls) {
            self.held.extend(sent);
            return Vec::new();
        }
        let ends_calls = name == "tool_result" && behaviour.has(Fault::HoldsCalls);
        let is_release = matches!(name, "message_started" | "error" | "usage" | "done");
        if !self.held.is_empty() && (ends_calls || is_release) {
            let mut all = std::mem::take(&mut self.held);
            all.extend(sent);
            return all;
        }
        sent
    }
}

fn message(behaviour: Behaviour, value: &mut Value) {
    if behaviour.has(Fault::OneMessageId) {
        value["messageId"] = "m1".into();
    }
}

fn tool_input(behaviour: Behaviour, ready: &mut Value) {
    if behaviour.has(Fault::TextInput) {
        ready["input"] = ready["input"].to_string().into();
    }
    let command = ready["input"]["command"].as_str().unwrap_or_default();
    if command.contains("  ") && behaviour.has(Fault::CollapsesCommand) {
        replace_text(&mut ready["input"], "command", |text| {
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
    }
}

fn tool_result(behaviour: Behaviour, result: &mut Value) {
    let is_error = result["status"] == "error";
    let output = result["output"].as_str().unwrap_or_default();
    if output.trim() != output && behaviour.has(Fault::TrimsToolOutput) {
        replace_text(result, "output", |text| text.trim().to_owned());
    }
    let output = result["output"].as_str().unwrap_or_default();
    if output.len() > 1000 && behaviour.has(Fault::ShortOutput) {
        replace_text(result, "output", |text| text.chars().take(1000).collect());
    }
    if is_error && behaviour.has(Fault::ErrorWithoutOutput) {
        result["output"] = Value::Null;
    }
    if result["status"] == "unknown" && behaviour.has(Fault::OpenCallFails) {
        result["status"] = "error".into();
    }
    if result["exitCode"].is_number() && behaviour.has(Fault::ToolExitsZero) {
        result["exitCode"] = 0.into();
    }
    if is_error && behaviour.has(Fault::ToolExitsOne) {
        result["exitCode"] = 1.into();
    }
}

fn file_change(behaviour: Behaviour, change: &mut Value) {
    if behaviour.has(Fault::InventsCallOfFile) {
        change["toolCallId"] = "call-0".into();
    }
    if change["op"] == "create" && behaviour.has(Fault::CreateIsEdit) {
        change["op"] = "edit".into();
    }
    if behaviour.has(Fault::EmptyDiff) {
        change["diff"] = "@@ -0,0 +1 @@".into();
    }
}

fn usage(behaviour: Behaviour, usage: &mut Value) {
    if behaviour.has(Fault::TotalWithoutCaches) {
        let count = |name: &str| usage[name].as_u64().unwrap_or_default();
        usage["totalTokens"] = (count("inputTokens") + count("outputTokens")).into();
    }
}

fn duration(behaviour: Behaviour, done: &mut Value) {
    let duration = done["durationMs"].as_u64().unwrap_or_default();
    if behaviour.has(Fault::MicrosecondDuration) {
        done["durationMs"] = (duration * 1000).into();
    }
    if behaviour.has(Fault::NoDuration) {
        done["durationMs"] = 0.into();
    }
}

fn exit(behaviour: Behaviour, done: &mut Value) {
    if done["exitCode"] != 0 && behaviour.has(Fault::ExitsWithZero) {
        done["exitCode"] = 0.into();
    }
    let signal = done["signal"].as_i64();
    if let Some(signal) = signal.filter(|_| behaviour.has(Fault::SignalIsExitCode)) {
        done["exitCode"] = (128 + signal).into();
        done["signal"] = Value::Null;
    }
}

/// Events after `run_started`.
fn after_start(behaviour: Behaviour) -> Vec<Value> {
    let turn = json!({"type": "turn_started", "turnId": "turn-1"});
    if behaviour.has(Fault::TurnIdTwice) {
        return vec![turn.clone(), turn];
    }
    if behaviour.has(Fault::KeyInNotice) {
        let text = format!("logged in with {}", key());
        return vec![json!({"type": "notice", "level": "info", "code": "login", "text": text})];
    }
    Vec::new()
}

fn key() -> String {
    std::env::var(super::manifest::AUTH_VARIABLE).unwrap_or_default()
}

fn replace_text(value: &mut Value, member: &str, change: impl FnOnce(String) -> String) {
    if let Some(text) = value[member].as_str() {
        value[member] = change(text.to_owned()).into();
    }
}

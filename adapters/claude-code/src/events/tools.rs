//! Tool calls: start, input and result.

use std::collections::HashMap;

use od_protocol::{Event, Image, ToolStatus};
use od_sdk::RunOutput;
use od_sdk::stream_json::{Block, blocks, call_ready, call_result, call_started, text_of};
use serde_json::Value;

use super::files;
use crate::tool_names::{kind, title};

/// Prefixes of a failed result that the CLI denied itself (recordings `write_denied`,
/// `sj_perm_error`).
const DENIAL_PREFIXES: &[&str] =
    &["Claude requested permissions to ", "Permission to use ", "Tool permission request failed"];
/// Prefix of the result of an interrupted call (recordings `sj_perm_hang`, `sj_interrupt_tool`). The
/// result of a denial by the host has the host's message.
const INTERRUPTED_PREFIX: &str = "The user doesn't want to proceed with this tool use";
/// Suffix of a denial by plan mode (recording `perm_plan`).
const PLAN_MODE_DENIAL_SUFFIX: &str = "while in plan mode.";
/// Prefix of the output of a failed command (recording `toolfail`).
const EXIT_CODE_PREFIX: &str = "Exit code ";

/// A started call.
#[derive(Debug)]
struct Call {
    name: String,
    is_ready: bool,
    was_denied: bool,
}

/// The open calls.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// Whether a call with complete input is open.
    pub(super) fn is_running(&self) -> bool {
        self.open.values().any(|call| call.is_ready)
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Marks a call as denied by the user or a rule.
    pub(super) fn mark_denied(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.was_denied = true;
        }
    }

    /// The model starts to write a tool call.
    pub(super) fn on_started(&mut self, block: &Block, output: &mut RunOutput) {
        let call = Call { name: block.name.clone(), is_ready: false, was_denied: false };
        self.open.insert(block.id.clone(), call);
        output.event(call_started(block, kind(&block.name)));
    }

    /// The input is complete. Without partial messages this is the first line of a call.
    pub(super) fn on_ready(&mut self, block: &Block, output: &mut RunOutput) {
        if !self.is_open(&block.id) {
            self.on_started(block, output);
        }
        if let Some(call) = self.open.get_mut(&block.id) {
            call.is_ready = true;
        }
        output.event(call_ready(block, title(&block.name, &block.input)));
    }

    /// The stream with the call was interrupted: a call without complete input never runs.
    pub(super) fn abandon(&mut self, id: &str, output: &mut RunOutput) {
        if self.open.get(id).is_some_and(|call| !call.is_ready) {
            self.open.remove(id);
            output.event(call_result(id, ToolStatus::Cancelled, Value::Null, None));
        }
    }

    /// Maps a `tool_result`, with the tool's report.
    pub(super) fn on_result(&mut self, block: &Block, report: &Value, output: &mut RunOutput) {
        let call = self.open.remove(&block.tool_use_id);
        let text = text_of(&block.content);
        let name = call.as_ref().map_or("", |call| call.name.as_str());
        let was_denied = call.as_ref().is_some_and(|call| call.was_denied);
        let status = match block.is_error.unwrap_or(false) {
            false => ToolStatus::Ok,
            true if output.is_cancelling() || text.starts_with(INTERRUPTED_PREFIX) => {
                ToolStatus::Cancelled
            }
            true if was_denied || is_denial(&text) => ToolStatus::Denied,
            true => ToolStatus::Error,
        };
        files::on_report(&block.tool_use_id, report, output);
        report_images(&block.content, output);
        let exit_code = exit_code(name, status, &text, report);
        output.event(call_result(&block.tool_use_id, status, Value::String(text), exit_code));
    }
}

fn is_denial(text: &str) -> bool {
    DENIAL_PREFIXES.iter().any(|denial| text.starts_with(denial))
        || text.ends_with(PLAN_MODE_DENIAL_SUFFIX)
}

/// The result text of a failed command starts with its exit code. A successful command has the exit
/// code 0, unless the CLI interprets another code as success or the command runs in the background.
fn exit_code(name: &str, status: ToolStatus, text: &str, report: &Value) -> Option<i32> {
    if name != "Bash" {
        return None;
    }
    match status {
        ToolStatus::Error => {
            text.strip_prefix(EXIT_CODE_PREFIX)?.lines().next()?.trim().parse().ok()
        }
        ToolStatus::Ok => {
            let has = |key: &str| report.get(key).is_some_and(|value| !value.is_null());
            let is_zero = report.get("stdout").is_some()
                && report.get("interrupted").and_then(Value::as_bool) == Some(false)
                && !has("returnCodeInterpretation")
                && !has("backgroundTaskId");
            is_zero.then_some(0)
        }
        _ => None,
    }
}

fn report_images(content: &Value, output: &mut RunOutput) {
    if !content.is_array() {
        return;
    }
    for source in blocks(content.clone()).into_iter().filter_map(|block| block.source) {
        output.event(Event::Image(Image {
            mime: source.media_type,
            data: Some(source.data),
            path: None,
        }));
    }
}

//! Tool calls: their start, their input, their result.

use std::collections::HashMap;

use od_protocol::{Event, Image, ToolStatus};
use od_sdk::RunOutput;
use od_sdk::stream_json::{Block, blocks, call_ready, call_result, call_started, text_of};
use serde_json::Value;

use super::files;
use super::words::{kind, title};

/// How the CLI words a denial when nobody answers (recordings `write_denied`, `sj_perm_error`).
/// They are looked for in failed results only.
const DENIALS: &[&str] =
    &["Claude requested permissions to ", "Permission to use ", "Tool permission request failed"];
/// How it words a call that an interrupt ended (recordings `sj_perm_hang`, `sj_interrupt_tool`); a
/// denial by the host carries the host's own words.
const INTERRUPTED: &str = "The user doesn't want to proceed with this tool use";
/// The end of a denial by plan mode (recording `perm_plan`).
const PLAN_MODE_DENIAL: &str = "while in plan mode.";
/// What the CLI puts before the output of a command that failed (recording `toolfail`).
const EXIT_CODE: &str = "Exit code ";

/// A call that was started.
#[derive(Debug)]
struct Call {
    name: String,
    is_ready: bool,
    was_denied: bool,
}

/// The calls that are open.
#[derive(Debug, Default)]
pub(super) struct Tools {
    open: HashMap<String, Call>,
}

impl Tools {
    /// Something that was asked for runs right now.
    pub(super) fn is_running(&self) -> bool {
        self.open.values().any(|call| call.is_ready)
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// A person or a rule said no.
    pub(super) fn mark_denied(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.was_denied = true;
        }
    }

    /// The model begins to ask for a tool.
    pub(super) fn on_started(&mut self, block: &Block, output: &mut RunOutput) {
        let call = Call { name: block.name.clone(), is_ready: false, was_denied: false };
        self.open.insert(block.id.clone(), call);
        output.event(call_started(block, kind(&block.name)));
    }

    /// All of the input is known; without partial messages this is the first word of a call.
    pub(super) fn on_ready(&mut self, block: &Block, output: &mut RunOutput) {
        if !self.is_open(&block.id) {
            self.on_started(block, output);
        }
        if let Some(call) = self.open.get_mut(&block.id) {
            call.is_ready = true;
        }
        output.event(call_ready(block, title(&block.name, &block.input)));
    }

    /// The stream that asked for it broke off: unless it runs already, it never will.
    pub(super) fn abandon(&mut self, id: &str, output: &mut RunOutput) {
        if self.open.get(id).is_some_and(|call| !call.is_ready) {
            self.open.remove(id);
            output.event(call_result(id, ToolStatus::Cancelled, Value::Null, None));
        }
    }

    /// A `tool_result`, with the tool's own account of it.
    pub(super) fn on_result(&mut self, block: &Block, report: &Value, output: &mut RunOutput) {
        let call = self.open.remove(&block.tool_use_id);
        let text = text_of(&block.content);
        let name = call.as_ref().map_or("", |call| call.name.as_str());
        let was_denied = call.as_ref().is_some_and(|call| call.was_denied);
        let status = match block.is_error.unwrap_or(false) {
            false => ToolStatus::Ok,
            true if output.is_cancelling() || text.starts_with(INTERRUPTED) => {
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
    DENIALS.iter().any(|denial| text.starts_with(denial)) || text.ends_with(PLAN_MODE_DENIAL)
}

/// A failed command says its code in words. One that did not fail ended with 0, unless the CLI
/// explains another code away or lets the command run on.
fn exit_code(name: &str, status: ToolStatus, text: &str, report: &Value) -> Option<i32> {
    if name != "Bash" {
        return None;
    }
    match status {
        ToolStatus::Error => {
            let (code, _) = text
                .strip_prefix(EXIT_CODE)?
                .split_once('\n')
                .unwrap_or((text.strip_prefix(EXIT_CODE)?, ""));
            code.trim().parse().ok()
        }
        ToolStatus::Ok => {
            let says = |key: &str| report.get(key).is_some_and(|value| !value.is_null());
            let is_plain = report.get("stdout").is_some()
                && report.get("interrupted").and_then(Value::as_bool) == Some(false)
                && !says("returnCodeInterpretation")
                && !says("backgroundTaskId");
            is_plain.then_some(0)
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

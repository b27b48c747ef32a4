//! Notifications that become notices, and those that are ignored.

use od_protocol::{Event, ModeChanged, Notice, NoticeLevel, Status};
use od_sdk::RunOutput;
use serde_json::value::RawValue;

use super::read;
use crate::native::{HookCompleted, McpServerStartup, ModelRerouted, Progress, Warning};

/// Handles the remaining notifications; `None` for an unknown one.
pub(super) fn on_notification(
    method: &str,
    params: &RawValue,
    output: &mut RunOutput,
) -> Option<()> {
    match method {
        "configWarning" => warn(&read(params)?, "config_warning", output),
        "warning" => warn(&read(params)?, "warning", output),
        "guardianWarning" => warn(&read(params)?, "guardian_warning", output),
        "deprecationNotice" => {
            let Warning { summary, .. } = read(params)?;
            output.event(notice(NoticeLevel::Debug, "deprecated", summary));
        }
        "mcpServer/startupStatus/updated" => on_mcp_server(&read(params)?, output),
        "item/mcpToolCall/progress" => {
            let Progress { message } = read(params)?;
            output.event(status("tool_running", Some(message)));
        }
        "hook/completed" => {
            let HookCompleted { run } = read(params)?;
            let text = format!("hook {}: {}", run.event_name, run.status);
            output.event(notice(NoticeLevel::Debug, "hook", text));
        }
        "model/rerouted" => {
            let ModelRerouted { to_model } = read(params)?;
            let model = Some(to_model);
            output.event(Event::ModeChanged(ModeChanged { model, permission_mode: None }));
        }
        method if is_ignored(method) => {}
        _ => return None,
    }
    Some(())
}

/// Notifications whose content comes another way, or that concern other clients of an app server.
fn is_ignored(method: &str) -> bool {
    matches!(
        method,
        "thread/started"
            | "thread/status/changed"
            | "thread/settings/updated"
            | "thread/name/updated"
            | "thread/goal/updated"
            | "thread/goal/cleared"
            | "thread/compacted"
            | "thread/closed"
            | "turn/diff/updated"
            | "hook/started"
            | "item/commandExecution/terminalInteraction"
            | "item/fileChange/outputDelta"
            | "item/fileChange/patchUpdated"
            | "account/updated"
            | "account/login/completed"
            | "app/list/updated"
            | "skills/changed"
            | "remoteControl/status/changed"
    ) || method.starts_with("codex/event/")
}

fn warn(warning: &Warning, code: &str, output: &mut RunOutput) {
    let text = match warning.message.is_empty() {
        true => &warning.summary,
        false => &warning.message,
    };
    let text = match &warning.details {
        Some(details) => format!("{text} {details}"),
        None => text.clone(),
    };
    output.event(notice(NoticeLevel::Warn, code, text));
}

fn on_mcp_server(startup: &McpServerStartup, output: &mut RunOutput) {
    if startup.status == "failed" {
        let reason = startup.error.as_deref().unwrap_or("no reason given");
        let text = format!("MCP server {:?} did not start: {reason}", startup.name);
        output.event(notice(NoticeLevel::Warn, "mcp_server_failed", text));
    }
}

/// The current activity of the CLI.
pub(super) fn status(phase: &str, detail: Option<String>) -> Event {
    Event::Status(Status { phase: phase.to_owned(), detail, ttft_ms: None })
}

/// A notice for the user.
pub(crate) fn notice(level: NoticeLevel, code: &str, text: impl Into<String>) -> Event {
    Event::Notice(Notice { level, code: code.to_owned(), text: text.into(), hint: None })
}

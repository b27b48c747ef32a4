//! The two tools: writing a file with permission, and running a command without.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::fault::AgentFault;
use super::model::Call;
use super::permission;
use super::serve::Reference;
use super::session::Session;

/// The error of a call that the user rejected.
const REJECTED: &str = "the user rejected it";

/// Returns the tools that the model can call.
pub(super) fn offered() -> Value {
    let tool = |name: &str, about: &str, members: &[&str]| {
        let properties: serde_json::Map<String, Value> =
            members.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        let parameters = json!({"type": "object", "properties": properties, "required": members});
        let function = json!({"name": name, "description": about, "parameters": parameters});
        json!({"type": "function", "function": function})
    };
    json!([
        tool("write_file", "Writes a text file.", &["path", "content"]),
        tool("shell", "Runs a command.", &["command"]),
    ])
}

/// The id of every call of the fault.
const ONE_ID: &str = "call";

/// Runs a tool, reports it to the client and returns the result for the model. `previous` is the
/// output of the previous call of the same answer.
pub(super) fn run(
    reference: &Reference,
    session: &Session,
    call: &Call,
    previous: Option<&str>,
) -> String {
    let behaviour = reference.behaviour;
    let mut call = call.clone();
    if behaviour.has(AgentFault::OneToolId) {
        ONE_ID.clone_into(&mut call.id);
    }
    let call = &call;
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let kind = if call.name == "write_file" { "edit" } else { "execute" };
    let title = format!("{} {}", call.name, call.arguments);
    let announced = json!({
        "sessionUpdate": "tool_call", "toolCallId": call.id, "title": title, "kind": kind,
        "status": "pending", "rawInput": arguments,
    });
    if !behaviour.has(AgentFault::UpdateWithoutCall) {
        send_update(reference, session, &announced);
    }
    let outcome = match call.name.as_str() {
        "write_file" => write(reference, session, call, &arguments),
        _ => {
            progress(reference, session, call, "in_progress", "");
            shell(reference, session, &arguments)
        }
    };
    let is_rejected = outcome.as_ref().is_err_and(|text| text == REJECTED);
    if !(is_rejected && behaviour.has(AgentFault::SilentReject)) {
        let hides_failure = behaviour.has(AgentFault::FailureIsSuccess)
            || (behaviour.has(AgentFault::WriteErrorIsCompleted) && kind == "edit" && !is_rejected);
        let status = match outcome.is_ok() || hides_failure {
            true if behaviour.has(AgentFault::OpenTool) => "in_progress",
            true => "completed",
            false => "failed",
        };
        let own = outcome.as_ref().map_or_else(String::as_str, String::as_str);
        let text = previous.filter(|_| behaviour.has(AgentFault::StaleOutput)).unwrap_or(own);
        progress(reference, session, call, status, text);
        if behaviour.has(AgentFault::ReopensTool) {
            progress(reference, session, call, "in_progress", text);
            progress(reference, session, call, status, text);
        }
    }
    outcome.unwrap_or_else(|text| format!("error: {text}"))
}

fn progress(reference: &Reference, session: &Session, call: &Call, status: &str, text: &str) {
    let content = json!({"type": "content", "content": {"type": "text", "text": text}});
    send_update(
        reference,
        session,
        &json!({
            "sessionUpdate": "tool_call_update", "toolCallId": call.id, "status": status,
            "content": [content],
        }),
    );
}

fn send_update(reference: &Reference, session: &Session, update: &Value) {
    session.keep(update);
    reference.output.update(&session.id, update);
}

fn write(
    reference: &Reference,
    session: &Session,
    call: &Call,
    arguments: &Value,
) -> Result<String, String> {
    let behaviour = reference.behaviour;
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    let path = match behaviour.has(AgentFault::WrongFolder) {
        true => Path::new(text("path")).file_name().map(Into::into).unwrap_or_default(),
        false => session.cwd.join(text("path")),
    };
    if behaviour.has(AgentFault::ActsBeforeAnswer) {
        put(reference, session, &path, text("content"))?;
    }
    let request = json!({"toolCallId": call.id, "title": "write_file", "kind": "edit"});
    if !permission::is_allowed(reference, session, &request) {
        return Err(REJECTED.to_owned());
    }
    if behaviour.has(AgentFault::DropsAllowed) {
        return Ok("written".to_owned());
    }
    put(reference, session, &path, text("content"))
}

/// Writes through the client if possible, otherwise to disk.
fn put(
    reference: &Reference,
    session: &Session,
    path: &Path,
    content: &str,
) -> Result<String, String> {
    let behaviour = reference.behaviour;
    let by_client = reference.client_writes();
    let params = json!({"sessionId": session.id, "path": path, "content": content});
    if by_client && behaviour.has(AgentFault::ReadsBeforeWriting) {
        let params = json!({"sessionId": session.id, "path": path});
        let answer = reference.output.ask("fs/read_text_file", &params, |_| {});
        if answer.recv().unwrap_or_default().is_null() {
            return Err("the file cannot be read".to_owned());
        }
    }
    if by_client || behaviour.has(AgentFault::UndeclaredFiles) {
        let answer = reference.output.ask("fs/write_text_file", &params, |_| {});
        let _answered = answer.recv();
        if by_client {
            return Ok("written".to_owned());
        }
    }
    std::fs::write(path, content).map_err(|error| error.to_string())?;
    Ok("written".to_owned())
}

fn shell(reference: &Reference, session: &Session, arguments: &Value) -> Result<String, String> {
    let command = arguments["command"].as_str().unwrap_or_default();
    let (program, switch) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
    let leaves = reference.behaviour.has(AgentFault::CancelLeavesCommand);
    let mut started = Command::new(program);
    started.args([switch, command]).current_dir(&session.cwd);
    started.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = started.spawn().map_err(|error| error.to_string())?;
    session.stop.set_command(Some(child.id()));
    let (sender, finished) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let output: Output = loop {
        match finished.recv_timeout(std::time::Duration::from_millis(20)) {
            Ok(output) => break output.map_err(|error| error.to_string())?,
            // A cancel kills the command; the fault does not wait for it.
            Err(_) if leaves && session.stop.is_cancelled() => return Err("cancelled".to_owned()),
            Err(_) => {}
        }
    };
    session.stop.set_command(None);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{}: {text}", output.status)) }
}

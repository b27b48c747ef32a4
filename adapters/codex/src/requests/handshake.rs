//! Maps `run/start` to the requests for the thread and the first turn. Pure.

use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Effort, ErrorObject, ImageInput, JsonObject, McpServer, McpTransport, Prompt, SessionMode,
};
use od_sdk::Install;
use od_sdk::json_rpc::Requests;
use od_sdk::start_run::{self, AdapterOptions, SystemMode, absolute, invalid, mcp_servers};
use serde_json::{Value, json};

use super::{Purpose, text_input};
use crate::options::{ApprovalPolicy, Options};

/// The file of a skill; the CLI loads its folder.
const SKILL_FILE: &str = "SKILL.md";

/// The parameters of the requests that precede the first model call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Handshake {
    /// Skill folders.
    pub skills: Vec<String>,
    /// The reasoning effort.
    pub effort: Option<Effort>,
    thread_method: &'static str,
    thread_params: Value,
    turn_params: Value,
}

impl Handshake {
    /// Returns the parameters of a run.
    ///
    /// # Errors
    /// Invalid options, paths, images or session ids.
    pub fn of(start_run_params: &StartRunParams, install: &Install) -> Result<Self, ErrorObject> {
        let options = Options::strict(start_run_params)?;
        Ok(Self {
            skills: skills(&start_run_params.skills)?,
            effort: start_run_params.effort,
            thread_method: match start_run_params.session.mode {
                SessionMode::Resume => "thread/resume",
                SessionMode::Fork => "thread/fork",
                _ => "thread/start",
            },
            thread_params: thread_params(start_run_params, install, &options)?,
            turn_params: turn_params(start_run_params, &options)?,
        })
    }

    /// Returns the request that starts, resumes or forks the thread.
    pub fn thread(&self, requests: &mut Requests<Purpose>) -> Value {
        requests.request(self.thread_method, self.thread_params.clone(), Purpose::Thread)
    }

    /// Returns the request for the first turn, which contains the prompt.
    pub fn turn(
        &self,
        requests: &mut Requests<Purpose>,
        thread_id: &str,
        effort: Option<&str>,
    ) -> Value {
        let mut params = self.turn_params.clone();
        params["threadId"] = thread_id.into();
        if let Some(effort) = effort {
            params["effort"] = effort.into();
        }
        requests.request("turn/start", params, Purpose::Turn)
    }
}

/// Returns the id of the session to resume or fork; the CLI assigns the ids of new sessions.
///
/// # Errors
/// The id is not a UUID, or the session is new.
pub(crate) fn session_id(start_run_params: &StartRunParams) -> Result<Option<&str>, ErrorObject> {
    if start_run_params.session.mode == SessionMode::New && start_run_params.session.id.is_some() {
        let message = "Codex assigns the ids of new sessions";
        return Err(invalid(message, "omit session.id; the event session_started reports it"));
    }
    start_run::session_uuid(start_run_params, "Codex")
}

fn thread_params(
    start_run_params: &StartRunParams,
    install: &Install,
    options: &Options,
) -> Result<Value, ErrorObject> {
    let mut params = json!({ "cwd": start_run_params.cwd });
    if let Some(id) = session_id(start_run_params)? {
        params["threadId"] = id.into();
        // The adapter does not need the earlier turns.
        params["excludeTurns"] = true.into();
    }
    if let Some(model) = &start_run_params.model {
        params["model"] = model.as_str().into();
    }
    if let Some(mode) = &start_run_params.permission_mode {
        params["sandbox"] = mode.as_str().into();
    }
    // If the host answers no approvals, every approval would be denied.
    let without_answers = (!install.host_answers_approvals).then_some(ApprovalPolicy::Never);
    if let Some(policy) = options.approval_policy.or(without_answers) {
        params["approvalPolicy"] = policy.as_str().into();
    }
    if let Some(system) = &start_run_params.prompt.system {
        let field = match options.system_mode {
            SystemMode::Append => "developerInstructions",
            SystemMode::Replace => "baseInstructions",
        };
        params[field] = system.as_str().into();
    }
    if options.ephemeral {
        params["ephemeral"] = true.into();
    }
    let config = config(start_run_params, options)?;
    if !config.is_empty() {
        params["config"] = config.into();
    }
    Ok(params)
}

/// Settings of this thread, on top of the user's.
fn config(start_run_params: &StartRunParams, options: &Options) -> Result<JsonObject, ErrorObject> {
    let mut sandbox = JsonObject::new();
    if !start_run_params.add_dirs.is_empty() {
        let dirs: Result<Vec<&str>, ErrorObject> =
            start_run_params.add_dirs.iter().map(|dir| absolute(dir, "addDirs")).collect();
        sandbox.insert("writable_roots".to_owned(), dirs?.into());
    }
    if let Some(network_access) = options.network_access {
        sandbox.insert("network_access".to_owned(), network_access.into());
    }
    let mut config = JsonObject::new();
    if !sandbox.is_empty() {
        config.insert("sandbox_workspace_write".to_owned(), sandbox.into());
    }
    let servers = mcp_servers(start_run_params, mcp_server);
    if !servers.is_empty() {
        config.insert("mcp_servers".to_owned(), servers.into());
    }
    Ok(config)
}

fn mcp_server(server: &McpServer) -> Value {
    match server.transport {
        McpTransport::Http | McpTransport::Sse => {
            json!({"url": server.url, "http_headers": server.headers})
        }
        _ => json!({"command": server.command, "args": server.args, "env": server.env}),
    }
}

fn turn_params(start_run_params: &StartRunParams, options: &Options) -> Result<Value, ErrorObject> {
    let mut params = json!({ "input": input(&start_run_params.prompt)? });
    if let Some(schema) = &start_run_params.output_schema {
        params["outputSchema"] = Value::Object(schema.clone());
    }
    if let Some(summary) = options.reasoning_summary {
        params["summary"] = summary.as_str().into();
    }
    Ok(params)
}

/// The prompt is one text block, unchanged; another block lists the attached files.
fn input(prompt: &Prompt) -> Result<Vec<Value>, ErrorObject> {
    let mut blocks = vec![text_input(&prompt.text)];
    for image in &prompt.images {
        blocks.push(image_input(image)?);
    }
    if !prompt.attachments.is_empty() {
        blocks.push(text_input(&format!("Attached files:\n{}", prompt.attachments.join("\n"))));
    }
    Ok(blocks)
}

fn image_input(image: &ImageInput) -> Result<Value, ErrorObject> {
    match (&image.data, &image.path) {
        (Some(data), _) => {
            let url = format!("data:{};base64,{data}", image.mime);
            Ok(json!({"type": "image", "url": url}))
        }
        (None, Some(path)) => Ok(json!({"type": "localImage", "path": path})),
        (None, None) => Err(invalid(
            "an image has neither data nor path",
            "pass images as base64 data or by path",
        )),
    }
}

fn skills(paths: &[String]) -> Result<Vec<String>, ErrorObject> {
    let folder = |path: &String| {
        let path = absolute(path, "skills")?.trim_end_matches(['/', '\\']);
        Ok(match path.rsplit_once(['/', '\\']) {
            Some((folder, SKILL_FILE)) if !folder.is_empty() => folder.to_owned(),
            _ => path.to_owned(),
        })
    };
    paths.iter().map(folder).collect()
}

//! Builds the requests to the server.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalOutcome, ImageInput, McpServer, McpTransport};
use od_sdk::http::{Request, encoded};
use serde_json::{Value, json};

/// Tag of the health check.
pub const HEALTH: &str = "health";
/// Tag of requests that open a session.
pub const SESSION: &str = "session";
/// Tag of the request that sets the rules of an existing session.
pub const RULES: &str = "rules";
/// Tag of requests that add an MCP server.
pub const MCP: &str = "mcp";
/// Tag of the request for the models and their efforts.
pub const MODELS: &str = "models";
/// Tag of prompts.
pub const PROMPT: &str = "prompt";
/// Tag of replies to the agent's requests.
pub const REPLY: &str = "reply";
/// Tag of the abort.
pub const ABORT: &str = "abort";

/// Requests sessions outside of a run: all of the folder's project, or those that `rest` names. The
/// default folder is the one the server runs in.
pub fn session_request(rest: &str, cwd: Option<&str>) -> Request {
    let query = cwd.map(|cwd| format!("?directory={}", encoded(cwd))).unwrap_or_default();
    Request::get(SESSION, format!("/session{rest}{query}"))
}

/// The requests of one run. Each names the folder that the server works in.
#[derive(Debug, Clone)]
pub struct Requests {
    directory: String,
}

impl Requests {
    /// Requests for a run in this folder.
    pub fn new(cwd: &str) -> Self {
        Self { directory: encoded(cwd) }
    }

    fn path(&self, path: &str) -> String {
        format!("{path}?directory={}", self.directory)
    }

    fn session_path(&self, session_id: &str, rest: &str) -> String {
        self.path(&format!("/session/{}{rest}", encoded(session_id)))
    }

    /// The path of the event stream.
    pub fn events(&self) -> String {
        self.path("/event")
    }

    /// The health check. The server answers unknown paths with a web page and status 200.
    pub fn health(&self) -> Request {
        Request::get(HEALTH, "/global/health")
    }

    /// Creates a session with the run's rules.
    pub fn new_session(&self, start_run_params: &StartRunParams) -> Request {
        let rules = crate::permission_rules::rules(start_run_params);
        let body = if rules.is_empty() { json!({}) } else { json!({"permission": rules}) };
        Request::post(SESSION, self.path("/session"), body)
    }

    /// Reads an existing session.
    pub fn existing_session(&self, session_id: &str) -> Request {
        Request::get(SESSION, self.session_path(session_id, ""))
    }

    /// Forks a session.
    pub fn fork_session(&self, session_id: &str) -> Request {
        Request::post(SESSION, self.session_path(session_id, "/fork"), json!({}))
    }

    /// Sets the run's rules for an existing session.
    pub fn set_rules(&self, session_id: &str, rules: &[crate::permission_rules::Rule]) -> Request {
        Request::patch(RULES, self.session_path(session_id, ""), json!({"permission": rules}))
    }

    /// Adds an MCP server.
    pub fn add_mcp_server(&self, server: &McpServer) -> Request {
        let config = match server.transport {
            McpTransport::Http | McpTransport::Sse => {
                json!({"type": "remote", "url": server.url, "headers": server.headers})
            }
            _ => {
                let command: Vec<&String> = server.command.iter().chain(&server.args).collect();
                json!({"type": "local", "command": command, "environment": server.env})
            }
        };
        let body = json!({"name": server.name, "config": config});
        Request::post(MCP, self.path("/mcp"), body)
    }

    /// The models with their efforts.
    pub fn models(&self) -> Request {
        Request::get(MODELS, self.path("/config/providers"))
    }

    /// The first prompt, with model, attachments, system prompt and output schema.
    pub fn first_prompt(&self, session_id: &str, start_run_params: &StartRunParams) -> Request {
        let mut body = settings(start_run_params);
        let prompt = &start_run_params.prompt;
        let mut blocks = vec![text(&prompt.text)];
        blocks.extend(prompt.images.iter().map(image));
        blocks.extend(prompt.attachments.iter().map(|path| file(path, mime_of(path))));
        body["parts"] = blocks.into();
        if let Some(system) = &prompt.system {
            body["system"] = system.as_str().into();
        }
        if let Some(schema) = &start_run_params.output_schema {
            body["format"] = json!({"type": "json_schema", "schema": schema});
        }
        Request::post(PROMPT, self.session_path(session_id, "/prompt_async"), body)
    }

    /// Further input of the user.
    pub fn further_prompt(
        &self,
        session_id: &str,
        input: &str,
        start_run_params: &StartRunParams,
    ) -> Request {
        let mut body = settings(start_run_params);
        body["parts"] = vec![text(input)].into();
        Request::post(PROMPT, self.session_path(session_id, "/prompt_async"), body)
    }

    /// The reply to a permission request. A denial without a message would end the turn; with one the
    /// model receives the message and continues.
    pub fn permission(&self, id: &str, outcome: ApprovalOutcome, message: Option<&str>) -> Request {
        let body = match outcome {
            ApprovalOutcome::AllowAlways => json!({"reply": "always"}),
            outcome if outcome.is_allowed() => json!({"reply": "once"}),
            _ => json!({"reply": "reject", "message": message.unwrap_or("this was denied")}),
        };
        Request::post(REPLY, self.path(&format!("/permission/{}/reply", encoded(id))), body)
    }

    /// The answer to the agent's questions: the same text for each.
    pub fn answer(&self, id: &str, questions: usize, answer: &str) -> Request {
        let body = json!({"answers": vec![vec![answer]; questions]});
        Request::post(REPLY, self.path(&format!("/question/{}/reply", encoded(id))), body)
    }

    /// Stops the session, running commands included.
    pub fn abort(&self, session_id: &str) -> Request {
        Request::post(ABORT, self.session_path(session_id, "/abort"), json!({}))
    }
}

fn settings(start_run_params: &StartRunParams) -> Value {
    let mut body = json!({});
    let model = start_run_params.model.as_deref().and_then(|model| model.split_once('/'));
    if let Some((provider_id, model_id)) = model {
        body["model"] = json!({"providerID": provider_id, "modelID": model_id});
    }
    if let Some(effort) = start_run_params.effort {
        body["variant"] = effort.as_str().into();
    }
    if let Some(agent) =
        crate::permission_rules::mode_agent(start_run_params.permission_mode.as_deref())
    {
        body["agent"] = agent.into();
    }
    body
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image(image: &ImageInput) -> Value {
    match (&image.data, &image.path) {
        (Some(data), _) => {
            json!({"type": "file", "mime": image.mime, "url": format!("data:{};base64,{data}", image.mime)})
        }
        (None, path) => file(path.as_deref().unwrap_or_default(), &image.mime),
    }
}

fn file(path: &str, mime: &str) -> Value {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    json!({"type": "file", "mime": mime, "filename": name, "url": od_sdk::acp::file_uri(path)})
}

/// The model gets images and PDF documents as they are, everything else as text.
fn mime_of(path: &str) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("pdf") => "application/pdf",
        _ => "text/plain",
    }
}

//! What we say to the server. Only shapes, no decisions.

use od_protocol::{ApprovalOutcome, ImageInput, McpServer, McpTransport, StartRunParams};
use od_sdk::http::{Request, encoded};
use od_sdk::parts;
use serde_json::{Value, json};

/// Is it there, and is it one of ours?
pub const HEALTH: &str = "health";
/// A new session, an old one, a copy.
pub const SESSION: &str = "session";
/// Rules for a session that has begun.
pub const RULES: &str = "rules";
/// An MCP server is added.
pub const MCP: &str = "mcp";
/// Something is said.
pub const PROMPT: &str = "prompt";
/// The answer to a question.
pub const REPLY: &str = "reply";
/// Everything is to stop.
pub const ABORT: &str = "abort";

/// Sessions outside of a run: all of a folder's project, or what `rest` names; without a folder those
/// of the folder the server runs in.
pub fn session_request(rest: &str, cwd: Option<&str>) -> Request {
    let query = cwd.map(|cwd| format!("?directory={}", encoded(cwd))).unwrap_or_default();
    Request::get(SESSION, format!("/session{rest}{query}"))
}

/// The paths of one run: everything the server does happens in a folder.
#[derive(Debug, Clone)]
pub struct Requests {
    directory: String,
}

impl Requests {
    /// For a run in this folder.
    pub fn new(cwd: &str) -> Self {
        Self { directory: encoded(cwd) }
    }

    fn path(&self, path: &str) -> String {
        format!("{path}?directory={}", self.directory)
    }

    fn session_path(&self, session_id: &str, rest: &str) -> String {
        self.path(&format!("/session/{}{rest}", encoded(session_id)))
    }

    /// The path of the stream of events.
    pub fn events(&self) -> String {
        self.path("/event")
    }

    /// Is it there? Any other path is answered with a web page and the status 200.
    pub fn health(&self) -> Request {
        Request::get(HEALTH, "/global/health")
    }

    /// Opens a session with the run's rules.
    pub fn new_session(&self, start_run_params: &StartRunParams) -> Request {
        let rules = parts::rules(start_run_params);
        let body = if rules.is_empty() { json!({}) } else { json!({"permission": rules}) };
        Request::post(SESSION, self.path("/session"), body)
    }

    /// Looks for a session.
    pub fn old_session(&self, session_id: &str) -> Request {
        Request::get(SESSION, self.session_path(session_id, ""))
    }

    /// Copies a session.
    pub fn fork_session(&self, session_id: &str) -> Request {
        Request::post(SESSION, self.session_path(session_id, "/fork"), json!({}))
    }

    /// Gives a session that has begun the run's rules.
    pub fn set_rules(&self, session_id: &str, rules: &[parts::Rule]) -> Request {
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

    /// The run's own prompt, with everything that goes with it.
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

    /// Something a person adds.
    pub fn further_prompt(
        &self,
        session_id: &str,
        words: &str,
        start_run_params: &StartRunParams,
    ) -> Request {
        let mut body = settings(start_run_params);
        body["parts"] = vec![text(words)].into();
        Request::post(PROMPT, self.session_path(session_id, "/prompt_async"), body)
    }

    /// The answer to a request for permission. A denial without words would end the turn; with
    /// words the model is told and goes on.
    pub fn permission(&self, id: &str, outcome: ApprovalOutcome, message: Option<&str>) -> Request {
        let body = match outcome {
            ApprovalOutcome::AllowAlways => json!({"reply": "always"}),
            outcome if outcome.is_allowed() => json!({"reply": "once"}),
            _ => json!({"reply": "reject", "message": message.unwrap_or("this was denied")}),
        };
        Request::post(REPLY, self.path(&format!("/permission/{}/reply", encoded(id))), body)
    }

    /// The answer to a question in words: the same for each that was asked.
    pub fn answer(&self, id: &str, questions: usize, words: &str) -> Request {
        let body = json!({"answers": vec![vec![words]; questions]});
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
    if let Some(agent) = parts::mode_agent(start_run_params.permission_mode.as_deref()) {
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

/// Pictures and documents are shown to the model as they are, everything else as text.
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

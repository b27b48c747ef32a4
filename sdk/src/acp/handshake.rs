//! The first exchange with the agent: session, settings and first prompt, and the lines that carry
//! them.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, McpServer, McpTransport, Prompt, SessionChoice};
use serde_json::{Value, json};

use crate::json_rpc::{Dialect, Requests};

/// The version of ACP.
pub(super) const PROTOCOL_VERSION: u64 = 1;

/// A setting of the session, applied before the first prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// `session/set_model`.
    Model(String),
    /// `session/set_mode`.
    Mode(String),
    /// `session/set_config_option`.
    ConfigOption {
        /// The option's id.
        id: String,
        /// One of its values.
        value: String,
    },
}

/// Session, settings and first prompt of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Handshake {
    /// The working folder.
    pub cwd: String,
    /// The session.
    pub session: SessionChoice,
    /// The MCP servers, see [`mcp_servers`].
    pub mcp_servers: Value,
    /// The login method to use before the session is opened; `None` leaves it to the agent.
    pub auth_method: Option<String>,
    /// Applied in order before the first prompt.
    pub settings: Vec<Setting>,
    /// The content blocks of the first prompt, see [`prompt_blocks`].
    pub prompt: Vec<Value>,
}

impl Handshake {
    /// Builds the handshake from `run/start`, with model and permission mode as settings. An adapter
    /// whose CLI sets them differently changes the result.
    ///
    /// # Errors
    /// An image without content.
    pub fn of(start_run_params: &StartRunParams) -> Result<Self, ErrorObject> {
        let model = start_run_params.model.clone().map(Setting::Model);
        let mode = start_run_params.permission_mode.clone().map(Setting::Mode);
        Ok(Self {
            cwd: start_run_params.cwd.clone(),
            session: start_run_params.session.clone(),
            mcp_servers: mcp_servers(&start_run_params.mcp_servers),
            auth_method: None,
            settings: model.into_iter().chain(mode).collect(),
            prompt: prompt_blocks(&start_run_params.prompt)?,
        })
    }
}

/// The first line of stdin. The client offers neither files nor terminals: agents behave differently
/// with them, and some cannot create a file through a client.
pub fn initialize_line() -> Vec<u8> {
    line(&initialize(&mut Requests::new(Dialect::Versioned), ()))
}

/// The lines that query models and modes of a new session, see [`models_of`](super::models_of).
pub fn session_query_lines(cwd: &str) -> Vec<u8> {
    let mut requests = Requests::new(Dialect::Versioned);
    let mut lines = line(&initialize(&mut requests, ()));
    let params = json!({"cwd": cwd, "mcpServers": []});
    lines.extend(line(&requests.request("session/new", params, ())));
    lines
}

/// The `initialize` request. It is the first, so its number is 1.
pub(super) fn initialize<Purpose>(requests: &mut Requests<Purpose>, purpose: Purpose) -> Value {
    let params = json!({
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {
            "fs": {"readTextFile": false, "writeTextFile": false},
            "terminal": false,
        },
        "clientInfo": {"name": "od", "title": "OD Adapters", "version": env!("CARGO_PKG_VERSION")},
    });
    requests.request("initialize", params, purpose)
}

/// A prompt as content blocks: the text, then images, then files as links.
///
/// # Errors
/// `config_invalid` for an image without content.
pub fn prompt_blocks(prompt: &Prompt) -> Result<Vec<Value>, ErrorObject> {
    let mut blocks = vec![text_block(&prompt.text)];
    for image in &prompt.images {
        blocks.push(match (&image.data, &image.path) {
            (Some(data), _) => json!({"type": "image", "mimeType": image.mime, "data": data}),
            (None, Some(path)) => file_block(path, Some(&image.mime)),
            (None, None) => {
                let message = "an image has neither data nor path";
                return Err(ErrorObject::new(ErrorKind::ConfigInvalid, message)
                    .with_hint("pass images as base64 or by path"));
            }
        });
    }
    blocks.extend(prompt.attachments.iter().map(|path| file_block(path, None)));
    Ok(blocks)
}

/// MCP servers in ACP's form: variables and headers are lists of names and values.
pub fn mcp_servers(servers: &[McpServer]) -> Value {
    servers.iter().map(mcp_server).collect()
}

pub(super) fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn file_block(path: &str, mime: Option<&str>) -> Value {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let mut block = json!({"type": "resource_link", "uri": file_uri(path), "name": name});
    if let Some(mime) = mime {
        block["mimeType"] = mime.into();
    }
    block
}

/// A path as a `file:` URI with reserved characters escaped.
pub fn file_uri(path: &str) -> String {
    let mut uri = String::from("file://");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'/' | b':' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn mcp_server(server: &McpServer) -> Value {
    let pairs = |map: &std::collections::BTreeMap<String, String>| -> Value {
        map.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
    };
    match server.transport {
        McpTransport::Http | McpTransport::Sse => json!({
            "type": server.transport,
            "name": server.name,
            "url": server.url,
            "headers": pairs(&server.headers),
        }),
        _ => json!({
            "name": server.name,
            "command": server.command,
            "args": server.args,
            "env": pairs(&server.env),
        }),
    }
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

//! What several adapters ask of `run/start`: options, folders, limits and ids, refused with a hint
//! where the agent CLI would be less clear.

use std::path::Path;

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, JsonObject, McpServer, SessionMode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What becomes of the agent CLI's own system prompt: the option `systemMode` of adapters whose CLI
/// can do both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemMode {
    /// The run's follows it.
    #[default]
    Append,
    /// The run's takes its place.
    Replace,
}

/// `run/start.adapterOptions` as an adapter's own type.
pub trait AdapterOptions: DeserializeOwned + Default {
    /// Whose options they are.
    const ADAPTER_ID: &'static str;

    /// Reads the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    fn strict(start_run_params: &StartRunParams) -> Result<Self, ErrorObject> {
        options(&start_run_params.adapter_options, Self::ADAPTER_ID)
    }

    /// Reads options that were checked before; what is wrong counts as absent.
    fn lenient(start_run_params: &StartRunParams) -> Self {
        Self::strict(start_run_params).unwrap_or_default()
    }
}

/// Reads `adapterOptions` into the adapter's own type.
///
/// # Errors
/// `config_invalid` for an unknown name or a value of the wrong type, with the place to look.
pub fn options<T: DeserializeOwned>(
    options: &JsonObject,
    adapter_id: &str,
) -> Result<T, ErrorObject> {
    serde_json::from_value(Value::Object(options.clone())).map_err(|error| {
        let hint = format!("see configSchema in `od-adapter-{adapter_id} --manifest`");
        invalid(format!("adapterOptions: {error}"), hint)
    })
}

/// The JSON Schema of an adapter's options for the manifest, from that of each of them, written with
/// `json!`. Others are refused.
pub fn schema(properties: Value) -> JsonObject {
    let fields = [
        ("type", json!("object")),
        ("additionalProperties", json!(false)),
        ("properties", properties),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The JSON Schema of the option `systemMode`; `whose` is such as `Claude Code's`.
pub fn system_mode_schema(whose: &str) -> Value {
    json!({
        "enum": ["append", "replace"],
        "default": "append",
        "description":
            format!("whether prompt.system follows {whose} own system prompt or takes its place"),
    })
}

/// The id of the session, for agent CLIs whose ids are UUIDs.
///
/// # Errors
/// `session_unknown` when it is to be resumed, `config_invalid` when it is to be given.
pub fn session_uuid<'a>(
    start_run_params: &'a StartRunParams,
    agent: &str,
) -> Result<Option<&'a str>, ErrorObject> {
    let session = &start_run_params.session;
    let Some(id) = session.id.as_deref() else { return Ok(None) };
    match session.mode {
        _ if uuid::Uuid::try_parse(id).is_ok() => Ok(Some(id)),
        SessionMode::New => Err(invalid(format!("session id {id:?} is no UUID"), "give a UUID")),
        _ => {
            let message = format!("{id:?} is no session of {agent}: its ids are UUIDs");
            Err(ErrorObject::new(ErrorKind::SessionUnknown, message)
                .with_hint("`sessions/list` names them, where the agent has it"))
        }
    }
}

/// The run's MCP servers by name, each in the agent CLI's own words.
pub fn mcp_servers(
    start_run_params: &StartRunParams,
    describe: impl Fn(&McpServer) -> Value,
) -> JsonObject {
    let servers = start_run_params.mcp_servers.iter();
    servers.map(|server| (server.name.clone(), describe(server))).collect()
}

/// The same as a document of settings, which most agent CLIs take; `None` without any. Variables and
/// headers of a server are often secrets: it is not to be shown.
pub fn mcp_config(
    start_run_params: &StartRunParams,
    describe: impl Fn(&McpServer) -> Value,
) -> Option<String> {
    let servers = mcp_servers(start_run_params, describe);
    (!servers.is_empty()).then(|| json!({ "mcpServers": servers }).to_string())
}

/// The limit on turns.
///
/// # Errors
/// Zero: agent CLIs take it for "no limit", which is not what the word says.
pub fn max_turns(start_run_params: &StartRunParams) -> Result<Option<u32>, ErrorObject> {
    match start_run_params.max_turns {
        Some(0) => Err(invalid("maxTurns is 0", "leave it out for no limit")),
        turns => Ok(turns),
    }
}

/// A path that must be whole.
///
/// # Errors
/// It is not.
pub fn absolute<'a>(path: &'a str, option: &str) -> Result<&'a str, ErrorObject> {
    match Path::new(path).is_absolute() {
        true => Ok(path),
        false => Err(invalid(format!("{option}: {path:?} is not absolute"), "give the whole path")),
    }
}

/// `config_invalid`.
pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> ErrorObject {
    ErrorObject::new(ErrorKind::ConfigInvalid, message).with_hint(hint)
}

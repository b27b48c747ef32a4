//! Reads and validates parts of `run/start` that several adapters use: options, paths, limits and
//! ids. Errors have a hint where the agent CLI's own error would be less clear.

use std::path::Path;

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, JsonObject, McpServer, SessionMode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// How the run's system prompt is combined with the agent CLI's own: the option `systemMode` of
/// adapters whose CLI supports both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemMode {
    /// It follows the CLI's own.
    #[default]
    Append,
    /// It replaces the CLI's own.
    Replace,
}

/// The type of an adapter's own options: `run/start.adapterOptions`, with the `options` of the host's
/// settings as defaults.
///
/// ```
/// use od_protocol::adapter::StartRunParams;
/// use od_sdk::start_run::AdapterOptions;
///
/// #[derive(Debug, Default, serde::Deserialize)]
/// #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
/// struct Options {
///     server_url: Option<String>,
/// }
///
/// impl AdapterOptions for Options {
///     const ADAPTER_ID: &'static str = "acme";
/// }
///
/// let mut params = StartRunParams::default();
/// params.adapter_options.insert("serverUrl".to_owned(), "http://127.0.0.1:4096".into());
/// assert_eq!(Options::strict(&params)?.server_url.as_deref(), Some("http://127.0.0.1:4096"));
/// params.adapter_options.insert("serverUlr".to_owned(), "".into());
/// assert!(Options::strict(&params).is_err(), "unknown option");
/// # Ok::<(), od_protocol::ErrorObject>(())
/// ```
pub trait AdapterOptions: DeserializeOwned + Default {
    /// The id of the adapter, for the hint of an error.
    const ADAPTER_ID: &'static str;

    /// Parses the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    fn strict(start_run_params: &StartRunParams) -> Result<Self, ErrorObject> {
        options(&start_run_params.adapter_options, Self::ADAPTER_ID)
    }

    /// Parses options that were validated before; invalid options count as absent.
    fn lenient(start_run_params: &StartRunParams) -> Self {
        Self::strict(start_run_params).unwrap_or_default()
    }
}

/// Parses `adapterOptions` into the adapter's own type.
///
/// # Errors
/// `config_invalid` for an unknown name or a value of the wrong type.
pub fn options<T: DeserializeOwned>(
    options: &JsonObject,
    adapter_id: &str,
) -> Result<T, ErrorObject> {
    serde_json::from_value(Value::Object(options.clone())).map_err(|error| {
        let hint = format!("see configSchema in `od-adapter-{adapter_id} --manifest`");
        invalid(format!("adapterOptions: {error}"), hint)
    })
}

/// Returns the JSON Schema of an adapter's options for the manifest, from the schema of each option.
/// Unknown options are refused.
pub fn schema(properties: Value) -> JsonObject {
    let fields = [
        ("type", json!("object")),
        ("additionalProperties", json!(false)),
        ("properties", properties),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Returns the JSON Schema of the option `systemMode`; `whose` is the possessive, such as `Acme's`.
pub fn system_mode_schema(whose: &str) -> Value {
    json!({
        "enum": ["append", "replace"],
        "default": "append",
        "description":
            format!("whether prompt.system follows {whose} own system prompt or replaces it"),
    })
}

/// Returns the id of the session, for agent CLIs whose ids are UUIDs.
///
/// # Errors
/// The id is not a UUID: `session_unknown` for a session to resume, `config_invalid` for a new one.
pub fn session_uuid<'a>(
    start_run_params: &'a StartRunParams,
    agent: &str,
) -> Result<Option<&'a str>, ErrorObject> {
    let session = &start_run_params.session;
    let Some(id) = session.id.as_deref() else { return Ok(None) };
    match session.mode {
        _ if uuid::Uuid::try_parse(id).is_ok() => Ok(Some(id)),
        SessionMode::New => Err(invalid(format!("session id {id:?} is not a UUID"), "give a UUID")),
        _ => {
            let message = format!("{id:?} is not a session of {agent}: its ids are UUIDs");
            Err(ErrorObject::new(ErrorKind::SessionUnknown, message)
                .with_hint("`sessions/list` lists the ids, if the agent supports it"))
        }
    }
}

/// Returns the run's MCP servers by name, each in the agent CLI's own format.
pub fn mcp_servers(
    start_run_params: &StartRunParams,
    describe: impl Fn(&McpServer) -> Value,
) -> JsonObject {
    let servers = start_run_params.mcp_servers.iter();
    servers.map(|server| (server.name.clone(), describe(server))).collect()
}

/// Returns them as the `mcpServers` document that most agent CLIs read; `None` without servers.
/// Variables and headers of a server are often secrets, so the document must not be shown.
pub fn mcp_config(
    start_run_params: &StartRunParams,
    describe: impl Fn(&McpServer) -> Value,
) -> Option<String> {
    let servers = mcp_servers(start_run_params, describe);
    (!servers.is_empty()).then(|| json!({ "mcpServers": servers }).to_string())
}

/// Returns the limit on turns.
///
/// # Errors
/// The limit is zero, which agent CLIs treat as "no limit".
pub fn max_turns(start_run_params: &StartRunParams) -> Result<Option<u32>, ErrorObject> {
    match start_run_params.max_turns {
        Some(0) => Err(invalid("maxTurns is 0", "leave it out for no limit")),
        turns => Ok(turns),
    }
}

/// Returns a path that must be absolute.
///
/// # Errors
/// It is relative.
pub fn absolute<'a>(path: &'a str, option: &str) -> Result<&'a str, ErrorObject> {
    match Path::new(path).is_absolute() {
        true => Ok(path),
        false => {
            Err(invalid(format!("{option}: {path:?} is not absolute"), "give an absolute path"))
        }
    }
}

/// Returns a `config_invalid` error.
pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> ErrorObject {
    ErrorObject::new(ErrorKind::ConfigInvalid, message).with_hint(hint)
}

/// Returns a `capability_unsupported` error for an option that this adapter does not support.
pub fn unsupported(option: &str, message: impl Into<String>, hint: &str) -> ErrorObject {
    ErrorObject::new(ErrorKind::CapabilityUnsupported, message).with_which(option).with_hint(hint)
}

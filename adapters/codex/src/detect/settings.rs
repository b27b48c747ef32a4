//! The part of `config.toml` that decides about the login: the provider and the place of its key.

use std::path::Path;

use toml::{Table, Value};

/// Built-in providers that run on this machine.
const LOCAL_PROVIDERS: &[&str] = &["ollama", "ollama-chat", "lmstudio", "oss"];

/// The settings that decide about the login.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The provider of the model.
    pub(super) provider: Provider,
    /// Whether the login may be in the system keyring.
    pub(super) may_use_keyring: bool,
}

/// A provider, by its kind of login.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Provider {
    /// The CLI's own login.
    #[default]
    OpenAi,
    /// A key in a variable.
    Key { variable: String, instructions: Option<String> },
    /// A token in the settings.
    Token,
    /// The login of a cloud provider.
    Cloud(String),
    /// No login is needed.
    WithoutLogin,
    /// A name that the settings do not define.
    Unknown(String),
}

impl Settings {
    /// Reads the settings; a missing file means the defaults.
    ///
    /// # Errors
    /// The file exists but cannot be read; the CLI does not start with it either.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = match od_sdk::files::read_text(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(format!("{}: {error}", path.display())),
            Ok(text) => text,
        };
        // The parser's error quotes the line, which may contain a token.
        let table: Table =
            text.parse().map_err(|_| format!("{} is not valid TOML", path.display()))?;
        Ok(Self::from_table(&table))
    }

    fn from_table(table: &Table) -> Self {
        let store = table.get("cli_auth_credentials_store").and_then(Value::as_str);
        Self {
            provider: provider(table),
            may_use_keyring: matches!(store, Some("keyring" | "auto")),
        }
    }
}

fn provider(table: &Table) -> Provider {
    let name = table.get("model_provider").and_then(Value::as_str).unwrap_or("openai");
    let settings = table.get("model_providers").and_then(|all| all.get(name));
    let Some(settings) = settings else {
        return match name {
            "openai" => Provider::OpenAi,
            "amazon-bedrock" => Provider::Cloud(name.to_owned()),
            name if LOCAL_PROVIDERS.contains(&name) => Provider::WithoutLogin,
            name => Provider::Unknown(name.to_owned()),
        };
    };
    let text = |key: &str| settings.get(key).and_then(Value::as_str).map(str::to_owned);
    if settings.get("requires_openai_auth").and_then(Value::as_bool) == Some(true) {
        Provider::OpenAi
    } else if let Some(variable) = text("env_key") {
        Provider::Key { variable, instructions: text("env_key_instructions") }
    } else if settings.get("experimental_bearer_token").is_some() || settings.get("auth").is_some()
    {
        Provider::Token
    } else {
        Provider::WithoutLogin
    }
}

//! What `config.toml` says about who answers: the provider and where its key comes from. The rest
//! of it is the person's business.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use toml::{Table, Value};

/// Settings are a few kilobytes.
const FILE_LIMIT: u64 = 1 << 20;

/// Providers the CLI brings along that run on this machine.
const LOCAL_PROVIDERS: &[&str] = &["ollama", "ollama-chat", "lmstudio", "oss"];

/// What counts for the login.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// Who answers.
    pub(super) provider: Provider,
    /// The login may be in the keyring of the system.
    pub(super) has_keyring: bool,
}

/// Who answers, by how one logs in there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Provider {
    /// With the CLI's own login.
    #[default]
    OpenAi,
    /// With a key in a variable.
    Key { variable: String, instructions: Option<String> },
    /// With a token in the settings.
    Token,
    /// With the login of a cloud.
    Cloud(String),
    /// Without one.
    Open,
    /// A name without settings.
    Unknown(String),
}

impl Settings {
    /// Reads the settings; none are the default ones.
    ///
    /// # Errors
    /// They are there but cannot be read: then the CLI would not start either.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let mut text = String::new();
        match File::open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(format!("{}: {error}", path.display())),
            Ok(file) => {
                let mut file = file.take(FILE_LIMIT);
                file.read_to_string(&mut text)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
            }
        }
        // The parser's own words quote the line, which may hold a token.
        let table: Table = text.parse().map_err(|_| format!("{} is no TOML", path.display()))?;
        Ok(Self::of(&table))
    }

    fn of(table: &Table) -> Self {
        let store = table.get("cli_auth_credentials_store").and_then(Value::as_str);
        Self { provider: provider(table), has_keyring: matches!(store, Some("keyring" | "auto")) }
    }
}

fn provider(table: &Table) -> Provider {
    let name = table.get("model_provider").and_then(Value::as_str).unwrap_or("openai");
    let settings = table.get("model_providers").and_then(|all| all.get(name));
    let Some(settings) = settings else {
        return match name {
            "openai" => Provider::OpenAi,
            "amazon-bedrock" => Provider::Cloud(name.to_owned()),
            name if LOCAL_PROVIDERS.contains(&name) => Provider::Open,
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
        Provider::Open
    }
}

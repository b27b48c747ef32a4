//! Finds OpenCode's login and settings, and the credential that pays for a run. Reads local files
//! and variables only; never returns the value of a credential.

use std::path::PathBuf;

use od_protocol::{AuthInfo, AuthState, AuthStatus, CredentialKind, Requirements};
use serde_json::Value;

use od_sdk::auth::{self, CredentialFile, Login};
use od_sdk::{Machine, manifest};

/// Variables that hold a credential, each with its provider.
const KEYS: &[(&str, &str)] = &[
    ("OPENCODE_API_KEY", "opencode"),
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("GEMINI_API_KEY", "google"),
    ("GOOGLE_GENERATIVE_AI_API_KEY", "google"),
    ("OPENROUTER_API_KEY", "openrouter"),
    ("GROQ_API_KEY", "groq"),
    ("MISTRAL_API_KEY", "mistral"),
    ("DEEPSEEK_API_KEY", "deepseek"),
    ("XAI_API_KEY", "xai"),
    ("MOONSHOT_API_KEY", "moonshotai"),
    ("ZHIPU_API_KEY", "zai"),
    ("AWS_BEARER_TOKEN_BEDROCK", "amazon-bedrock"),
];
/// Variables that hold a whole login file or settings file, secrets included.
const SECRET_ENV: &[&str] = &["OPENCODE_AUTH_CONTENT", "OPENCODE_CONFIG_CONTENT"];
/// Variables that configure OpenCode and hold no credential.
const SETTING_ENV: &[&str] = &[
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DB",
    "OPENCODE_MODELS_URL",
    "OPENCODE_GIT_BASH_PATH",
    "AWS_REGION",
    "AWS_PROFILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
];

/// Variables by which the CLI detects that it runs inside another agent CLI.
const NESTING_ENV: &[&str] = &["OPENCODE"];

/// The ways to log in, for the manifest.
pub(super) fn auth_info() -> AuthInfo {
    AuthInfo {
        methods: ["api_key", "oauth", "config"].map(str::to_owned).to_vec(),
        env: KEYS.iter().map(|(variable, _)| (*variable).to_owned()).collect(),
        files: ["~/.local/share/opencode/auth.json", "~/.config/opencode/opencode.json"]
            .map(str::to_owned)
            .to_vec(),
        login_command: Some("opencode auth login".to_owned()),
    }
}

/// Further variables that OpenCode may read, for the manifest.
pub(super) fn requirements() -> Requirements {
    let env = [manifest::settings(SETTING_ENV), manifest::secrets(SECRET_ENV)].concat();
    Requirements { env, nesting_env: manifest::strings(NESTING_ENV), ..Requirements::default() }
}

/// The settings folder.
pub fn config_dir(machine: &Machine) -> PathBuf {
    match machine.var("OPENCODE_CONFIG_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => machine.dir("XDG_CONFIG_HOME", ".config").join("opencode"),
    }
}

/// Returns the state of the login and the credential that pays. The provider is that of the model in
/// the settings; without a model there, the first login counts.
pub fn auth(machine: &Machine) -> AuthStatus {
    let settings = Settings::read(machine);
    let stored = match CredentialFile::read(&data_dir(machine).join("auth.json")) {
        Ok(stored) => stored,
        Err(error) => return auth::unknown(error.to_string()),
    };
    let provider = settings.provider();
    let mut logins = Vec::new();
    logins.extend(stored.iter().flat_map(stored_logins));
    logins.extend(KEYS.iter().filter(|(variable, _)| machine.var(variable).is_some()).map(
        |(variable, provider)| {
            ((*provider).to_owned(), Login::new("api_key", CredentialKind::ApiKey, *variable))
        },
    ));
    logins.extend(settings.logins());
    let index = match &provider {
        Some(provider) => logins.iter().position(|(name, _)| name == provider),
        None => (!logins.is_empty()).then_some(0),
    };
    match (index, provider) {
        (Some(index), _) => logins.swap_remove(index).1.status(&auth_info(), auth::now()),
        (None, Some(provider)) if settings.names(&provider) => auth::unknown(format!(
            "the settings name the provider {provider:?} without a key: it may need none"
        )),
        (None, Some(provider)) if !logins.is_empty() => AuthStatus {
            guidance: Some(format!(
                "opencode auth login: the model in the settings belongs to {provider:?}, which has no login"
            )),
            state: AuthState::Missing,
            ..auth::missing(&auth_info())
        },
        _ => auth::missing(&auth_info()),
    }
}

/// The logins in the file that `opencode auth login` writes: one object per provider.
fn stored_logins(file: &CredentialFile) -> Vec<(String, Login)> {
    let place = "~/.local/share/opencode/auth.json";
    let login = |provider: &str| {
        let at =
            |field: &str| format!("/{}/{field}", provider.replace('~', "~0").replace('/', "~1"));
        let name = format!("{provider} in {place}");
        match file.plain_text(&at("type")) {
            Some("oauth") => Login::new("oauth", CredentialKind::Subscription, name)
                .expiring(file.time(&at("expires")), file.has(&at("refresh"))),
            Some("wellknown") => Login::new("oauth", CredentialKind::Token, name),
            _ => Login::new("api_key", CredentialKind::ApiKey, name),
        }
    };
    file.names("").into_iter().map(|provider| (provider.to_owned(), login(provider))).collect()
}

fn data_dir(machine: &Machine) -> PathBuf {
    machine.dir("XDG_DATA_HOME", ".local/share").join("opencode")
}

/// The settings files, in order of precedence.
struct Settings(Vec<Value>);

impl Settings {
    fn read(machine: &Machine) -> Self {
        let inline = machine.var("OPENCODE_CONFIG_CONTENT").map(str::to_owned);
        let named = machine.var("OPENCODE_CONFIG").map(PathBuf::from);
        let folder = config_dir(machine);
        let files =
            ["opencode.json", "opencode.jsonc", "config.json"].map(|name| folder.join(name));
        let files = named.into_iter().chain(files);
        let texts =
            inline.into_iter().chain(files.filter_map(|file| od_sdk::files::read_text(&file).ok()));
        // A file that is not plain JSON (comments are allowed in it) is skipped.
        Self(texts.filter_map(|text| serde_json::from_str(&text).ok()).collect())
    }

    /// The provider of the default model.
    fn provider(&self) -> Option<String> {
        let model = self.0.iter().find_map(|settings| settings.get("model")?.as_str())?;
        model.split_once('/').map(|(provider, _)| provider.to_owned())
    }

    fn providers(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter_map(|settings| settings.get("provider")?.as_object()).flatten()
    }

    fn names(&self, provider: &str) -> bool {
        self.providers().any(|(name, _)| name == provider)
    }

    /// Logins for providers whose key is in the settings.
    fn logins(&self) -> Vec<(String, Login)> {
        let with_key = self.providers().filter(|(_, provider)| {
            provider
                .pointer("/options/apiKey")
                .and_then(Value::as_str)
                .is_some_and(|key| !key.is_empty())
        });
        let login = |name: &String| {
            let place = format!("provider {name} in opencode.json");
            (name.clone(), Login::new("config", CredentialKind::ApiKey, place))
        };
        with_key.map(|(name, _)| login(name)).collect()
    }
}

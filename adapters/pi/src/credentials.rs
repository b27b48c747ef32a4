//! Credentials: the variables that hold keys, and the logins in `auth.json`. Names and kinds only; no
//! value is ever returned.

use od_protocol::{CredentialKind, EnvRequirement};

use od_sdk::Machine;
use od_sdk::auth::{CredentialFile, Login};
use od_sdk::manifest::{secrets, settings};

/// A variable that holds the key of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProviderKey {
    provider: &'static str,
    variable: &'static str,
    kind: CredentialKind,
}

/// In order of precedence without a configured provider.
const KEYS: &[ProviderKey] = &[
    key("anthropic", "ANTHROPIC_AUTH_TOKEN", CredentialKind::Token),
    key("anthropic", "ANTHROPIC_OAUTH_TOKEN", CredentialKind::Subscription),
    key("anthropic", "ANTHROPIC_API_KEY", CredentialKind::ApiKey),
    key("openai", "OPENAI_API_KEY", CredentialKind::ApiKey),
    key("google", "GEMINI_API_KEY", CredentialKind::ApiKey),
    key("github-copilot", "COPILOT_GITHUB_TOKEN", CredentialKind::Token),
    key("openrouter", "OPENROUTER_API_KEY", CredentialKind::ApiKey),
    key("xai", "XAI_API_KEY", CredentialKind::ApiKey),
    key("groq", "GROQ_API_KEY", CredentialKind::ApiKey),
    key("cerebras", "CEREBRAS_API_KEY", CredentialKind::ApiKey),
    key("deepseek", "DEEPSEEK_API_KEY", CredentialKind::ApiKey),
    key("mistral", "MISTRAL_API_KEY", CredentialKind::ApiKey),
    key("fireworks", "FIREWORKS_API_KEY", CredentialKind::ApiKey),
    key("together", "TOGETHER_API_KEY", CredentialKind::ApiKey),
    key("baseten", "BASETEN_API_KEY", CredentialKind::ApiKey),
    key("nvidia", "NVIDIA_API_KEY", CredentialKind::ApiKey),
    key("huggingface", "HF_TOKEN", CredentialKind::Token),
    key("vercel-ai-gateway", "AI_GATEWAY_API_KEY", CredentialKind::ApiKey),
    key("zai", "ZAI_API_KEY", CredentialKind::ApiKey),
    key("kimi-coding", "KIMI_API_KEY", CredentialKind::ApiKey),
    key("moonshotai", "MOONSHOT_API_KEY", CredentialKind::ApiKey),
    key("minimax", "MINIMAX_API_KEY", CredentialKind::ApiKey),
    key("opencode", "OPENCODE_API_KEY", CredentialKind::ApiKey),
    key("xiaomi", "XIAOMI_API_KEY", CredentialKind::ApiKey),
    key("azure-openai-responses", "AZURE_OPENAI_API_KEY", CredentialKind::ApiKey),
    key("google-vertex", "GOOGLE_CLOUD_API_KEY", CredentialKind::ApiKey),
    key("cloudflare-workers-ai", "CLOUDFLARE_API_KEY", CredentialKind::ApiKey),
    key("amazon-bedrock", "AWS_BEARER_TOKEN_BEDROCK", CredentialKind::Token),
    key("amazon-bedrock", "AWS_ACCESS_KEY_ID", CredentialKind::Cloud),
];

/// Further parts of a credential.
const SECRET_ENV: &[&str] = &["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// Variables that configure a provider and hold no secret.
const SETTING_ENV: &[&str] = &[
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AZURE_OPENAI_BASE_URL",
    "AZURE_OPENAI_RESOURCE_NAME",
    "AZURE_OPENAI_API_VERSION",
    "AZURE_OPENAI_DEPLOYMENT_NAME_MAP",
    "CLOUDFLARE_ACCOUNT_ID",
    "CLOUDFLARE_GATEWAY_ID",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "PI_PACKAGE_DIR",
];

const fn key(provider: &'static str, variable: &'static str, kind: CredentialKind) -> ProviderKey {
    ProviderKey { provider, variable, kind }
}

/// The variables for `auth.env` of a manifest.
pub fn auth_env() -> Vec<String> {
    KEYS.iter().map(|key| key.variable.to_owned()).collect()
}

/// The variables for `requirements.env` of a manifest, with those of the adapter's own.
pub fn requirements_env(own: &[&str]) -> Vec<EnvRequirement> {
    [secrets(SECRET_ENV), settings(SETTING_ENV), settings(own)].concat()
}

/// The login from a variable; `None` as the provider matches any.
pub fn env_login(machine: &Machine, provider: Option<&str>) -> Option<Login> {
    let fits = |key: &&ProviderKey| provider.is_none_or(|provider| key.provider == provider);
    let key = KEYS.iter().filter(fits).find(|key| machine.var(key.variable).is_some())?;
    let method = match key.kind {
        CredentialKind::ApiKey => "api_key",
        CredentialKind::Subscription => "oauth",
        CredentialKind::Cloud => "cloud",
        _ => "token",
    };
    Some(Login::new(method, key.kind, key.variable))
}

/// A login of `auth.json`, which holds one per provider.
pub fn stored_login(file: &CredentialFile, provider: &str, shown: &str) -> Option<Login> {
    let place = |name: &str| format!("/{provider}/{name}");
    let name = format!("{shown} ({provider})");
    match file.plain_text(&place("type"))? {
        "oauth" => Some(
            Login::new("oauth", CredentialKind::Subscription, name)
                .expiring(file.time(&place("expires")), file.has(&place("refresh"))),
        ),
        "api_key" if file.has(&place("key")) => {
            Some(Login::new("api_key", CredentialKind::ApiKey, name))
        }
        _ => None,
    }
}

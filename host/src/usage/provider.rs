//! Who runs a model: told from its name and from the credential that pays. A table, no I/O.

use od_protocol::{Credential, CredentialKind};

/// Whoever is paid through one of these runs the model, whatever the model is called.
const GATEWAYS: &[(&str, &str)] = &[
    ("bedrock", "amazon-bedrock"),
    ("aws_", "amazon-bedrock"),
    ("vertex", "google-vertex"),
    ("google_cloud", "google-vertex"),
    ("foundry", "azure"),
    ("azure", "azure"),
    ("openrouter", "openrouter"),
    ("ai_gateway", "vercel-ai-gateway"),
    ("copilot", "github-copilot"),
    ("gh auth", "github-copilot"),
    ("gh_token", "github-copilot"),
    ("github_token", "github-copilot"),
    ("groq", "groq"),
    ("cerebras", "cerebras"),
    ("fireworks", "fireworks"),
    ("together", "together"),
];

/// How the names of a maker's models begin.
const FAMILIES: &[(&str, &str)] = &[
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("qwen", "alibaba"),
    ("qwq", "alibaba"),
    ("kimi", "moonshot"),
    ("moonshot", "moonshot"),
    ("deepseek", "deepseek"),
    ("grok", "xai"),
    ("mistral", "mistral"),
    ("devstral", "mistral"),
    ("codestral", "mistral"),
    ("magistral", "mistral"),
    ("ministral", "mistral"),
    ("glm", "zhipu"),
    ("minimax", "minimax"),
    ("llama", "meta"),
    ("nova", "amazon-bedrock"),
    ("command", "cohere"),
];

/// What a credential's name tells where the model's does not.
const CREDENTIALS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("claude", "anthropic"),
    ("openai", "openai"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("gemini", "google"),
    ("google", "google"),
    ("dashscope", "alibaba"),
    ("qwen", "alibaba"),
    ("kimi", "moonshot"),
    ("moonshot", "moonshot"),
    ("deepseek", "deepseek"),
    ("xai", "xai"),
    ("mistral", "mistral"),
    ("zai", "zhipu"),
    ("zhipu", "zhipu"),
    ("minimax", "minimax"),
];

/// One word for a provider that agent CLIs name differently.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("bedrock", "amazon-bedrock"),
    ("vertex", "google-vertex"),
    ("google-vertex-anthropic", "google-vertex"),
    ("azure-openai-responses", "azure"),
    ("openai-codex", "openai"),
    ("qwen", "alibaba"),
    ("dashscope", "alibaba"),
    ("moonshotai", "moonshot"),
    ("kimi-coding", "moonshot"),
    ("x-ai", "xai"),
    ("mistralai", "mistral"),
    ("zai", "zhipu"),
    ("z-ai", "zhipu"),
    ("zhipuai", "zhipu"),
];

/// Who runs the model; empty means not known, `none` that nobody is paid.
pub(crate) fn provider(model: &str, credential: Option<&Credential>) -> String {
    if credential.is_some_and(|credential| credential.kind == CredentialKind::None) {
        return "none".to_owned();
    }
    let model = model.strip_prefix("models/").unwrap_or(model).to_ascii_lowercase();
    if let Some(stated) = stated(&model) {
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == stated);
        return other.map_or(stated, |(_, provider)| provider).to_owned();
    }
    let paid = credential.map(|credential| credential.name.to_ascii_lowercase());
    let paid = paid.unwrap_or_default();
    let known = contained(GATEWAYS, &paid)
        .or_else(|| family(&model))
        .or_else(|| contained(CREDENTIALS, &paid));
    known.unwrap_or_default().to_owned()
}

/// The first part of `provider/model`. An address of a cloud account has slashes too, and colons.
fn stated(model: &str) -> Option<&str> {
    let (provider, _) = model.split_once('/')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (!provider.is_empty() && provider.bytes().all(plain)).then_some(provider)
}

/// The maker whose models' names begin like one part of this name: `us.anthropic.claude-opus-4`
/// has three parts.
fn family(model: &str) -> Option<&'static str> {
    let of = |part: &str| FAMILIES.iter().find(|(name, _)| part.starts_with(name));
    model.split(['.', '/', ':']).find_map(of).map(|(_, provider)| *provider)
}

fn contained(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(word, _)| name.contains(word)).map(|(_, provider)| *provider)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paid_by(kind: CredentialKind, name: &str) -> Option<Credential> {
        Some(Credential { kind, name: name.to_owned() })
    }

    #[test]
    fn a_provider_in_the_models_name_decides() {
        for (model, expected) in [
            ("anthropic/claude-opus-4-8", "anthropic"),
            ("openrouter/anthropic/claude-opus-4-8", "openrouter"),
            ("moonshotai/kimi-k2", "moonshot"),
            ("fake/fake-model", "fake"),
        ] {
            assert_eq!(provider(model, None), expected, "{model}");
        }
        let key = paid_by(CredentialKind::ApiKey, "OPENAI_API_KEY");
        assert_eq!(provider("zai/glm-5", key.as_ref()), "zhipu");
    }

    #[test]
    fn a_cloud_account_runs_the_model_whoever_made_it() {
        for (name, model, expected) in [
            ("CLAUDE_CODE_USE_BEDROCK", "us.anthropic.claude-opus-4-8-v1:0", "amazon-bedrock"),
            ("amazon-bedrock", "gpt-5.2", "amazon-bedrock"),
            ("CLAUDE_CODE_USE_VERTEX", "claude-opus-4-8@20260101", "google-vertex"),
            ("GOOGLE_CLOUD_PROJECT", "gemini-3-pro", "google-vertex"),
            ("CLAUDE_CODE_USE_FOUNDRY", "claude-opus-4-8", "azure"),
        ] {
            let cloud = paid_by(CredentialKind::Cloud, name);
            assert_eq!(provider(model, cloud.as_ref()), expected, "{name}");
        }
        let address = "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-8";
        assert_eq!(provider(address, None), "anthropic");
    }

    #[test]
    fn a_models_family_has_a_maker() {
        for (model, expected) in [
            ("claude-opus-4-8[1m]", "anthropic"),
            ("gpt-5.2-codex", "openai"),
            ("o4-mini", "openai"),
            ("codex-mini-latest", "openai"),
            ("models/gemini-3-pro", "google"),
            ("qwen3-coder-plus", "alibaba"),
            ("kimi-k2", "moonshot"),
            ("deepseek-v4", "deepseek"),
            ("grok-code-fast-1", "xai"),
            ("Devstral-2", "mistral"),
            ("glm-5", "zhipu"),
            ("opus", ""),
            ("", ""),
        ] {
            assert_eq!(provider(model, None), expected, "{model}");
        }
    }

    #[test]
    fn a_credential_tells_where_the_model_does_not() {
        let told = |kind, name| provider("default", paid_by(kind, name).as_ref());
        assert_eq!(told(CredentialKind::ApiKey, "ANTHROPIC_API_KEY"), "anthropic");
        assert_eq!(told(CredentialKind::Subscription, "ChatGPT plus"), "openai");
        assert_eq!(told(CredentialKind::Subscription, "gh auth login"), "github-copilot");
        assert_eq!(told(CredentialKind::None, "demo"), "none");
        assert_eq!(told(CredentialKind::ApiKey, "MY_KEY"), "");
        let gateway = paid_by(CredentialKind::ApiKey, "OPENROUTER_API_KEY");
        assert_eq!(provider("claude-opus-4-8", gateway.as_ref()), "openrouter");
    }
}

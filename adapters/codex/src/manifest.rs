//! What `--manifest` prints: constants only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, Effort, EffortCapability,
    InputCapability, Manifest, Marker, Requirements, ResumeCapability, UsageCapability,
};
use od_sdk::manifest::{self, Introduction, Versions, strings};

use crate::options;

/// The version of the recordings, except where their folder names another.
pub const TESTED_VERSION: &str = "0.166.0";
/// The oldest verified version, with `codex exec --json`. The app server is used from
/// [`crate::mode::APP_SERVER_SINCE`] on.
const MINIMUM_VERSION: &str = "0.50.0";
/// The CLI's sandbox modes, the strictest first.
const PERMISSION_MODES: &[&str] = &["read-only", "workspace-write", "danger-full-access"];

/// Variables that carry a credential. `OPENAI_API_KEY` is not one of them (exec recording `openai_key_env`).
const CREDENTIAL_ENV: &[&str] = &["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"];

/// Variables that select folder, organization and project.
const SETTING_ENV: &[&str] = &["CODEX_HOME", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"];

/// Variables that commonly hold the keys of custom providers.
const PROVIDER_KEY_ENV: &[&str] = &["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY"];

/// The CLI's skill folders.
const SKILL_DIRS: &[&str] =
    &["~/.codex/skills", "~/.agents/skills", ".codex/skills", ".agents/skills"];

/// Variables by which the CLI detects that it runs inside another agent CLI.
const NESTING_ENV: &[&str] = &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"];

/// The manifest.
pub fn manifest() -> Manifest {
    let introduction = Introduction {
        adapter_id: "codex",
        display_name: "Codex",
        version: env!("CARGO_PKG_VERSION"),
        description: "OpenAI's Codex, driven by its app server",
        homepage: Some("https://developers.openai.com/codex"),
    };
    let env = [manifest::settings(SETTING_ENV), manifest::secrets(PROVIDER_KEY_ENV)].concat();
    Manifest {
        capabilities: capabilities(),
        auth: auth(),
        requirements: Requirements {
            env,
            nesting_env: strings(NESTING_ENV),
            ..Requirements::default()
        },
        skills: manifest::native_skills(SKILL_DIRS),
        plugin_formats: strings(&["codex-plugin"]),
        config_schema: Some(options::schema()),
        ..introduction.manifest(cli())
    }
}

/// Login methods, credential variables and files.
pub fn auth() -> AuthInfo {
    AuthInfo {
        methods: strings(&["oauth", "api_key", "token", "provider"]),
        env: strings(CREDENTIAL_ENV),
        files: strings(&["~/.codex/auth.json"]),
        login_command: Some("codex login".to_owned()),
    }
}

/// The CLI has no tool lists, no command rules, no turn limit and no token budget for a single run.
fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        input: Some(InputCapability { steer: true }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        quota: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        usage: Some(UsageCapability { cost: false }),
        subagents: marker(),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        skills: marker(),
        add_dirs: marker(),
        permission_modes: manifest::permission_modes(PERMISSION_MODES),
        mcp_servers: marker(),
        output_schema: marker(),
        ..manifest::usual_capabilities()
    }
}

/// The capabilities of versions that are driven by `codex exec --json`.
pub fn exec_capabilities() -> Capabilities {
    Capabilities {
        input: None,
        approvals: None,
        quota: None,
        fork: None,
        text_deltas: None,
        subagents: None,
        skills: None,
        mcp_servers: None,
        ..capabilities()
    }
}

fn cli() -> CliInfo {
    let versions = Versions { min: MINIMUM_VERSION, tested: TESTED_VERSION };
    let npm = manifest::install("any", "npm", "npm install -g @openai/codex");
    let brew = manifest::install("macos", "brew", "brew install --cask codex");
    CliInfo { transport: CliTransport::JsonRpc, ..manifest::cli("codex", versions, &[npm, brew]) }
}

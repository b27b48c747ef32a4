//! What `--manifest` prints. Values only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo, Effort,
    EffortCapability, EnvRequirement, InputCapability, InstallMethod, Manifest, Marker,
    PermissionModesCapability, ProtocolRange, Requirements, ResumeCapability, SkillStrategy,
    SkillsInfo, UsageCapability,
};

use crate::options;

/// The version every recording was made with, where it names no other.
pub const TESTED_VERSION: &str = "0.166.0";
/// The oldest version that was tried, by `codex exec --json`; the app server is used from
/// [`crate::mode::APP_SERVER_SINCE`] on.
const MINIMUM_VERSION: &str = "0.50.0";
/// The CLI's own sandbox modes, the strictest first.
const PERMISSION_MODES: &[&str] = &["read-only", "workspace-write", "danger-full-access"];

/// Variables that carry a credential. `OPENAI_API_KEY` is none (exec recording `openai_key_env`).
const CREDENTIAL_ENV: &[&str] = &["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"];

/// Variables that steer the CLI and carry no credential.
const SETTING_ENV: &[&str] = &["CODEX_HOME", "OPENAI_ORGANIZATION", "OPENAI_PROJECT"];

/// Variables that providers of the person's own settings take their keys from.
const PROVIDER_KEY_ENV: &[&str] = &["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY"];

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "codex".to_owned(),
        display_name: "Codex".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description: "OpenAI's Codex, driven by its app server".to_owned(),
        homepage: Some("https://developers.openai.com/codex".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: cli(),
        auth: auth(),
        requirements: requirements(),
        skills: Some(SkillsInfo {
            strategy: SkillStrategy::Native,
            dirs: ["~/.codex/skills", "~/.agents/skills", ".codex/skills", ".agents/skills"]
                .map(str::to_owned)
                .to_vec(),
        }),
        plugin_formats: vec!["codex-plugin".to_owned()],
        config_schema: Some(options::schema()),
        conformance: Some(ConformanceInfo {
            requirements: "1.0".to_owned(),
            fixtures: Some("conformance".to_owned()),
        }),
        signature: None,
        meta: None,
    }
}

/// How one logs in.
pub fn auth() -> AuthInfo {
    AuthInfo {
        methods: ["oauth", "api_key", "token", "provider"].map(str::to_owned).to_vec(),
        env: CREDENTIAL_ENV.iter().map(|name| (*name).to_owned()).collect(),
        files: vec!["~/.codex/auth.json".to_owned()],
        login_command: Some("codex login".to_owned()),
    }
}

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        input: Some(InputCapability { steer: true }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        models: marker(),
        quota: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        thinking_budget: None,
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: false }),
        subagents: marker(),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        skills: marker(),
        add_dirs: marker(),
        // The CLI has no lists of tools and no rules for one run.
        tool_lists: None,
        policy: None,
        permission_modes: Some(PermissionModesCapability {
            modes: PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        mcp_servers: marker(),
        output_schema: marker(),
        max_turns: None,
    }
}

/// What is left when only `codex exec --json` is there.
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
    let method = |platform: &str, kind: &str, command: &str| InstallMethod {
        platform: platform.to_owned(),
        kind: kind.to_owned(),
        command: command.to_owned(),
        notes: None,
    };
    CliInfo {
        names: vec!["codex".to_owned()],
        version_min: Some(MINIMUM_VERSION.to_owned()),
        version_tested: Some(TESTED_VERSION.to_owned()),
        transport: CliTransport::JsonRpc,
        install: vec![
            method("any", "npm", "npm install -g @openai/codex"),
            method("macos", "brew", "brew install --cask codex"),
        ],
    }
}

fn requirements() -> Requirements {
    let variable =
        |name: &str, secret| EnvRequirement { name: name.to_owned(), secret, optional: true };
    let settings = SETTING_ENV.iter().map(|name| variable(name, false));
    let keys = PROVIDER_KEY_ENV.iter().map(|name| variable(name, true));
    Requirements { platforms: Vec::new(), bins: Vec::new(), env: settings.chain(keys).collect() }
}

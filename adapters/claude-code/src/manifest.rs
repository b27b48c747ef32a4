//! What `--manifest` prints. Values only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo, Effort,
    EffortCapability, EnvRequirement, InputCapability, InstallMethod, Manifest, Marker,
    PermissionModesCapability, ProtocolRange, Requirements, ResumeCapability, SkillStrategy,
    SkillsInfo, UsageCapability,
};

use crate::options;

/// The version every recording was made with.
pub const TESTED_VERSION: &str = "2.1.197";
/// The oldest version that was tried and does all of it; 2.1.0 has no `--effort` and loses the end
/// of a stream that breaks off.
const MINIMUM_VERSION: &str = "2.1.76";
/// The CLI's own modes, the strictest first.
const PERMISSION_MODES: &[&str] =
    &["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"];

/// Variables that carry a credential.
const CREDENTIAL_ENV: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "ANTHROPIC_FOUNDRY_API_KEY",
];

/// Variables that steer the CLI and carry no credential.
const SETTING_ENV: &[&str] = &[
    "CLAUDE_CONFIG_DIR",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "AWS_REGION",
    "AWS_PROFILE",
    "CLOUD_ML_REGION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_GIT_BASH_PATH",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "IS_SANDBOX",
];

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "claude-code".to_owned(),
        display_name: "Claude Code".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description: "Anthropic's Claude Code, driven by stream-json both ways".to_owned(),
        homepage: Some("https://docs.claude.com/en/docs/claude-code".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: cli(),
        auth: auth(),
        requirements: requirements(),
        skills: Some(SkillsInfo {
            strategy: SkillStrategy::Native,
            dirs: vec!["~/.claude/skills".to_owned(), ".claude/skills".to_owned()],
        }),
        plugin_formats: vec!["claude-plugin".to_owned()],
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
        methods: ["oauth", "api_key", "token", "cloud", "helper"].map(str::to_owned).to_vec(),
        env: CREDENTIAL_ENV.iter().map(|name| (*name).to_owned()).collect(),
        files: vec!["~/.claude/.credentials.json".to_owned(), "~/.claude.json".to_owned()],
        login_command: Some("claude auth login".to_owned()),
    }
}

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        input: Some(InputCapability { steer: true }),
        approvals: Some(ApprovalsCapability { edit_input: true }),
        models: marker(),
        quota: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        // --max-thinking-tokens is accepted and ignored (recording max_thinking_tokens).
        thinking_budget: None,
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: true }),
        subagents: marker(),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        skills: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        policy: marker(),
        mcp_servers: marker(),
        output_schema: marker(),
        max_turns: marker(),
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
        names: vec!["claude".to_owned()],
        version_min: Some(MINIMUM_VERSION.to_owned()),
        version_tested: Some(TESTED_VERSION.to_owned()),
        transport: CliTransport::Stdio,
        install: vec![
            method("any", "npm", "npm install -g @anthropic-ai/claude-code"),
            method("macos", "brew", "brew install --cask claude-code"),
        ],
    }
}

fn requirements() -> Requirements {
    let variable =
        |name: &str, secret| EnvRequirement { name: name.to_owned(), secret, optional: true };
    let mut env: Vec<EnvRequirement> =
        SETTING_ENV.iter().map(|name| variable(name, false)).collect();
    env.push(variable("ANTHROPIC_CUSTOM_HEADERS", true));
    Requirements { platforms: Vec::new(), bins: Vec::new(), env }
}

//! What `--manifest` prints: constants only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, Effort, EffortCapability,
    InputCapability, Manifest, Marker, Requirements, ResumeCapability, UsageCapability,
};
use od_sdk::manifest::{self, Introduction, Versions, strings};

use crate::options;

/// The version of most recordings.
pub const TESTED_VERSION: &str = "2.1.197";
/// The oldest version that was verified; 2.1.0 has no `--effort` and loses the end of an interrupted
/// stream.
const MINIMUM_VERSION: &str = "2.1.76";
/// Ordered from the strictest.
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

/// Variables that configure the CLI and carry no credential.
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

/// Variables by which the CLI detects that it runs inside another agent CLI.
const NESTING_ENV: &[&str] = &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"];

/// The manifest.
pub fn manifest() -> Manifest {
    let introduction = Introduction {
        adapter_id: "claude-code",
        display_name: "Claude Code",
        version: env!("CARGO_PKG_VERSION"),
        description: "Anthropic's Claude Code, driven by stream-json both ways",
        homepage: Some("https://docs.claude.com/en/docs/claude-code"),
    };
    Manifest {
        capabilities: capabilities(),
        auth: auth(),
        requirements: requirements(),
        skills: manifest::native_skills(&["~/.claude/skills", ".claude/skills"]),
        plugin_formats: strings(&["claude-plugin"]),
        config_schema: Some(options::schema()),
        ..introduction.manifest(cli())
    }
}

/// Login methods, credential variables and files.
pub fn auth() -> AuthInfo {
    AuthInfo {
        methods: strings(&["oauth", "api_key", "token", "cloud", "helper"]),
        env: strings(CREDENTIAL_ENV),
        files: strings(&["~/.claude/.credentials.json", "~/.claude.json"]),
        login_command: Some("claude auth login".to_owned()),
    }
}

/// `--max-thinking-tokens` is accepted and ignored (recording `max_thinking_tokens`).
fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        input: Some(InputCapability { steer: true }),
        approvals: Some(ApprovalsCapability { edit_input: true }),
        quota: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        usage: Some(UsageCapability { cost: true }),
        subagents: marker(),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        skills: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: manifest::permission_modes(PERMISSION_MODES),
        policy: marker(),
        mcp_servers: marker(),
        output_schema: marker(),
        max_turns: marker(),
        ..manifest::usual_capabilities()
    }
}

fn cli() -> CliInfo {
    let versions = Versions { min: MINIMUM_VERSION, tested: TESTED_VERSION };
    let npm = manifest::install("any", "npm", "npm install -g @anthropic-ai/claude-code");
    let brew = manifest::install("macos", "brew", "brew install --cask claude-code");
    manifest::cli("claude", versions, &[npm, brew])
}

fn requirements() -> Requirements {
    let mut env = manifest::settings(SETTING_ENV);
    env.extend(manifest::secrets(&["ANTHROPIC_CUSTOM_HEADERS"]));
    Requirements { env, nesting_env: strings(NESTING_ENV), ..Requirements::default() }
}

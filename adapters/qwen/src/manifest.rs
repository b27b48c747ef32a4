//! What `--manifest` prints: constants only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, InputCapability, Manifest, Marker,
    Requirements, ResumeCapability, UsageCapability,
};
use od_sdk::manifest::{self, Introduction, Versions, strings};

use crate::options;

/// The oldest version whose control protocol was verified.
const MINIMUM_VERSION: &str = "0.15.0";
/// The version of the recordings.
const TESTED_VERSION: &str = "0.15.10";
/// Ordered from the strictest.
const PERMISSION_MODES: &[&str] = &["plan", "default", "auto-edit", "yolo"];
/// Variables that carry a credential.
const CREDENTIAL_ENV: &[&str] =
    &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];
/// Variables that select endpoint, model and settings folder.
const SETTING_ENV: &[&str] = &[
    "QWEN_HOME",
    "QWEN_MODEL",
    "QWEN_OAUTH",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "GEMINI_MODEL",
    "GOOGLE_MODEL",
    "QWEN_CODE_MAX_OUTPUT_TOKENS",
];

/// Variables by which the CLI detects that it runs inside another agent CLI.
const NESTING_ENV: &[&str] = &["QWEN_CODE"];

/// The manifest.
pub fn manifest() -> Manifest {
    let introduction = Introduction {
        adapter_id: "qwen",
        display_name: "Qwen Code",
        version: env!("CARGO_PKG_VERSION"),
        description: "Alibaba's Qwen Code, driven by stream-json both ways",
        homepage: Some("https://github.com/QwenLM/qwen-code"),
    };
    Manifest {
        capabilities: capabilities(),
        auth: auth(),
        requirements: Requirements {
            bins: strings(&["node"]),
            env: manifest::settings(SETTING_ENV),
            nesting_env: strings(NESTING_ENV),
            ..Requirements::default()
        },
        config_schema: Some(options::schema()),
        ..introduction.manifest(cli())
    }
}

/// Login methods, credential variables and files.
pub fn auth() -> AuthInfo {
    AuthInfo {
        methods: strings(&["api_key", "oauth"]),
        env: strings(CREDENTIAL_ENV),
        files: strings(&["~/.qwen/settings.json", "~/.qwen/oauth_creds.json"]),
        login_command: Some("qwen auth".to_owned()),
    }
}

/// 0.15.10 has no effort flag and no fork.
fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        // Input is queued until the turn ends.
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: true }),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        usage: Some(UsageCapability { cost: false }),
        sessions: marker(),
        subagents: marker(),
        system_prompt: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: manifest::permission_modes(PERMISSION_MODES),
        mcp_servers: marker(),
        max_turns: marker(),
        ..manifest::usual_capabilities()
    }
}

fn cli() -> CliInfo {
    let versions = Versions { min: MINIMUM_VERSION, tested: TESTED_VERSION };
    let npm = manifest::install("any", "npm", "npm install -g @qwen-code/qwen-code");
    let brew = manifest::install("macos", "brew", "brew install qwen-code");
    manifest::cli("qwen", versions, &[npm, brew])
}

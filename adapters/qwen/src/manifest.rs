//! What `--manifest` prints: constants only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo,
    EnvRequirement, InputCapability, InstallMethod, Manifest, Marker, PermissionModesCapability,
    ProtocolRange, Requirements, ResumeCapability, UsageCapability,
};

use crate::options;

/// The oldest version whose control protocol was looked at.
const MINIMUM_VERSION: &str = "0.15.0";
/// The version of the recordings.
const TESTED_VERSION: &str = "0.15.10";
/// The strictest first.
const PERMISSION_MODES: &[&str] = &["plan", "default", "auto-edit", "yolo"];
/// Variables that carry a credential.
const CREDENTIAL_ENV: &[&str] =
    &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];
/// Variables that say where and with which model.
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

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "qwen".to_owned(),
        display_name: "Qwen Code".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description: "Alibaba's Qwen Code, driven by stream-json both ways".to_owned(),
        homepage: Some("https://github.com/QwenLM/qwen-code".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: cli(),
        auth: auth(),
        requirements: requirements(),
        skills: None,
        plugin_formats: Vec::new(),
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
        methods: ["api_key", "oauth"].map(str::to_owned).to_vec(),
        env: CREDENTIAL_ENV.iter().map(|name| (*name).to_owned()).collect(),
        files: vec!["~/.qwen/settings.json".to_owned(), "~/.qwen/oauth_creds.json".to_owned()],
        login_command: Some("qwen auth".to_owned()),
    }
}

/// No effort flag and no fork exist in 0.15.10; a system prompt, lists of tools, folders, a limit
/// on turns and a schema are flags of it.
fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        // A line waits until the turn is over.
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: true }),
        models: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: false }),
        subagents: marker(),
        system_prompt: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        mcp_servers: marker(),
        max_turns: marker(),
        ..Capabilities::default()
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
        names: vec!["qwen".to_owned()],
        version_min: Some(MINIMUM_VERSION.to_owned()),
        version_tested: Some(TESTED_VERSION.to_owned()),
        transport: CliTransport::Stdio,
        install: vec![
            method("any", "npm", "npm install -g @qwen-code/qwen-code"),
            method("macos", "brew", "brew install qwen-code"),
        ],
    }
}

fn requirements() -> Requirements {
    let variable =
        |name: &&str| EnvRequirement { name: (*name).to_owned(), secret: false, optional: true };
    Requirements {
        platforms: Vec::new(),
        bins: vec!["node".to_owned()],
        env: SETTING_ENV.iter().map(variable).collect(),
    }
}

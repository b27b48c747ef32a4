//! What `--manifest` prints. Values only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo,
    EnvRequirement, InputCapability, InstallMethod, Manifest, Marker, PermissionModesCapability,
    ProtocolRange, Requirements, ResumeCapability, SkillStrategy, SkillsInfo, UsageCapability,
};

use crate::options;

/// The version every recording was made with.
pub const TESTED_VERSION: &str = "0.61.0";
/// The oldest version that was tried.
const MINIMUM_VERSION: &str = "0.40.1";
/// The CLI's own modes, the strictest first.
const PERMISSION_MODES: &[&str] = &["plan", "default", "auto_edit", "yolo"];

/// Variables that carry a credential.
const CREDENTIAL_ENV: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY"];

/// Variables that steer the CLI and carry no credential.
const SETTING_ENV: &[&str] = &[
    "GEMINI_CLI_HOME",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
    "GEMINI_MODEL",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GEMINI_CLI_USE_COMPUTE_ADC",
    "CLOUD_SHELL",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "GEMINI_SANDBOX",
];

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "gemini-cli".to_owned(),
        display_name: "Gemini CLI".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description: "Google's Gemini CLI, driven by stream-json or the Agent Client Protocol"
            .to_owned(),
        homepage: Some("https://geminicli.com".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: cli(),
        auth: auth(),
        requirements: requirements(),
        skills: Some(SkillsInfo {
            strategy: SkillStrategy::Native,
            dirs: ["~/.gemini/skills", "~/.agents/skills", ".gemini/skills", ".agents/skills"]
                .map(str::to_owned)
                .to_vec(),
        }),
        plugin_formats: vec!["gemini-extension".to_owned()],
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
        methods: ["oauth-personal", "gemini-api-key", "vertex-ai", "compute-default-credentials"]
            .map(str::to_owned)
            .to_vec(),
        env: CREDENTIAL_ENV.iter().map(|name| (*name).to_owned()).collect(),
        files: ["~/.gemini/oauth_creds.json", "~/.gemini/settings.json", "~/.gemini/.env"]
            .map(str::to_owned)
            .to_vec(),
        // There is no command for it: the CLI asks when it is started at a terminal.
        login_command: Some("gemini".to_owned()),
    }
}

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        // What is said during a turn waits for its end.
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        models: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: false }),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        add_dirs: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        mcp_servers: marker(),
        // How hard to think is a matter of settings, which belong to the person; forks, lists of
        // tools, schemas and limits on turns have no flag either.
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
        names: vec!["gemini".to_owned()],
        version_min: Some(MINIMUM_VERSION.to_owned()),
        version_tested: Some(TESTED_VERSION.to_owned()),
        transport: CliTransport::Stdio,
        install: vec![
            method("any", "npm", "npm install -g @google/gemini-cli"),
            method("macos", "brew", "brew install gemini-cli"),
        ],
    }
}

fn requirements() -> Requirements {
    let variable =
        |name: &&str| EnvRequirement { name: (*name).to_owned(), secret: false, optional: true };
    let bins = vec!["node".to_owned()];
    Requirements { platforms: Vec::new(), bins, env: SETTING_ENV.iter().map(variable).collect() }
}

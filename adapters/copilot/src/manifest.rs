//! What `--manifest` prints: constants only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo, Effort,
    EffortCapability, EnvRequirement, InputCapability, InstallMethod, Manifest, Marker,
    PermissionModesCapability, ProtocolRange, Requirements, ResumeCapability, SkillStrategy,
    SkillsInfo, UsageCapability,
};

use crate::{mode, options};

/// The oldest version whose output was looked at; 1.0.102 has `--usage-output-file` and `--acp`.
const MINIMUM_VERSION: &str = "1.0.102";
/// The version of the recordings.
const TESTED_VERSION: &str = "1.0.102";
/// Variables that carry a credential.
const CREDENTIAL_ENV: &[&str] = &[
    "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "COPILOT_PROVIDER_API_KEY",
    "COPILOT_PROVIDER_BEARER_TOKEN",
];
/// Variables that say where and with which model.
const SETTING_ENV: &[&str] = &[
    "COPILOT_HOME",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "COPILOT_PROVIDER_BASE_URL",
    "COPILOT_PROVIDER_TYPE",
    "COPILOT_PROVIDER_WIRE_API",
    "COPILOT_PROVIDER_API_KEY_COMMAND",
    "GH_HOST",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
];

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "copilot".to_owned(),
        display_name: "GitHub Copilot CLI".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description: "GitHub Copilot CLI, driven by JSON lines, or by ACP where somebody is asked"
            .to_owned(),
        homepage: Some("https://github.com/github/copilot-cli".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: cli(),
        auth: auth(),
        requirements: requirements(),
        skills: Some(SkillsInfo {
            strategy: SkillStrategy::Native,
            dirs: [
                "~/.copilot/skills",
                "~/.agents/skills",
                ".github/skills",
                ".agents/skills",
                ".claude/skills",
            ]
            .map(str::to_owned)
            .to_vec(),
        }),
        plugin_formats: vec!["copilot-plugin".to_owned()],
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
        methods: ["oauth", "token", "api_key"].map(str::to_owned).to_vec(),
        env: CREDENTIAL_ENV.iter().map(|name| (*name).to_owned()).collect(),
        files: vec!["~/.copilot/config.json".to_owned(), "~/.config/gh/hosts.yml".to_owned()],
        login_command: Some("copilot login".to_owned()),
    }
}

/// There is no flag for a system prompt, a fork, a schema or a limit on turns.
fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    let unasked = mode::UNASKED.iter().map(|(mode, _)| (*mode).to_owned());
    Capabilities {
        run: marker(),
        // What is said during a turn waits for its end; only where somebody is asked.
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        models: marker(),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: false }),
        images: marker(),
        attachments: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: ["default".to_owned()].into_iter().chain(unasked).collect(),
        }),
        mcp_servers: marker(),
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
        names: vec!["copilot".to_owned()],
        version_min: Some(MINIMUM_VERSION.to_owned()),
        version_tested: Some(TESTED_VERSION.to_owned()),
        transport: CliTransport::Stdio,
        install: vec![
            method("any", "npm", "npm install -g @github/copilot"),
            method("macos", "brew", "brew install copilot-cli"),
            method("windows", "winget", "winget install GitHub.Copilot"),
        ],
    }
}

fn requirements() -> Requirements {
    let variable =
        |name: &&str| EnvRequirement { name: (*name).to_owned(), secret: false, optional: true };
    Requirements {
        platforms: Vec::new(),
        bins: Vec::new(),
        env: SETTING_ENV.iter().map(variable).collect(),
    }
}

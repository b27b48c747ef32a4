//! What `--manifest` prints: constants only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, Effort, EffortCapability,
    InputCapability, Manifest, Marker, Requirements, ResumeCapability, UsageCapability,
};
use od_sdk::manifest::{self, Introduction, Versions, strings};

use crate::{mode, options};

/// The oldest verified version; 1.0.102 has `--usage-output-file` and `--acp`.
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
/// Variables that select endpoint, model and folders.
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

/// The CLI's skill folders.
const SKILL_DIRS: &[&str] = &[
    "~/.copilot/skills",
    "~/.agents/skills",
    ".github/skills",
    ".agents/skills",
    ".claude/skills",
];

/// Variables by which the CLI detects that it runs inside another agent CLI.
const NESTING_ENV: &[&str] = &["COPILOT_CLI"];

/// The manifest.
pub fn manifest() -> Manifest {
    let introduction = Introduction {
        adapter_id: "copilot",
        display_name: "GitHub Copilot CLI",
        version: env!("CARGO_PKG_VERSION"),
        description: "GitHub Copilot CLI, driven by JSON lines, or by ACP when approvals are answered",
        homepage: Some("https://github.com/github/copilot-cli"),
    };
    let env = manifest::settings(SETTING_ENV);
    Manifest {
        capabilities: capabilities(),
        auth: auth(),
        requirements: Requirements {
            env,
            nesting_env: strings(NESTING_ENV),
            ..Requirements::default()
        },
        skills: manifest::native_skills(SKILL_DIRS),
        plugin_formats: strings(&["copilot-plugin"]),
        config_schema: Some(options::schema()),
        ..introduction.manifest(cli())
    }
}

/// Login methods, credential variables and files.
pub fn auth() -> AuthInfo {
    AuthInfo {
        methods: strings(&["oauth", "token", "api_key"]),
        env: strings(CREDENTIAL_ENV),
        files: strings(&["~/.copilot/config.json", "~/.config/gh/hosts.yml"]),
        login_command: Some("copilot login".to_owned()),
    }
}

/// The CLI has no flag for a system prompt, a fork, a schema or a limit on turns.
fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    let without_approvals = mode::WITHOUT_APPROVALS.iter().map(|(mode, _)| *mode);
    let modes: Vec<&str> = ["default"].into_iter().chain(without_approvals).collect();
    Capabilities {
        // Input is queued until the turn ends, and only over ACP.
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        usage: Some(UsageCapability { cost: false }),
        sessions: marker(),
        images: marker(),
        attachments: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: manifest::permission_modes(&modes),
        mcp_servers: marker(),
        ..manifest::usual_capabilities()
    }
}

fn cli() -> CliInfo {
    let versions = Versions { min: MINIMUM_VERSION, tested: TESTED_VERSION };
    let npm = manifest::install("any", "npm", "npm install -g @github/copilot");
    let brew = manifest::install("macos", "brew", "brew install copilot-cli");
    let winget = manifest::install("windows", "winget", "winget install GitHub.Copilot");
    manifest::cli("copilot", versions, &[npm, brew, winget])
}

//! What `--manifest` prints. Values only.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, InputCapability, Manifest, Marker,
    Requirements, ResumeCapability, UsageCapability,
};
use od_sdk::manifest::{self, Introduction, Versions, strings};

use crate::options;

/// The version of the recordings.
pub const TESTED_VERSION: &str = "0.61.0";
/// The oldest verified version.
const MINIMUM_VERSION: &str = "0.40.1";
/// The CLI's modes, ordered from the strictest.
const PERMISSION_MODES: &[&str] = &["plan", "default", "auto_edit", "yolo"];

/// Variables that carry a credential.
const CREDENTIAL_ENV: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY"];

/// Variables that configure the CLI and carry no credential.
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

/// The CLI's skill folders.
const SKILL_DIRS: &[&str] =
    &["~/.gemini/skills", "~/.agents/skills", ".gemini/skills", ".agents/skills"];

/// Variables by which the CLI detects that it runs inside another agent CLI.
const NESTING_ENV: &[&str] = &["GEMINI_CLI"];

/// The manifest.
pub fn manifest() -> Manifest {
    let introduction = Introduction {
        adapter_id: "gemini-cli",
        display_name: "Gemini CLI",
        version: env!("CARGO_PKG_VERSION"),
        description: "Google's Gemini CLI, driven by stream-json or the Agent Client Protocol",
        homepage: Some("https://geminicli.com"),
    };
    let requirements = Requirements {
        bins: strings(&["node"]),
        env: manifest::settings(SETTING_ENV),
        nesting_env: strings(NESTING_ENV),
        ..Requirements::default()
    };
    Manifest {
        capabilities: capabilities(),
        auth: auth(),
        requirements,
        skills: manifest::native_skills(SKILL_DIRS),
        plugin_formats: strings(&["gemini-extension"]),
        config_schema: Some(options::schema()),
        ..introduction.manifest(cli())
    }
}

/// Login methods, credential variables and files.
pub fn auth() -> AuthInfo {
    AuthInfo {
        methods: strings(&[
            "oauth-personal",
            "gemini-api-key",
            "vertex-ai",
            "compute-default-credentials",
        ]),
        env: strings(CREDENTIAL_ENV),
        files: strings(&[
            "~/.gemini/oauth_creds.json",
            "~/.gemini/settings.json",
            "~/.gemini/.env",
        ]),
        // The CLI has no login command: it asks when started in a terminal.
        login_command: Some("gemini".to_owned()),
    }
}

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        // Input is queued until the turn ends.
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        usage: Some(UsageCapability { cost: false }),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        add_dirs: marker(),
        permission_modes: manifest::permission_modes(PERMISSION_MODES),
        mcp_servers: marker(),
        // Effort is configured in the user's settings. Forks, tool lists, schemas and limits on turns
        // have no flag.
        ..manifest::usual_capabilities()
    }
}

fn cli() -> CliInfo {
    let versions = Versions { min: MINIMUM_VERSION, tested: TESTED_VERSION };
    let npm = manifest::install("any", "npm", "npm install -g @google/gemini-cli");
    let brew = manifest::install("macos", "brew", "brew install gemini-cli");
    manifest::cli("gemini", versions, &[npm, brew])
}

//! What the manifests of both adapters share. Values only.

use od_protocol::{
    ApprovalsCapability, Capabilities, CliInfo, CliTransport, Effort, EffortCapability,
    InputCapability, Manifest, Marker, ResumeCapability, UsageCapability,
};

use super::auth::{auth_info, requirements};
use super::permission_rules::PERMISSION_MODES;
use od_sdk::manifest::{
    Introduction, Versions, cli, install, native_skills, permission_modes, strings,
    usual_capabilities,
};

/// A run needs `run --auto`, the log on stderr and the server's events; versions older than 1.18
/// were not tested. Every recording was made with the tested version.
const VERSIONS: Versions<'static> = Versions { min: "1.18.0", tested: "1.18.33" };

/// The shared manifest; each adapter adds its own capabilities and options.
pub fn manifest(introduction: Introduction<'_>, transport: CliTransport) -> Manifest {
    let installs = [
        install("any", "npm", "npm install -g opencode-ai"),
        install("macos", "brew", "brew install anomalyco/tap/opencode"),
        install("linux", "script", "curl -fsSL https://opencode.ai/install | bash"),
    ];
    Manifest {
        capabilities: capabilities(),
        auth: auth_info(),
        requirements: requirements(),
        skills: native_skills(&["~/.config/opencode/skills", ".opencode/skills"]),
        plugin_formats: strings(&["opencode-plugin"]),
        ..introduction.manifest(CliInfo { transport, ..cli("opencode", VERSIONS, &installs) })
    }
}

/// The capabilities of both adapters.
pub fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: marker(),
        sessions: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        usage: Some(UsageCapability { cost: true }),
        attachments: marker(),
        permission_modes: permission_modes(PERMISSION_MODES),
        policy: marker(),
        mcp_servers: marker(),
        ..usual_capabilities()
    }
}

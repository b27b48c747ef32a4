//! What `--manifest` prints. Values only.

use od_protocol::{
    ApprovalsCapability, Capabilities, CliTransport, ConformanceInfo, Effort, EffortCapability,
    EnvRequirement, InputCapability, Manifest, Marker, PermissionModesCapability, ProtocolRange,
    Requirements, ResumeCapability, SkillStrategy, SkillsInfo, UsageCapability,
};
use od_sdk::parts;

use crate::{options, server};

/// The version every recording was made with.
const TESTED_VERSION: &str = "1.18.33";
/// The server's API changed often before; older versions were not tried.
const MINIMUM_VERSION: &str = "1.18.0";

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "opencode-http".to_owned(),
        display_name: "OpenCode (HTTP)".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description: "OpenCode, driven by its HTTP server: one of its own per run, or one that \
                      runs already"
            .to_owned(),
        homepage: Some("https://opencode.ai/docs/server".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: parts::cli_info(CliTransport::Http, MINIMUM_VERSION, TESTED_VERSION),
        auth: parts::auth_info(),
        requirements: requirements(),
        skills: Some(SkillsInfo {
            strategy: SkillStrategy::Native,
            dirs: vec!["~/.config/opencode/skills".to_owned(), ".opencode/skills".to_owned()],
        }),
        plugin_formats: vec!["opencode-plugin".to_owned()],
        config_schema: Some(options::schema()),
        conformance: Some(ConformanceInfo {
            requirements: "1.0".to_owned(),
            fixtures: Some("conformance".to_owned()),
        }),
        signature: None,
        meta: None,
    }
}

/// The login of a server that runs already comes from the environment.
fn requirements() -> Requirements {
    let variable =
        |name: &str, secret| EnvRequirement { name: name.to_owned(), secret, optional: true };
    let mut requirements = parts::requirements();
    requirements.env.push(variable(server::USER_VARIABLE, false));
    requirements.env.push(variable(server::PASSWORD_VARIABLE, true));
    requirements
}

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: false }),
        models: marker(),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: true }),
        subagents: marker(),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: parts::PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        policy: marker(),
        mcp_servers: marker(),
        output_schema: marker(),
        ..Capabilities::default()
    }
}

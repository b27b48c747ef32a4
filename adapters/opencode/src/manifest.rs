//! What `--manifest` prints. Values only.

use od_protocol::{
    ApprovalsCapability, Capabilities, CliTransport, ConformanceInfo, Effort, EffortCapability,
    InputCapability, Manifest, Marker, PermissionModesCapability, ProtocolRange, ResumeCapability,
    SkillStrategy, SkillsInfo, UsageCapability,
};
use od_sdk::parts;

use crate::options;

/// The version every recording was made with.
const TESTED_VERSION: &str = "1.18.33";
/// `run --auto` and the log on stderr are what a run stands on; older versions were not tried.
const MINIMUM_VERSION: &str = "1.18.0";

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "opencode".to_owned(),
        display_name: "OpenCode".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description:
            "OpenCode, driven by `opencode run` and, where somebody answers approvals, by \
                      `opencode acp`"
                .to_owned(),
        homepage: Some("https://opencode.ai/docs".to_owned()),
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: parts::cli_info(CliTransport::Acp, MINIMUM_VERSION, TESTED_VERSION),
        auth: parts::auth_info(),
        requirements: parts::requirements(),
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
        attachments: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: parts::PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        policy: marker(),
        mcp_servers: marker(),
        ..Capabilities::default()
    }
}

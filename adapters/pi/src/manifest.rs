//! What `--manifest` prints. Values only.

use od_protocol::{
    Capabilities, Effort, EffortCapability, InputCapability, Marker, ResumeCapability,
    UsageCapability,
};
use od_sdk::pi::PiAdapter;
use od_sdk::pi::adapter::Installer;

use crate::detect;
use crate::dialect::DIALECT;

/// Pi.
pub const PI: PiAdapter = PiAdapter {
    dialect: DIALECT,
    version: env!("CARGO_PKG_VERSION"),
    display_name: "Pi",
    description: "The Pi coding agent, driven by its commands on stdin and its events on stdout",
    homepage: "https://pi.dev",
    version_min: "0.73.1",
    version_tested: "0.87.1",
    install: &[Installer {
        platform: "any",
        kind: "npm",
        command: DIALECT.install_command,
        notes: Some("needs Node.js 22.19 or newer"),
    }],
    skill_dirs: &["~/.pi/agent/skills", ".pi/skills"],
    auth_files: detect::AUTH_FILES,
    own_env: &["PI_OFFLINE", "PI_TELEMETRY", "PI_CACHE_RETENTION"],
    capabilities,
    auth: detect::auth,
};

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        input: Some(InputCapability { steer: true }),
        models: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: true }),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        skills: marker(),
        tool_lists: marker(),
        ..Capabilities::default()
    }
}

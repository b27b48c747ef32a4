//! The manifest of `pi`. Values only.

use crate::PiAdapter;
use crate::adapter::{Installer, common_capabilities};
use od_protocol::{Capabilities, Marker};

use crate::pi::auth;
use crate::pi::dialect::DIALECT;

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
    auth_files: auth::AUTH_FILES,
    own_env: &["PI_OFFLINE", "PI_TELEMETRY", "PI_CACHE_RETENTION"],
    capabilities,
    auth: auth::auth,
};

fn capabilities() -> Capabilities {
    Capabilities { skills: Some(Marker {}), tool_lists: Some(Marker {}), ..common_capabilities() }
}

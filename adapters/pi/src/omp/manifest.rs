//! The manifest of `omp`. Values only.

use crate::PiAdapter;
use crate::adapter::{Installer, common_capabilities};
use od_protocol::{ApprovalsCapability, Capabilities, Marker, PermissionModesCapability};

use crate::omp::auth;
use crate::omp::dialect::DIALECT;

/// The CLI's own modes, the strictest first.
const PERMISSION_MODES: &[&str] = &["always-ask", "write", "yolo"];

/// oh-my-pi.
pub const OMP: PiAdapter = PiAdapter {
    dialect: DIALECT,
    version: env!("CARGO_PKG_VERSION"),
    display_name: "oh-my-pi",
    description: "oh-my-pi, driven by its commands on stdin and its events on stdout",
    homepage: "https://omp.sh",
    version_min: "18.2.3",
    version_tested: "18.2.3",
    install: &[
        Installer {
            platform: "any",
            kind: "bun",
            command: DIALECT.install_command,
            notes: Some("needs bun 1.3.14 or newer, also when npm installs it"),
        },
        Installer {
            platform: "any",
            kind: "npm",
            command: "npm install -g bun @oh-my-pi/pi-coding-agent",
            notes: None,
        },
    ],
    skill_dirs: &[],
    auth_files: auth::AUTH_FILES,
    own_env: &["OMP_PROFILE", "PI_CONFIG_DIR", "PI_SMOL_MODEL", "PI_SLOW_MODEL", "PI_PLAN_MODEL"],
    capabilities,
    auth: auth::auth,
};

fn capabilities() -> Capabilities {
    Capabilities {
        approvals: Some(ApprovalsCapability { edit_input: false }),
        add_dirs: Some(Marker {}),
        permission_modes: Some(PermissionModesCapability {
            modes: PERMISSION_MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        ..common_capabilities()
    }
}

//! The manifest of `opencode`. Values only; the shared part is in `crate::manifest`.

use od_protocol::{CliTransport, Manifest};
use od_sdk::manifest::Introduction;

use crate::opencode::options;

const INTRODUCTION: Introduction<'static> = Introduction {
    adapter_id: "opencode",
    display_name: "OpenCode",
    version: env!("CARGO_PKG_VERSION"),
    description: "OpenCode, driven by `opencode run`, or by `opencode acp` where the client answers approvals",
    homepage: Some("https://opencode.ai/docs"),
};

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        config_schema: Some(options::schema()),
        ..crate::manifest::manifest(INTRODUCTION, CliTransport::Acp)
    }
}

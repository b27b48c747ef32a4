//! What `--manifest` prints. Values only; what both adapters of OpenCode have in common is the wire's.

use od_protocol::{CliTransport, Manifest};
use od_sdk::manifest::Introduction;
use od_sdk::parts;

use crate::options;

const INTRODUCTION: Introduction<'static> = Introduction {
    adapter_id: "opencode",
    display_name: "OpenCode",
    version: env!("CARGO_PKG_VERSION"),
    description: "OpenCode, driven by `opencode run` and, where somebody answers approvals, by `opencode acp`",
    homepage: Some("https://opencode.ai/docs"),
};

/// The manifest.
pub fn manifest() -> Manifest {
    Manifest {
        config_schema: Some(options::schema()),
        ..parts::manifest(INTRODUCTION, CliTransport::Acp)
    }
}

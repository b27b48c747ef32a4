//! What `--manifest` prints. Values only; what both adapters of OpenCode have in common is the wire's.

use od_protocol::{Capabilities, CliTransport, Manifest, Marker};
use od_sdk::manifest::{Introduction, secrets, settings};
use od_sdk::parts;

use crate::{options, server};

const INTRODUCTION: Introduction<'static> = Introduction {
    adapter_id: "opencode-http",
    display_name: "OpenCode (HTTP)",
    version: env!("CARGO_PKG_VERSION"),
    description: "OpenCode, driven by its HTTP server: one of its own per run, or one that runs already",
    homepage: Some("https://opencode.ai/docs/server"),
};

/// The manifest.
pub fn manifest() -> Manifest {
    let mut manifest = Manifest {
        capabilities: capabilities(),
        config_schema: Some(options::schema()),
        ..parts::manifest(INTRODUCTION, CliTransport::Http)
    };
    // The login of a server that runs already.
    let env = &mut manifest.requirements.env;
    env.extend(settings(&[server::USER_VARIABLE]));
    env.extend(secrets(&[server::PASSWORD_VARIABLE]));
    manifest
}

fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        subagents: marker(),
        system_prompt: marker(),
        images: marker(),
        output_schema: marker(),
        ..parts::capabilities()
    }
}

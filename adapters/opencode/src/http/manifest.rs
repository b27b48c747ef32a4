//! The manifest of `opencode-http`. Values only; the shared part is in `crate::manifest`.

use od_protocol::{Capabilities, CliTransport, Manifest, Marker};
use od_sdk::manifest::{Introduction, secrets, settings};

use crate::http::{options, server};

const INTRODUCTION: Introduction<'static> = Introduction {
    adapter_id: "opencode-http",
    display_name: "OpenCode (HTTP)",
    version: env!("CARGO_PKG_VERSION"),
    description: "OpenCode, driven by its HTTP server: one server per run, or one that is already running",
    homepage: Some("https://opencode.ai/docs/server"),
};

/// The manifest.
pub fn manifest() -> Manifest {
    let mut manifest = Manifest {
        capabilities: capabilities(),
        config_schema: Some(options::schema()),
        ..crate::manifest::manifest(INTRODUCTION, CliTransport::Http)
    };
    // The login of an attached server.
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
        ..crate::manifest::capabilities()
    }
}

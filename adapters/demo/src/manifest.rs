//! The demo adapter's manifest.

use od_protocol::{
    ApprovalsCapability, Capabilities, CliInfo, CliTransport, Effort, EffortCapability,
    InputCapability, Manifest, Marker, Requirements, ResumeCapability, UsageCapability,
};
use od_sdk::manifest::{self, Introduction, strings};

/// The manifest.
pub(crate) fn manifest() -> Manifest {
    let version = env!("CARGO_PKG_VERSION");
    let introduction = Introduction {
        adapter_id: "demo",
        display_name: "Demo agent",
        version,
        description: "a scripted agent inside the adapter: no network, no login, nothing to install",
        homepage: None,
    };
    let cli = CliInfo {
        names: strings(&["od-adapter-demo"]),
        version_min: None,
        version_tested: Some(version.to_owned()),
        transport: CliTransport::Stdio,
        install: Vec::new(),
    };
    let env = manifest::settings(&["OD_HOME"]);
    Manifest {
        capabilities: capabilities(),
        requirements: Requirements { env, ..Requirements::default() },
        ..introduction.manifest(cli)
    }
}

fn capabilities() -> Capabilities {
    Capabilities {
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: true }),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: Some(Marker {}),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        usage: Some(UsageCapability { cost: true }),
        system_prompt: Some(Marker {}),
        ..manifest::usual_capabilities()
    }
}

//! What the demo says of itself.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo, Effort,
    EffortCapability, EnvRequirement, InputCapability, Manifest, Marker, ProtocolRange,
    Requirements, ResumeCapability, UsageCapability,
};

/// The manifest.
pub(crate) fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: "demo".to_owned(),
        display_name: "Demo agent".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vendor: "OD Adapters".to_owned(),
        description:
            "a scripted agent inside the adapter: no network, no login, nothing to install"
                .to_owned(),
        homepage: None,
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: CliInfo {
            names: vec!["od-adapter-demo".to_owned()],
            version_min: None,
            version_tested: Some(env!("CARGO_PKG_VERSION").to_owned()),
            transport: CliTransport::Stdio,
            install: Vec::new(),
        },
        auth: AuthInfo::default(),
        requirements: Requirements {
            env: vec![EnvRequirement { name: "OD_HOME".to_owned(), secret: false, optional: true }],
            ..Requirements::default()
        },
        skills: None,
        plugin_formats: Vec::new(),
        config_schema: None,
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
        approvals: Some(ApprovalsCapability { edit_input: true }),
        models: marker(),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: marker(),
        effort: Some(EffortCapability {
            levels: vec![Effort::Low, Effort::Medium, Effort::High, Effort::Max],
        }),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: true }),
        system_prompt: marker(),
        ..Capabilities::default()
    }
}

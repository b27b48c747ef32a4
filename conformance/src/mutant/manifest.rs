//! The manifest, which `--manifest` prints.

use od_protocol::{
    ApprovalsCapability, AuthInfo, Capabilities, CliInfo, CliTransport, Effort, EffortCapability,
    InputCapability, InstallMethod, Manifest, Marker, PermissionModesCapability, ProtocolRange,
    Requirements, ResumeCapability, UsageCapability,
};

use super::options::MODES;

/// The adapter's id: what follows `od-adapter-` in its file name.
pub(super) const ADAPTER_ID: &str = "mutant";
/// The adapter's own version.
pub(super) const VERSION: &str = "1.0.0";
/// Who ships it.
pub(super) const VENDOR: &str = "open-design";
/// The agent CLI's file name.
pub(super) const CLI_NAME: &str = "parrot";
/// The oldest `parrot` that works.
pub(super) const VERSION_MIN: &str = "2.0.0";
/// The `parrot` this adapter was tested with.
pub(super) const VERSION_TESTED: &str = "2.4.1";
/// The variable that carries a key.
pub(super) const AUTH_VARIABLE: &str = "PARROT_API_KEY";
/// The file that carries a login, below the home folder.
pub(super) const AUTH_FILE: &str = ".parrot/auth.json";
/// The command to log in.
pub(super) const LOGIN_COMMAND: &str = "parrot login";
/// The command to install it.
pub(super) const INSTALL_COMMAND: &str = "npm install --global parrot";

/// The declared capabilities.
pub(super) fn capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        input: Some(InputCapability { steer: false }),
        approvals: Some(ApprovalsCapability { edit_input: true }),
        models: marker(),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: false }),
        fork: marker(),
        thinking: marker(),
        subagents: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        usage: Some(UsageCapability { cost: true }),
        policy: marker(),
        effort: Some(EffortCapability { levels: vec![Effort::Low, Effort::High] }),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        add_dirs: marker(),
        tool_lists: marker(),
        permission_modes: Some(PermissionModesCapability {
            modes: MODES.iter().map(|mode| (*mode).to_owned()).collect(),
        }),
        mcp_servers: marker(),
        output_schema: marker(),
        max_turns: marker(),
        ..Capabilities::default()
    }
}

/// The manifest without a fault.
pub(super) fn manifest() -> Manifest {
    Manifest {
        manifest_version: "1.0".to_owned(),
        adapter_id: ADAPTER_ID.to_owned(),
        display_name: "Parrot (the suite's own adapter)".to_owned(),
        version: VERSION.to_owned(),
        vendor: VENDOR.to_owned(),
        description: "Drives a made-up agent CLI so that the suite can test itself.".to_owned(),
        homepage: None,
        license: Some("MIT OR Apache-2.0".to_owned()),
        protocol: ProtocolRange::current(),
        capabilities: capabilities(),
        cli: CliInfo {
            names: vec![CLI_NAME.to_owned()],
            version_min: Some(VERSION_MIN.to_owned()),
            version_tested: Some(VERSION_TESTED.to_owned()),
            transport: CliTransport::Stdio,
            install: vec![InstallMethod {
                platform: "any".to_owned(),
                kind: "npm".to_owned(),
                command: INSTALL_COMMAND.to_owned(),
                notes: None,
            }],
        },
        auth: AuthInfo {
            methods: vec!["api_key".to_owned(), "oauth".to_owned()],
            env: vec![AUTH_VARIABLE.to_owned()],
            files: vec![format!("~/{AUTH_FILE}")],
            login_command: Some(LOGIN_COMMAND.to_owned()),
        },
        requirements: Requirements::default(),
        skills: None,
        plugin_formats: Vec::new(),
        config_schema: None,
        conformance: None,
        signature: None,
        meta: None,
    }
}

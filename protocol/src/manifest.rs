//! The manifest: what `od-adapter-x --manifest` prints without starting the agent CLI.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{Capabilities, JsonObject, Marker, Meta, ProtocolRange};

/// The manifest major of this crate.
pub const MANIFEST_MAJOR: u32 = 1;

/// The manifest. A host accepts any minor of a known major.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The version of the manifest format, `major.minor`.
    pub manifest_version: String,
    /// The adapter id: the file name after `od-adapter-`.
    pub adapter_id: String,
    /// The name for people.
    pub display_name: String,
    /// The adapter's own version (semver).
    pub version: String,
    /// The publisher of the adapter.
    pub vendor: String,
    /// A one-sentence description.
    #[serde(default)]
    pub description: String,
    /// A web page about the agent CLI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// The SPDX license expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The protocol majors that the adapter supports.
    pub protocol: ProtocolRange,
    /// The capabilities; `adapter/detect` may report fewer for the installed version.
    pub capabilities: Capabilities,
    /// The agent CLI that the adapter wraps.
    pub cli: CliInfo,
    /// The login methods of the agent CLI.
    pub auth: AuthInfo,
    /// What the adapter needs.
    #[serde(default)]
    pub requirements: Requirements,
    /// How skills are passed to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<SkillsInfo>,
    /// The plugin formats that the agent CLI loads.
    #[serde(default)]
    pub plugin_formats: Vec<String>,
    /// A JSON Schema of `initialize.config.options` and `run/start.adapterOptions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<JsonObject>,
    /// The requirement set that the adapter claims to meet, and its fixture pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformance: Option<ConformanceInfo>,
    /// A detached signature of the executable; null means unsigned.
    #[serde(default)]
    pub signature: Option<String>,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Manifest {
    /// The manifest of an adapter that runs an agent CLI of the same name over stdin and stdout, and that has no
    /// other capability, login or requirement. Replace what differs.
    ///
    /// ```
    /// use od_protocol::{Capabilities, Manifest, Marker};
    ///
    /// let manifest = Manifest {
    ///     vendor: "Example Ltd.".to_owned(),
    ///     capabilities: Capabilities { run: Some(Marker {}), models: Some(Marker {}), ..Capabilities::default() },
    ///     ..Manifest::new("parrot", "Parrot")
    /// };
    /// assert_eq!(manifest.cli.names, ["parrot"]);
    /// assert_eq!(manifest.major(), Some(1));
    /// ```
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        let id = id.into();
        Self {
            manifest_version: format!("{MANIFEST_MAJOR}.0"),
            display_name: name.into(),
            version: "0.1.0".to_owned(),
            vendor: "unknown".to_owned(),
            description: String::new(),
            homepage: None,
            license: None,
            protocol: ProtocolRange::current(),
            capabilities: Capabilities { run: Some(Marker {}), ..Capabilities::default() },
            cli: CliInfo {
                names: vec![id.clone()],
                version_min: None,
                version_tested: None,
                transport: CliTransport::Stdio,
                install: Vec::new(),
            },
            auth: AuthInfo::default(),
            requirements: Requirements::default(),
            skills: None,
            plugin_formats: Vec::new(),
            config_schema: None,
            conformance: None,
            signature: None,
            meta: None,
            adapter_id: id,
        }
    }

    /// The major of `manifestVersion`; `None` when it cannot be read.
    pub fn major(&self) -> Option<u32> {
        self.manifest_version.split('.').next()?.parse().ok()
    }
}

wire_enum! {
    /// How the adapter communicates with the agent CLI. An unknown value means stdio.
    pub enum CliTransport, unknown => Stdio {
        /// Lines over stdin and stdout.
        Stdio = "stdio",
        /// JSON-RPC over stdin and stdout.
        JsonRpc = "json_rpc",
        /// The Agent Client Protocol.
        Acp = "acp",
        /// A local HTTP server.
        Http = "http",
        /// A pseudo-terminal.
        Pty = "pty",
        /// Part of the adapter itself.
        Embedded = "embedded",
    }
}

/// The agent CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CliInfo {
    /// The names of the executable, the preferred one first.
    pub names: Vec<String>,
    /// The oldest version that works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_min: Option<String>,
    /// The version the adapter was tested with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_tested: Option<String>,
    /// How the adapter communicates with it.
    pub transport: CliTransport,
    /// Ways to install it.
    #[serde(default)]
    pub install: Vec<InstallMethod>,
}

/// One way to install the agent CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct InstallMethod {
    /// `any`, `linux`, `macos` or `windows`.
    pub platform: String,
    /// `npm`, `brew`, `pip`, `script`, ….
    pub kind: String,
    /// The command.
    pub command: String,
    /// Notes for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// The login methods of the agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct AuthInfo {
    /// `oauth`, `api_key`, …; empty means that no login is needed.
    pub methods: Vec<String>,
    /// Variables that hold a credential. The host passes them on where policy allows.
    pub env: Vec<String>,
    /// Files that hold a credential, `~` for the home folder.
    pub files: Vec<String>,
    /// The command to log in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_command: Option<String>,
}

/// What the adapter needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Requirements {
    /// The supported platforms: `linux`, `macos`, `windows`; empty means all.
    pub platforms: Vec<String>,
    /// Other programs that must be installed.
    pub bins: Vec<String>,
    /// Further variables that the adapter or the agent CLI reads.
    pub env: Vec<EnvRequirement>,
    /// Variables by which the agent CLI detects that it runs inside another one. They never reach it, even if the
    /// user's settings allow them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nesting_env: Vec<String>,
}

impl Requirements {
    /// Whether the manifest lists a variable in `nestingEnv`.
    pub fn is_nesting_variable(&self, name: &str) -> bool {
        self.nesting_env.iter().any(|listed| listed == name)
    }
}

/// One variable of the environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnvRequirement {
    /// The name.
    pub name: String,
    /// The value must never be shown.
    #[serde(default)]
    pub secret: bool,
    /// The adapter also works without this variable.
    #[serde(default)]
    pub optional: bool,
}

wire_enum! {
    /// How skills are passed to the agent. An unknown value means in the prompt.
    pub enum SkillStrategy, unknown => Prompt {
        /// The agent CLI reads a folder of skills.
        Native = "native",
        /// The text of a skill is put into the prompt.
        Prompt = "prompt",
        /// A file is placed in a folder that the agent reads.
        File = "file",
    }
}

/// How skills are passed to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SkillsInfo {
    /// The strategy.
    pub strategy: SkillStrategy,
    /// The folders that the agent CLI reads, `~` for the home folder.
    #[serde(default)]
    pub dirs: Vec<String>,
}

/// The requirement set that an adapter claims to meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConformanceInfo {
    /// The version of the set, such as `1.0`.
    pub requirements: String,
    /// The folder of the fixture pack, relative to the adapter's source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixtures: Option<String>,
}

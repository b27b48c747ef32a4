//! What `od-adapter-x --manifest` prints: everything known without starting anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{Capabilities, JsonObject, Meta, ProtocolRange};

/// The manifest major of this crate.
pub const MANIFEST_MAJOR: u32 = 1;

/// The manifest. A host accepts any minor of a known major.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// `major.minor` of this document's own shape.
    pub manifest_version: String,
    /// The file name after `od-adapter-`.
    pub adapter_id: String,
    /// For people.
    pub display_name: String,
    /// The adapter's own version (semver).
    pub version: String,
    /// Who ships it.
    pub vendor: String,
    /// In one sentence.
    #[serde(default)]
    pub description: String,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// SPDX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The protocol majors it speaks.
    pub protocol: ProtocolRange,
    /// What it can do at best; `adapter/detect` may narrow it.
    pub capabilities: Capabilities,
    /// The agent CLI it drives.
    pub cli: CliInfo,
    /// How one logs in.
    pub auth: AuthInfo,
    /// What it needs.
    #[serde(default)]
    pub requirements: Requirements,
    /// How skills reach the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<SkillsInfo>,
    /// Plugin formats the agent CLI loads.
    #[serde(default)]
    pub plugin_formats: Vec<String>,
    /// A JSON Schema of `initialize.config.options` and `run/start.adapterOptions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<JsonObject>,
    /// Which requirement set it claims and where its fixtures are.
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
    /// The major of `manifestVersion`; `None` when it cannot be read.
    pub fn major(&self) -> Option<u32> {
        self.manifest_version.split('.').next()?.parse().ok()
    }
}

wire_enum! {
    /// How the adapter talks to the agent CLI. An unknown word is read as a pipe.
    pub enum CliTransport, unknown => Stdio {
        /// Lines over stdin and stdout.
        Stdio = "stdio",
        /// JSON-RPC over stdin and stdout.
        JsonRpc = "json_rpc",
        /// The Agent Client Protocol.
        Acp = "acp",
        /// A local HTTP server.
        Http = "http",
        /// A terminal.
        Pty = "pty",
        /// Part of the adapter itself.
        Embedded = "embedded",
    }
}

/// The agent CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CliInfo {
    /// The executable's names, the best first.
    pub names: Vec<String>,
    /// The oldest version that works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_min: Option<String>,
    /// The version the adapter was tested with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_tested: Option<String>,
    /// How the adapter talks to it.
    pub transport: CliTransport,
    /// How one installs it.
    #[serde(default)]
    pub install: Vec<InstallMethod>,
}

/// One way to install the agent CLI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstallMethod {
    /// `any`, `linux`, `macos` or `windows`.
    pub platform: String,
    /// `npm`, `brew`, `pip`, `script`, ….
    pub kind: String,
    /// What to type.
    pub command: String,
    /// What to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// How one logs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AuthInfo {
    /// `oauth`, `api_key`, …; empty means none is needed.
    pub methods: Vec<String>,
    /// Variables that carry a credential. The host passes them on where policy allows.
    pub env: Vec<String>,
    /// Files that carry one, `~` for the home folder.
    pub files: Vec<String>,
    /// What to type to log in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_command: Option<String>,
}

/// What the adapter needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Requirements {
    /// Where it works: `linux`, `macos`, `windows`; empty means everywhere.
    pub platforms: Vec<String>,
    /// Other programs it needs.
    pub bins: Vec<String>,
    /// Further variables it reads or the agent CLI wants.
    pub env: Vec<EnvRequirement>,
}

/// One variable of the environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvRequirement {
    /// Its name.
    pub name: String,
    /// Its value is never shown.
    #[serde(default)]
    pub secret: bool,
    /// It works without.
    #[serde(default)]
    pub optional: bool,
}

wire_enum! {
    /// How skills reach the agent. An unknown word is read as prompt injection.
    pub enum SkillStrategy, unknown => Prompt {
        /// The agent CLI reads a folder of skills.
        Native = "native",
        /// The text of a skill is put into the prompt.
        Prompt = "prompt",
        /// A file is placed where the agent looks.
        File = "file",
    }
}

/// How skills reach the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsInfo {
    /// The way.
    pub strategy: SkillStrategy,
    /// Folders the agent CLI reads, `~` for the home folder.
    #[serde(default)]
    pub dirs: Vec<String>,
}

/// Which requirement set an adapter claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConformanceInfo {
    /// The set, such as `1.0`.
    pub requirements: String,
    /// Where the fixture pack is, relative to the adapter's source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixtures: Option<String>,
}

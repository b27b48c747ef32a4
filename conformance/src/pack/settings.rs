//! The format of `conformance.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::real_settings::RealSettings;
use crate::fake_cli::Probe;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The agent CLI.
    #[serde(default)]
    pub cli: CliSettings,
    /// A valid login.
    #[serde(default)]
    pub auth: AuthSettings,
    /// Scenarios by name.
    #[serde(default)]
    pub scenario: BTreeMap<String, ScenarioSettings>,
    /// Scenarios that this agent CLI does not support, each with the reason.
    #[serde(default)]
    pub not_applicable: BTreeMap<String, String>,
    /// Checks that are known to fail, each with the reason; a listed check that passes is a
    /// failure.
    #[serde(default)]
    pub known_failures: BTreeMap<String, String>,
    /// How the real agent CLI is run; absent if it cannot be.
    pub real: Option<RealSettings>,
}

/// The agent CLI.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CliSettings {
    /// The file name of the fake CLI; the default is the first name in the manifest.
    pub name: Option<String>,
    /// Whether the adapter has no agent CLI, so that checks with the fake CLI are skipped.
    pub embedded: bool,
    /// How the prompt reaches the agent CLI.
    pub prompt: PromptDelivery,
    /// Whether the agent CLI needs a terminal; the fake CLI then fails without one.
    pub pty: bool,
    /// The format of its session ids; `{{uuid}}` is the variable part.
    pub session_id: Option<String>,
    /// The output of `--version`.
    pub version: Option<String>,
    /// Files next to the fake CLI: path there = file of the pack.
    pub files: BTreeMap<String, String>,
    /// Argument lists that are answered without running the steps.
    pub probe: Vec<Probe>,
}

/// How the prompt reaches the agent CLI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptDelivery {
    /// As the complete stdin.
    #[default]
    Stdin,
    /// Inside a message on stdin or in a request; the pack binds it as `{{?prompt}}`.
    Rpc,
    /// As one argument.
    Argv,
}

/// The environment and files of a login.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuthSettings {
    /// Variables; values may use placeholders (`{{secret}}`).
    pub env: BTreeMap<String, String>,
    /// Files below the home folder: path there = file of the pack with placeholders.
    pub home: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScenarioSettings {
    /// The step file; absent for adapters without an agent CLI and for scenarios of detection.
    pub steps: Option<String>,
    /// The prompt; the default is `conformance {{nonce}}`.
    pub prompt: Option<String>,
    /// Additional parameters of `run/start`, with placeholders.
    pub params: toml::Table,
    /// Replaces the output of `--version`.
    pub version: Option<String>,
    /// Replaces `auth.env`.
    pub env: Option<BTreeMap<String, String>>,
    /// Replaces `auth.home`.
    pub home: Option<BTreeMap<String, String>>,
    /// Replaces `cli.files`.
    pub files: Option<BTreeMap<String, String>>,
    /// Additional probes, which take precedence over the pack's.
    pub probe: Vec<Probe>,
}

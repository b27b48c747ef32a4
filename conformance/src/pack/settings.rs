//! `conformance.toml` as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::real::RealSettings;
use crate::stand_in::Probe;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The agent CLI.
    #[serde(default)]
    pub cli: CliSettings,
    /// A login that works.
    #[serde(default)]
    pub auth: AuthSettings,
    /// Scenarios by name.
    #[serde(default)]
    pub scenario: BTreeMap<String, ScenarioSettings>,
    /// Scenarios that this agent CLI cannot have, each with the reason.
    #[serde(default)]
    pub not_applicable: BTreeMap<String, String>,
    /// Checks that are known to fail, each with the reason; a listed check that passes is a
    /// failure too.
    #[serde(default)]
    pub known_failures: BTreeMap<String, String>,
    /// How the real agent CLI is driven; absent where it cannot be.
    pub real: Option<RealSettings>,
}

/// The agent CLI.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CliSettings {
    /// The file name of the stand-in; absent means the manifest's first name.
    pub name: Option<String>,
    /// The adapter has no agent CLI: checks that need the stand-in are skipped.
    pub embedded: bool,
    /// How the prompt reaches the agent CLI.
    pub prompt: PromptWay,
    /// The agent CLI needs a terminal, so the stand-in refuses to play without one.
    pub pty: bool,
    /// How its session ids look, `{{uuid}}` being what makes one differ from another.
    pub session_id: Option<String>,
    /// What `--version` prints.
    pub version: Option<String>,
    /// Files laid beside the stand-in: path there = file of the pack.
    pub files: BTreeMap<String, String>,
    /// Argument lists that are answered without playing steps.
    pub probe: Vec<Probe>,
}

/// How the prompt reaches the agent CLI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptWay {
    /// As the whole of stdin.
    #[default]
    Stdin,
    /// Inside a message on stdin or in a request; the pack binds it as `{{?prompt}}`.
    Rpc,
    /// As one argument.
    Argv,
}

/// Environment and files that make a login.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuthSettings {
    /// Variables; values may use placeholders (`{{secret}}`).
    pub env: BTreeMap<String, String>,
    /// Files below the home folder: path there = file of the pack, placeholders filled.
    pub home: BTreeMap<String, String>,
}

/// One scenario.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScenarioSettings {
    /// The step file; absent for adapters without an agent CLI and for scenarios of detection.
    pub steps: Option<String>,
    /// The prompt the suite sends; absent means `conformance {{nonce}}`.
    pub prompt: Option<String>,
    /// More parameters of `run/start`, placeholders filled.
    pub params: toml::Table,
    /// Replaces what `--version` prints.
    pub version: Option<String>,
    /// Replaces `auth.env`.
    pub env: Option<BTreeMap<String, String>>,
    /// Replaces `auth.home`.
    pub home: Option<BTreeMap<String, String>>,
    /// Replaces `cli.files`.
    pub files: Option<BTreeMap<String, String>>,
    /// More probes, tried before the pack's.
    pub probe: Vec<Probe>,
}

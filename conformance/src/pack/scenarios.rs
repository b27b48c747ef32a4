//! The abstract scenarios that a pack can implement.

use std::path::Path;

use super::error::PackError;
use super::real_settings::RealSettings;
use super::settings::Settings;

/// Every scenario with a description and the values it should use.
pub const SCENARIOS: &[(&str, &str)] = &[
    ("text", "an answer in pieces: {{#each deltas}} {{text}}, then the CLI's final message"),
    ("thinking", "thoughts {{#each thinking_deltas}}, then an answer as in text"),
    (
        "tool_ok",
        "a tool call {{tool_id}} with {{tool_command}} that succeeds with {{tool_output}}, then an answer",
    ),
    ("tool_error", "the same call, but it fails with {{tool_output}}"),
    (
        "tool_parallel",
        "two concurrent calls {{tool_id}} and {{tool_id_2}}, answered in reverse order",
    ),
    ("tool_open", "a call {{tool_id}} that gets no result before the CLI's final message"),
    ("file_write", "a tool writes {{file_content}} to {{file_path}}, which the CLI reports"),
    ("file_delete", "a tool deletes {{file_path}}, which the CLI reports"),
    ("file_rename", "a tool renames {{file_path}} to {{new_file_path}}, which the CLI reports"),
    (
        "usage",
        "{{input_tokens}}, {{output_tokens}}, {{cache_read_tokens}}, {{cache_write_tokens}}, {{cost}}",
    ),
    ("no_cost", "as text, with token counts but no price"),
    (
        "rate_limit",
        "the provider rejects the request: retry after {{retry_after_ms}} or at {{resets_at}}; the CLI stops",
    ),
    ("retry_forever", "the CLI reports retries and never stops (hang)"),
    ("auth_missing", "the user is not logged in (settings: env, home)"),
    ("auth_expired", "the login has expired (settings: env, home)"),
    ("auth_fail_run", "the provider rejects the credential during a run"),
    ("context_exceeded", "the conversation no longer fits the model"),
    ("model_unknown", "the provider does not know the model"),
    (
        "approval",
        "the CLI requests an approval for {{tool_command}} and continues according to the answer",
    ),
    ("input", "a second message reaches the running CLI, which answers {{second_text}}"),
    ("resume", "the CLI continues {{session_id}}"),
    ("fork", "the CLI continues a copy of {{session_id}} as {{new_session_id}}"),
    ("session_unknown", "the CLI does not know the session"),
    ("models", "the CLI's list of models: {{model}}"),
    ("quota", "the CLI's report of its quota"),
    ("version_old", "a CLI below the minimum version (settings: version, files)"),
    ("subagent", "a subagent starts and ends"),
    ("options", "as text, if a run with options (mode, effort, images …) needs different steps"),
    ("unmapped", "a line of a future message type, then an answer as in text"),
    (
        "cancel",
        "an answer starts, then the CLI waits; on its stop signal it reports the stop and exits",
    ),
];

/// The scenarios that `real` runs with the real agent CLI.
pub const REAL_SCENARIO_NAMES: &[&str] = &[
    "plain",
    "think",
    "unicode",
    "long_prompt",
    "write",
    "parallel",
    "toolfail",
    "approval_allow",
    "approval_deny",
    "resume",
    "fork",
    "cancel_stream",
    "cancel_tool",
    "r401",
    "r429",
    "ctx400",
    "drop",
];

/// Whether a scenario is known; names that start with `mode_` are `options` in that mode, and names
/// that start with `_` belong to the pack.
pub fn is_known_scenario(name: &str) -> bool {
    name.starts_with('_')
        || name.starts_with("mode_")
        || SCENARIOS.iter().any(|(known, _)| *known == name)
}

/// Reports names of scenarios that the suite does not know.
pub(super) fn unknown_scenarios(file: &Path, text: &str, settings: &Settings) -> Vec<PackError> {
    let names = settings.scenario.keys().chain(settings.not_applicable.keys());
    let known: Vec<&str> = SCENARIOS.iter().map(|(known, _)| *known).collect();
    let unknown = names.filter(|name| !is_known_scenario(name)).map(|name| {
        let message = format!("unknown scenario {name:?}; available: {}", known.join(", "));
        PackError::at_word(file, text, name, message)
    });
    let real = settings.real.iter().flat_map(RealSettings::unknown_scenarios);
    let unknown_real = real.map(|name| {
        let message = format!("unknown scenario of the real agent CLI {name:?}");
        PackError::at_word(file, text, name, message)
    });
    unknown.chain(unknown_real).collect()
}

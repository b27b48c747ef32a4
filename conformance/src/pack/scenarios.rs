//! The abstract scenarios: what the agent CLI of a pack is asked to play.

/// Every scenario with what it shows and the values it should use.
pub const SCENARIOS: &[(&str, &str)] = &[
    ("text", "an answer in pieces: {{#each deltas}} {{text}}, then the CLI's own last word"),
    ("thinking", "thoughts {{#each thinking_deltas}}, then an answer as in text"),
    (
        "tool_ok",
        "a tool call {{tool_id}} with {{tool_command}} that succeeds with {{tool_output}}, then an answer",
    ),
    ("tool_error", "the same call, but it fails with {{tool_output}}"),
    (
        "tool_parallel",
        "two calls {{tool_id}} and {{tool_id_2}} open at once, answered in the other order",
    ),
    ("tool_open", "a call {{tool_id}} that gets no result before the CLI's own last word"),
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
        "the provider refuses: retry after {{retry_after_ms}} or at {{resets_at}}; the CLI gives up",
    ),
    ("retry_forever", "the CLI says again and again that it retries; it never gives up (hang)"),
    ("auth_missing", "nobody is logged in (settings: env, home)"),
    ("auth_expired", "the login has run out (settings: env, home)"),
    ("auth_fail_run", "the provider refuses the credential during a run"),
    ("context_exceeded", "the conversation no longer fits the model"),
    ("model_unknown", "the provider does not know the model"),
    ("approval", "the CLI asks before {{tool_command}}, and goes on by the answer"),
    ("input", "a second message reaches the live CLI, which answers {{second_text}}"),
    ("resume", "the CLI goes on with {{session_id}}"),
    ("fork", "the CLI goes on with a copy of {{session_id}} under {{new_session_id}}"),
    ("session_unknown", "the CLI does not know the session"),
    ("models", "what the CLI answers when it is asked for its models: {{model}}"),
    ("quota", "what the CLI answers when it is asked for its allowance"),
    ("version_old", "a CLI below the minimum (settings: version, files)"),
    ("subagent", "a helper of the agent begins and ends"),
    (
        "options",
        "as text, where a run with options (mode, effort, pictures …) needs other steps than text",
    ),
    ("unmapped", "a line of a type the CLI may send one day, then an answer as in text"),
    ("cancel", "an answer begins, the CLI waits; on its own polite stop it says so and exits"),
];

/// Whether a scenario is one of these; names that start with `mode_` stand for `options` in that
/// mode, and names that start with `_` are the pack's own.
pub fn is_known_scenario(name: &str) -> bool {
    name.starts_with('_')
        || name.starts_with("mode_")
        || SCENARIOS.iter().any(|(known, _)| *known == name)
}

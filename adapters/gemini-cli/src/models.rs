//! Models: requested from the CLI over ACP. When it does not answer (no login, a slow start), a static
//! list is returned.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_sdk::probe::cli_query::{CliQuery, declared_env, known_models};
use od_sdk::{Install, Machine, acp};

use crate::manifest;

/// Below the 15 seconds of `models/list`.
const QUERY_TIMEOUT: Duration = Duration::from_secs(12);
/// The CLI's default.
const DEFAULT_MODEL: &str = "auto";
/// The models 0.61.0 offers (recording `main.acp`).
const STATIC_MODELS: &[(&str, &str)] = &[
    (DEFAULT_MODEL, "Auto"),
    ("gemini-3.1-pro-preview-customtools", "gemini-3.1-pro-preview"),
    ("gemini-3-flash-preview", "gemini-3-flash-preview"),
    ("gemini-2.5-pro", "gemini-2.5-pro"),
    ("gemini-3.8-flash", "gemini-3.8-flash"),
    ("gemini-3.5-flash-lite", "gemini-3.5-flash-lite"),
];

/// Returns the models that the CLI offers, or the static list.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let mut env = declared_env(&manifest::manifest(), machine);
    env.insert("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned());
    let query = CliQuery {
        args: ["--approval-mode", "plan", "--acp"].map(str::to_owned).to_vec(),
        stdin: acp::session_query_lines(&machine.home.display().to_string()),
        env,
        limit: QUERY_TIMEOUT,
    };
    // Detection reports why the CLI does not start; here the static list is the fallback.
    let stdout = query.run_until(is_answered, install, machine).unwrap_or_default();
    let offered = acp::session_reply(&stdout).as_ref().and_then(acp::models_of);
    offered.unwrap_or_else(|| known_models(STATIC_MODELS, DEFAULT_MODEL))
}

/// Whether the CLI answered `session/new`.
fn is_answered(stdout: &[u8]) -> bool {
    let answers = stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| line.windows(5).any(|window| window == b"\"id\":") && !line.is_empty());
    answers.count() >= 2
}

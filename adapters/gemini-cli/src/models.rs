//! Models: asked of the CLI itself by a short talk over ACP. When it does not answer (no login, a
//! slow start), a list of our own stands in.

use std::time::Duration;

use od_protocol::adapter::ListModelsResult;
use od_sdk::probe::cli_query::{CliQuery, declared_env, known_models};
use od_sdk::{Install, Machine, acp};

use crate::manifest;

/// `models/list` has fifteen seconds.
const LIMIT: Duration = Duration::from_secs(12);
/// What the CLI takes when nothing names a model.
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

/// The models the CLI offers; our own list when it does not say.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let mut env = declared_env(&manifest::manifest(), machine);
    env.insert("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned());
    let query = CliQuery {
        args: ["--approval-mode", "plan", "--acp"].map(str::to_owned).to_vec(),
        stdin: acp::session_query_lines(&machine.home.display().to_string()),
        env,
        limit: LIMIT,
    };
    // Why it cannot be started is told by detection; here a list of our own will do.
    let stdout = query.run_until(is_answered, install, machine).unwrap_or_default();
    let offered = acp::session_reply(&stdout).as_ref().and_then(acp::models_of);
    offered.unwrap_or_else(|| known_models(STATIC_MODELS, DEFAULT_MODEL))
}

/// The session was opened or refused.
fn is_answered(stdout: &[u8]) -> bool {
    let answers = stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| line.windows(5).any(|window| window == b"\"id\":") && !line.is_empty());
    answers.count() >= 2
}

//! Models: asked of the CLI itself by a short talk over ACP. When it does not answer (no login, a
//! slow start), a list of our own stands in.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::{ListModelsResult, Model, ModelsSource};
use od_sdk::probe::converse::{Talk, converse_until};
use od_sdk::{Install, Machine, acp};

use crate::manifest;

/// `models/list` has fifteen seconds.
const LIMIT: Duration = Duration::from_secs(12);
/// The models 0.61.0 offers (recording `main.acp`).
const STATIC_MODELS: &[(&str, &str)] = &[
    ("auto", "Auto"),
    ("gemini-3.1-pro-preview-customtools", "gemini-3.1-pro-preview"),
    ("gemini-3-flash-preview", "gemini-3-flash-preview"),
    ("gemini-2.5-pro", "gemini-2.5-pro"),
    ("gemini-3.8-flash", "gemini-3.8-flash"),
    ("gemini-3.5-flash-lite", "gemini-3.5-flash-lite"),
];

/// The models the CLI offers; our own list when it does not say.
pub fn list(machine: &Machine, install: &Install) -> ListModelsResult {
    let declared = manifest::manifest();
    let names = declared.auth.env.iter().chain(declared.requirements.env.iter().map(|v| &v.name));
    let mut env: BTreeMap<String, String> =
        names.filter_map(|name| Some((name.clone(), machine.var(name)?.to_owned()))).collect();
    env.insert("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned());
    let talk = Talk {
        args: ["--approval-mode", "plan", "--acp"].map(str::to_owned).to_vec(),
        stdin: acp::inquiry_lines(&machine.home.display().to_string()),
        env,
        limit: LIMIT,
    };
    // Why it cannot be started is told by detection; here a list of our own will do.
    let stdout = converse_until(talk, is_answered, install, machine).unwrap_or_default();
    acp::session_reply(&stdout).as_ref().and_then(acp::models_of).unwrap_or_else(static_models)
}

/// The session was opened or refused.
fn is_answered(stdout: &[u8]) -> bool {
    let answers = stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| line.windows(5).any(|window| window == b"\"id\":") && !line.is_empty());
    answers.count() >= 2
}

fn static_models() -> ListModelsResult {
    let models = STATIC_MODELS.iter().map(|(id, name)| Model {
        id: (*id).to_owned(),
        name: Some((*name).to_owned()),
        default: *id == "auto",
        context_window: None,
        efforts: None,
    });
    ListModelsResult { models: models.collect(), current: None, source: ModelsSource::Static }
}

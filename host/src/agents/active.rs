//! The active agent: the one that runs without an agent name use. `active.json` is read for each call, so a change by
//! another process takes effect at once.

use serde::{Deserialize, Serialize};

use super::Agent;
use crate::error::HostError;
use crate::files::replace_json;
use crate::home::OdHome;

#[derive(Serialize, Deserialize)]
struct Document {
    agent: String,
}

/// The id in `active.json`, whether that agent can run or not.
pub(super) fn read(home: &OdHome) -> Option<String> {
    let path = home.active_file();
    let bytes = std::fs::read(&path).ok()?;
    match serde_json::from_slice::<Document>(&bytes) {
        Ok(document) => Some(document.agent),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no active agent: the file is damaged");
            None
        }
    }
}

/// Writes the id of an agent that can run.
pub(super) fn write(home: &OdHome, agent: &Agent) -> Result<(), HostError> {
    let id = &agent.id;
    if let Some(problem) = agent.problem() {
        let text = format!("{id} cannot be the active agent: {}", problem.message);
        let error = HostError::protocol(problem.kind, text);
        let fix = problem.fix.unwrap_or_else(|| "see what it needs: od-host agents".to_owned());
        return Err(error.with_hint(fix));
    }
    let path = home.active_file();
    replace_json(&path, &Document { agent: id.clone() })
        .map_err(|error| HostError::file("write", &path, &error))
}

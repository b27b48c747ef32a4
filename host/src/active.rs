//! The active agent: the one that runs without a name get. `active.json` in the host's folder is read
//! each time, so that a change by another process counts at once.

use od_protocol::ErrorKind;
use od_protocol::api::RUN_ACTIVE;
use serde::{Deserialize, Serialize};

use crate::agents::Agent;
use crate::error::HostError;
use crate::home::OdHome;
use crate::host::Host;
use crate::manifest_cache::replace_json;

#[derive(Serialize, Deserialize)]
struct Document {
    agent: String,
}

/// The agent that was chosen, whether it can run or not.
pub(crate) fn read(home: &OdHome) -> Option<String> {
    let path = home.active_file();
    let bytes = std::fs::read(&path).ok()?;
    match serde_json::from_slice::<Document>(&bytes) {
        Ok(document) => Some(document.agent),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no agent is active: the file is damaged");
            None
        }
    }
}

/// Makes an agent the active one.
///
/// # Errors
/// `_od.run_active` while a run of this process is going on or waits, and what the agent lacks when it
/// cannot run.
pub(crate) async fn choose(host: &Host, id: &str) -> Result<Agent, HostError> {
    if let Some(run) = host.live_runs().iter().find(|run| run.status().is_alive()) {
        let text = format!("the active agent stays while the run {} is going on", run.id());
        return Err(HostError::protocol(ErrorKind::from_wire(RUN_ACTIVE), text)
            .with_hint("wait for its end, or cancel it with runs/cancel"));
    }
    let agent = host.agent(id).await?;
    if let Some(problem) = agent.problem() {
        let text = format!("{id} cannot be the active agent: {}", problem.message);
        let error = HostError::protocol(problem.kind, text);
        let fix = problem.fix.unwrap_or_else(|| "`od-host agents` shows what it needs".to_owned());
        return Err(error.with_hint(fix));
    }
    let path = host.home().active_file();
    replace_json(&path, &Document { agent: id.to_owned() })
        .map_err(|error| HostError::storage(format!("cannot write {}", path.display()), &error))?;
    Ok(agent)
}

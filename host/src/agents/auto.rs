//! Which agent `-a auto` means: the active one if it can run, otherwise the best one that can; `demo` comes last.

use std::cmp::Reverse;

use od_protocol::{AuthState, Capabilities};

use super::Agent;
use crate::error::{Failure, HostError};

/// The adapter for users who have no agent CLI installed.
const LAST_RESORT: &str = "demo";

/// The best agent that can run now: a known login before an unknown one, more capabilities before fewer, then by
/// name; `demo` after all others.
fn best_agent(agents: &[Agent]) -> Option<&Agent> {
    agents.iter().filter(|agent| agent.may_run()).min_by_key(|agent| rank(agent))
}

/// Whether the detections that are still running can no longer change the choice.
pub(crate) fn is_decided(agents: &[Agent], active: Option<&str>) -> bool {
    let (open, known): (Vec<&Agent>, Vec<&Agent>) = agents.iter().partition(|agent| agent.stale);
    if open.iter().any(|agent| active == Some(&agent.id)) {
        return false;
    }
    let ready = || known.iter().copied().filter(|agent| agent.may_run());
    let chosen = ready().find(|agent| active == Some(&agent.id));
    let best = ready().min_by_key(|agent| rank(agent));
    chosen.is_some()
        || best.is_some_and(|best| open.iter().all(|agent| rank(best) <= best_rank(agent)))
}

/// Sorts agents that can run; the smallest rank is the best.
type Rank<'a> = (bool, bool, Reverse<usize>, &'a str);

fn rank(agent: &Agent) -> Rank<'_> {
    let known_login =
        agent.detected.as_ref().is_ok_and(|detected| detected.auth.state == AuthState::Ok);
    (agent.id == LAST_RESORT, !known_login, Reverse(capability_count(agent)), &agent.id)
}

/// The best rank an agent can get: detection can only reduce the capabilities of its manifest.
fn best_rank(agent: &Agent) -> Rank<'_> {
    let declared = count(&agent.manifest.capabilities);
    (agent.id == LAST_RESORT, false, Reverse(declared), &agent.id)
}

/// Chooses the agent for `auto`; the error names what is missing.
pub(crate) fn choose(agents: Vec<Agent>, active: Option<&str>) -> Result<Agent, HostError> {
    let active = agents.iter().find(|agent| active == Some(&agent.id) && agent.may_run());
    if let Some(agent) = active.or_else(|| best_agent(&agents)) {
        return Ok(agent.clone());
    }
    let installed: Vec<&str> =
        agents.iter().filter(|agent| agent.is_installed()).map(|agent| agent.id.as_str()).collect();
    let message = if agents.is_empty() {
        "no adapter found".to_owned()
    } else if installed.is_empty() {
        format!("none of the {} agents is installed", agents.len())
    } else {
        format!("not logged in to {}", installed.join(", "))
    };
    Err(HostError::new(Failure::AgentUnknown, message)
        .with_hint("see how to install one or log in: od-host agents"))
}

fn capability_count(agent: &Agent) -> usize {
    agent.detected.as_ref().map_or(0, |detected| count(&detected.capabilities))
}

fn count(capabilities: &Capabilities) -> usize {
    match serde_json::to_value(capabilities) {
        Ok(serde_json::Value::Object(capabilities)) => capabilities.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use od_protocol::ErrorKind;
    use serde_json::json;

    fn agent(id: &str, installed: bool, auth: &str, capabilities: serde_json::Value) -> Agent {
        let manifest = json!({
            "manifestVersion": "1.0", "adapterId": id, "displayName": id, "version": "1.0.0",
            "vendor": "test", "protocol": {"min": 1, "max": 1}, "capabilities": {},
            "cli": {"names": [id], "transport": "stdio"}, "auth": {},
        });
        let detected = json!({
            "installed": installed, "meetsMin": null, "auth": {"state": auth},
            "capabilities": capabilities,
        });
        Agent {
            id: id.to_owned(),
            adapter_path: id.into(),
            manifest: serde_json::from_value(manifest).expect("a manifest"),
            detected: Ok(serde_json::from_value(detected).expect("a result")),
            before: None,
            detected_at: None,
            stale: false,
        }
    }

    #[test]
    fn best_agent_prefers_known_login() {
        let rich = json!({"run": {}, "input": {}, "approvals": {}});
        let poor = json!({"run": {}});
        let mut agents = vec![
            agent("absent", false, "ok", rich.clone()),
            agent("demo", true, "ok", rich.clone()),
            agent("locked", true, "missing", rich.clone()),
        ];
        assert_eq!(best_agent(&agents).map(|agent| agent.id.as_str()), Some("demo"));
        agents.push(agent("maybe", true, "unknown", rich.clone()));
        assert_eq!(best_agent(&agents).map(|agent| agent.id.as_str()), Some("maybe"));
        agents.push(agent("plain", true, "ok", poor));
        assert_eq!(best_agent(&agents).map(|agent| agent.id.as_str()), Some("plain"));
        agents.push(agent("rich", true, "ok", rich));
        assert_eq!(best_agent(&agents).map(|agent| agent.id.as_str()), Some("rich"));
    }

    #[test]
    fn active_agent_wins_while_it_can_run() {
        let agents = |active: &str| {
            vec![
                agent("good", true, "ok", json!({"run": {}, "input": {}})),
                agent("chosen", true, active, json!({"run": {}})),
            ]
        };
        let auto = |agents| choose(agents, Some("chosen")).map(|agent| agent.id);
        assert_eq!(auto(agents("ok")).as_deref(), Ok("chosen"));
        assert_eq!(auto(agents("missing")).as_deref(), Ok("good"));
    }

    #[test]
    fn running_detection_blocks_choice_while_rank_may_win() {
        let (poor, rich) = (json!({"run": {}}), json!({"run": {}, "input": {}}));
        let open = |id: &str, capabilities: &serde_json::Value| {
            let mut agent = agent(id, true, "ok", capabilities.clone());
            agent.manifest.capabilities =
                serde_json::from_value(capabilities.clone()).expect("capabilities");
            agent.detected = Err(HostError::protocol(ErrorKind::Timeout, "pending"));
            agent.stale = true;
            agent
        };
        let known = |id: &str| agent(id, true, "ok", rich.clone());
        let decided = |agents: &[Agent]| is_decided(agents, None);
        assert!(decided(&[known("b")]));
        assert!(!decided(&[]) && !decided(&[open("b", &poor)]), "nothing is known");
        assert!(decided(&[known("b"), open("a", &poor)]), "it has fewer capabilities");
        assert!(decided(&[known("b"), open("c", &rich)]), "its name sorts later");
        assert!(!decided(&[known("b"), open("a", &rich)]));
        assert!(!decided(&[known("demo"), open("x", &poor)]), "demo is the last resort");
        assert!(decided(&[known("b"), open("demo", &rich)]));
        let agents = [known("b"), open("a", &rich), open("c", &poor)];
        assert!(is_decided(&agents, Some("b")), "the active one is known");
        assert!(!is_decided(&agents, Some("c")), "the active one is not");
        assert!(!is_decided(&[agent("b", true, "missing", poor.clone())], None), "it cannot run");
    }

    #[test]
    fn no_usable_agent_error_names_reason() {
        let message =
            |agents| choose(agents, None).map_err(|error| error.message).map(|agent| agent.id);
        assert_eq!(message(vec![]), Err("no adapter found".to_owned()));
        let locked = agent("locked", true, "missing", json!({}));
        assert_eq!(message(vec![locked]), Err("not logged in to locked".to_owned()));
    }
}

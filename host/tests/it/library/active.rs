//! The active agent: chosen, stored, preferred, and locked during a run.

use od_host::service::Client;
use od_host::{HostError, Service};
use od_protocol::api::{
    Feature, ListAgentsParams, ListAgentsResult, SetActiveAgentParams, SetActiveAgentResult,
};
use serde_json::value::to_raw_value;

use super::service_runs::service;
use super::stage::{Stage, block_on};

async fn choose(service: &Service, agent: &str) -> Result<SetActiveAgentResult, HostError> {
    service.set_active_agent(SetActiveAgentParams { agent: agent.to_owned() }).await
}

async fn list(service: &Service) -> ListAgentsResult {
    service.list_agents(ListAgentsParams {}).await.expect("a list")
}

#[test]
fn active_agent_is_stored_and_listed() {
    let stage = Stage::with("a", "good");
    stage.add("z", "good");
    block_on(async {
        let service = service(&stage);
        assert_eq!(list(&service).await.active, None);
        let result = choose(&service, "z").await.expect("it can run");
        assert_eq!(result.active, "z");
        assert_eq!(result.features.agent, "z");
        assert!(result.features.gates.iter().any(|gate| gate.feature == Feature::Steer));
        let list = list(&service).await;
        assert_eq!(list.active.as_deref(), Some("z"));
        let marked: Vec<&str> =
            list.agents.iter().filter(|it| it.active).map(|it| it.id.as_str()).collect();
        assert_eq!(marked, ["z"]);

        // Another process with the same home reads it, and `auto` chooses it.
        assert_eq!(stage.host().active_agent().as_deref(), Some("z"));
        assert_eq!(stage.host().auto().await.expect("an agent").id, "z");
    });
}

#[test]
fn active_agent_that_cannot_run_is_refused() {
    let stage = Stage::with("absent", "not_installed");
    stage.add("stranger", "logged_out");
    stage.add("broken", "dies_at_start");
    block_on(async {
        let service = service(&stage);
        let mut kinds = Vec::new();
        for agent in ["absent", "stranger", "broken", "unknown"] {
            let error = choose(&service, agent).await.expect_err("it cannot run");
            kinds.push(error.clone().into_error_object().kind().as_str().to_owned());
            assert!(error.hint.is_some(), "{agent}: what to do now");
        }
        assert_eq!(kinds, ["cli_not_found", "auth_missing", "plugin_crashed", "_od.agent_unknown"]);
        assert_eq!(service.host().active_agent(), None);
    });
}

#[test]
fn active_agent_is_locked_during_run() {
    let stage = Stage::with("x", "waits");
    stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        choose(&service, "x").await.expect("no run is active");
        let run = stage.start(service.host()).await.expect("a run");
        let error = choose(&service, "y").await.expect_err("a run is active");
        assert_eq!(error.clone().into_error_object().code, 2020);
        assert!(error.message.contains(run.id()), "{error}");
        assert_eq!(service.host().active_agent().as_deref(), Some("x"));
        run.cancel(std::time::Duration::ZERO);
        run.wait().await;
        choose(&service, "y").await.expect("the run has ended");
    });
}

#[test]
fn damaged_active_file_means_no_active_agent() {
    let stage = Stage::with("x", "good");
    let host = stage.host();
    std::fs::write(stage.home().active_file(), "{").expect("damage");
    assert_eq!(host.active_agent(), None);
    block_on(host.set_active_agent("x")).expect("it was replaced");
    assert_eq!(host.active_agent().as_deref(), Some("x"));
}

/// Each method of this chapter is dispatched by its name with its own parameter type.
#[test]
fn agent_methods_are_dispatched_by_name() {
    let stage = Stage::with("x", "answers_calls");
    block_on(async {
        let service = service(&stage);
        let client = Client("test".to_owned());
        let agent = serde_json::json!({"agent": "x"});
        let none = serde_json::json!({});
        for (method, params) in [
            ("agents/list", &none),
            ("agents/refresh", &agent),
            ("agents/get", &agent),
            ("agents/setActive", &agent),
            ("agents/models", &agent),
            ("agents/health", &agent),
            ("agents/features", &none),
            ("adapters/list", &none),
            ("adapters/install-hints", &agent),
        ] {
            let params = to_raw_value(params).expect("JSON");
            let answer = service.call(&client, method, Some(&params)).await;
            let answer = answer.unwrap_or_else(|error| panic!("{method}: {error:?}"));
            assert!(answer.get().starts_with('{'), "{method}: {answer}");
        }
        let params = to_raw_value(&agent).expect("JSON");
        let unknown = service.call(&client, "agents/sing", Some(&params)).await;
        assert_eq!(unknown.expect_err("no such method").kind().as_str(), "method_not_found");
        service.host().close_connections().await;
    });
}

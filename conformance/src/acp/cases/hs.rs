//! ACP-HS: the handshake, what is declared in it, and how unknown things are answered.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{must, rule, should};
use crate::acp::agent::{ANSWER_LIMIT, Agent, START_LIMIT, summary};
use crate::acp::bench::AgentBench;
use crate::acp::suite::{initialize_params, no_capabilities};
use crate::case::{Check, Gate, Level};
use crate::verdict::Verdict;

/// The highest version that fits the field; no agent knows it.
const FAR_VERSION: u64 = 65_535;

const NO_METHOD: i64 = -32601;

pub(super) const CHECKS: &[Check] = &[
    must(
        "ACP-HS-01",
        "answers initialize of a client of version 1 with protocolVersion 1",
        "without it no client shows the agent at all",
        Gate::NONE,
        initializes,
    ),
    must(
        "ACP-HS-02",
        "answers a version it does not know with the latest it supports",
        "a newer client could fall back, but not after an error or an echo",
        Gate::NONE,
        negotiates,
    ),
    must(
        "ACP-HS-03",
        "accepts initialize with unknown members and with nothing but the version",
        "capabilities are added without a new version, so clients are always a little ahead",
        Gate::NONE,
        tolerates,
    ),
    should(
        "ACP-HS-04",
        "says its name and version in agentInfo",
        "a bug report without a version helps nobody",
        Gate::NONE,
        introduces_itself,
    ),
    must(
        "ACP-HS-05",
        "declares capabilities as booleans or objects, and ways to log in with unique ids and names",
        "clients decide by them what they may call",
        Gate::NONE,
        declares_well,
    ),
    must(
        "ACP-HS-06",
        "answers a request it does not know with -32601 and goes on",
        "a client that tries an extension must hear that there is none, or it waits for ever",
        Gate::NONE,
        refuses_unknown_request,
    ),
    should(
        "ACP-HS-07",
        "says nothing to a notification it does not know",
        "an answer without a request is an error in every client",
        Gate::NONE,
        ignores_unknown_notification,
    ),
    rule(
        "ACP-HS-08",
        Level::Must,
        "calls no fs, terminal or elicitation method that the client did not declare",
        "the tool call hangs or fails for a reason the user cannot see",
        Gate::NONE,
    ),
    should(
        "ACP-HS-09",
        "refuses authenticate with a way to log in that it never offered",
        "a client that is told of success shows a login that is not there",
        Gate::NONE,
        refuses_unknown_login,
    ),
    must(
        "ACP-HS-10",
        "echoes ids exactly: zero, large numbers and texts",
        "an answer under another id never arrives",
        Gate::NONE,
        echoes_ids,
    ),
];

fn initializes(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.start()?;
    version(&mut agent, initialize_params(&no_capabilities()), |version| version == 1, "1")
}

fn negotiates(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.start()?;
    let mut params = initialize_params(&no_capabilities());
    params["protocolVersion"] = json!(FAR_VERSION);
    let is_known = |version| (1..FAR_VERSION).contains(&version);
    version(&mut agent, params, is_known, "the latest version it supports")
}

fn tolerates(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.start()?;
    let mut params = initialize_params(&no_capabilities());
    params["_meta"] = json!({"example.org/trace": "00-é"});
    params["clientCapabilities"]["_meta"] = json!({"example.org": {"later": true}});
    params["clientCapabilities"]["holograms"] = json!({"depth": 3});
    params["somethingNew"] = json!([1, 2]);
    version(&mut agent, params, |version| version == 1, "1")?;
    let mut agent = bench.start()?;
    version(&mut agent, json!({"protocolVersion": 1}), |version| version == 1, "1")
}

/// Calls `initialize` and looks at the version in the answer.
fn version(
    agent: &mut Agent,
    params: Value,
    is_good: impl Fn(u64) -> bool,
    wanted: &str,
) -> Verdict {
    let sent = format!("initialize {params}");
    let reply = agent.request("initialize", params, START_LIMIT)?;
    let found = reply.as_ref().ok().and_then(|result| result["protocolVersion"].as_u64());
    if found.is_some_and(is_good) {
        return Ok(());
    }
    Err(agent.wrong(&format!("a result with protocolVersion {wanted}"), &summary(&reply), &sent))
}

fn introduces_itself(bench: &mut AgentBench) -> Verdict {
    let info = &bench.suite.introduction["agentInfo"];
    let has = |name: &str| info[name].as_str().is_some_and(|text| !text.is_empty());
    let is_named = has("name") && has("version");
    bench.suite.ensure_introduced(is_named, "agentInfo with name and version", info)
}

fn declares_well(bench: &mut AgentBench) -> Verdict {
    let suite = &bench.suite;
    let capabilities = &suite.introduction["agentCapabilities"];
    let is_object = capabilities.is_object() || capabilities.is_null();
    suite.ensure_introduced(is_object, "an object agentCapabilities", capabilities)?;
    let is_flag = |path: &&str| {
        capabilities.pointer(path).is_none_or(|value| value.is_boolean() || value.is_null())
    };
    let flags = ["/loadSession", "/promptCapabilities/image", "/promptCapabilities/audio"];
    suite.ensure_introduced(flags.iter().all(is_flag), "booleans", capabilities)?;
    let sessions = &capabilities["sessionCapabilities"];
    let mut members = sessions.as_object().into_iter().flat_map(|members| members.values());
    let are_objects = members.all(|member| member.is_object() || member.is_null());
    suite.ensure_introduced(are_objects, "objects in sessionCapabilities", sessions)?;
    let methods = &suite.introduction["authMethods"];
    let mut ids = HashSet::new();
    let mut is_method = |method: &Value| {
        method["name"].is_string()
            && method["id"].as_str().is_some_and(|id| ids.insert(id.to_owned()))
    };
    let are_methods = methods.as_array().into_iter().flatten().all(&mut is_method);
    suite.ensure_introduced(are_methods, "authMethods with unique ids and names", methods)
}

fn refuses_unknown_request(bench: &mut AgentBench) -> Verdict {
    let agent = bench.agent()?;
    for method in ["conformance/nothing", "_conformance.example/nothing"] {
        let error = agent.refused(method, json!({}))?;
        if error.code != NO_METHOD {
            let got = summary(&Err(error));
            return Err(agent.wrong(&format!("the error {NO_METHOD}"), &got, method));
        }
    }
    Ok(())
}

fn ignores_unknown_notification(bench: &mut AgentBench) -> Verdict {
    let agent = bench.agent()?;
    let before = agent.inbox.others.len();
    agent.notify("_conformance.example/nothing", json!({"a": 1}));
    agent.notify("$/conformance_nothing", json!({}));
    // Whatever it says to them it says before this answer.
    agent.request("conformance/barrier", json!({}), ANSWER_LIMIT)?.ok();
    agent.listen(Duration::from_millis(100));
    let answers = agent.inbox.others[before..].iter();
    match answers.into_iter().find(|line| line.value.get("id").is_some()) {
        None => Ok(()),
        Some(line) => {
            let got = line.value.to_string();
            Err(agent.wrong("silence", &got, "a notification of an unknown method"))
        }
    }
}

fn refuses_unknown_login(bench: &mut AgentBench) -> Verdict {
    let agent = bench.agent()?;
    agent.refused("authenticate", json!({"methodId": "conformance-never-offered"})).map(drop)
}

fn echoes_ids(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.start()?;
    let key = agent.ask_with_id(json!("é-1"), "initialize", initialize_params(&no_capabilities()));
    agent.answer(&key, START_LIMIT)?.ok();
    for id in [json!(0), json!(9_007_199_254_740_991_u64), json!("17")] {
        let key = agent.ask_with_id(id, "conformance/nothing", json!({}));
        if !agent.pump(agent.limit(ANSWER_LIMIT), |inbox| inbox.answers.contains_key(&key)) {
            let others: Vec<String> =
                agent.inbox.others.iter().map(|line| line.value["id"].to_string()).collect();
            let got = format!("none; answers with the ids [{}]", others.join(", "));
            return Err(agent.wrong(&format!("an answer with the id {key}"), &got, &key));
        }
    }
    Ok(())
}

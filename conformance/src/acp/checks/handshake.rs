//! ACP-HS: the handshake, the declared capabilities and unknown messages.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::AgentCheck;
use super::expectations::no_response_since;
use crate::acp::agent::{Agent, RESPONSE_TIMEOUT, START_TIMEOUT, summary};
use crate::acp::context::AgentContext;
use crate::acp::suite::{initialize_params, no_capabilities};
use crate::check::{Gate, active, invariant};
use crate::outcome::CheckOutcome;

/// The highest possible version, which no agent supports.
const UNSUPPORTED_VERSION: u64 = 65_535;

const METHOD_NOT_FOUND: i64 = -32601;

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-HS-01",
        "answers initialize of a version 1 client with protocolVersion 1",
        "otherwise clients do not list the agent",
        Gate::NONE,
        initializes,
    )
    .cites(
        "Initialization",
        "If the Agent supports the requested version, it MUST respond with the same \
         version.",
    ),
    active(
        "ACP-HS-02",
        "answers an unknown version with the latest version it supports",
        "a newer client can fall back, but not after an error or an echo of its version",
        Gate::NONE,
        negotiates_version,
    )
    .cites(
        "Initialization",
        "Otherwise, the Agent MUST respond with the latest version it supports.",
    ),
    active(
        "ACP-HS-03",
        "accepts initialize with unknown members and with only the version",
        "capabilities are added without a new version, so clients are often newer than agents",
        Gate::NONE,
        accepts_unknown_members_in_initialize,
    )
    .cites(
        "Initialization",
        "The introduction of new capabilities is not considered a breaking change. \
         Therefore, Clients and Agents MUST treat all capabilities omitted in the \
         `initialize` request as UNSUPPORTED.",
    ),
    active(
        "ACP-HS-04",
        "reports its name and version in agentInfo",
        "a bug report without a version is not useful",
        Gate::NONE,
        reports_name_and_version,
    )
    .should()
    .cites(
        "Initialization",
        "Both Clients and Agents SHOULD provide information about their implementation in \
         the `clientInfo` and `agentInfo` fields respectively.",
    ),
    active(
        "ACP-HS-05",
        "declares capabilities as booleans or objects, and authentication methods with unique ids \
         and names",
        "clients use them to decide which methods to call",
        Gate::NONE,
        declares_valid_capabilities,
    )
    .cites(
        "Initialization",
        "The Agent MUST respond with the chosen protocol version and the capabilities it \
         supports.",
    ),
    active(
        "ACP-HS-06",
        "answers an unknown request with -32601 and continues",
        "a client that tries an extension must learn that it is missing, or it waits forever",
        Gate::NONE,
        refuses_unknown_request,
    )
    .should()
    .cites(
        "Extensibility",
        "If the receiving end doesn't recognize the custom method name, it should respond \
         with the standard \"Method not found\" error",
    ),
    active(
        "ACP-HS-07",
        "does not answer an unknown notification",
        "a response without a request is an error in every client",
        Gate::NONE,
        ignores_unknown_notification,
    )
    .should()
    .cites(
        "Extensibility",
        "Unlike with custom requests, implementations SHOULD ignore unrecognized \
         notifications.",
    ),
    invariant(
        "ACP-HS-08",
        "calls no fs, terminal or elicitation method that the client did not declare",
        "the tool call hangs or fails for a reason the user cannot see",
        Gate::NONE,
    )
    .cites(
        "File System",
        "If `readTextFile` or `writeTextFile` is `false` or not present, the Agent MUST NOT \
         attempt to call the corresponding filesystem method.",
    ),
    active(
        "ACP-HS-09",
        "refuses authenticate with a method that it did not offer",
        "after a success response the client shows a login that does not exist",
        Gate::NONE,
        refuses_unknown_login,
    )
    .should()
    .cites(
        "Schema",
        "The ID of the authentication method to use. Must be one of the methods advertised \
         in the initialize response.",
    ),
    active(
        "ACP-HS-10",
        "returns request ids unchanged: zero, large numbers and strings",
        "a response with another id never reaches the caller",
        Gate::NONE,
        echoes_ids,
    )
    .cites(
        "Extensibility",
        "Upon receiving a custom request, implementations MUST respond accordingly with the \
         provided `id`",
    ),
    active(
        "ACP-HS-11",
        "answers an unknown request",
        "a client that tries an extension waits forever for an answer",
        Gate::NONE,
        answers_unknown_request,
    )
    .cites(
        "Extensibility",
        "Upon receiving a custom request, implementations MUST respond accordingly with the \
         provided `id`",
    ),
    active(
        "ACP-HS-12",
        "returns request ids unchanged: negative numbers, the empty string, escaped characters, and \
         a number and a string with the same digits at the same time",
        "a response with another id never reaches the caller",
        Gate::NONE,
        echoes_unusual_ids,
    )
    .cites(
        "Extensibility",
        "Upon receiving a custom request, implementations MUST respond accordingly with the \
         provided `id`",
    ),
];

fn initializes(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.start()?;
    expect_version(&mut agent, initialize_params(&no_capabilities()), |version| version == 1, "1")
}

fn negotiates_version(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.start()?;
    let mut params = initialize_params(&no_capabilities());
    params["protocolVersion"] = json!(UNSUPPORTED_VERSION);
    let is_known = |version| (1..UNSUPPORTED_VERSION).contains(&version);
    expect_version(&mut agent, params, is_known, "the latest version it supports")
}

fn accepts_unknown_members_in_initialize(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.start()?;
    let mut params = initialize_params(&no_capabilities());
    params["_meta"] = json!({"example.org/trace": "00-é"});
    params["clientCapabilities"]["_meta"] = json!({"example.org": {"later": true}});
    params["clientCapabilities"]["holograms"] = json!({"depth": 3});
    params["somethingNew"] = json!([1, 2]);
    expect_version(&mut agent, params, |version| version == 1, "1")?;
    let mut agent = context.start()?;
    expect_version(&mut agent, json!({"protocolVersion": 1}), |version| version == 1, "1")
}

/// Calls `initialize` and checks the version in the response.
fn expect_version(
    agent: &mut Agent,
    params: Value,
    is_valid: impl Fn(u64) -> bool,
    wanted: &str,
) -> CheckOutcome {
    let sent = format!("initialize {params}");
    let reply = agent.request("initialize", params, START_TIMEOUT)?;
    let found = reply.as_ref().ok().and_then(|result| result["protocolVersion"].as_u64());
    if found.is_some_and(is_valid) {
        return Ok(());
    }
    Err(agent.failure(format!("a result with protocolVersion {wanted}"), summary(&reply), &sent))
}

fn reports_name_and_version(context: &mut AgentContext) -> CheckOutcome {
    let info = &context.suite.initialize_result["agentInfo"];
    let has = |name: &str| info[name].as_str().is_some_and(|text| !text.is_empty());
    let is_named = has("name") && has("version");
    context.suite.ensure_initialized_with(is_named, "agentInfo with name and version", info)
}

fn declares_valid_capabilities(context: &mut AgentContext) -> CheckOutcome {
    let suite = &context.suite;
    let capabilities = &suite.initialize_result["agentCapabilities"];
    let is_object = capabilities.is_object() || capabilities.is_null();
    suite.ensure_initialized_with(is_object, "an object agentCapabilities", capabilities)?;
    let is_flag = |path: &&str| {
        capabilities.pointer(path).is_none_or(|value| value.is_boolean() || value.is_null())
    };
    let flags = ["/loadSession", "/promptCapabilities/image", "/promptCapabilities/audio"];
    suite.ensure_initialized_with(flags.iter().all(is_flag), "booleans", capabilities)?;
    let sessions = &capabilities["sessionCapabilities"];
    let mut members = sessions.as_object().into_iter().flat_map(|members| members.values());
    let are_objects = members.all(|member| member.is_object() || member.is_null());
    suite.ensure_initialized_with(are_objects, "objects in sessionCapabilities", sessions)?;
    let methods = &suite.initialize_result["authMethods"];
    let mut ids = HashSet::new();
    let mut is_method = |method: &Value| {
        method["name"].is_string()
            && method["id"].as_str().is_some_and(|id| ids.insert(id.to_owned()))
    };
    let are_methods = methods.as_array().into_iter().flatten().all(&mut is_method);
    suite.ensure_initialized_with(are_methods, "authMethods with unique ids and names", methods)
}

fn refuses_unknown_request(context: &mut AgentContext) -> CheckOutcome {
    let agent = context.agent()?;
    for method in ["conformance/nothing", "_conformance.example/nothing"] {
        let error = agent.refused(method, json!({}))?;
        if error.code != METHOD_NOT_FOUND {
            let got = summary(&Err(error));
            return Err(agent.failure(format!("the error {METHOD_NOT_FOUND}"), got, method));
        }
    }
    Ok(())
}

fn ignores_unknown_notification(context: &mut AgentContext) -> CheckOutcome {
    let agent = context.agent()?;
    let before = agent.inbox.others.len();
    agent.notify("_conformance.example/nothing", json!({"a": 1}));
    agent.notify("$/conformance_nothing", json!({}));
    // A response to them would precede this one.
    agent.request("conformance/barrier", json!({}), RESPONSE_TIMEOUT)?.ok();
    agent.listen(Duration::from_millis(100));
    no_response_since(agent, before, "an unknown notification")
}

fn refuses_unknown_login(context: &mut AgentContext) -> CheckOutcome {
    let agent = context.agent()?;
    agent.refused("authenticate", json!({"methodId": "conformance-never-offered"})).map(drop)
}

fn echoes_ids(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.start()?;
    let key = agent.ask_with_id(json!("é-1"), "initialize", initialize_params(&no_capabilities()));
    agent.answer(&key, START_TIMEOUT)?.ok();
    for id in [json!(0), json!(9_007_199_254_740_991_u64), json!("17")] {
        let key = agent.ask_with_id(id, "conformance/nothing", json!({}));
        response_has_id(&mut agent, &key)?;
    }
    Ok(())
}

fn answers_unknown_request(context: &mut AgentContext) -> CheckOutcome {
    let agent = context.agent()?;
    agent.request("_conformance.example/nothing", json!({}), START_TIMEOUT).map(drop)
}

fn echoes_unusual_ids(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.launch()?;
    let escaped = "\"\\\n\u{2028}\u{1F680}";
    let ids = [json!(-17), json!(17), json!("17"), json!(""), json!(" 17 "), json!(escaped)];
    // All requests are open at the same time.
    let keys = ids.map(|id| agent.ask_with_id(id, "_conformance.example/nothing", json!({})));
    keys.iter().try_for_each(|key| response_has_id(&mut agent, key))
}

/// Fails unless a response with exactly this id arrives.
fn response_has_id(agent: &mut Agent, key: &str) -> CheckOutcome {
    let limit = agent.limit(RESPONSE_TIMEOUT);
    if agent.pump(limit, |inbox| inbox.answers.contains_key(key)) {
        return Ok(());
    }
    let others: Vec<String> =
        agent.inbox.others.iter().map(|line| line.value["id"].to_string()).collect();
    let got = format!("none; responses with the ids [{}]", others.join(", "));
    let sent = format!("a request with the id {key}");
    Err(agent.failure(format!("a response with the id {key}"), got, sent))
}

//! ACP-ROB: damaged, split or unexpected input.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::AgentCheck;
use super::expectations::{ends_with, model_received, no_response_since};
use crate::acp::agent::{Agent, RESPONSE_TIMEOUT, START_TIMEOUT, summary};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::suite::{initialize_params, no_capabilities};
use crate::check::{Gate, active};
use crate::outcome::CheckOutcome;

const PARSE_ERROR: i64 = -32700;

/// Lines that are not messages.
const GARBAGE: &[&[u8]] = &[
    b"{\"jsonrpc\": \"2.0\", \"id\": 71, \"meth\n",
    b"this is not JSON\n",
    b"\xff\xfe\x00 broken bytes\n",
    b"42\n",
];

/// Long enough for the agent to read before the next piece arrives.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-ROB-01",
        "survives invalid lines and answers the next message",
        "one invalid line must not end every open conversation",
        Gate::NONE,
        survives_garbage,
    )
    .practice(),
    active(
        "ACP-ROB-02",
        "answers a line that is not JSON with -32700",
        "a client that receives the error can report what went wrong",
        Gate::NONE,
        reports_garbage,
    )
    .practice(),
    active(
        "ACP-ROB-03",
        "reads messages that arrive one byte at a time",
        "pipes split data anywhere",
        Gate::NONE,
        reads_bytes,
    )
    .cites(
        "Transports",
        "Messages are delimited by newlines (`\\n`), and MUST NOT contain embedded \
         newlines.",
    ),
    active(
        "ACP-ROB-04",
        "reads characters whose bytes arrive separately",
        "a reader that decodes each chunk separately damages non-ASCII text",
        Gate::MODEL,
        reads_split_characters,
    )
    .cites("Transports", "JSON-RPC messages MUST be UTF-8 encoded."),
    active(
        "ACP-ROB-05",
        "ignores blank lines and carriage returns",
        "clients on Windows send them",
        Gate::NONE,
        reads_blank_lines,
    )
    .practice(),
    active(
        "ACP-ROB-06",
        "ignores a response to a request that it did not send",
        "a client may answer after the agent has stopped waiting",
        Gate::NONE,
        ignores_unrequested_response,
    )
    .practice(),
    active(
        "ACP-ROB-07",
        "refuses parameters of the wrong type and continues",
        "a client with a bug must receive an error",
        Gate::NONE,
        refuses_wrong_types,
    )
    .cites("Overview", "All methods follow standard JSON-RPC 2.0 error handling"),
    active(
        "ACP-ROB-08",
        "accepts unknown members and _meta in requests",
        "members are added without a new version, so clients are often newer than agents",
        Gate::NONE,
        accepts_unknown_members,
    )
    .cites(
        "Extensibility",
        "Implementations MUST NOT add any custom fields at the root of a type that's part of \
         the specification. All possible names are reserved for future protocol versions.",
    ),
];

/// Fails unless the agent still answers.
fn still_answers(agent: &mut Agent, sent: &str) -> CheckOutcome {
    let reply = agent.request("conformance/alive", json!({}), RESPONSE_TIMEOUT);
    reply.map(drop).map_err(|finding| {
        finding.map_failure(|failure| {
            agent.failure("a response to the next request", failure.got, sent)
        })
    })
}

fn survives_garbage(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.launch()?;
    for garbage in GARBAGE {
        agent.send_raw(garbage);
        still_answers(&mut agent, &String::from_utf8_lossy(garbage))?;
    }
    Ok(())
}

fn reports_garbage(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.launch()?;
    agent.send_raw(GARBAGE[1]);
    let is_reported = |line: &crate::acp::inbox::Line| line.value["error"]["code"] == PARSE_ERROR;
    let limit = agent.limit(Duration::from_secs(3));
    agent.pump(limit, |inbox| inbox.others.iter().any(is_reported));
    if agent.inbox.others.iter().any(is_reported) {
        return Ok(());
    }
    let got =
        agent.inbox.others.first().map_or("no response".to_owned(), |it| it.value.to_string());
    Err(agent.failure(format!("the error {PARSE_ERROR}"), got, "a line that is not JSON"))
}

fn reads_bytes(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.start()?;
    let mut params = initialize_params(&no_capabilities());
    params["_meta"] = json!({"example.org/name": "caf\u{e9}"});
    let key = agent.expect(&json!(1_000), "initialize", &params);
    let line = json!({"jsonrpc": "2.0", "id": 1_000, "method": "initialize", "params": params});
    for byte in format!("{line}\n").as_bytes() {
        agent.send_raw(&[*byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    let reply = agent.answer(&key, START_TIMEOUT)?;
    agent.ensure(reply.is_ok(), "a result", summary(&reply), "initialize, byte by byte")
}

fn reads_split_characters(context: &mut AgentContext) -> CheckOutcome {
    let text = format!("caf\u{e9} \u{65e5}\u{672c} \u{1F680} {}", context.nonce());
    let (session, _) = context.session()?;
    let suite = Arc::clone(&context.suite);
    let agent = context.agent()?;
    let blocks = json!([{"type": "text", "text": format!("{text} please SCN:plain")}]);
    let open = agent.begin_with_split_characters(&session, &blocks, agent.limit(PAUSE));
    let turn = agent.finish(&open, Policy::Reject)?;
    ends_with(agent, &turn, "end_turn")?;
    model_received(&suite, agent, &text, &turn)
}

fn reads_blank_lines(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.launch()?;
    agent.send_raw(b"\n");
    agent.send_raw(b"\r\n");
    let key = agent.expect(&json!(1_001), "conformance/alive", &Value::Null);
    let line = json!({"jsonrpc": "2.0", "id": 1_001, "method": "conformance/alive", "params": {}});
    agent.send_raw(format!("{line}\r\n").as_bytes());
    agent.answer(&key, RESPONSE_TIMEOUT)?.ok();
    match agent.inbox.others.first() {
        None => Ok(()),
        Some(line) => {
            let got = line.value.to_string();
            Err(agent.failure("only the response", got, "two blank lines"))
        }
    }
}

fn ignores_unrequested_response(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = context.launch()?;
    for id in [json!(987_654), json!("not-requested")] {
        agent.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": "cancelled"}}));
    }
    let error = json!({"code": -32603, "message": "late"});
    agent.send(&json!({"jsonrpc": "2.0", "id": 987_655, "error": error}));
    still_answers(&mut agent, "responses without a request")?;
    no_response_since(&agent, 0, "responses without a request")
}

fn refuses_wrong_types(context: &mut AgentContext) -> CheckOutcome {
    let (session, _) = context.session()?;
    let agent = context.agent()?;
    agent.refused("session/prompt", json!({"sessionId": session, "prompt": "not a list"}))?;
    agent.refused("session/prompt", json!({"sessionId": 7, "prompt": []}))?;
    agent.refused("session/prompt", json!([session]))?;
    still_answers(agent, "session/prompt with wrong types")
}

fn accepts_unknown_members(context: &mut AgentContext) -> CheckOutcome {
    context.session()?;
    let cwd = context.folder("cwd")?;
    let agent = context.agent()?;
    let params = json!({
        "cwd": cwd,
        "mcpServers": [],
        "somethingNew": {"a": [1]},
        "_meta": {"example.org/trace": "00"},
    });
    let sent = format!("session/new {params}");
    let reply = agent.request("session/new", params, START_TIMEOUT)?;
    if reply.as_ref().is_ok_and(|result| result["sessionId"].is_string()) {
        return Ok(());
    }
    Err(agent.failure("a session", summary(&reply), &sent))
}

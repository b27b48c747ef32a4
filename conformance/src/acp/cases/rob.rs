//! ACP-ROB: input that is damaged, cut apart or strange.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::evidence::{ended, model_heard};
use super::{must, should};
use crate::acp::agent::{ANSWER_LIMIT, Agent, START_LIMIT, summary};
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::suite::{initialize_params, no_capabilities};
use crate::case::{Check, Gate};
use crate::verdict::{Finding, Verdict};

const NO_JSON: i64 = -32700;

/// Lines that are no messages.
const GARBAGE: &[&[u8]] = &[
    b"{\"jsonrpc\": \"2.0\", \"id\": 71, \"meth\n",
    b"this is no JSON at all\n",
    b"\xff\xfe\x00 broken bytes\n",
    b"42\n",
];

/// Long enough that the agent reads before the next piece comes.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) const CHECKS: &[Check] = &[
    must(
        "ACP-ROB-01",
        "survives lines that are no messages and answers what comes next",
        "one broken line must not cost the user every open conversation",
        Gate::NONE,
        survives_garbage,
    ),
    should(
        "ACP-ROB-02",
        "answers a line that is no JSON with -32700",
        "a client that is told can say what went wrong",
        Gate::NONE,
        tells_of_garbage,
    ),
    must(
        "ACP-ROB-03",
        "reads messages that come one byte at a time",
        "pipes cut where they like",
        Gate::NONE,
        reads_bytes,
    ),
    must(
        "ACP-ROB-04",
        "reads characters that are cut apart on their way",
        "a reader that decodes each piece by itself damages every other language",
        Gate::MODEL,
        reads_cut_characters,
    ),
    should(
        "ACP-ROB-05",
        "passes over blank lines and carriage returns",
        "clients on Windows send them",
        Gate::NONE,
        reads_blank_lines,
    ),
    must(
        "ACP-ROB-06",
        "passes over an answer to something it never asked",
        "a client answers late when the agent has given up",
        Gate::NONE,
        ignores_stray_answer,
    ),
    must(
        "ACP-ROB-07",
        "refuses parameters of the wrong type and goes on",
        "a client with a bug must hear of it",
        Gate::NONE,
        refuses_wrong_types,
    ),
    must(
        "ACP-ROB-08",
        "accepts unknown members and _meta in requests",
        "members are added without a new version, so clients are always a little ahead",
        Gate::NONE,
        accepts_unknown_members,
    ),
];

/// Fails unless the agent still answers.
fn still_answers(agent: &mut Agent, sent: &str) -> Verdict {
    match agent.request("conformance/alive", json!({}), ANSWER_LIMIT) {
        Ok(_) => Ok(()),
        Err(Finding::Fail(failure)) => {
            Err(agent.wrong("an answer to the next request", &failure.got, sent))
        }
        Err(other) => Err(other),
    }
}

fn survives_garbage(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.launch()?;
    for garbage in GARBAGE {
        agent.send_raw(garbage);
        still_answers(&mut agent, &String::from_utf8_lossy(garbage))?;
    }
    Ok(())
}

fn tells_of_garbage(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.launch()?;
    agent.send_raw(GARBAGE[1]);
    let is_told = |line: &crate::acp::inbox::Line| line.value["error"]["code"] == NO_JSON;
    agent.pump(agent.limit(Duration::from_secs(3)), |inbox| inbox.others.iter().any(is_told));
    if agent.inbox.others.iter().any(is_told) {
        return Ok(());
    }
    let got = agent.inbox.others.first().map_or("silence".to_owned(), |it| it.value.to_string());
    Err(agent.wrong(&format!("the error {NO_JSON}"), &got, "a line that is no JSON"))
}

fn reads_bytes(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.start()?;
    let mut params = initialize_params(&no_capabilities());
    params["_meta"] = json!({"example.org/name": "caf\u{e9}"});
    let key = agent.expect(&json!(1_000), "initialize", &params);
    let line = json!({"jsonrpc": "2.0", "id": 1_000, "method": "initialize", "params": params});
    for byte in format!("{line}\n").as_bytes() {
        agent.send_raw(&[*byte]);
        std::thread::sleep(Duration::from_millis(1));
    }
    let reply = agent.answer(&key, START_LIMIT)?;
    match reply {
        Ok(_) => Ok(()),
        Err(_) => Err(agent.wrong("a result", &summary(&reply), "initialize, byte by byte")),
    }
}

fn reads_cut_characters(bench: &mut AgentBench) -> Verdict {
    let text = format!("caf\u{e9} \u{65e5}\u{672c} \u{1F680} {}", bench.nonce());
    let (session, _) = bench.session()?;
    let suite = Arc::clone(&bench.suite);
    let agent = bench.agent()?;
    let blocks = json!([{"type": "text", "text": format!("{text} please SCN:plain")}]);
    let open = agent.begin_in_pieces(&session, &blocks, agent.limit(PAUSE));
    let turn = agent.finish(&open, Policy::Reject)?;
    ended(agent, &turn, "end_turn")?;
    model_heard(&suite, agent, &text, &turn)
}

fn reads_blank_lines(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.launch()?;
    agent.send_raw(b"\n");
    agent.send_raw(b"\r\n");
    let key = agent.expect(&json!(1_001), "conformance/alive", &Value::Null);
    let line = json!({"jsonrpc": "2.0", "id": 1_001, "method": "conformance/alive", "params": {}});
    agent.send_raw(format!("{line}\r\n").as_bytes());
    agent.answer(&key, ANSWER_LIMIT)?.ok();
    match agent.inbox.others.first() {
        None => Ok(()),
        Some(line) => {
            let got = line.value.to_string();
            Err(agent.wrong("nothing but the answer", &got, "two blank lines"))
        }
    }
}

fn ignores_stray_answer(bench: &mut AgentBench) -> Verdict {
    let mut agent = bench.launch()?;
    for id in [json!(987_654), json!("never-asked")] {
        agent.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": "cancelled"}}));
    }
    let error = json!({"code": -32603, "message": "late"});
    agent.send(&json!({"jsonrpc": "2.0", "id": 987_655, "error": error}));
    still_answers(&mut agent, "answers that nobody asked for")?;
    match agent.inbox.others.iter().find(|line| line.value.get("id").is_some()) {
        None => Ok(()),
        Some(line) => {
            let got = line.value.to_string();
            Err(agent.wrong("silence", &got, "answers that nobody asked for"))
        }
    }
}

fn refuses_wrong_types(bench: &mut AgentBench) -> Verdict {
    let (session, _) = bench.session()?;
    let agent = bench.agent()?;
    agent.refused("session/prompt", json!({"sessionId": session, "prompt": "no list"}))?;
    agent.refused("session/prompt", json!({"sessionId": 7, "prompt": []}))?;
    agent.refused("session/prompt", json!([session]))?;
    still_answers(agent, "session/prompt with wrong types")
}

fn accepts_unknown_members(bench: &mut AgentBench) -> Verdict {
    bench.session()?;
    let cwd = bench.folder("cwd")?;
    let agent = bench.agent()?;
    let params = json!({
        "cwd": cwd,
        "mcpServers": [],
        "somethingNew": {"a": [1]},
        "_meta": {"example.org/trace": "00"},
    });
    let sent = format!("session/new {params}");
    let reply = agent.request("session/new", params, START_LIMIT)?;
    if reply.as_ref().is_ok_and(|result| result["sessionId"].is_string()) {
        return Ok(());
    }
    Err(agent.wrong("a session", &summary(&reply), &sent))
}

//! ACP-SES: sessions: opening, remembering, keeping apart, loading.

use serde_json::{Value, json};

use super::evidence::{contains, ended};
use super::{must, should};
use crate::acp::agent::{Agent, START_LIMIT, summary};
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::inbox::Line;
use crate::case::{Check, Gate};
use crate::verdict::{Finding, Verdict, shorten};

const WRONG_PARAMS: i64 = -32602;

const LOADS: Gate = Gate::capability("loadSession");

pub(super) const CHECKS: &[Check] = &[
    must(
        "ACP-SES-01",
        "gives each new session an id of its own",
        "two conversations under one id are one conversation",
        Gate::NONE,
        unique_ids,
    ),
    must(
        "ACP-SES-02",
        "refuses session/new without a working folder",
        "an agent that picks a folder itself works on the wrong files",
        Gate::NONE,
        refuses_without_cwd,
    ),
    should(
        "ACP-SES-03",
        "says that parameters are wrong with -32602",
        "a client tells its own mistake from the agent's by the code",
        Gate::NONE,
        wrong_params_are_typed,
    ),
    must(
        "ACP-SES-04",
        "refuses a prompt for a session that does not exist",
        "a client that waits for an answer to a lost session waits for ever",
        Gate::NONE,
        refuses_unknown_session,
    ),
    must(
        "ACP-SES-05",
        "offers the mode it is in, and takes each mode it offers",
        "the mode decides what is done without asking",
        Gate::NONE,
        takes_its_modes,
    ),
    must(
        "ACP-SES-06",
        "remembers earlier turns of the session, and nothing of another session",
        "a conversation that forgets or mixes is no conversation",
        Gate::MODEL,
        remembers,
    ),
    must(
        "ACP-SES-07",
        "keeps two sessions apart that work at once",
        "text in the wrong window is read by the wrong person",
        Gate::MODEL,
        keeps_apart,
    ),
    must(
        "ACP-SES-08",
        "replays the whole conversation before it answers session/load, also in a new process",
        "a client shows what was replayed; nothing else is known to it",
        Gate { model: true, ..LOADS },
        replays,
    ),
    must(
        "ACP-SES-09",
        "refuses session/load of a session that does not exist",
        "an empty conversation under an old name loses the user's work silently",
        LOADS,
        refuses_unknown_load,
    ),
];

fn unique_ids(bench: &mut AgentBench) -> Verdict {
    let (first, cwd) = bench.session()?;
    let agent = bench.agent()?;
    let second = agent.new_session(&cwd)?;
    if first != second {
        return Ok(());
    }
    Err(agent.wrong("two ids", &format!("{first:?} twice"), "session/new, twice"))
}

fn refuses_without_cwd(bench: &mut AgentBench) -> Verdict {
    bench.session()?;
    let agent = bench.agent()?;
    agent.refused("session/new", json!({"mcpServers": []}))?;
    agent.refused("session/new", json!({"cwd": 7, "mcpServers": []})).map(drop)
}

fn wrong_params_are_typed(bench: &mut AgentBench) -> Verdict {
    bench.session()?;
    let agent = bench.agent()?;
    let error = agent.refused("session/new", json!({"mcpServers": []}))?;
    if error.code == WRONG_PARAMS {
        return Ok(());
    }
    let sent = "session/new {\"mcpServers\":[]}";
    Err(agent.wrong(&format!("the error {WRONG_PARAMS}"), &summary(&Err(error)), sent))
}

fn refuses_unknown_session(bench: &mut AgentBench) -> Verdict {
    bench.session()?;
    let session = format!("conformance-{}", bench.nonce());
    let agent = bench.agent()?;
    let blocks = json!([{"type": "text", "text": "hello"}]);
    agent.refused("session/prompt", json!({"sessionId": session, "prompt": blocks})).map(drop)
}

fn takes_its_modes(bench: &mut AgentBench) -> Verdict {
    let cwd = bench.folder("cwd")?;
    let agent = bench.agent()?;
    let reply = agent.new_session_reply(&cwd)?;
    let modes = &reply["modes"];
    let Some(offered) = modes["availableModes"].as_array() else {
        return Err(Finding::Skip("the agent has no modes".to_owned()));
    };
    let current = &modes["currentModeId"];
    if !offered.iter().any(|mode| mode["id"] == *current) {
        return Err(agent.wrong(
            "a current mode that is offered",
            &modes.to_string(),
            "session/new",
        ));
    }
    // The one it began with comes last: other checks use this process.
    for mode in offered.iter().map(|mode| &mode["id"]).chain([current]) {
        let params = json!({"sessionId": reply["sessionId"], "modeId": mode});
        let sent = format!("session/set_mode {params}");
        let answer = agent.request("session/set_mode", params, START_LIMIT)?;
        if answer.is_err() {
            return Err(agent.wrong("a result", &summary(&answer), &sent));
        }
    }
    Ok(())
}

fn remembers(bench: &mut AgentBench) -> Verdict {
    let words: Vec<String> = (0..4).map(|_| bench.nonce()).collect();
    let (other, _) = bench.session()?;
    let (session, _) = bench.session()?;
    let suite = std::sync::Arc::clone(&bench.suite);
    let agent = bench.agent()?;
    let said = |word: &str, answer: &str| format!("{word} please SCN:plain TEXT=<{answer}>");
    agent.play(&other, &said(&words[3], "aside"), Policy::Reject)?;
    agent.play(&session, &said(&words[0], &words[1]), Policy::Reject)?;
    let turn = agent.play(&session, &said(&words[2], "again"), Policy::Reject)?;
    ended(agent, &turn, "end_turn")?;
    let asked = suite.asked();
    let last = asked.iter().rev().find(|request| contains(&request.body, &words[2]));
    let Some(last) = last else {
        return Err(agent.wrong("the model is asked", "it is not", &turn.sent));
    };
    let has: Vec<bool> = words.iter().map(|word| contains(&last.body, word)).collect();
    if has == [true, true, true, false] {
        return Ok(());
    }
    let got = format!(
        "first prompt {}, first answer {}, another session's prompt {}",
        has[0], has[1], has[3]
    );
    let expected = "a request with the first prompt and answer, and nothing of another session";
    Err(agent.wrong(expected, &got, &turn.sent))
}

fn keeps_apart(bench: &mut AgentBench) -> Verdict {
    let word = bench.nonce();
    let (slow, quick) = (bench.session()?.0, bench.session()?.0);
    let agent = bench.agent()?;
    let speaking = agent.begin(&slow, "please SCN:slow");
    // An agent that does not stream is another check's business.
    agent.wait_text(&speaking).ok();
    let wanted = format!("this is {word} and no other");
    let asked = agent.begin(&quick, &format!("please SCN:plain TEXT=<{wanted}>"));
    let answered = agent.finish(&asked, Policy::Reject);
    agent.notify("session/cancel", json!({"sessionId": slow}));
    let spoken = agent.finish(&speaking, Policy::Cancelled)?;
    // One that works on one session after the other answers now.
    let turn = answered.or_else(|_| agent.finish(&asked, Policy::Reject))?;
    if turn.text().trim() != wanted {
        return Err(agent.wrong(&format!("{wanted:?}"), &turn.summary(), &turn.sent));
    }
    if spoken.text().contains(&word) {
        let expected = "nothing of the other session";
        return Err(agent.wrong(expected, &spoken.summary(), &spoken.sent));
    }
    Ok(())
}

fn replays(bench: &mut AgentBench) -> Verdict {
    let (asked, answered) = (bench.nonce(), bench.nonce());
    let cwd = bench.folder("cwd")?;
    let mut agent = bench.launch()?;
    let session = agent.new_session(&cwd)?;
    let prompt = format!("{asked} please SCN:plain TEXT=<the answer is {answered}>");
    let turn = agent.play(&session, &prompt, Policy::Reject)?;
    ended(&agent, &turn, "end_turn")?;
    let mut agent = bench.relaunch(agent)?;
    let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    let sent = format!("session/load {params}");
    let key = agent.ask("session/load", params);
    let reply = agent.answer(&key, START_LIMIT)?;
    if reply.is_err() {
        return Err(agent.wrong("a result", &summary(&reply), &sent));
    }
    let end = agent.inbox.answers[&key].order;
    let prompts = Replayed::of(&agent, "user_message_chunk", end);
    let answers = Replayed::of(&agent, "agent_message_chunk", end);
    let is_whole = prompts.text.contains(&asked) && answers.text.contains(&answered);
    if is_whole && prompts.first < answers.first {
        return Ok(());
    }
    let expected = "the prompt as user_message_chunk, then the answer as agent_message_chunk, \
                    both before the answer to session/load";
    let got = format!("the prompts {:?} and the answers {:?}", prompts.text, answers.text);
    Err(agent.wrong(expected, &shorten(&got, 600), &sent))
}

/// The updates of one kind before a line.
struct Replayed {
    text: String,
    first: Option<usize>,
}

impl Replayed {
    fn of(agent: &Agent, kind: &str, end: usize) -> Self {
        let is_it = |line: &&Line| line.kind() == kind && line.order < end;
        let lines: Vec<&Line> = agent.inbox.updates.iter().filter(is_it).collect();
        let texts = lines.iter().filter_map(|line| line.update()["content"]["text"].as_str());
        Self { text: texts.collect(), first: lines.first().map(|line| line.order) }
    }
}

fn refuses_unknown_load(bench: &mut AgentBench) -> Verdict {
    let (_, cwd) = bench.session()?;
    let session = format!("conformance-{}", bench.nonce());
    let agent = bench.agent()?;
    let params: Value = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    agent.refused("session/load", params).map(drop)
}

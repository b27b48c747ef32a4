//! ACP-SES: `session/load` in a new process.

use serde_json::{Value, json};

use super::AgentCheck;
use super::expectations::{contains, ends_with, prompt_for_answer};
use crate::acp::agent::{Agent, START_TIMEOUT, summary};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::inbox::Line;
use crate::check::{Gate, active};
use crate::outcome::{CheckOutcome, Finding, shorten};

const LOAD_SESSION: Gate = Gate::capability("loadSession");

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-SES-08",
        "replays the whole conversation before it answers session/load, also in a new process",
        "a client knows only the replayed messages",
        Gate { model: true, ..LOAD_SESSION },
        replays,
    )
    .cites(
        "Session Setup",
        "The Agent MUST replay the entire conversation to the Client in the form of \
         `session/update` notifications (like `session/prompt`).",
    ),
    active(
        "ACP-SES-09",
        "refuses session/load of a session that does not exist",
        "an empty conversation under an old name silently loses the user's work",
        LOAD_SESSION,
        refuses_unknown_load,
    )
    .should()
    .cites("Schema", "Loads an existing session to resume a previous conversation."),
    active(
        "ACP-SES-11",
        "replays every prompt and every answer once and in their order at session/load",
        "a conversation with missing or repeated turns misleads the user",
        Gate { model: true, ..LOAD_SESSION },
        replays_in_order,
    )
    .cites(
        "Session Setup",
        "The Agent MUST replay the entire conversation to the Client in the form of \
         `session/update` notifications (like `session/prompt`).",
    ),
    active(
        "ACP-SES-12",
        "sends the loaded conversation to the model with the next prompt",
        "a session that displays its history and has forgotten it gives wrong answers",
        Gate { model: true, ..LOAD_SESSION },
        remembers_loaded_turns,
    )
    .cites(
        "Session Setup",
        "The Client can then continue sending prompts as if the session was never interrupted.",
    ),
];

fn replays(context: &mut AgentContext) -> CheckOutcome {
    let (asked, answered) = (context.nonce(), context.nonce());
    let cwd = context.folder("cwd")?;
    let mut agent = context.launch()?;
    let session = agent.new_session(&cwd)?;
    let prompt = format!("{asked} please SCN:plain TEXT=<the answer is {answered}>");
    let turn = agent.run_turn(&session, &prompt, Policy::Reject)?;
    ends_with(&agent, &turn, "end_turn")?;
    let mut agent = context.relaunch(agent)?;
    let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    let sent = format!("session/load {params}");
    let key = agent.ask("session/load", params);
    let reply = agent.answer(&key, START_TIMEOUT)?;
    agent.ensure(reply.is_ok(), "a result", summary(&reply), &sent)?;
    let end = agent.inbox.answers[&key].order;
    let prompts = Replayed::of(&agent, "user_message_chunk", end);
    let answers = Replayed::of(&agent, "agent_message_chunk", end);
    let is_whole = prompts.text.contains(&asked) && answers.text.contains(&answered);
    let expected = "the prompt as user_message_chunk, then the answer as agent_message_chunk, \
                    both before the response to session/load";
    let got = format!("the prompts {:?} and the answers {:?}", prompts.text, answers.text);
    agent.ensure(is_whole && prompts.first < answers.first, expected, shorten(&got, 600), &sent)
}

/// The updates of one kind before a line.
struct Replayed {
    text: String,
    first: Option<usize>,
}

impl Replayed {
    fn of(agent: &Agent, kind: &str, end: usize) -> Self {
        let matches = |line: &&Line| line.kind() == kind && line.order < end;
        let lines: Vec<&Line> = agent.inbox.updates.iter().filter(matches).collect();
        let texts = lines.iter().filter_map(|line| line.update()["content"]["text"].as_str());
        Self { text: texts.collect(), first: lines.first().map(|line| line.order) }
    }
}

fn refuses_unknown_load(context: &mut AgentContext) -> CheckOutcome {
    let (_, cwd) = context.session()?;
    let session = format!("conformance-{}", context.nonce());
    let agent = context.agent()?;
    let params: Value = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    agent.refused("session/load", params).map(drop)
}

/// A session with two turns that a new process has loaded.
struct LoadedSession {
    agent: Agent,
    session: String,
    /// The texts of the turns: prompt, answer, prompt, answer.
    texts: [String; 4],
    /// The updates before the response to `session/load`.
    replayed: Vec<Line>,
    sent: String,
}

impl LoadedSession {
    fn create(context: &mut AgentContext) -> Result<Self, Finding> {
        let texts = [(); 4].map(|()| context.nonce());
        let cwd = context.folder("cwd")?;
        let mut agent = context.launch()?;
        let session = agent.new_session(&cwd)?;
        for turn in texts.chunks(2) {
            let prompt = format!("{} {}", turn[0], prompt_for_answer(&turn[1]));
            let turn = agent.run_turn(&session, &prompt, Policy::Reject)?;
            ends_with(&agent, &turn, "end_turn")?;
        }
        let mut agent = context.relaunch(agent)?;
        let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
        let sent = format!("session/load {params}");
        let key = agent.ask("session/load", params);
        let reply = agent.answer(&key, START_TIMEOUT)?;
        if reply.is_err() {
            let reason = format!("ACP-SES-08: session/load returned {}", summary(&reply));
            return Err(Finding::Blocked(reason));
        }
        let end = agent.inbox.answers[&key].order;
        let is_before = |line: &&Line| line.order < end && line.session() == session;
        let replayed = agent.inbox.updates.iter().filter(is_before).cloned().collect();
        Ok(Self { agent, session, texts, replayed, sent })
    }

    /// Returns the replayed messages with their kinds. Successive chunks of one kind are joined,
    /// because an agent may replay a message in pieces.
    fn messages(&self) -> Vec<(&str, String)> {
        let mut messages: Vec<(&str, String)> = Vec::new();
        for line in self.replayed.iter().filter(|line| line.kind().ends_with("_message_chunk")) {
            let text = line.update()["content"]["text"].as_str().unwrap_or_default();
            match messages.last_mut() {
                Some((kind, message)) if *kind == line.kind() => message.push_str(text),
                _ => messages.push((line.kind(), text.to_owned())),
            }
        }
        messages
    }
}

fn replays_in_order(context: &mut AgentContext) -> CheckOutcome {
    let loaded = LoadedSession::create(context)?;
    let mut found: Vec<(&str, &str)> = Vec::new();
    for (kind, message) in loaded.messages() {
        let mut texts: Vec<(usize, &str)> =
            loaded.texts.iter().flat_map(|text| message.match_indices(text.as_str())).collect();
        texts.sort_unstable();
        found.extend(texts.into_iter().filter_map(|(_, text)| {
            let own = loaded.texts.iter().find(|own| *own == text)?;
            Some((kind, own.as_str()))
        }));
    }
    let kinds = ["user_message_chunk", "agent_message_chunk"].into_iter().cycle();
    let expected: Vec<(&str, &str)> = kinds.zip(loaded.texts.iter().map(String::as_str)).collect();
    let got = format!("{found:?} in {}", shorten(&format!("{:?}", loaded.messages()), 600));
    loaded.agent.ensure(found == expected, format!("{expected:?}"), got, &loaded.sent)
}

fn remembers_loaded_turns(context: &mut AgentContext) -> CheckOutcome {
    let nonce = context.nonce();
    let mut loaded = LoadedSession::create(context)?;
    let prompt = format!("{nonce} please SCN:plain");
    let turn = loaded.agent.run_turn(&loaded.session, &prompt, Policy::Reject)?;
    ends_with(&loaded.agent, &turn, "end_turn")?;
    let asked = context.suite.model_requests();
    let has_all = asked
        .iter()
        .filter(|request| contains(&request.body, &nonce))
        .any(|request| loaded.texts.iter().all(|text| contains(&request.body, text)));
    let expected = format!("a request to the model with {nonce} and {}", loaded.texts.join(", "));
    let got = "no such request".to_owned();
    loaded.agent.ensure(has_all, expected, got, &turn.sent)
}

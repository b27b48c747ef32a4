//! ACP-SES: sessions are opened, remembered, kept separate and loaded.

use serde_json::{Value, json};

use super::AgentCheck;
use super::expectations::{contains, ends_with};
use crate::acp::agent::{Agent, START_TIMEOUT, summary};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::inbox::Line;
use crate::check::{Gate, active};
use crate::outcome::{CheckOutcome, Finding, shorten};

const INVALID_PARAMS: i64 = -32602;

const LOAD_SESSION: Gate = Gate::capability("loadSession");

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-SES-01",
        "gives each new session a unique id",
        "two conversations with one id become one conversation",
        Gate::NONE,
        unique_ids,
    ),
    active(
        "ACP-SES-02",
        "refuses session/new without a working folder",
        "an agent that selects a folder itself works on the wrong files",
        Gate::NONE,
        refuses_without_cwd,
    ),
    active(
        "ACP-SES-03",
        "reports invalid parameters with -32602",
        "a client uses the code to distinguish its own mistake from the agent's",
        Gate::NONE,
        wrong_params_are_typed,
    )
    .should(),
    active(
        "ACP-SES-04",
        "refuses a prompt for a session that does not exist",
        "a client would wait forever for an answer from a lost session",
        Gate::NONE,
        refuses_unknown_session,
    ),
    active(
        "ACP-SES-05",
        "offers its current mode and accepts each mode it offers",
        "the mode decides which actions need no permission",
        Gate::NONE,
        accepts_its_modes,
    ),
    active(
        "ACP-SES-06",
        "remembers earlier turns of the session, and nothing of another session",
        "a conversation must not forget its turns or mix them with others",
        Gate::MODEL,
        remembers,
    ),
    active(
        "ACP-SES-07",
        "keeps two concurrent sessions separate",
        "the wrong user reads text that appears in the wrong window",
        Gate::MODEL,
        keeps_sessions_separate,
    ),
    active(
        "ACP-SES-08",
        "replays the whole conversation before it answers session/load, also in a new process",
        "a client knows only the replayed messages",
        Gate { model: true, ..LOAD_SESSION },
        replays,
    ),
    active(
        "ACP-SES-09",
        "refuses session/load of a session that does not exist",
        "an empty conversation under an old name silently loses the user's work",
        LOAD_SESSION,
        refuses_unknown_load,
    ),
];

fn unique_ids(context: &mut AgentContext) -> CheckOutcome {
    let (first, cwd) = context.session()?;
    let agent = context.agent()?;
    let second = agent.new_session(&cwd)?;
    agent.ensure(first != second, "two ids", format!("{first:?} twice"), "session/new, twice")
}

fn refuses_without_cwd(context: &mut AgentContext) -> CheckOutcome {
    context.session()?;
    let agent = context.agent()?;
    agent.refused("session/new", json!({"mcpServers": []}))?;
    agent.refused("session/new", json!({"cwd": 7, "mcpServers": []})).map(drop)
}

fn wrong_params_are_typed(context: &mut AgentContext) -> CheckOutcome {
    context.session()?;
    let agent = context.agent()?;
    let error = agent.refused("session/new", json!({"mcpServers": []}))?;
    if error.code == INVALID_PARAMS {
        return Ok(());
    }
    let sent = "session/new {\"mcpServers\":[]}";
    Err(agent.failure(format!("the error {INVALID_PARAMS}"), summary(&Err(error)), sent))
}

fn refuses_unknown_session(context: &mut AgentContext) -> CheckOutcome {
    context.session()?;
    let session = format!("conformance-{}", context.nonce());
    let agent = context.agent()?;
    let blocks = json!([{"type": "text", "text": "hello"}]);
    agent.refused("session/prompt", json!({"sessionId": session, "prompt": blocks})).map(drop)
}

fn accepts_its_modes(context: &mut AgentContext) -> CheckOutcome {
    let cwd = context.folder("cwd")?;
    let agent = context.agent()?;
    let reply = agent.new_session_reply(&cwd)?;
    let modes = &reply["modes"];
    let Some(offered) = modes["availableModes"].as_array() else {
        return Err(Finding::Skip("the agent has no modes".to_owned()));
    };
    let current = &modes["currentModeId"];
    if !offered.iter().any(|mode| mode["id"] == *current) {
        return Err(agent.failure(
            "a current mode that is one of the offered modes",
            modes.to_string(),
            "session/new",
        ));
    }
    // The initial mode comes last, because other checks use this process.
    for mode in offered.iter().map(|mode| &mode["id"]).chain([current]) {
        let params = json!({"sessionId": reply["sessionId"], "modeId": mode});
        let sent = format!("session/set_mode {params}");
        let answer = agent.request("session/set_mode", params, START_TIMEOUT)?;
        agent.ensure(answer.is_ok(), "a result", summary(&answer), &sent)?;
    }
    Ok(())
}

fn remembers(context: &mut AgentContext) -> CheckOutcome {
    let texts: Vec<String> = (0..4).map(|_| context.nonce()).collect();
    let (other, _) = context.session()?;
    let (session, _) = context.session()?;
    let suite = std::sync::Arc::clone(&context.suite);
    let agent = context.agent()?;
    let prompt_with = |text: &str, answer: &str| format!("{text} please SCN:plain TEXT=<{answer}>");
    agent.run_turn(&other, &prompt_with(&texts[3], "aside"), Policy::Reject)?;
    agent.run_turn(&session, &prompt_with(&texts[0], &texts[1]), Policy::Reject)?;
    let turn = agent.run_turn(&session, &prompt_with(&texts[2], "again"), Policy::Reject)?;
    ends_with(agent, &turn, "end_turn")?;
    let asked = suite.model_requests();
    let last = asked.iter().rev().find(|request| contains(&request.body, &texts[2]));
    let Some(last) = last else {
        return Err(agent.failure("a request to the model", "none was sent", &turn.sent));
    };
    let has: Vec<bool> = texts.iter().map(|text| contains(&last.body, text)).collect();
    let got = format!(
        "first prompt {}, first answer {}, another session's prompt {}",
        has[0], has[1], has[3]
    );
    let expected = "a request with the first prompt and answer, and nothing of another session";
    agent.ensure(has == [true, true, true, false], expected, got, &turn.sent)
}

fn keeps_sessions_separate(context: &mut AgentContext) -> CheckOutcome {
    let text = context.nonce();
    let (slow, quick) = (context.session()?.0, context.session()?.0);
    let agent = context.agent()?;
    let streaming = agent.begin_streaming(&slow);
    let wanted = format!("this is {text} and no other");
    let asked = agent.begin(&quick, &format!("please SCN:plain TEXT=<{wanted}>"));
    let answered = agent.finish(&asked, Policy::Reject);
    agent.cancel(&slow);
    let slow_turn = agent.finish(&streaming, Policy::Cancelled)?;
    // An agent that processes sessions one after the other answers now.
    let turn = answered.or_else(|_| agent.finish(&asked, Policy::Reject))?;
    agent.ensure(
        turn.text().trim() == wanted,
        format!("{wanted:?}"),
        turn.summary(),
        &turn.sent,
    )?;
    let expected = "no text of the other session";
    agent.ensure(!slow_turn.text().contains(&text), expected, slow_turn.summary(), &slow_turn.sent)
}

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

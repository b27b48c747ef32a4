//! ACP-SES: sessions are opened, remembered and kept separate; `session_load` loads them.

use serde_json::json;

use super::AgentCheck;
use super::expectations::{contains, ends_with, has_text, prompt_for_answer};
use crate::acp::agent::{START_TIMEOUT, summary};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::check::{Gate, active};
use crate::outcome::{CheckOutcome, Finding, shorten};

const INVALID_PARAMS: i64 = -32602;

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-SES-01",
        "gives each new session a unique id",
        "two conversations with one id become one conversation",
        Gate::NONE,
        unique_ids,
    )
    .cites(
        "Session Setup",
        "The Agent MUST respond with a unique Session ID that identifies this conversation",
    ),
    active(
        "ACP-SES-02",
        "refuses session/new without a working folder",
        "an agent that selects a folder itself works on the wrong files",
        Gate::NONE,
        refuses_without_cwd,
    )
    .cites(
        "Session Setup",
        "The `cwd` (current working directory) parameter establishes the primary file system \
         context for the session. This directory: MUST be an absolute path",
    ),
    active(
        "ACP-SES-03",
        "reports invalid parameters with -32602",
        "a client uses the code to distinguish its own mistake from the agent's",
        Gate::NONE,
        wrong_params_are_typed,
    )
    .should()
    .cites("Schema", "Invalid params: Invalid method parameter(s)."),
    active(
        "ACP-SES-04",
        "refuses a prompt for a session that does not exist",
        "a client would wait forever for an answer from a lost session",
        Gate::NONE,
        refuses_unknown_session,
    )
    .cites("Overview", "Errors include an `error` object with `code` and `message`"),
    active(
        "ACP-SES-05",
        "offers its current mode and accepts each mode it offers",
        "the mode decides which actions need no permission",
        Gate::NONE,
        accepts_its_modes,
    )
    .cites(
        "Session Modes",
        "The current mode can be changed at any point during a session, whether the Agent is \
         idle or generating a response.",
    ),
    active(
        "ACP-SES-06",
        "remembers earlier turns of the session, and nothing of another session",
        "a conversation must not forget its turns or mix them with others",
        Gate::MODEL,
        remembers,
    )
    .cites("Session Setup", INDEPENDENT_SESSIONS),
    active(
        "ACP-SES-07",
        "keeps two concurrent sessions separate",
        "the wrong user reads text that appears in the wrong window",
        Gate::MODEL,
        keeps_sessions_separate,
    )
    .cites("Session Setup", INDEPENDENT_SESSIONS),
    active(
        "ACP-SES-10",
        "keeps the exact text of two sessions that stream at the same time",
        "half a sentence in the wrong window is worse than none",
        Gate::MODEL,
        keeps_concurrent_texts,
    )
    .cites("Session Setup", INDEPENDENT_SESSIONS),
];

/// The sentence about sessions that several checks verify.
const INDEPENDENT_SESSIONS: &str = "Each session maintains its own context, conversation history, and state, allowing multiple \
     independent interactions with the same Agent.";

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
    let mut untrusted = None;
    // The initial mode comes last, because other checks use this process.
    for mode in offered.iter().map(|mode| &mode["id"]).chain([current]) {
        let params = json!({"sessionId": reply["sessionId"], "modeId": mode});
        let sent = format!("session/set_mode {params}");
        match agent.request("session/set_mode", params, START_TIMEOUT)? {
            Err(error) if error.message.contains("trust") => untrusted = Some(error.message),
            answer => agent.ensure(answer.is_ok(), "a result", summary(&answer), &sent)?,
        }
    }
    // The agent may protect a folder that the user has not trusted.
    match untrusted {
        None => Ok(()),
        Some(message) => Err(Finding::Skip(format!(
            "the agent refuses modes in a folder that it does not trust ({}); add {{{{work}}}} to \
             its trusted folders with --home",
            shorten(&message, 120)
        ))),
    }
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

fn keeps_concurrent_texts(context: &mut AgentContext) -> CheckOutcome {
    let mut text = || (0..40).map(|_| context.nonce()).collect::<Vec<_>>().join(" ");
    let texts = [text(), text()];
    let sessions = [context.session()?.0, context.session()?.0];
    let agent = context.agent()?;
    let mut begin = |index: usize| agent.begin(&sessions[index], &prompt_for_answer(&texts[index]));
    let open = [begin(0), begin(1)];
    for (open, text) in open.iter().zip(&texts) {
        let turn = agent.finish(open, Policy::Reject)?;
        ends_with(agent, &turn, "end_turn")?;
        has_text(agent, &turn, text)?;
    }
    Ok(())
}

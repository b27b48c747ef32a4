//! ACP-TXT: the client receives exactly the text of the model.

use std::sync::Arc;

use serde_json::json;

use super::AgentCheck;
use super::expectations::{ends_with, has_text, model_received, prompt_for_answer};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::schema::STOP_REASONS;
use crate::acp::turn::Turn;
use crate::check::{Gate, active, invariant};
use crate::outcome::CheckOutcome;

const LONG_PROMPT_BYTES: usize = 200 * 1024;

/// Multi-byte characters.
const UNICODE: &str =
    "emoji \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} caf\u{e9} \u{65e5}\u{672c}\u{8a9e} end";

/// Characters that some readers treat as line ends. Only the prompt contains them: the protocol
/// does not define how an agent reads its vendor's stream.
const LINE_ENDS: &str = "one \u{2028} line \u{85} only";

/// Text that filters and normalizers change: CR LF, blank lines, decomposed characters, U+FEFF,
/// joiners, no-break spaces, HTML entities, and text that looks like an escape.
const HOSTILE: &str = "crlf \r\n lf \n\n tab \t nfd e\u{301} o\u{308} bom \u{feff} joiners \
     a\u{200c}b\u{200d}c nbsp \u{a0} html &amp; &lt;b&gt; &#39; &nbsp; ansi [31m red [0m escapes \
     \\n \\u0041 %20 ${HOME} end";

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-TXT-01",
        "sends the model's text as agent_message_chunk, unchanged and once, before it answers the \
         prompt",
        "users notice lost or duplicated text first",
        Gate::MODEL,
        text_is_whole,
    )
    .cites(
        "Prompt Turn",
        "The Agent reports the model's output to the Client via `session/update` \
         notifications.",
    ),
    active(
        "ACP-TXT-02",
        "sends text while the model is still streaming",
        "a minute of silence looks like a crash",
        Gate::MODEL,
        text_is_streamed,
    )
    .should()
    .cites(
        "Content",
        "Language model output streamed through `session/update` notifications",
    ),
    active(
        "ACP-TXT-03",
        "keeps thoughts out of the message",
        "thoughts that appear as the answer are misleading and end up in files",
        Gate::MODEL,
        thoughts_are_separate,
    )
    .cites(
        "Schema",
        "A chunk of the agent's internal reasoning being streamed.",
    ),
    active(
        "ACP-TXT-04",
        "keeps multi-byte characters intact, in the prompt and in the answer",
        "most of the world's text contains them",
        Gate::MODEL,
        unicode_is_whole,
    )
    .cites(
        "Transports",
        "JSON-RPC messages MUST be UTF-8 encoded.",
    ),
    invariant(
        "ACP-TXT-05",
        "sends no update of a turn after it has answered the turn's prompt",
        "the client has closed the turn; a late update appears in the next turn or nowhere",
        Gate::MODEL,
    )
    .cites(
        "Prompt Turn",
        "The Agent MAY send `session/update` notifications with content or tool call updates \
         after receiving the `session/cancel` notification, but it MUST ensure that it does \
         so before responding to the `session/prompt` request.",
    ),
    active(
        "ACP-TXT-06",
        "ends a turn with a stop reason of the protocol, and a plain answer with end_turn",
        "clients use it to decide whether to continue, retry or inform the user",
        Gate::MODEL,
        stop_reason_is_known,
    )
    .cites(
        "Prompt Turn",
        "If there are no pending tool calls, the turn ends and the Agent MUST respond to the \
         original `session/prompt` request with a `StopReason`",
    ),
    active(
        "ACP-TXT-07",
        "ends a turn with max_tokens if the model stopped for that reason",
        "users trust half an answer that looks complete",
        Gate::MODEL,
        token_limit_is_reported,
    )
    .should()
    .cites(
        "Prompt Turn",
        "When an Agent stops a turn, it must specify the corresponding `StopReason`: [...] \
         The maximum token limit is reached",
    ),
    active(
        "ACP-TXT-08",
        "answers the prompt with an error if the model rejects the key",
        "a rejection that ends as end_turn looks like completed work",
        Gate::MODEL,
        refusal_is_an_error,
    )
    .should()
    .cites(
        "Prompt Turn",
        "When an Agent stops a turn, it must specify the corresponding `StopReason`: [...] \
         The language model finishes responding without requesting more tools",
    ),
    active(
        "ACP-TXT-09",
        "passes a prompt of 200 KB to the model unchanged",
        "pasted logs reach that size",
        Gate::MODEL,
        long_prompt_is_whole,
    )
    .cites(
        "Prompt Turn",
        "Upon receiving the prompt request, the Agent processes the user's message and sends \
         it to the language model",
    ),
    active(
        "ACP-TXT-10",
        "accepts prompts with several blocks, including resource links",
        "every agent must support text and resource links, so clients send them without asking",
        Gate::MODEL,
        accepts_blocks,
    )
    .cites(
        "Initialization",
        "As a baseline, all Agents MUST support `ContentBlock::Text` and \
         `ContentBlock::ResourceLink` in `session/prompt` requests.",
    ),
    active(
        "ACP-TXT-11",
        "keeps CR LF, decomposed characters, U+FEFF, joiners, HTML entities and escape-like text of \
         the model's answer",
        "an answer that was changed on its way breaks code and files that are copied from it",
        Gate::MODEL,
        answer_is_unchanged,
    )
    .cites(
        "Prompt Turn",
        "The Agent reports the model's output to the Client via `session/update` \
         notifications.",
    ),
    active(
        "ACP-TXT-12",
        "passes CR LF, decomposed characters, U+FEFF, joiners, HTML entities and escape-like text \
         of the prompt to the model",
        "a model that sees another text than the user gives a wrong answer",
        Gate::MODEL,
        prompt_is_unchanged,
    )
    .cites(
        "Prompt Turn",
        "Upon receiving the prompt request, the Agent processes the user's message and sends \
         it to the language model",
    ),
];

/// Runs a turn in a new session of the shared agent.
fn run_turn(context: &mut AgentContext, prompt: &str) -> Result<Turn, crate::outcome::Finding> {
    let (session, _) = context.session()?;
    context.agent()?.run_turn(&session, prompt, Policy::Reject)
}

fn text_is_whole(context: &mut AgentContext) -> CheckOutcome {
    let texts: Vec<String> = (0..12).map(|_| context.nonce()).collect();
    let text = texts.join(" ");
    let turn = run_turn(context, &format!("please SCN:plain TEXT=<{text}>"))?;
    has_text(context.agent()?, &turn, &text)
}

fn text_is_streamed(context: &mut AgentContext) -> CheckOutcome {
    let cwd = context.folder("cwd")?;
    let mut agent = context.launch()?;
    let session = agent.new_session(&cwd)?;
    let open = agent.begin(&session, "please SCN:slow");
    agent.wait_text(&open)
}

fn thoughts_are_separate(context: &mut AgentContext) -> CheckOutcome {
    let turn = run_turn(context, "please SCN:think")?;
    has_text(context.agent()?, &turn, "The answer is 42.")?;
    if turn.thoughts().contains("The answer is 42.") {
        let got = format!("the thoughts {:?}", turn.thoughts());
        return Err(context.agent()?.failure(
            "an answer that is not part of the thoughts",
            got,
            &turn.sent,
        ));
    }
    Ok(())
}

fn unicode_is_whole(context: &mut AgentContext) -> CheckOutcome {
    let asked = format!("{UNICODE} {LINE_ENDS} {}", context.nonce());
    let answered = format!("{UNICODE} {}", context.nonce());
    let turn = run_turn(context, &format!("{asked} please SCN:plain TEXT=<{answered}>"))?;
    has_text(context.agent()?, &turn, &answered)?;
    let suite = Arc::clone(&context.suite);
    model_received(&suite, context.agent()?, &asked, &turn)
}

fn stop_reason_is_known(context: &mut AgentContext) -> CheckOutcome {
    let turn = run_turn(context, "please SCN:plain")?;
    ends_with(context.agent()?, &turn, "end_turn")?;
    let turn = run_turn(context, "please SCN:refusal")?;
    if turn.reply.is_err() || STOP_REASONS.contains(&turn.stop_reason()) {
        return Ok(());
    }
    let expected = format!("an error, or one of {}", STOP_REASONS.join(", "));
    Err(context.agent()?.failure(expected, turn.summary(), &turn.sent))
}

fn token_limit_is_reported(context: &mut AgentContext) -> CheckOutcome {
    let turn = run_turn(context, "please SCN:maxtok")?;
    if turn.reply.is_err() {
        return Ok(());
    }
    ends_with(context.agent()?, &turn, "max_tokens")
}

fn refusal_is_an_error(context: &mut AgentContext) -> CheckOutcome {
    let turn = run_turn(context, "please SCN:r401")?;
    match &turn.reply {
        Err(_) => Ok(()),
        Ok(result) if result["stopReason"] == "refusal" => Ok(()),
        Ok(_) => {
            let expected = "a JSON-RPC error";
            Err(context.agent()?.failure(expected, turn.summary(), &turn.sent))
        }
    }
}

fn long_prompt_is_whole(context: &mut AgentContext) -> CheckOutcome {
    let nonce = context.nonce();
    let line = format!("{nonce} h\u{e9}llo \u{65e5}\u{672c} \"quoted\" back\\slash\n");
    let text = line.repeat(LONG_PROMPT_BYTES / line.len() + 1);
    let turn = run_turn(context, &format!("{text}please SCN:plain TEXT=<{nonce}>"))?;
    has_text(context.agent()?, &turn, &nonce)?;
    let suite = Arc::clone(&context.suite);
    model_received(&suite, context.agent()?, text.trim_end(), &turn)
}

fn accepts_blocks(context: &mut AgentContext) -> CheckOutcome {
    let (first, second) = (context.nonce(), context.nonce());
    let (session, cwd) = context.session()?;
    std::fs::write(cwd.join("note.txt"), "a note\n")?;
    let blocks = json!([
        {"type": "text", "text": format!("first {first}")},
        {"type": "resource_link", "uri": format!("file://{}/note.txt", cwd.display()), "name": "note.txt"},
        {"type": "text", "text": format!("please SCN:plain TEXT=<{second}>")},
    ]);
    let suite = Arc::clone(&context.suite);
    let agent = context.agent()?;
    let open = agent.begin_with(&session, &blocks);
    let turn = agent.finish(&open, Policy::Reject)?;
    ends_with(agent, &turn, "end_turn")?;
    model_received(&suite, agent, &format!("first {first}"), &turn)?;
    has_text(context.agent()?, &turn, &second)
}

fn answer_is_unchanged(context: &mut AgentContext) -> CheckOutcome {
    let text = format!("{} {HOSTILE} {}", context.nonce(), context.nonce());
    let turn = run_turn(context, &prompt_for_answer(&text))?;
    has_text(context.agent()?, &turn, &text)
}

fn prompt_is_unchanged(context: &mut AgentContext) -> CheckOutcome {
    let text = format!("{} {HOSTILE} {}", context.nonce(), context.nonce());
    let turn = run_turn(context, &format!("{text} please SCN:plain"))?;
    let suite = Arc::clone(&context.suite);
    model_received(&suite, context.agent()?, &text, &turn)
}

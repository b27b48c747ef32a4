//! ACP-TXT: the text that the model says is the text that the client gets.

use std::sync::Arc;

use serde_json::json;

use super::evidence::{ended, model_heard};
use super::{must, rule, should};
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::kinds::STOP_REASONS;
use crate::acp::turn::Turn;
use crate::case::{Check, Gate, Level};
use crate::verdict::Verdict;

/// How long a long prompt is.
const LONG_PROMPT: usize = 200 * 1024;

/// Characters that take several bytes.
const UNICODE: &str =
    "emoji \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} caf\u{e9} \u{65e5}\u{672c}\u{8a9e} end";

/// Characters that some readers take for line ends. Only the prompt has them: how a vendor's stream
/// is read is not the protocol's business.
const LINE_ENDS: &str = "one \u{2028} line \u{85} only";

pub(super) const CHECKS: &[Check] = &[
    must(
        "ACP-TXT-01",
        "sends the text of the model as agent_message_chunk, letter for letter and once, before the answer to the prompt",
        "lost or doubled text is the first thing that users see",
        Gate::MODEL,
        text_is_whole,
    ),
    should(
        "ACP-TXT-02",
        "sends text while the model still speaks",
        "a minute of silence looks like a crash",
        Gate::MODEL,
        text_is_streamed,
    ),
    must(
        "ACP-TXT-03",
        "keeps thoughts out of the message",
        "thoughts that are read as the answer mislead, and end up in files",
        Gate::MODEL,
        thoughts_are_apart,
    ),
    must(
        "ACP-TXT-04",
        "keeps characters of several bytes whole, in the prompt and in the answer",
        "most of the world writes in them",
        Gate::MODEL,
        unicode_is_whole,
    ),
    rule(
        "ACP-TXT-05",
        Level::Must,
        "sends nothing of a turn after the answer to its prompt",
        "the client has closed the turn; what comes late lands in the next one or nowhere",
        Gate::MODEL,
    ),
    must(
        "ACP-TXT-06",
        "ends a turn with a stop reason of the protocol, and a plain answer with end_turn",
        "clients decide by it whether to go on, retry or tell the user",
        Gate::MODEL,
        stop_reason_is_known,
    ),
    should(
        "ACP-TXT-07",
        "ends a turn with max_tokens when the model stopped there",
        "half an answer that looks whole is trusted",
        Gate::MODEL,
        token_limit_is_told,
    ),
    should(
        "ACP-TXT-08",
        "answers the prompt with an error when the model refuses the key",
        "a refusal that ends as end_turn looks like an agent that did its work",
        Gate::MODEL,
        refusal_is_an_error,
    ),
    must(
        "ACP-TXT-09",
        "hands a prompt of 200 KB to the model whole",
        "pasted logs are as long as that",
        Gate::MODEL,
        long_prompt_is_whole,
    ),
    must(
        "ACP-TXT-10",
        "takes prompts of several blocks, resource links among them",
        "every agent must support text and resource links, so clients send them unasked",
        Gate::MODEL,
        takes_blocks,
    ),
];

/// Makes a turn in a new session of the shared agent.
fn play(bench: &mut AgentBench, prompt: &str) -> Result<Turn, crate::verdict::Finding> {
    let (session, _) = bench.session()?;
    bench.agent()?.play(&session, prompt, Policy::Reject)
}

fn says(bench: &mut AgentBench, turn: &Turn, wanted: &str) -> Verdict {
    if turn.text().trim() == wanted.trim() {
        return Ok(());
    }
    Err(bench.agent()?.wrong(&format!("the text {wanted:?}"), &turn.summary(), &turn.sent))
}

fn text_is_whole(bench: &mut AgentBench) -> Verdict {
    let words: Vec<String> = (0..12).map(|_| bench.nonce()).collect();
    let text = words.join(" ");
    let turn = play(bench, &format!("please SCN:plain TEXT=<{text}>"))?;
    says(bench, &turn, &text)
}

fn text_is_streamed(bench: &mut AgentBench) -> Verdict {
    let cwd = bench.folder("cwd")?;
    let mut agent = bench.launch()?;
    let session = agent.new_session(&cwd)?;
    let open = agent.begin(&session, "please SCN:slow");
    agent.wait_text(&open)
}

fn thoughts_are_apart(bench: &mut AgentBench) -> Verdict {
    let turn = play(bench, "please SCN:think")?;
    says(bench, &turn, "The answer is 42.")?;
    if turn.thoughts().contains("The answer is 42.") {
        let got = format!("the thoughts {:?}", turn.thoughts());
        return Err(bench.agent()?.wrong("an answer apart from the thoughts", &got, &turn.sent));
    }
    Ok(())
}

fn unicode_is_whole(bench: &mut AgentBench) -> Verdict {
    let asked = format!("{UNICODE} {LINE_ENDS} {}", bench.nonce());
    let answered = format!("{UNICODE} {}", bench.nonce());
    let turn = play(bench, &format!("{asked} please SCN:plain TEXT=<{answered}>"))?;
    says(bench, &turn, &answered)?;
    let suite = Arc::clone(&bench.suite);
    model_heard(&suite, bench.agent()?, &asked, &turn)
}

fn stop_reason_is_known(bench: &mut AgentBench) -> Verdict {
    let turn = play(bench, "please SCN:plain")?;
    ended(bench.agent()?, &turn, "end_turn")?;
    let turn = play(bench, "please SCN:refusal")?;
    if turn.reply.is_err() || STOP_REASONS.contains(&turn.stop_reason()) {
        return Ok(());
    }
    let expected = format!("an error, or one of {}", STOP_REASONS.join(", "));
    Err(bench.agent()?.wrong(&expected, &turn.summary(), &turn.sent))
}

fn token_limit_is_told(bench: &mut AgentBench) -> Verdict {
    let turn = play(bench, "please SCN:maxtok")?;
    if turn.reply.is_err() {
        return Ok(());
    }
    ended(bench.agent()?, &turn, "max_tokens")
}

fn refusal_is_an_error(bench: &mut AgentBench) -> Verdict {
    let turn = play(bench, "please SCN:r401")?;
    match &turn.reply {
        Err(_) => Ok(()),
        Ok(result) if result["stopReason"] == "refusal" => Ok(()),
        Ok(_) => {
            let expected = "a JSON-RPC error";
            Err(bench.agent()?.wrong(expected, &turn.summary(), &turn.sent))
        }
    }
}

fn long_prompt_is_whole(bench: &mut AgentBench) -> Verdict {
    let nonce = bench.nonce();
    let line = format!("{nonce} h\u{e9}llo \u{65e5}\u{672c} \"quoted\" back\\slash\n");
    let text = line.repeat(LONG_PROMPT / line.len() + 1);
    let turn = play(bench, &format!("{text}please SCN:plain TEXT=<{nonce}>"))?;
    says(bench, &turn, &nonce)?;
    let suite = Arc::clone(&bench.suite);
    model_heard(&suite, bench.agent()?, text.trim_end(), &turn)
}

fn takes_blocks(bench: &mut AgentBench) -> Verdict {
    let (first, second) = (bench.nonce(), bench.nonce());
    let (session, cwd) = bench.session()?;
    std::fs::write(cwd.join("note.txt"), "a note\n")?;
    let blocks = json!([
        {"type": "text", "text": format!("first {first}")},
        {"type": "resource_link", "uri": format!("file://{}/note.txt", cwd.display()), "name": "note.txt"},
        {"type": "text", "text": format!("please SCN:plain TEXT=<{second}>")},
    ]);
    let suite = Arc::clone(&bench.suite);
    let agent = bench.agent()?;
    let open = agent.begin_with(&session, &blocks);
    let turn = agent.finish(&open, Policy::Reject)?;
    ended(agent, &turn, "end_turn")?;
    model_heard(&suite, agent, &format!("first {first}"), &turn)?;
    says(bench, &turn, &second)
}

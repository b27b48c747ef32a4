//! Decides between an answer and a refusal. No wire format, no clock.

use std::time::Duration;

use super::answer::{Answer, Fault, Stop};
use super::arguments::example;
use super::failure::{Failure, FailureKind};
use super::prompt::{Directions, directions};
use super::request::Conversation;
use super::scenario::{SCENARIOS, Scenario};
use super::tools;

/// How a request is answered.
#[derive(Debug, Clone)]
pub(super) enum Decision {
    /// Close the connection.
    Cut,
    Refuse(Failure),
    Answer(Box<Answer>),
}

/// Values of an answer that are not from the request.
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    /// See [`Answer::id`].
    pub(super) id: String,
    /// See [`Answer::created`].
    pub(super) created: u64,
}

const FRAGMENT_PAUSE: Duration = Duration::from_millis(2);
const SLOW_FRAGMENT_PAUSE: Duration = Duration::from_secs(1);
const SLOW_FRAGMENTS: usize = 60;
const LONG_LINES: usize = 400;
const FLAKY_FAILURES: u32 = 2;
/// The length of the fragments of a text from the prompt.
const FRAGMENT_CHARS: usize = 6;

/// Decides. `count_try` returns how often a prompt was seen, including this time.
pub(super) fn decide(
    conversation: &Conversation,
    stamp: Stamp,
    count_try: impl FnOnce(&str) -> u32,
) -> Decision {
    if conversation.is_side_call() {
        return finish_answer(answer_side_call(conversation, default_answer(conversation, stamp)));
    }
    let directions = match directions(conversation) {
        Ok(directions) => directions,
        Err(name) => return Decision::Refuse(unknown_scenario(&name)),
    };
    match directions.scenario {
        Scenario::DropAll => Decision::Cut,
        Scenario::Refuse(kind) => Decision::Refuse(Failure::of(kind, &conversation.model)),
        // A transient fault passes, but a text that is too long stays too long: agent CLIs that
        // retry without a stream must get it again.
        Scenario::StreamError(kind @ FailureKind::ContextOverflow) if !conversation.stream => {
            Decision::Refuse(Failure::of(kind, &conversation.model))
        }
        Scenario::Flaky if count_try(&directions.prompt) <= FLAKY_FAILURES => {
            Decision::Refuse(Failure::of(FailureKind::ServerError, &conversation.model))
        }
        _ => finish_answer(apply_scenario(
            conversation,
            &directions,
            default_answer(conversation, stamp),
        )),
    }
}

fn finish_answer(answer: Answer) -> Decision {
    Decision::Answer(Box::new(answer))
}

fn unknown_scenario(name: &str) -> Failure {
    let known: Vec<&str> = SCENARIOS.iter().map(|entry| entry.name).collect();
    let message = format!("unknown scenario {name:?}; the fake model has {}", known.join(", "));
    Failure::with_message(FailureKind::BadRequest, message)
}

fn default_answer(conversation: &Conversation, stamp: Stamp) -> Answer {
    Answer {
        id: stamp.id,
        model: conversation.model.clone(),
        created: stamp.created,
        thinking: Vec::new(),
        text: fragments(&["Hello", " from", " the fake", " model."]),
        calls: Vec::new(),
        stop: Stop::End,
        fault: Fault::None,
        pace: FRAGMENT_PAUSE,
        split_characters: false,
        limit_headers: false,
    }
}

/// Answers a side call: JSON if requested, otherwise a title.
fn answer_side_call(conversation: &Conversation, answer: Answer) -> Answer {
    let text = match &conversation.json_schema {
        Some(schema) => json_text(schema),
        None => "Fake title".to_owned(),
    };
    Answer { text: vec![text], ..answer }
}

fn json_text(schema: &serde_json::Value) -> String {
    if schema.is_null() { "{}".to_owned() } else { example(schema).to_string() }
}

fn apply_scenario(conversation: &Conversation, directions: &Directions, answer: Answer) -> Answer {
    let calls = tools::calls(&conversation.tools, directions);
    if !calls.is_empty() {
        let lead: &[&str] = if directions.omits_lead { &[] } else { &["Calling ", "a tool. "] };
        let text = fragments(lead);
        return Answer { text, calls, stop: Stop::Tools, ..answer };
    }
    let mut answer =
        with_scenario_text(directions.scenario, with_fault(directions.scenario, answer));
    if let (Scenario::Plain, Some(schema)) = (directions.scenario, &conversation.json_schema) {
        answer.text = vec![json_text(schema)];
    }
    if directions.rounds > 0 && directions.scenario.wants_tools() {
        answer.text = fragments(&["Done:", " the tool", " finished."]);
    }
    if let Some(text) = &directions.text {
        answer.text = split_into_fragments(text);
    }
    answer
}

fn with_scenario_text(scenario: Scenario, answer: Answer) -> Answer {
    match scenario {
        Scenario::Think => Answer {
            thinking: fragments(&["Let me think", " about it:", " 6*7=42."]),
            text: fragments(&["The answer", " is 42."]),
            ..answer
        },
        Scenario::Unicode => Answer {
            text: fragments(&[
                "emoji: \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} ",
                "caf",
                "\u{e9} ",
                "\u{65e5}\u{672c}\u{8a9e} ",
                "\u{1F680}",
                " quote\" back\\slash \u{2028} end",
            ]),
            split_characters: true,
            ..answer
        },
        Scenario::Long => Answer {
            text: (0..LONG_LINES).map(|line| format!("line {line} of a long answer.\n")).collect(),
            pace: Duration::ZERO,
            ..answer
        },
        Scenario::Slow => Answer {
            text: (0..SLOW_FRAGMENTS).map(|piece| format!("tick {piece} ")).collect(),
            pace: SLOW_FRAGMENT_PAUSE,
            ..answer
        },
        Scenario::Empty => Answer { text: Vec::new(), ..answer },
        Scenario::MaxTokens => Answer { stop: Stop::Limit, ..answer },
        Scenario::Refusal => Answer { stop: Stop::Filter, ..answer },
        Scenario::RateLimitHeaders => Answer { limit_headers: true, ..answer },
        _ => answer,
    }
}

fn with_fault(scenario: Scenario, answer: Answer) -> Answer {
    let fault = match scenario {
        Scenario::Hang => Fault::Hang,
        Scenario::Stall => Fault::Stall,
        Scenario::Drop => Fault::Cut,
        Scenario::Malformed => Fault::Malformed,
        Scenario::StreamError(kind) => Fault::Error(Failure::of(kind, &answer.model)),
        _ => Fault::None,
    };
    Answer { fault, ..answer }
}

fn fragments(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn split_into_fragments(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(FRAGMENT_CHARS).map(|piece| piece.iter().collect()).collect()
}

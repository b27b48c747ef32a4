//! A request in, an answer or a refusal out. No wire format, no clock.

use std::time::Duration;

use super::answer::{Answer, Fault, Stop};
use super::arguments::example;
use super::failure::{Failure, FailureKind};
use super::prompt::{Directions, directions};
use super::request::Conversation;
use super::scenario::{SCENARIOS, Scenario};
use super::tools;

/// What a request gets.
#[derive(Debug, Clone)]
pub(super) enum Decision {
    /// The connection is cut.
    Cut,
    /// A refusal.
    Refuse(Failure),
    /// An answer.
    Answer(Box<Answer>),
}

/// What an answer takes from outside.
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    /// See [`Answer::id`].
    pub(super) id: String,
    /// See [`Answer::created`].
    pub(super) created: u64,
}

const PACE: Duration = Duration::from_millis(2);
const SLOW_PACE: Duration = Duration::from_secs(1);
const SLOW_PIECES: usize = 60;
const LONG_LINES: usize = 400;
const FLAKY_FAILURES: u32 = 2;
/// Pieces of a text that the prompt gives have this many characters.
const PIECE: usize = 6;

/// Decides. `count_try` says how often a prompt has been seen, this time included.
pub(super) fn decide(
    conversation: &Conversation,
    stamp: Stamp,
    count_try: impl FnOnce(&str) -> u32,
) -> Decision {
    if conversation.is_side_call() {
        return answered(aside(conversation, blank(conversation, stamp)));
    }
    let directions = match directions(conversation) {
        Ok(directions) => directions,
        Err(name) => return Decision::Refuse(unknown_scenario(&name)),
    };
    match directions.scenario {
        Scenario::DropAll => Decision::Cut,
        Scenario::Refuse(kind) => Decision::Refuse(Failure::of(kind, &conversation.model)),
        // A fault of the moment passes, a text that is too long stays too long: agent CLIs that ask
        // again without a stream must hear it again.
        Scenario::StreamError(kind @ FailureKind::ContextOverflow) if !conversation.stream => {
            Decision::Refuse(Failure::of(kind, &conversation.model))
        }
        Scenario::Flaky if count_try(&directions.prompt) <= FLAKY_FAILURES => {
            Decision::Refuse(Failure::of(FailureKind::ServerError, &conversation.model))
        }
        _ => answered(play(conversation, &directions, blank(conversation, stamp))),
    }
}

fn answered(answer: Answer) -> Decision {
    Decision::Answer(Box::new(answer))
}

fn unknown_scenario(name: &str) -> Failure {
    let known: Vec<&str> = SCENARIOS.iter().map(|entry| entry.name).collect();
    let message =
        format!("the fake model knows no scenario {name:?}; it knows {}", known.join(", "));
    Failure::saying(FailureKind::BadRequest, message)
}

fn blank(conversation: &Conversation, stamp: Stamp) -> Answer {
    Answer {
        id: stamp.id,
        model: conversation.model.clone(),
        created: stamp.created,
        thinking: Vec::new(),
        text: pieces(&["Hello", " from", " the fake", " model."]),
        calls: Vec::new(),
        stop: Stop::End,
        fault: Fault::None,
        pace: PACE,
        split_characters: false,
        limit_headers: false,
    }
}

/// A call on the side: JSON where JSON is wanted, else a few words that do for a title.
fn aside(conversation: &Conversation, answer: Answer) -> Answer {
    let text = match &conversation.json_schema {
        Some(schema) => json_text(schema),
        None => "Fake title".to_owned(),
    };
    Answer { text: vec![text], ..answer }
}

fn json_text(schema: &serde_json::Value) -> String {
    if schema.is_null() { "{}".to_owned() } else { example(schema).to_string() }
}

fn play(conversation: &Conversation, directions: &Directions, answer: Answer) -> Answer {
    let calls = tools::calls(&conversation.tools, directions);
    if !calls.is_empty() {
        let lead: &[&str] = if directions.is_curt { &[] } else { &["Calling ", "a tool. "] };
        let text = pieces(lead);
        return Answer { text, calls, stop: Stop::Tools, ..answer };
    }
    let mut answer = with_words(directions.scenario, with_fault(directions.scenario, answer));
    if let (Scenario::Plain, Some(schema)) = (directions.scenario, &conversation.json_schema) {
        answer.text = vec![json_text(schema)];
    }
    if directions.rounds > 0 && directions.scenario.wants_tools() {
        answer.text = pieces(&["Done:", " the tool", " finished."]);
    }
    if let Some(text) = &directions.text {
        answer.text = cut_into_pieces(text);
    }
    answer
}

fn with_words(scenario: Scenario, answer: Answer) -> Answer {
    match scenario {
        Scenario::Think => Answer {
            thinking: pieces(&["Let me think", " about it:", " 6*7=42."]),
            text: pieces(&["The answer", " is 42."]),
            ..answer
        },
        Scenario::Unicode => Answer {
            text: pieces(&[
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
            text: (0..SLOW_PIECES).map(|piece| format!("tick {piece} ")).collect(),
            pace: SLOW_PACE,
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

fn pieces(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn cut_into_pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}

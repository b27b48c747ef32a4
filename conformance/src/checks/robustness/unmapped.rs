//! Unknown message types: when they are reported, and with which counts.

use serde_json::Value;

use crate::adapter_client::RunRecord;
use crate::checks::expectations::{exact_answer, plain_answer};
use crate::context::CheckContext;
use crate::fake_cli::{Script, Step};
use crate::outcome::{CheckOutcome, Finding, shorten};

/// How often the types occur.
const MANY: u64 = 5;
const TWICE: u64 = 2;

/// The unknown message of the scenario.
struct UnknownMessage {
    step: usize,
    line: String,
    end: String,
    /// The text in the line that names its type.
    word: String,
}

pub(super) fn counted_by_type(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let shared = context.shared_run("unmapped")?;
    let mut prepared = context.prepare("unmapped")?;
    let known = context.suite.script("text", &prepared.values)?;
    let unknown = find_reported(&shared.record, &prepared.script)
        .or_else(|| find_added(&known, &prepared.script))
        .ok_or_else(|| {
            let reason = "the suite cannot recognize the unknown message in the scenario unmapped";
            Finding::Skip(reason.to_owned())
        })?;
    let nonce = context.nonce();
    let secret = format!("secret-{}", context.nonce());
    let (second, third) =
        (format!("{}_{nonce}b", unknown.word), format!("{}_{nonce}c", unknown.word));
    let first = format!("{}_{nonce}a", unknown.word);
    let mut lines = vec![unknown.with_type(&first, &secret)];
    lines.push(noise(&nonce));
    lines.extend((1..MANY).map(|_| unknown.with_type(&first, &secret)));
    lines.extend((0..TWICE).map(|_| unknown.with_type(&second, &secret)));
    lines.push(unknown.with_type(&third, &secret));
    prepared.script.steps.splice(unknown.step..=unknown.step, lines);
    prepared.request.env.insert("CONFORMANCE_TOKEN".to_owned(), secret.clone());
    let completed_run = context.execute(prepared)?;
    let sent =
        format!("run/start; unknown types, one {MANY} times, one {TWICE} times and one once");
    exact_answer(&completed_run, &sent)?;
    let record = &completed_run.record;
    for (name, counts) in [(&first, vec![1, MANY]), (&second, vec![1, TWICE]), (&third, vec![1])] {
        let got = counts_of(record, name);
        let expected = format!("`unmapped` events of {name:?} with the counts {counts:?}");
        record.ensure(got == counts, expected, describe(record), &sent)?;
    }
    reported_at_once(record, &first, &sent)?;
    for received in record.of_type("unmapped") {
        let text = received.value.to_string();
        let is_clean = !text.contains(&secret);
        record.ensure(is_clean, "no secret in a sample", shorten(&text, 300), &sent)?;
        let is_message = !text.contains(&format!("noise {nonce}"));
        let expected = "a line that is not a message is not reported";
        record.ensure(is_message, expected, shorten(&text, 300), &sent)?;
    }
    Ok(())
}

fn noise(nonce: &str) -> Step {
    Step::out(format!("npm warn noise {nonce}"))
}

impl UnknownMessage {
    /// The message with another type and a secret in an additional member.
    fn with_type(&self, name: &str, secret: &str) -> Step {
        let text = self.line.replace(&format!("\"{}\"", self.word), &format!("\"{name}\""));
        let text = match text.strip_suffix('}') {
            Some(members) => format!("{members},\"conformanceToken\":\"{secret}\"}}"),
            None => text,
        };
        Step::Out { text, end: self.end.clone() }
    }
}

/// Finds the only line whose type the adapter reported.
fn find_reported(record: &RunRecord, script: &Script) -> Option<UnknownMessage> {
    let reported: Vec<&str> = record
        .of_type("unmapped")
        .filter_map(|received| received.value["nativeType"].as_str())
        .collect();
    let is_end = |word: &str| word.len() > 3 && reported.iter().any(|name| name.ends_with(word));
    only_message(script, |word| reported.contains(&word)).or_else(|| only_message(script, is_end))
}

/// Finds the only line with a text that the scenario text does not print.
fn find_added(known: &Script, script: &Script) -> Option<UnknownMessage> {
    let mut words = Vec::new();
    messages(known).for_each(|(_, _, _, message)| collect_texts(&message, &mut words));
    only_message(script, |word| !words.iter().any(|known| known == word))
}

/// Finds the only line with such a text.
fn only_message(script: &Script, is_wanted: impl Fn(&str) -> bool) -> Option<UnknownMessage> {
    let mut found = messages(script).filter_map(|(step, line, end, message)| {
        let mut words = Vec::new();
        collect_texts(&message, &mut words);
        let word = words.into_iter().find(|word| is_wanted(word))?;
        Some(UnknownMessage { step, line, end, word })
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Returns the printed JSON messages: step, line, line end, content.
fn messages(script: &Script) -> impl Iterator<Item = (usize, String, String, Value)> {
    script.steps.iter().enumerate().filter_map(|(step, action)| match action {
        Step::Out { text, end } => {
            let message = serde_json::from_str(text).ok()?;
            Some((step, text.clone(), end.clone(), message))
        }
        _ => None,
    })
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => members.values().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

fn counts_of(record: &RunRecord, name: &str) -> Vec<u64> {
    let is_named = |value: &Value| value["nativeType"].as_str().is_some_and(|it| it.contains(name));
    let events = record.of_type("unmapped").filter(|received| is_named(&received.value));
    events.filter_map(|received| received.value["count"].as_u64()).collect()
}

/// The first report precedes the text that the agent CLI printed later.
fn reported_at_once(record: &RunRecord, name: &str, sent: &str) -> CheckOutcome {
    let first = record.events.iter().position(|received| {
        received.value["nativeType"].as_str().is_some_and(|it| it.contains(name))
    });
    let last_text = record.events.iter().rposition(|it| it.type_name() == "text_delta");
    let is_early = first < last_text || last_text.is_none();
    let got = format!("the events were: {}", shorten(&record.summary(), 300));
    record.ensure(is_early, "the first report before later output", got, sent)
}

fn describe(record: &RunRecord) -> String {
    let events: Vec<String> = record
        .of_type("unmapped")
        .map(|received| format!("{} × {}", received.value["nativeType"], received.value["count"]))
        .collect();
    format!("{events:?}")
}

//! DTM: the same words of the agent CLI give the same events.

use std::collections::HashMap;

use serde_json::Value;

use super::expectations::failure;
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::plugin::RunRecord;
use crate::verdict::{Verdict, shorten};

/// How often the same play is performed.
const TIMES: usize = 3;
/// What may differ: processes, times, and arguments that carry an id of the run.
const VOLATILE: &[&str] = &["pid", "argv", "durationMs", "silentMs", "latencyMs", "at", "_meta"];

/// The chapter's checks.
pub const CHECKS: &[Check] = &[Check {
    id: "DTM-01",
    level: Level::Should,
    sentence: "the same output of the agent CLI gives the same events, three times over",
    why: "a fault that shows itself only now and then is found by users, not by tests",
    gate: Gate::scenario("text"),
    tier: Tier::Fast,
    body: Body::Active(same_events),
}];

fn same_events(bench: &mut Bench) -> Verdict {
    let original = bench.prepare("text")?;
    let mut plugin = bench.launch(&Setup::default())?;
    let mut first: Option<Vec<Value>> = None;
    for time in 1..=TIMES {
        let mut play = original.clone();
        play.request.run_id = format!("{}-{time}", original.run_id());
        let record = perform_on(&mut plugin, play)?.record;
        let events = essence(&record);
        match &first {
            None => first = Some(events),
            Some(first) => same(first, &events, &record, time)?,
        }
    }
    Ok(())
}

fn same(first: &[Value], events: &[Value], record: &RunRecord, time: usize) -> Verdict {
    if first == events {
        return Ok(());
    }
    let at = first.iter().zip(events).take_while(|(one, other)| one == other).count();
    let shown = |events: &[Value]| match events.get(at) {
        Some(event) => shorten(&event.to_string(), 300),
        None => "nothing more".to_owned(),
    };
    let expected = format!("event {at} as the first time: {}", shown(first));
    let sent = format!("the same run/start to the same agent CLI, time {time} of {TIMES}");
    Err(failure(record, expected, shown(events), &sent))
}

/// The events without what may differ: adjoining deltas are one, ids are numbered in the order in
/// which they appear, signs of life depend on the clock.
fn essence(record: &RunRecord) -> Vec<Value> {
    let mut ids = HashMap::new();
    let mut events: Vec<Value> = Vec::new();
    for received in record.events.iter().filter(|received| received.type_name() != "heartbeat") {
        let mut event = received.value.clone();
        simplify(&mut event, &mut ids);
        let is_delta = matches!(received.type_name(), "text_delta" | "thinking_delta");
        match events.last_mut() {
            Some(last) if is_delta && last["type"] == event["type"] => {
                let joined =
                    [&*last, &event].map(|delta| delta["text"].as_str().unwrap_or_default());
                last["text"] = joined.concat().into();
            }
            _ => events.push(event),
        }
    }
    events
}

fn simplify(value: &mut Value, ids: &mut HashMap<String, usize>) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !VOLATILE.contains(&name.as_str()));
            for (name, member) in members {
                match member {
                    Value::String(id) if name.ends_with("Id") => {
                        let next = ids.len();
                        *member = Value::from(*ids.entry(id.clone()).or_insert(next));
                    }
                    _ => simplify(member, ids),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| simplify(item, ids)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_count_by_their_order_and_times_do_not_count() {
        let simple = |mut value: Value| {
            simplify(&mut value, &mut HashMap::new());
            value
        };
        let one = json!([{"messageId": "x", "durationMs": 1}, {"messageId": "y"}]);
        let same = json!([{"messageId": "a", "durationMs": 9}, {"messageId": "b"}]);
        let other = json!([{"messageId": "a"}, {"messageId": "a"}]);
        assert_eq!(simple(one.clone()), simple(same));
        assert_ne!(simple(one), simple(other));
    }
}

//! DTM: the same output of the agent CLI produces the same events.

use std::collections::HashMap;

use serde_json::Value;

use super::AdapterCheck;
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::outcome::{CheckOutcome, shorten};

/// How many times the same run is executed.
const REPETITIONS: usize = 3;
/// Members that may differ: processes, times, and arguments with an id of the run.
const VOLATILE: &[&str] = &["pid", "argv", "durationMs", "silentMs", "latencyMs", "at", "_meta"];

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[active(
    "DTM-01",
    "the same output of the agent CLI produces the same events, three times in a row",
    "users find intermittent faults that tests miss",
    Gate::scenario("text"),
    same_events,
)
.should()];

fn same_events(context: &mut CheckContext) -> CheckOutcome {
    let original = context.prepare("text")?;
    let mut adapter = context.launch()?;
    let mut first: Option<Vec<Value>> = None;
    for repetition in 1..=REPETITIONS {
        let mut prepared = original.clone();
        prepared.request.run_id = format!("{}-{repetition}", original.run_id());
        let record = execute_on(&mut adapter, prepared)?.record;
        let events = comparable_events(&record);
        match &first {
            None => first = Some(events),
            Some(first) => same(first, &events, &record, repetition)?,
        }
    }
    Ok(())
}

fn same(first: &[Value], events: &[Value], record: &RunRecord, repetition: usize) -> CheckOutcome {
    if first == events {
        return Ok(());
    }
    let at = first.iter().zip(events).take_while(|(one, other)| one == other).count();
    let shown = |events: &[Value]| match events.get(at) {
        Some(event) => shorten(&event.to_string(), 300),
        None => "nothing more".to_owned(),
    };
    let expected = format!("event {at} as in the first run: {}", shown(first));
    let sent =
        format!("the same run/start with the same agent CLI, run {repetition} of {REPETITIONS}");
    Err(record.failure(expected, shown(events), &sent))
}

/// Returns the events without what may differ: adjacent deltas are joined, ids are numbered in the
/// order of their appearance, and heartbeats, which depend on the clock, are removed.
fn comparable_events(record: &RunRecord) -> Vec<Value> {
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
    fn ids_are_compared_by_order_and_times_ignored() {
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

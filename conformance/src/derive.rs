//! Hostile variants that the suite makes of a pack's own scenarios.

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::stand_in::{Delivery, Script, Step};

/// One byte at a time.
pub fn one_byte_at_a_time(script: &Script) -> Script {
    let delivery = Delivery { chunk_bytes: Some(1), pause_micros: 20 };
    Script { delivery, ..script.clone() }
}

/// Chunks of three bytes with a pause, so that every multi-byte character is cut somewhere.
pub fn split_code_points(script: &Script) -> Script {
    let delivery = Delivery { chunk_bytes: Some(3), pause_micros: 300 };
    Script { delivery, ..script.clone() }
}

/// Carriage return and line feed.
pub fn crlf(script: &Script) -> Script {
    map_ends(script, |end| end.replace('\n', "\r\n"))
}

/// Blank lines between all lines.
pub fn blank_lines(script: &Script) -> Script {
    map_ends(script, |end| format!("{end}\n  \n"))
}

/// No line feed after the last line.
pub fn no_final_newline(script: &Script) -> Script {
    let mut variant = script.clone();
    let last = variant.steps.iter_mut().rev().find_map(|step| match step {
        Step::Out { end, .. } => Some(end),
        _ => None,
    });
    if let Some(end) = last {
        end.clear();
    }
    variant
}

/// Something in front of every line of output.
pub fn before_each_line(script: &Script, intruder: &Step) -> Script {
    let insert = |steps: &[Step]| -> Vec<Step> {
        steps
            .iter()
            .flat_map(|step| match step {
                Step::Out { .. } => vec![intruder.clone(), step.clone()],
                _ => vec![step.clone()],
            })
            .collect()
    };
    Script { steps: insert(&script.steps), ..script.clone() }
}

/// How many lines of output a script has.
pub fn output_lines(script: &Script) -> usize {
    script.steps.iter().filter(|step| matches!(step, Step::Out { .. })).count()
}

/// Keeps the first so many lines of output (and what stands before the next one), then ends
/// otherwise.
pub fn cut_after(script: &Script, lines: usize, ending: &[Step]) -> Script {
    let mut seen = 0;
    let kept = script.steps.iter().take_while(|step| {
        seen += usize::from(matches!(step, Step::Out { .. }));
        seen <= lines
    });
    let steps = kept.cloned().chain(ending.iter().cloned()).collect();
    Script { steps, ..script.clone() }
}

fn map_ends(script: &Script, change: impl Fn(&str) -> String) -> Script {
    let mut variant = script.clone();
    for step in &mut variant.steps {
        if let Step::Out { end, .. } = step {
            *end = change(end);
        }
    }
    variant
}

/// An agent CLI that says its first lines and then nothing more.
pub fn begins_and_hangs(script: &Script) -> Script {
    cut_after(script, 1, &[Step::Hang])
}

/// The same, but with a detached process, and SIGINT, SIGTERM and SIGHUP do nothing.
pub fn stubborn_family(script: &Script) -> Script {
    let mut variant = cut_after(script, 1, &[Step::Hang]);
    variant.steps.insert(0, Step::Spawn);
    variant.handlers.clear();
    variant.ignored_signals = ["SIGINT", "SIGTERM", "SIGHUP"].map(str::to_owned).to_vec();
    variant
}

/// Some lines of output changed at random: bytes, members, order, length.
pub fn mutated(script: &Script, random: &mut StdRng) -> Script {
    let mut variant = script.clone();
    let lines: Vec<usize> = (0..variant.steps.len())
        .filter(|&index| matches!(variant.steps[index], Step::Out { .. }))
        .collect();
    if lines.is_empty() {
        return variant;
    }
    for _ in 0..random.random_range(1..4) {
        let index = lines[random.random_range(0..lines.len())];
        let other = lines[random.random_range(0..lines.len())];
        if random.random_ratio(1, 8) {
            variant.steps.swap(index, other);
        } else {
            mutate_line(&mut variant.steps[index], random);
        }
    }
    variant
}

fn mutate_line(step: &mut Step, random: &mut StdRng) {
    let bytes = match step {
        Step::Out { text, end } => format!("{text}{end}").into_bytes(),
        Step::OutBytes { bytes } => bytes.clone(),
        _ => return,
    };
    if bytes.is_empty() {
        return;
    }
    let mut bytes = bytes;
    let at = random.random_range(0..bytes.len());
    match random.random_range(0..6) {
        0 => bytes[at] = random.random(),
        1 => drop(bytes.remove(at)),
        2 => bytes.truncate(at),
        3 => bytes.insert(at, b'\n'),
        4 => bytes = replaced_value(&bytes, random),
        _ => bytes.extend(bytes.clone()),
    }
    *step = Step::OutBytes { bytes };
}

/// One value of a line of JSON gets another type.
fn replaced_value(bytes: &[u8], random: &mut StdRng) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else { return bytes.to_vec() };
    let replacements = [Value::Null, json!(-1), json!([]), json!({}), json!(true), json!("")];
    let replacement = replacements[random.random_range(0..replacements.len())].clone();
    let mut place = &mut value;
    while let Some(count) = children(place).filter(|count| *count > 0) {
        let chosen = random.random_range(0..count);
        place = match place {
            Value::Array(items) => &mut items[chosen],
            Value::Object(members) => match members.values_mut().nth(chosen) {
                Some(member) => member,
                None => return bytes.to_vec(),
            },
            _ => return bytes.to_vec(),
        };
        if random.random_ratio(1, 3) {
            break;
        }
    }
    *place = replacement;
    format!("{value}\n").into_bytes()
}

fn children(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Object(members) => Some(members.len()),
        _ => None,
    }
}

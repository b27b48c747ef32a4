//! Hostile variants that the suite makes of a pack's own scenarios.

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

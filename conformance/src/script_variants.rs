//! Hostile variants of the scripts of a pack.

use crate::fake_cli::{Delivery, Script, Step};

/// Prints one byte at a time.
pub fn one_byte_at_a_time(script: &Script) -> Script {
    let delivery = Delivery { chunk_bytes: Some(1), pause_micros: 20 };
    Script { delivery, ..script.clone() }
}

/// Prints chunks of three bytes with pauses, so that every multi-byte character is split.
pub fn split_code_points(script: &Script) -> Script {
    let delivery = Delivery { chunk_bytes: Some(3), pause_micros: 300 };
    Script { delivery, ..script.clone() }
}

/// Ends lines with CR LF.
pub fn crlf(script: &Script) -> Script {
    map_ends(script, |end| end.replace('\n', "\r\n"))
}

/// Adds blank lines between all lines.
pub fn blank_lines(script: &Script) -> Script {
    map_ends(script, |end| format!("{end}\n  \n"))
}

/// Removes the last line feed.
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

/// Adds a step before every line of output.
pub fn before_each_line(script: &Script, inserted: &Step) -> Script {
    let insert = |steps: &[Step]| -> Vec<Step> {
        steps
            .iter()
            .flat_map(|step| match step {
                Step::Out { .. } => vec![inserted.clone(), step.clone()],
                _ => vec![step.clone()],
            })
            .collect()
    };
    Script { steps: insert(&script.steps), ..script.clone() }
}

/// Keeps the first `lines` lines of output and the steps before the next one, then appends another
/// ending.
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

/// Prints the first line and then hangs.
pub fn hang_after_first_line(script: &Script) -> Script {
    cut_after(script, 1, &[Step::Hang])
}

/// The same, but with a detached process and ignoring SIGINT, SIGTERM and SIGHUP.
pub fn hang_with_detached_process(script: &Script) -> Script {
    let mut variant = cut_after(script, 1, &[Step::Hang]);
    variant.steps.insert(0, Step::Spawn);
    variant.ignore_polite_stops();
    variant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script() -> Script {
        let steps = vec![
            Step::ReadAll { bind: None },
            Step::out("one"),
            Step::Sleep { ms: 1 },
            Step::out("two"),
            Step::Exit { code: 0 },
        ];
        Script { steps, ..Script::default() }
    }

    #[test]
    fn cut_keeps_steps_before_next_line() {
        let ending = [Step::Exit { code: 9 }];
        let cut = cut_after(&script(), 1, &ending);
        let expected = [
            Step::ReadAll { bind: None },
            Step::out("one"),
            Step::Sleep { ms: 1 },
            Step::Exit { code: 9 },
        ];
        assert_eq!(cut.steps, expected);
        let nothing = cut_after(&script(), 0, &ending).steps;
        assert_eq!(nothing, [Step::ReadAll { bind: None }, Step::Exit { code: 9 }]);
    }

    #[test]
    fn only_line_ends_change() {
        let ends = |script: &Script| -> Vec<String> {
            let ends = script.steps.iter().filter_map(|step| match step {
                Step::Out { end, .. } => Some(end.clone()),
                _ => None,
            });
            ends.collect()
        };
        assert_eq!(ends(&crlf(&script())), ["\r\n", "\r\n"]);
        assert_eq!(ends(&no_final_newline(&script())), ["\n", ""]);
        assert_eq!(crlf(&script()).steps.len(), script().steps.len());
    }

    #[test]
    fn inserted_step_precedes_each_line() {
        let variant = before_each_line(&script(), &Step::out("intruder"));
        assert_eq!(variant.steps.len(), script().steps.len() + 2);
        assert_eq!(variant.steps[1], Step::out("intruder"));
    }
}

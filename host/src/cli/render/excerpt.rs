//! The few lines of a tool's input or output that are worth a look. The journal has the rest.

use od_protocol::{ToolKind, ToolStatus};
use serde_json::Value;

use crate::cli::format;
use crate::cli::terminal::{sanitize, single_line};

/// Lines shown of an output that went well.
const LINES_OF_SUCCESS: usize = 3;
/// Lines shown of one that did not; the reason usually stands at the end.
const LINES_OF_FAILURE: usize = 6;
/// Lines shown of an input that waits for a decision.
const LINES_OF_INPUT: usize = 16;

/// Lines to show, and how many were left out before and after them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) left_out_above: usize,
    pub(crate) lines: Vec<String>,
    pub(crate) left_out_below: usize,
}

/// What to show of a result.
pub(crate) fn of_output(output: &Value, kind: ToolKind, status: ToolStatus) -> Excerpt {
    let text = sanitize(&text_of(output));
    let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Excerpt::default();
    }
    match (status, kind) {
        (ToolStatus::Error | ToolStatus::Denied, _) => tail(&lines, LINES_OF_FAILURE),
        (_, ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Think) => {
            Excerpt::default()
        }
        (_, ToolKind::Read | ToolKind::Search | ToolKind::Fetch) => head(&lines, 0),
        _ => head(&lines, LINES_OF_SUCCESS),
    }
}

/// What to show of an input that waits for a decision. Long lines are broken, not cut: what a
/// person allows must not hide behind the margin.
pub(crate) fn of_input(input: &Value, columns: usize) -> Excerpt {
    let lines: Vec<String> =
        input_lines(input).iter().flat_map(|line| format::chop(line, columns)).collect();
    head(&lines.iter().map(String::as_str).collect::<Vec<_>>(), LINES_OF_INPUT)
}

/// All lines of an input.
pub(crate) fn input_lines(input: &Value) -> Vec<String> {
    let text = match input {
        Value::Object(members) => members.iter().map(member_lines).collect::<Vec<_>>().join("\n"),
        other => text_of(other),
    };
    sanitize(&text).lines().map(|line| line.replace('\t', "    ")).collect()
}

/// An input in one line: a lone string as it is, anything else as JSON.
pub(crate) fn input_in_one_line(input: &Value) -> String {
    let text = match input {
        Value::Null => String::new(),
        Value::Object(members) => match members.values().collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [Value::String(text)] => text.clone(),
            _ => input.to_string(),
        },
        other => text_of(other),
    };
    single_line(&format::fit(&text, 400))
}

/// The text of a value: strings as they are, lists of text blocks joined, the rest as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Option<Vec<&str>> =
                blocks.iter().map(|block| block.get("text")?.as_str()).collect();
            texts.map_or_else(|| value.to_string(), |texts| texts.join("\n"))
        }
        other => other.to_string(),
    }
}

fn member_lines((name, value): (&String, &Value)) -> String {
    match value {
        Value::String(text) if text.contains('\n') => {
            let indented: Vec<String> = text.lines().map(|line| format!("  {line}")).collect();
            format!("{name}:\n{}", indented.join("\n"))
        }
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    }
}

fn head(lines: &[&str], limit: usize) -> Excerpt {
    // Leaving out one line costs as much room as showing it.
    let limit = if limit > 0 && lines.len() == limit + 1 { lines.len() } else { limit };
    let shown = lines.len().min(limit);
    Excerpt {
        left_out_above: 0,
        lines: lines[..shown].iter().map(|line| (*line).to_owned()).collect(),
        left_out_below: lines.len() - shown,
    }
}

fn tail(lines: &[&str], limit: usize) -> Excerpt {
    let limit = if lines.len() == limit + 1 { lines.len() } else { limit };
    let left_out = lines.len().saturating_sub(limit);
    Excerpt {
        left_out_above: left_out,
        lines: lines[left_out..].iter().map(|line| (*line).to_owned()).collect(),
        left_out_below: 0,
    }
}

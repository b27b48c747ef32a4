//! Shortens a tool's input or output to a few lines. The journal has the rest.

use od_protocol::{ToolKind, ToolStatus};
use serde_json::Value;

use crate::cli::format;
use crate::cli::terminal::{sanitize, single_line};

/// Lines of a successful output.
const MAX_SUCCESS_LINES: usize = 3;
/// Lines of a failed output; the reason is usually at the end.
const MAX_FAILURE_LINES: usize = 6;
/// Lines of an input that needs an approval.
const MAX_INPUT_LINES: usize = 16;

/// The lines to show, and the number of lines omitted before and after them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) omitted_above: usize,
    pub(crate) lines: Vec<String>,
    pub(crate) omitted_below: usize,
}

pub(crate) fn excerpt_of_output(output: &Value, kind: ToolKind, status: ToolStatus) -> Excerpt {
    let text = sanitize(&text_of(output));
    let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return Excerpt::default();
    }
    match (status, kind) {
        (ToolStatus::Error | ToolStatus::Denied, _) => tail(&lines, MAX_FAILURE_LINES),
        (_, ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Think) => {
            Excerpt::default()
        }
        (_, ToolKind::Read | ToolKind::Search | ToolKind::Fetch) => head(&lines, 0),
        _ => head(&lines, MAX_SUCCESS_LINES),
    }
}

/// The excerpt of an input that needs an approval. Long lines are wrapped, not cut: the user must see what they allow.
pub(crate) fn excerpt_of_input(input: &Value, columns: usize) -> Excerpt {
    let lines: Vec<String> =
        input_lines(input).iter().flat_map(|line| format::chop(line, columns)).collect();
    head(&lines.iter().map(String::as_str).collect::<Vec<_>>(), MAX_INPUT_LINES)
}

pub(crate) fn input_lines(input: &Value) -> Vec<String> {
    let text = match input {
        Value::Object(members) => members.iter().map(member_lines).collect::<Vec<_>>().join("\n"),
        other => text_of(other),
    };
    sanitize(&text).lines().map(|line| line.replace('\t', "    ")).collect()
}

/// An input in one line: a single string unchanged, anything else as JSON.
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

/// The text of a value: strings unchanged, lists of text blocks joined, the rest as JSON.
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
    // The line that counts one omitted line takes as much space as the line itself.
    let limit = if limit > 0 && lines.len() == limit + 1 { lines.len() } else { limit };
    let shown = lines.len().min(limit);
    Excerpt {
        omitted_above: 0,
        lines: lines[..shown].iter().map(|line| (*line).to_owned()).collect(),
        omitted_below: lines.len() - shown,
    }
}

fn tail(lines: &[&str], limit: usize) -> Excerpt {
    let limit = if lines.len() == limit + 1 { lines.len() } else { limit };
    let omitted = lines.len().saturating_sub(limit);
    Excerpt {
        omitted_above: omitted,
        lines: lines[omitted..].iter().map(|line| (*line).to_owned()).collect(),
        omitted_below: 0,
    }
}

//! Keeps lines below the host's limit: text is split into several events, other payloads are cut and
//! report how much is missing.

use od_protocol::{Event, NoticeLevel, Truncated};
use serde_json::Value;

use crate::event;

/// One byte of text can take six bytes in JSON (`\u0000`), and the envelope needs space too.
const MAX_EXPANSION: usize = 8;

/// The longest title in an event that was too long.
const MAX_TITLE_BYTES: usize = 256;

/// Splits text into pieces that fit a line whatever they contain.
pub(super) fn pieces(text: &str, max_line_bytes: usize) -> impl Iterator<Item = &str> {
    let size = (max_line_bytes / MAX_EXPANSION).max(4);
    let mut rest = text;
    let mut is_first = true;
    std::iter::from_fn(move || {
        if rest.is_empty() && !is_first {
            return None;
        }
        is_first = false;
        let (piece, after) = rest.split_at(floor_boundary(rest, size));
        rest = after;
        Some(piece)
    })
}

/// Returns a shortened copy of an event that was too long.
pub(super) fn shortened(mut event: Event, max_line_bytes: usize) -> Event {
    let size = max_line_bytes / MAX_EXPANSION;
    match &mut event {
        Event::ToolResult(result) => {
            result.truncated = cut_value(&mut result.output, size);
        }
        Event::ToolCallReady(ready) => {
            ready.truncated = cut_value(&mut ready.input, size);
            cut_title(&mut ready.title);
        }
        Event::ToolCallStarted(started) => cut_title(&mut started.title),
        Event::ToolOutputDelta(delta) => delta.truncated = cut(&mut delta.text, size),
        Event::TextDelta(delta) => delta.truncated = cut(&mut delta.text, size),
        Event::ThinkingDelta(delta) => delta.truncated = cut(&mut delta.text, size),
        Event::FileChange(change) => {
            change.truncated = change.diff.as_mut().and_then(|diff| cut(diff, size));
        }
        Event::Error(error) => {
            cut(&mut error.message, size);
            error.data = None;
        }
        Event::Notice(notice) => {
            cut(&mut notice.text, size);
        }
        // The first event must remain what it is; its arguments are only informative.
        Event::RunStarted(started) => started.argv.clear(),
        Event::SessionStarted(started) => {
            started.tools = None;
            started.mcp_servers = None;
        }
        Event::ApprovalRequested(request) => {
            request.input = None;
            cut(&mut request.summary, size);
        }
        Event::Unmapped(unmapped) => {
            cut(&mut unmapped.sample, size);
        }
        Event::UserMessage(message) => {
            cut(&mut message.text, size);
        }
        other => {
            let text = format!("an event of type {} exceeded the line limit", other.type_name());
            return Event::Notice(event::notice(NoticeLevel::Warn, "event_too_large", text));
        }
    }
    event
}

/// Cuts a title, which an agent CLI may fill with a whole command.
fn cut_title(title: &mut Option<String>) {
    if let Some(title) = title {
        cut(title, MAX_TITLE_BYTES);
    }
}

fn cut_value(value: &mut Value, size: usize) -> Option<Truncated> {
    let mut text = match value.take() {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let truncated = cut(&mut text, size);
    *value = Value::String(text);
    truncated
}

fn cut(text: &mut String, size: usize) -> Option<Truncated> {
    let kept = floor_boundary(text, size);
    let bytes = (text.len() - kept) as u64;
    text.truncate(kept);
    (bytes > 0).then_some(Truncated { bytes })
}

/// Returns the last character boundary at or below `size`.
fn floor_boundary(text: &str, size: usize) -> usize {
    if text.len() <= size {
        return text.len();
    }
    (0..=size).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0)
}

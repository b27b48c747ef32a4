//! The lines of `claude --output-format stream-json` that the fake CLI writes, shaped like the recordings of 2.1.197,
//! and those it reads.

use std::time::{SystemTime, UNIX_EPOCH};

use super::script::{Frame, Script, Text};

const SESSION: &str = "7eea0d6a-6d90-4c1c-9334-c7e20cee4d27";
const MESSAGE: &str = "msg_bench";

const DELTA_START: &str = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""#;
const DELTA_END: &str = r#""}}"#;
const DELTA_IDS: &str = r#","session_id":"7eea0d6a-6d90-4c1c-9334-c7e20cee4d27","parent_tool_use_id":null,"uuid":"dab9b240-ebc3-4b89-8015-75a94101b62a""#;

/// Units of text in JSON's own spelling.
const PLAIN: &[&str] = &["a", " ", "p", "l", "a", "i", "n", " ", "w", "o", "r", "d"];
const ESCAPED: &[&str] = &[
    "print", "(", "\\\"", "grö", "ße", ": ", "{}", " → ", "漢字", "\\\"", ", ", "wert", ");",
    "\\n", "\\t",
];

/// The prefix of the time in a line of [`Text::Clock`].
pub(crate) const CLOCK_MARK: &str = "clock=";
const CLOCK_DIGITS: usize = 20;

/// The lines before the first piece of text.
pub(crate) fn opening() -> String {
    let ids = format!(r#""session_id":"{SESSION}","parent_tool_use_id":null"#);
    format!(
        r#"{{"type":"system","subtype":"init","cwd":"/","session_id":"{SESSION}","tools":["Bash","Edit","Read","Write"],"mcp_servers":[],"model":"claude-opus-4-8","permissionMode":"default","slash_commands":[],"apiKeySource":"none","claude_code_version":"2.1.197","skills":[],"plugins":[]}}
{{"type":"stream_event","event":{{"type":"message_start","message":{{"id":"{MESSAGE}","type":"message","role":"assistant","model":"claude-opus-4-8","content":[],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":100,"output_tokens":1}}}}}},{ids},"ttft_ms":18}}
{{"type":"stream_event","event":{{"type":"content_block_start","index":0,"content_block":{{"type":"text","text":""}}}},{ids}}}
"#
    )
}

/// The lines after the last piece of text.
pub(crate) fn closing() -> String {
    let ids = format!(r#""session_id":"{SESSION}","parent_tool_use_id":null"#);
    let result = result("success", false, "completed");
    format!(
        r#"{{"type":"stream_event","event":{{"type":"content_block_stop","index":0}},{ids}}}
{{"type":"stream_event","event":{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{{"input_tokens":100,"output_tokens":23}}}},{ids}}}
{{"type":"stream_event","event":{{"type":"message_stop"}},{ids}}}
{result}"#
    )
}

/// The lines after an interrupt.
pub(crate) fn aborted() -> String {
    result("error_during_execution", true, "aborted_streaming")
}

fn result(subtype: &str, is_error: bool, reason: &str) -> String {
    format!(
        r#"{{"type":"result","subtype":"{subtype}","is_error":{is_error},"api_error_status":null,"duration_ms":353,"num_turns":1,"result":"","stop_reason":"end_turn","session_id":"{SESSION}","total_cost_usd":0.001,"usage":{{"input_tokens":100,"output_tokens":23}},"modelUsage":{{}},"permission_denials":[],"terminal_reason":"{reason}"}}
"#
    )
}

/// One line with a piece of text.
pub(crate) fn delta(script: &Script) -> String {
    let ids = match script.frame {
        Frame::Short => "",
        Frame::Recorded => DELTA_IDS,
    };
    let around = DELTA_START.len() + DELTA_END.len() + ids.len() + "}\n".len();
    let room = script.line_bytes.saturating_sub(around);
    let text = match script.text {
        Text::Plain => repeated(PLAIN, room),
        Text::Escaped => repeated(ESCAPED, room),
        Text::Clock => format!("{CLOCK_MARK}{:0CLOCK_DIGITS$}", now_nanoseconds()),
    };
    format!("{DELTA_START}{text}{DELTA_END}{ids}}}\n")
}

fn repeated(units: &[&str], room: usize) -> String {
    let mut text = String::with_capacity(room + 8);
    for unit in units.iter().cycle() {
        text.push_str(unit);
        if text.len() >= room {
            break;
        }
    }
    text
}

/// The time that a line of [`Text::Clock`] carries, in any frame.
pub(crate) fn clock_in(line: &[u8]) -> Option<u128> {
    let start = memchr::memmem::find(line, CLOCK_MARK.as_bytes())? + CLOCK_MARK.len();
    let digits = line.get(start..start + CLOCK_DIGITS)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The clock that all processes of this machine share.
pub(crate) fn now_nanoseconds() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// The first input of the CLI, the same as the adapter writes.
pub(crate) fn prompt_lines() -> &'static str {
    concat!(
        r#"{"type":"control_request","request_id":"bench","request":{"subtype":"initialize"}}"#,
        "\n",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"go"}]},"parent_tool_use_id":null}"#,
        "\n",
    )
}

/// Whether a line of stdin is a prompt.
pub(crate) fn is_prompt(line: &[u8]) -> bool {
    memchr::memmem::find(line, br#""type":"user""#).is_some()
}

/// Whether a line of stdin asks for an interrupt.
pub(crate) fn is_interrupt(line: &[u8]) -> bool {
    memchr::memmem::find(line, br#""subtype":"interrupt""#).is_some()
}

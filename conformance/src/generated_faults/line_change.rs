//! Alters the bytes of a line, or adds lines.

use serde_json::{Number, Value, json};

use super::fault::LineChange;
use super::message::Message;

/// The prefix of ids that the adapter chooses, in another form.
const ID_PREFIX: &str = "urn:parrot/ø ";

/// Fields with ids that the adapter chooses.
const CHOSEN_IDS: [&str; 9] = [
    "approvalId",
    "expectedTurn",
    "messageId",
    "parentToolCallId",
    "questionId",
    "subagentId",
    "thinkingId",
    "toolCallId",
    "turnId",
];

/// The parts of a message that get unknown members and custom data.
const OPEN_PARTS: [&str; 8] = [
    "",
    "/params",
    "/params/event",
    "/params/event/totals",
    "/result",
    "/result/auth",
    "/error",
    "/error/data",
];

/// Changes the values of a message before it becomes bytes.
pub(super) fn change_values(message: &mut Message, change: LineChange) {
    match change {
        LineChange::Fractions => with_fractions(&mut message.value),
        LineChange::NoVersion => drop(remove(&mut message.value, "jsonrpc")),
        LineChange::OtherVersion => message.value["jsonrpc"] = "1.0".into(),
        LineChange::NoId if message.is_response() => message.set_id(None),
        LineChange::TextId if message.is_response() => {
            let id = message.id().unwrap_or("null").to_owned();
            let text = if id.starts_with('"') { id } else { format!("\"{id}\"") };
            message.set_id(Some(text));
        }
        LineChange::ResultAndError if message.value.get("result").is_some() => {
            message.value["error"] = Value::Null;
        }
        LineChange::UnknownMembers => {
            add_members(&mut message.value, "ofALaterVersion", &json!({"list": [1, null, "ü"]}));
        }
        LineChange::Meta => {
            add_members(&mut message.value, "_meta", &json!({"_parrot/note": {"n": 1}}));
        }
        LineChange::OtherIdForm => {
            change_ids(&mut message.value, &|id| format!("{ID_PREFIX}{id}"));
        }
        _ => {}
    }
}

/// Restores the ids of a request that names an id in the other form.
pub(super) fn restore_ids(value: &mut Value) {
    change_ids(value, &|id| id.strip_prefix(ID_PREFIX).unwrap_or(id).to_owned());
}

/// The bytes of a message, with its line end and the added lines.
pub(super) fn to_bytes(message: &Message, changes: &[LineChange], is_first: bool) -> Vec<u8> {
    let has = |change: LineChange| changes.contains(&change);
    let mut text = if has(LineChange::SeveralLines) {
        serde_json::to_string_pretty(&message.value).unwrap_or_default()
    } else if has(LineChange::MemberOrder) || has(LineChange::Spaces) {
        written(message, has(LineChange::MemberOrder), has(LineChange::Spaces))
    } else {
        message.to_text()
    };
    if has(LineChange::Batch) {
        text = format!("[{text}]");
    }
    if has(LineChange::Escapes) {
        text = escaped(&text);
    }
    if has(LineChange::Exponents)
        && let Some(seq) = message.value["params"]["seq"].as_u64()
    {
        text = text.replace(&format!("\"seq\":{seq}"), &format!("\"seq\":{seq}e0"));
    }
    let mut bytes = text.into_bytes();
    if has(LineChange::InvalidUtf8) {
        bytes.splice(1..1, *b"\"_\xff\":0,");
    }
    if has(LineChange::ByteOrderMark) {
        bytes.splice(0..0, *b"\xef\xbb\xbf");
    }
    bytes.extend_from_slice(if has(LineChange::CarriageReturn) { b"\r\n" } else { b"\n" });
    if has(LineChange::BlankLine) {
        bytes.extend_from_slice(b"\n");
    }
    for change in changes.iter().filter(|_| is_first) {
        bytes.extend_from_slice(added_line(*change).as_bytes());
    }
    bytes
}

/// The line that follows the first one.
const fn added_line(change: LineChange) -> &'static str {
    match change {
        LineChange::StrayLine => "debug: the agent is ready\n",
        LineChange::OwnRequest => {
            "{\"jsonrpc\":\"2.0\",\"id\":\"own-1\",\"method\":\"host/ask\",\"params\":{}}\n"
        }
        LineChange::UndefinedNotification => {
            "{\"jsonrpc\":\"2.0\",\"method\":\"run/log\",\"params\":{\"text\":\"ready\"}}\n"
        }
        LineChange::StrayResponse => "{\"jsonrpc\":\"2.0\",\"id\":424242,\"result\":{}}\n",
        LineChange::VendorNotification => {
            "{\"jsonrpc\":\"2.0\",\"method\":\"_parrot/log\",\"params\":{\"text\":\"ready\"}}\n"
        }
        _ => "",
    }
}

fn remove(value: &mut Value, name: &str) -> Option<Value> {
    value.as_object_mut()?.remove(name)
}

fn with_fractions(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(fraction) = number.as_f64().and_then(Number::from_f64) {
                *number = fraction;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(with_fractions),
        Value::Object(members) => members.values_mut().for_each(with_fractions),
        _ => {}
    }
}

fn add_members(message: &mut Value, name: &str, value: &Value) {
    for part in OPEN_PARTS {
        if let Some(Value::Object(members)) = message.pointer_mut(part) {
            members.insert(name.to_owned(), value.clone());
        }
    }
}

/// Changes ids in the payload of an event or the parameters of a request, one level deep: deeper
/// values belong to the agent.
fn change_ids(message: &mut Value, change: &dyn Fn(&str) -> String) {
    for part in ["/params", "/params/event"] {
        let Some(Value::Object(members)) = message.pointer_mut(part) else { continue };
        for (name, value) in members.iter_mut().filter(|(_, value)| value.is_string()) {
            if CHOSEN_IDS.contains(&name.as_str()) {
                *value = change(value.as_str().unwrap_or_default()).into();
            }
        }
    }
}

/// The message in another but equal form.
fn written(message: &Message, is_reversed: bool, is_spaced: bool) -> String {
    let mut text = String::new();
    let Value::Object(members) = &message.value else { return message.to_text() };
    let id = message.id().map(|id| ("id", id.to_owned()));
    let written_member = |name: &str, value: &Value| {
        let mut text = String::new();
        write(value, is_reversed, is_spaced, &mut text);
        (name.to_owned(), text)
    };
    let others = members.iter().filter(|(name, _)| *name != "id");
    let mut members: Vec<(String, String)> =
        others.map(|(name, value)| written_member(name, value)).collect();
    members.extend(id.map(|(name, id)| (name.to_owned(), id)));
    if is_reversed {
        members.reverse();
    }
    join(&members, is_spaced, &mut text);
    text
}

fn write(value: &Value, is_reversed: bool, is_spaced: bool, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, String)> = members
                .iter()
                .map(|(name, value)| {
                    let mut text = String::new();
                    write(value, is_reversed, is_spaced, &mut text);
                    (name.clone(), text)
                })
                .collect();
            if is_reversed {
                members.reverse();
            }
            join(&members, is_spaced, text);
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(if is_spaced { " , " } else { "," });
                }
                write(item, is_reversed, is_spaced, text);
            }
            text.push(']');
        }
        other => text.push_str(&other.to_string()),
    }
}

fn join(members: &[(String, String)], is_spaced: bool, text: &mut String) {
    let (comma, colon) = if is_spaced { (" ,\t", " : ") } else { (",", ":") };
    let parts: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{}{colon}{value}", Value::from(name.as_str())))
        .collect();
    text.push('{');
    text.push_str(&parts.join(comma));
    text.push('}');
}

/// All characters except ASCII as escapes; outside of texts there are none.
fn escaped(text: &str) -> String {
    let mut units = [0; 2];
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_equal(change: LineChange) {
        let line = br#"{"jsonrpc":"2.0","id":7,"result":{"a":[1,{"b":"x\u00fc\ud83e\udd9c \"q\""}],"c":null}}"#;
        let message = Message::parse(line).expect("a message");
        let bytes = to_bytes(&message, &[change], false);
        assert_ne!(bytes, message.to_text().into_bytes());
        let again: Value = serde_json::from_slice(bytes.trim_ascii()).expect("JSON");
        assert_eq!(again, message.value, "{change:?}");
    }

    #[test]
    fn legal_forms_keep_every_value() {
        check_equal(LineChange::MemberOrder);
        check_equal(LineChange::Spaces);
        check_equal(LineChange::Escapes);
        check_equal(LineChange::CarriageReturn);
        check_equal(LineChange::BlankLine);
    }

    #[test]
    fn chosen_ids_change_and_return() {
        let line = br#"{"params":{"event":{"toolCallId":"a","input":{"toolCallId":"b"}}}}"#;
        let mut message = Message::parse(line).expect("a message");
        let before = message.value.clone();
        change_values(&mut message, LineChange::OtherIdForm);
        let event = &message.value["params"]["event"];
        assert_eq!(event["toolCallId"], format!("{ID_PREFIX}a"));
        assert_eq!(event["input"]["toolCallId"], "b");
        restore_ids(&mut message.value);
        assert_eq!(message.value, before);
    }
}

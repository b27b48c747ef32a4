//! Reads run id, sequence number and type of an event without parsing the rest, which stays raw bytes.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

/// The largest integer that every JSON parser represents exactly.
const MAX_SEQ: u64 = (1 << 53) - 1;

const USUAL_BEGIN: &str = "{\"runId\":\"";
const BEFORE_SEQ: &str = "\",\"seq\":";

/// The parts of an event that the host needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub(crate) run_id: &'a str,
    pub(crate) seq: u64,
    pub(crate) ts: u64,
    pub(crate) type_name: &'a str,
    /// The complete envelope, unchanged.
    pub(crate) bytes: &'a [u8],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    run_id: &'a str,
    seq: u64,
    ts: u64,
    #[serde(borrow)]
    event: &'a RawValue,
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
}

impl<'a> Envelope<'a> {
    /// Reads an envelope (`params` of `run/event`). `None` when the bytes are not one.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let envelope = Self::read_usual(text).or_else(|| Self::read_any(text))?;
        (envelope.seq <= MAX_SEQ).then_some(envelope)
    }

    /// Appends the same envelope with another number. In the usual order of members only the digits are replaced; any
    /// other order becomes the usual one. The event itself does not change.
    pub(crate) fn write_as(&self, seq: u64, target: &mut Vec<u8>) {
        let number = seq.to_string();
        if let Some(digits) = self.digits() {
            target.extend_from_slice(&self.bytes[..digits.start]);
            target.extend_from_slice(number.as_bytes());
            target.extend_from_slice(&self.bytes[digits.end..]);
            return;
        }
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_slice(self.bytes).expect("an envelope was read from these bytes");
        let mut begin: &[u8] = b"{";
        let first = ["runId", "seq", "ts", "event"];
        let rest = members.keys().map(String::as_str).filter(|name| !first.contains(name));
        for name in first.into_iter().chain(rest) {
            target.extend_from_slice(begin);
            serde_json::to_writer(&mut *target, name).expect("a name has a JSON form");
            target.push(b':');
            let value = if name == "seq" { number.as_str() } else { members[name].get() };
            target.extend_from_slice(value.as_bytes());
            begin = b",";
        }
        target.push(b'}');
    }

    /// The position of the number, in the usual order of members.
    fn digits(&self) -> Option<Range<usize>> {
        let start = USUAL_BEGIN.len() + self.run_id.len() + BEFORE_SEQ.len();
        let rest = self.bytes.strip_prefix(USUAL_BEGIN.as_bytes())?;
        rest.strip_prefix(self.run_id.as_bytes())?.strip_prefix(BEFORE_SEQ.as_bytes())?;
        let length = self.bytes[start..].iter().position(|byte| !byte.is_ascii_digit())?;
        Some(start..start + length)
    }

    /// Reads the usual order of members without parsing the event.
    fn read_usual(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix(USUAL_BEGIN)?;
        let (run_id, rest) = plain_string(rest)?;
        let (seq, rest) = number(rest.strip_prefix(",\"seq\":")?)?;
        let (ts, rest) = number(rest.strip_prefix(",\"ts\":")?)?;
        let (type_name, rest) = plain_string(rest.strip_prefix(",\"event\":{\"type\":\"")?)?;
        let whole = rest.starts_with(['}', ',']) && rest.ends_with("}}");
        whole.then_some(Self { run_id, seq, ts, type_name, bytes: text.as_bytes() })
    }

    /// Reads any other order by parsing the whole envelope.
    fn read_any(text: &'a str) -> Option<Self> {
        let members: Members<'a> = serde_json::from_str(text).ok()?;
        let typed: Typed<'a> = serde_json::from_str(members.event.get()).ok()?;
        Some(Self {
            run_id: members.run_id,
            seq: members.seq,
            ts: members.ts,
            type_name: typed.type_name,
            bytes: text.as_bytes(),
        })
    }
}

/// Splits off a string without escapes at its closing quote.
fn plain_string(text: &str) -> Option<(&str, &str)> {
    let end = memchr::memchr2(b'"', b'\\', text.as_bytes())?;
    let rest = text[end..].strip_prefix('"')?;
    Some((&text[..end], rest))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit())?;
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: &str =
        r#"{"runId":"r1","seq":7,"ts":9,"event":{"type":"text_delta","text":"a \"q\" ü"}}"#;

    #[test]
    fn usual_order_is_read_without_parsing() {
        let envelope = Envelope::read_usual(USUAL).expect("the usual order");
        assert_eq!((envelope.run_id, envelope.seq, envelope.ts), ("r1", 7, 9));
        assert_eq!(envelope.type_name, "text_delta");
        assert_eq!(Envelope::read(USUAL.as_bytes()), Envelope::read_any(USUAL));
    }

    #[test]
    fn other_order_is_read() {
        let text = r#"{ "event": {"text":"x","type":"text_delta"}, "_meta":{"a":1}, "ts":1, "seq":3, "runId":"r" }"#;
        let envelope = Envelope::read(text.as_bytes()).expect("an envelope");
        assert_eq!((envelope.run_id, envelope.seq, envelope.type_name), ("r", 3, "text_delta"));
        assert_eq!(envelope.bytes, text.as_bytes());
    }

    #[test]
    fn invalid_envelope_is_rejected() {
        let cut = &USUAL[..USUAL.len() - 2];
        let nameless = r#"{"runId":"r","seq":0,"ts":0,"event":{}}"#;
        let endless = r#"{"runId":"r","seq":18446744073709551615,"ts":0,"event":{"type":"x"}}"#;
        for text in ["", "{}", "null", "garbage", cut, nameless, endless, "{\"runId\":\"r\""] {
            assert_eq!(Envelope::read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Envelope::read(b"{\"runId\":\"\xff\"}"), None);
    }

    /// The envelope with another number.
    fn renumbered(text: &str, seq: u64) -> String {
        let mut line = Vec::new();
        Envelope::read(text.as_bytes()).expect("an envelope").write_as(seq, &mut line);
        String::from_utf8(line).expect("UTF-8")
    }

    #[test]
    fn renumbering_changes_only_the_number() {
        assert_eq!(renumbered(USUAL, 1234), USUAL.replace("\"seq\":7,", "\"seq\":1234,"));
        let odd = r#"{ "event": {"a":[1.50],"type":"x"}, "_meta":{"k":1}, "ts":1, "seq":3, "runId":"r" }"#;
        let usual =
            r#"{"runId":"r","seq":4,"ts":1,"event":{"a":[1.50],"type":"x"},"_meta":{"k":1}}"#;
        assert_eq!(renumbered(odd, 4), usual);
    }

    proptest::proptest! {
        #[test]
        fn renumbering_keeps_the_event(text in ".*", seq in 0..MAX_SEQ) {
            let event = serde_json::json!({"type": "text_delta", "text": text});
            let line = serde_json::json!({"runId": "r", "seq": 0, "ts": 1, "event": event}).to_string();
            let again: serde_json::Value =
                serde_json::from_str(&renumbered(&line, seq)).expect("JSON");
            proptest::prop_assert_eq!(&again["event"], &event);
            proptest::prop_assert_eq!(&again["seq"], &serde_json::json!(seq));
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = Envelope::read(&bytes);
            let mut usual = USUAL.as_bytes().to_vec();
            for (index, byte) in bytes.iter().enumerate() {
                let at = (index * 7 + usize::from(*byte)) % usual.len();
                usual[at] = *byte;
            }
            let _ = Envelope::read(&usual);
        }
    }
}

//! A cheap look at the start of an event: which run, which number, which type. The event itself stays
//! raw bytes.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Larger integers are not exact in every language that reads JSON.
const LARGEST_SEQ: u64 = (1 << 53) - 1;

/// What the host needs to know of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub(crate) run_id: &'a str,
    pub(crate) seq: u64,
    pub(crate) ts: u64,
    pub(crate) type_name: &'a str,
    /// All of it, as it came.
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
    /// Reads an envelope (`params` of `run/event`). `None` when the bytes are none.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let envelope = Self::read_usual(text).or_else(|| Self::read_any(text))?;
        (envelope.seq <= LARGEST_SEQ).then_some(envelope)
    }

    /// The order of members that the sdk writes, found without parsing the event.
    fn read_usual(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix("{\"runId\":\"")?;
        let (run_id, rest) = word(rest)?;
        let (seq, rest) = number(rest.strip_prefix(",\"seq\":")?)?;
        let (ts, rest) = number(rest.strip_prefix(",\"ts\":")?)?;
        let (type_name, rest) = word(rest.strip_prefix(",\"event\":{\"type\":\"")?)?;
        let whole = rest.starts_with(['}', ',']) && rest.ends_with("}}");
        whole.then_some(Self { run_id, seq, ts, type_name, bytes: text.as_bytes() })
    }

    /// Any other order, by parsing all of it once.
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

/// A string without escapes, and what follows its closing quote.
fn word(text: &str) -> Option<(&str, &str)> {
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
    fn the_usual_order_is_read_without_parsing() {
        let envelope = Envelope::read_usual(USUAL).expect("the usual order");
        assert_eq!((envelope.run_id, envelope.seq, envelope.ts), ("r1", 7, 9));
        assert_eq!(envelope.type_name, "text_delta");
        assert_eq!(Envelope::read(USUAL.as_bytes()), Envelope::read_any(USUAL));
    }

    #[test]
    fn any_other_order_is_read_too() {
        let text = r#"{ "event": {"text":"x","type":"text_delta"}, "_meta":{"a":1}, "ts":1, "seq":3, "runId":"r" }"#;
        let envelope = Envelope::read(text.as_bytes()).expect("an envelope");
        assert_eq!((envelope.run_id, envelope.seq, envelope.type_name), ("r", 3, "text_delta"));
        assert_eq!(envelope.bytes, text.as_bytes());
    }

    #[test]
    fn what_is_no_envelope_is_none() {
        let cut = &USUAL[..USUAL.len() - 2];
        let nameless = r#"{"runId":"r","seq":0,"ts":0,"event":{}}"#;
        let endless = r#"{"runId":"r","seq":18446744073709551615,"ts":0,"event":{"type":"x"}}"#;
        for text in ["", "{}", "null", "garbage", cut, nameless, endless, "{\"runId\":\"r\""] {
            assert_eq!(Envelope::read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Envelope::read(b"{\"runId\":\"\xff\"}"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
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

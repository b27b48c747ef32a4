//! The random values of one run. The suite fills them into the pack's templates and therefore knows
//! the exact expected events; an adapter with a hard-coded answer cannot pass.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::RngExt;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::fake_cli::pattern::Bindings;

/// How many pieces an answer or a thought has. It is constant, so that a script can be cut at the
/// same line in every run of the scenario.
const PIECES: usize = 4;

/// The values of one run, by placeholder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// Single values.
    pub single: Bindings,
    /// The pieces of the answer.
    pub deltas: Vec<String>,
    /// The pieces of the thoughts.
    pub thinking_deltas: Vec<String>,
}

impl Values {
    /// Generates new values for a run in a folder.
    pub fn fresh(random: &mut StdRng, cwd: &Path) -> Self {
        let nonce = nonce(random);
        let deltas = pieces(random, "Die Möwe 🐦 fliegt über 海:");
        let thinking_deltas = pieces(random, "Überlegung 🤔 zu 考え:");
        let cwd = cwd.to_string_lossy().into_owned();
        let [input, output, cache_read, cache_write] =
            std::array::from_fn(|_| random.random_range(11..90_000_u64));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        let single = [
            ("text", json!(deltas.concat())),
            ("thinking", json!(thinking_deltas.concat())),
            ("second_text", json!(format!("Zweite Antwort {}", self::nonce(random)))),
            ("prompt", json!(format!("conformance {nonce}"))),
            ("message_id", json!(format!("msg_{}", self::nonce(random)))),
            ("tool_id", json!(format!("tool_{}", self::nonce(random)))),
            ("tool_id_2", json!(format!("tool_{}", self::nonce(random)))),
            ("tool_command", json!(format!("echo {}", self::nonce(random)))),
            ("tool_output", json!(format!("output «{}»", self::nonce(random)))),
            ("tool_output_2", json!(format!("output «{}»", self::nonce(random)))),
            ("file_path", json!(format!("{cwd}/{}.txt", self::nonce(random)))),
            ("new_file_path", json!(format!("{cwd}/{}-moved.txt", self::nonce(random)))),
            ("file_content", json!(format!("written by {}", self::nonce(random)))),
            ("model", json!(format!("model-{}", self::nonce(random)))),
            ("secret", json!(format!("sk-conformance-{}", self::nonce(random)))),
            ("session_id", json!(uuid(random))),
            ("new_session_id", json!(uuid(random))),
            ("input_tokens", json!(input)),
            ("output_tokens", json!(output)),
            ("cache_read_tokens", json!(cache_read)),
            ("cache_write_tokens", json!(cache_write)),
            ("prompt_tokens", json!(input + cache_read + cache_write)),
            ("sent_tokens", json!(input + cache_read)),
            ("sum_tokens", json!(input + cache_read + output)),
            ("cost", json!(f64::from(random.random_range(1..100_000_u32)) / 100_000.0)),
            ("retry_after_ms", json!(random.random_range(60..600_u64) * 1000)),
            ("resets_at", json!(now + random.random_range(600..6000_u64))),
            ("now", json!(now)),
            ("cwd", json!(cwd)),
            ("nonce", json!(nonce)),
            ("uuid", json!(uuid(random))),
        ];
        let single = single.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { single, deltas, thinking_deltas }
    }

    /// Returns a value as text; empty if there is none with that name.
    pub fn text(&self, name: &str) -> String {
        match self.single.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }

    /// Returns a value as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.single.get(name)?.as_u64()
    }

    /// Changes a value.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.single.insert(name.to_owned(), value.into());
    }
}

/// Returns a short text that occurs nowhere else.
pub fn nonce(random: &mut StdRng) -> String {
    const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyz23456789";
    (0..10).map(|_| char::from(LETTERS[random.random_range(0..LETTERS.len())])).collect()
}

/// Returns a version 4 UUID.
pub(super) fn uuid(random: &mut StdRng) -> String {
    let bits: u128 = random.random();
    let bits = (bits & !(0xf << 76) & !(0b11 << 62)) | (0x4 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn pieces(random: &mut StdRng, lead: &str) -> Vec<String> {
    (0..PIECES).map(|index| format!("{lead}{index} {} ", nonce(random))).collect()
}

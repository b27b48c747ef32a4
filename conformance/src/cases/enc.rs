//! ENC: bytes, characters and lines, however the agent CLI cuts them.

use std::time::Duration;

use super::expectations::{Amount, answer_of, exact_answer, plain_answer, same_text};
use crate::bench::{Bench, Setup};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::derive;
use crate::play::{Performance, Play};
use crate::stand_in::Script;
use crate::verdict::Verdict;

/// How long a long line may take; speed is not what is asked for.
const LONG_LINE_LIMIT: Duration = Duration::from_secs(60);
/// How long a long line is.
const LONG_LINE_KIBIBYTES: Amount = Amount { brief: 300, fast: 8_192, full: 8_192, slow: 8_192 };

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "ENC-01",
        "output that arrives one byte at a time gives the same text",
        "a pipe cuts where it likes; a read is not a line",
        one_byte,
    ),
    active(
        "ENC-02",
        "a character whose bytes arrive apart is not damaged",
        "every text that is not English is cut inside a character some day",
        split_characters,
    ),
    active(
        "ENC-03",
        "a line of 8 MiB arrives whole",
        "agent CLIs print whole files in one line",
        long_line,
    ),
    active(
        "ENC-04",
        "line ends of Windows, blank lines, U+2028 inside a text and a last line without a line \
         end change nothing",
        "only the line feed ends a line; the last word of an agent CLI may come without one",
        line_ends,
    ),
    Check {
        id: "ENC-05",
        level: Level::Must,
        sentence: "the adapter prints only JSON objects in valid UTF-8, one a line",
        why: "one stray byte on stdout breaks every host",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Invariant,
    },
    Check {
        level: Level::Should,
        ..active(
            "ENC-06",
            "texts carry no terminal colours or other escape sequences",
            "a page shows them as rubbish, and a terminal obeys them",
            no_escape_sequences,
        )
    },
];

const fn active(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    body: fn(&mut Bench) -> Verdict,
) -> Check {
    let (level, gate, tier) = (Level::Must, Gate::cli_scenario("text"), Tier::Fast);
    Check { id, level, sentence, why, gate, tier, body: Body::Active(body) }
}

fn one_byte(bench: &mut Bench) -> Verdict {
    variant(
        bench,
        "run/start; the agent CLI printed one byte at a time",
        derive::one_byte_at_a_time,
    )
}

fn split_characters(bench: &mut Bench) -> Verdict {
    let sent = "run/start; the agent CLI printed three bytes at a time, with pauses";
    variant(bench, sent, derive::split_code_points)
}

fn long_line(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let piece = format!("{} größer 漢字 🦜 ", bench.nonce());
    let kibibytes = LONG_LINE_KIBIBYTES.of(bench);
    let text = piece.repeat((kibibytes << 10) / piece.len() + 1);
    let play = answer_of(bench, "text", vec![text])?;
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.begin(&play)?;
    let record = plugin.finish(play.run_id(), LONG_LINE_LIMIT)?;
    let sent = format!("run/start; the agent CLI printed a text of {kibibytes} KiB in one line");
    exact_answer(&Performance { play, record, invocation: None }, &sent)
}

fn line_ends(bench: &mut Bench) -> Verdict {
    variant(
        bench,
        "run/start; the agent CLI printed without a last line feed",
        derive::no_final_newline,
    )?;
    variant(bench, "run/start; the agent CLI ended its lines with CR LF", derive::crlf)?;
    variant(bench, "run/start; the agent CLI printed blank lines", derive::blank_lines)?;
    let nonce = bench.nonce();
    let deltas = vec![format!("one\u{2028}two {nonce}"), format!("\u{85}three\u{c}\u{b}{nonce}")];
    let play = answer_of(bench, "text", deltas)?;
    let performance = bench.perform(play)?;
    exact_answer(&performance, "run/start; U+2028, U+0085, form feed inside a text")
}

fn no_escape_sequences(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let nonce = bench.nonce();
    let coloured = format!("\u{1b}[1;31mred {nonce}\u{1b}[0m and \u{1b}]0;title\u{7}plain {nonce}");
    let play = answer_of(bench, "text", vec![coloured, format!(" end {nonce}")])?;
    let performance = bench.perform(play)?;
    let sent = "run/start; the agent CLI printed a text with ESC[1;31m, ESC[0m and ESC]0;…";
    let expected = format!("red {nonce} and plain {nonce} end {nonce}");
    same_text(&performance.record, &expected, sent)
}

/// Plays a variant of a plain answer, which must give the same text.
fn variant(bench: &mut Bench, sent: &str, change: fn(&Script) -> Script) -> Verdict {
    plain_answer(bench)?;
    let play = bench.prepare("text")?;
    let script = change(&play.script);
    let performance = bench.perform(Play { script, ..play })?;
    exact_answer(&performance, sent)
}

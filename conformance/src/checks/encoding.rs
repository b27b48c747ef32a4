//! ENC: bytes, characters and lines, however the output of the agent CLI is split.

use std::time::Duration;

use super::AdapterCheck;
use super::expectations::{PerTier, answer_of, exact_answer, plain_answer, same_text};
use crate::check::{Gate, active, invariant};
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::Script;
use crate::outcome::CheckOutcome;
use crate::prepared_run::PreparedRun;
use crate::script_variants;

/// The timeout for a long line; this chapter does not measure speed.
const LONG_LINE_TIMEOUT: Duration = Duration::from_secs(60);
const LONG_LINE_KIBIBYTES: PerTier = PerTier { brief: 300, fast: 8_192, full: 8_192, slow: 8_192 };

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "ENC-01",
        "output that arrives one byte at a time produces the same text",
        "a pipe splits data anywhere; one read is not one line",
        Gate::cli_scenario("text"),
        one_byte,
    ),
    active(
        "ENC-02",
        "a character whose bytes arrive separately is not damaged",
        "non-ASCII text is eventually split inside a character",
        Gate::cli_scenario("text"),
        split_characters,
    ),
    active(
        "ENC-03",
        "a line of 8 MiB arrives complete",
        "agent CLIs print whole files in one line",
        Gate::cli_scenario("text"),
        long_line,
    ),
    active(
        "ENC-04",
        "CR LF line ends, blank lines, U+2028 inside a text and a missing final line feed change \
         nothing",
        "only the line feed ends a line, and the last line of an agent CLI may lack one",
        Gate::cli_scenario("text"),
        line_ends,
    ),
    invariant(
        "ENC-05",
        "the adapter prints only JSON objects in valid UTF-8, one per line",
        "one stray byte on stdout breaks every host",
        Gate::NONE,
    ),
    active(
        "ENC-06",
        "texts contain no terminal colours or other escape sequences",
        "a web page displays them as garbage, and a terminal executes them",
        Gate::cli_scenario("text"),
        no_escape_sequences,
    )
    .should(),
];

fn one_byte(context: &mut CheckContext) -> CheckOutcome {
    variant(
        context,
        "run/start; the agent CLI printed one byte at a time",
        script_variants::one_byte_at_a_time,
    )
}

fn split_characters(context: &mut CheckContext) -> CheckOutcome {
    let sent = "run/start; the agent CLI printed three bytes at a time, with pauses";
    variant(context, sent, script_variants::split_code_points)
}

fn long_line(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let piece = format!("{} größer 漢字 🦜 ", context.nonce());
    let kibibytes = LONG_LINE_KIBIBYTES.of(context);
    let text = piece.repeat((kibibytes << 10) / piece.len() + 1);
    let prepared = answer_of(context, "text", vec![text])?;
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, LONG_LINE_TIMEOUT)?;
    let sent = format!("run/start; the agent CLI printed a text of {kibibytes} KiB in one line");
    exact_answer(&CompletedRun { prepared, record, invocation: None }, &sent)
}

fn line_ends(context: &mut CheckContext) -> CheckOutcome {
    variant(
        context,
        "run/start; the agent CLI printed without a last line feed",
        script_variants::no_final_newline,
    )?;
    variant(context, "run/start; the agent CLI ended its lines with CR LF", script_variants::crlf)?;
    variant(context, "run/start; the agent CLI printed blank lines", script_variants::blank_lines)?;
    let nonce = context.nonce();
    let deltas = vec![format!("one\u{2028}two {nonce}"), format!("\u{85}three\u{c}\u{b}{nonce}")];
    let prepared = answer_of(context, "text", deltas)?;
    let completed_run = context.execute(prepared)?;
    exact_answer(&completed_run, "run/start; U+2028, U+0085, form feed inside a text")
}

fn no_escape_sequences(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let nonce = context.nonce();
    let coloured = format!("\u{1b}[1;31mred {nonce}\u{1b}[0m and \u{1b}]0;title\u{7}plain {nonce}");
    let prepared = answer_of(context, "text", vec![coloured, format!(" end {nonce}")])?;
    let completed_run = context.execute(prepared)?;
    let sent = "run/start; the agent CLI printed a text with ESC[1;31m, ESC[0m and ESC]0;…";
    let expected = format!("red {nonce} and plain {nonce} end {nonce}");
    same_text(&completed_run.record, &expected, sent)
}

/// Runs a variant of the plain answer, which must produce the same text.
fn variant(context: &mut CheckContext, sent: &str, change: fn(&Script) -> Script) -> CheckOutcome {
    plain_answer(context)?;
    let prepared = context.prepare("text")?;
    let script = change(&prepared.script);
    let completed_run = context.execute(PreparedRun { script, ..prepared })?;
    exact_answer(&completed_run, sent)
}

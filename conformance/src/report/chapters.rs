//! The titles of the chapters.

use crate::check::REAL_CHAPTER;

/// The chapter that compares the real agent CLI with its pack.
pub(super) const DRIFT_CHAPTER: &str = "DRIFT";

const TITLES: &[(&str, &str)] = &[
    ("MAN", "Manifest"),
    ("HS", "Handshake"),
    ("WIR", "Lines and messages"),
    ("LIV", "Liveness"),
    ("SHU", "Shutdown"),
    ("DET", "Detection"),
    ("CAP", "Capabilities"),
    ("MOD", "Models"),
    ("PRM", "Prompts"),
    ("ENV", "Environment"),
    ("SEC", "Secrets"),
    ("RUN", "Runs"),
    ("ORD", "Event order"),
    ("MSG", "Messages"),
    ("TXT", "Text"),
    ("TOL", "Tool calls"),
    ("USE", "Usage"),
    ("DON", "End of a run"),
    ("TIM", "Times"),
    ("ENC", "Encoding"),
    ("ROB", "Robustness"),
    ("CAN", "Cancellation"),
    ("TMO", "Timeouts"),
    ("ERR", "Errors"),
    ("RL", "Rate limits"),
    ("SES", "Sessions"),
    ("APR", "Approvals"),
    ("INP", "Input to a running agent"),
    ("FIL", "File changes"),
    ("CON", "Concurrent runs"),
    ("FLW", "Slow readers"),
    ("SCH", "Schema"),
    ("DTM", "Determinism"),
    ("RES", "Resources"),
    (REAL_CHAPTER, "Real agent CLI"),
    (DRIFT_CHAPTER, "Drift of the agent CLI"),
    ("ACP-HS", "Handshake"),
    ("ACP-WIRE", "Lines and messages"),
    ("ACP-SES", "Sessions"),
    ("ACP-TXT", "Streamed text"),
    ("ACP-TOOL", "Tool calls"),
    ("ACP-PRM", "Permissions"),
    ("ACP-CAN", "Cancellation"),
    ("ACP-ROB", "Robustness"),
    ("ACP-SHU", "Liveness and shutdown"),
];

/// Returns the title of a chapter; the default is its letters.
pub(super) fn title(chapter: &'static str) -> &'static str {
    TITLES.iter().find(|(letters, _)| *letters == chapter).map_or(chapter, |(_, title)| title)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_chapter_has_a_title() {
        for check in crate::checks::all().iter().chain(&crate::acp::checks()) {
            assert_ne!(super::title(check.chapter()), check.chapter());
        }
    }
}

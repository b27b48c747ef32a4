//! What the chapters of the suite are called in reports.

use crate::case::REAL_CHAPTER;

/// The chapter that compares the real agent CLI with what its pack knows.
pub const DRIFT_CHAPTER: &str = "DRIFT";

const TITLES: &[(&str, &str)] = &[
    ("MAN", "Manifest"),
    ("HS", "Handshake"),
    ("LIV", "Signs of life"),
    ("SHU", "Shutting down"),
    ("DET", "Detection"),
    ("CAP", "Capabilities"),
    ("MOD", "Models"),
    ("PRM", "Prompts"),
    ("ENV", "Environment"),
    ("RUN", "Runs"),
    ("ORD", "Order of events"),
    ("ENC", "Encoding"),
    ("ROB", "Robustness"),
    ("CAN", "Cancelling"),
    ("TMO", "Limits of time"),
    ("ERR", "Errors"),
    ("RL", "Rate limits"),
    ("SES", "Sessions"),
    ("APR", "Approvals"),
    ("INP", "Input to a live run"),
    ("FIL", "Changed files"),
    ("CON", "Runs at once"),
    ("FLW", "Slow readers"),
    ("SCH", "Schema"),
    ("DTM", "Repeatability"),
    ("RES", "Resources"),
    (REAL_CHAPTER, "The real agent CLI"),
    (DRIFT_CHAPTER, "Drift of the agent CLI"),
    ("ACP-HS", "Handshake"),
    ("ACP-WIRE", "Lines and messages"),
    ("ACP-SES", "Sessions"),
    ("ACP-TXT", "Streaming truth"),
    ("ACP-TOOL", "Tool calls"),
    ("ACP-PRM", "Permissions"),
    ("ACP-CAN", "Cancelling"),
    ("ACP-ROB", "Robustness"),
    ("ACP-SHU", "Signs of life and shutting down"),
];

/// The title of a chapter; one without a title is called by its letters.
pub fn title(chapter: &'static str) -> &'static str {
    TITLES.iter().find(|(letters, _)| *letters == chapter).map_or(chapter, |(_, title)| title)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_chapter_has_a_title() {
        for check in crate::cases::all().iter().chain(&crate::acp::checks()) {
            assert_ne!(super::title(check.chapter()), check.chapter());
        }
    }
}

//! The part of a transcript around a failure, bounded: plugins may say as much as they like, a
//! report may not.

use std::fs::File;
use std::io::{BufRead, BufReader};

use crate::transcript::Place;
use crate::verdict::shorten;

const LINES_BEFORE: usize = 40;
const LINES_AFTER: usize = 12;
const LINE_LIMIT: usize = 600;

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExcerptLine {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its text, cut when it is long.
    pub(super) text: String,
    /// Whether the failure points at it.
    pub(super) is_place: bool,
}

impl ExcerptLine {
    /// Who said it, as the transcript marks it; empty when that cannot be told.
    pub(super) fn mark(&self) -> &str {
        self.text.split_whitespace().nth(1).unwrap_or_default()
    }
}

/// The lines around a place; none when the transcript is gone.
pub(super) fn excerpt(place: &Place) -> Vec<ExcerptLine> {
    let Ok(file) = File::open(&place.file) else { return Vec::new() };
    let first = place.line.saturating_sub(LINES_BEFORE).max(1);
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    lines
        .enumerate()
        .skip(first - 1)
        .take(place.line + LINES_AFTER + 1 - first)
        .map(|(index, text)| ExcerptLine {
            number: index + 1,
            text: shorten(&text, LINE_LIMIT),
            is_place: index + 1 == place.line,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_around_the_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("transcript.log");
        let long = "x".repeat(9_000);
        let text: String = (1..=500).map(|n| format!("    0.001 <- {n} {long}\n")).collect();
        std::fs::write(&file, text).expect("a transcript");
        let lines = excerpt(&Place { file, line: 100 });
        assert_eq!(lines.first().map(|line| line.number), Some(60));
        assert_eq!(lines.last().map(|line| line.number), Some(112));
        assert!(lines.iter().all(|line| line.text.len() < 700 && line.mark() == "<-"));
        assert!(lines.iter().all(|line| line.is_place == (line.number == 100)));
        assert!(excerpt(&Place { file: "no/such/file".into(), line: 3 }).is_empty());
    }
}

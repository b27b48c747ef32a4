//! Detects that an agent CLI silently repeated a request to the model after an interrupted stream and
//! prints the whole answer again, so that text is not duplicated.

/// Watches the pieces of one answer. After a pause, a piece that equals the first piece starts a
/// repeated answer.
#[derive(Debug, Default)]
pub struct RepeatDetector {
    first: Option<String>,
    is_paused: bool,
}

impl RepeatDetector {
    /// Records a pause in the output.
    pub fn pause(&mut self) {
        self.is_paused = true;
    }

    /// The answer has ended; the next piece starts another answer.
    pub fn end_answer(&mut self) {
        *self = Self::default();
    }

    /// Records a piece; returns `true` when it starts a repeated answer.
    pub fn is_repeated(&mut self, piece: &str) -> bool {
        let was_paused = std::mem::take(&mut self.is_paused);
        match &self.first {
            Some(first) => was_paused && first == piece,
            None => {
                self.first = Some(piece.to_owned());
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatDetector;

    #[test]
    fn repeated_first_piece_after_pause_is_detected() {
        let mut restart = RepeatDetector::default();
        assert!(!restart.is_repeated("Hello"));
        assert!(!restart.is_repeated("Hello"), "no pause");
        restart.pause();
        assert!(!restart.is_repeated(" from"), "the answer continues");
        assert!(!restart.is_repeated("Hello"), "the pause was before another piece");
        restart.pause();
        assert!(restart.is_repeated("Hello"));
        restart.end_answer();
        restart.pause();
        assert!(!restart.is_repeated("Hello"), "another answer");
    }
}

//! Agent CLIs that ask the model again in silence when a stream breaks off, and then say the whole
//! answer once more: how it is noticed, so that text is never doubled.

/// Watches the pieces of one answer. An answer that pauses and then begins with the piece it began
/// with is a new attempt.
#[derive(Debug, Default)]
pub struct Restart {
    first: Option<String>,
    is_paused: bool,
}

impl Restart {
    /// Nothing was said for a while.
    pub fn pause(&mut self) {
        self.is_paused = true;
    }

    /// The answer is over: what follows is another one.
    pub fn end_answer(&mut self) {
        *self = Self::default();
    }

    /// Another piece; `true` when the answer begins anew with it.
    pub fn is_anew(&mut self, piece: &str) -> bool {
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
    use super::Restart;

    #[test]
    fn only_a_repeated_beginning_after_a_pause_is_a_new_attempt() {
        let mut restart = Restart::default();
        assert!(!restart.is_anew("Hello"));
        assert!(!restart.is_anew("Hello"), "nothing paused");
        restart.pause();
        assert!(!restart.is_anew(" from"), "it goes on where it was");
        assert!(!restart.is_anew("Hello"), "the pause was before another piece");
        restart.pause();
        assert!(restart.is_anew("Hello"));
        restart.end_answer();
        restart.pause();
        assert!(!restart.is_anew("Hello"), "another answer");
    }
}

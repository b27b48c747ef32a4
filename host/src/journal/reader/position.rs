//! Positions that the subscribers of `od-host serve` share, so that each batch of events is prepared only once.

#[cfg(feature = "serve")]
use std::path::Path;

use super::{EventReader, Source};

/// A position between two events, the same for every reader of a journal, because its bytes never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    /// The offset of the next event.
    pub(crate) offset: u64,
    /// Whether `done` is before it.
    pub(crate) has_ended: bool,
}

impl EventReader {
    /// Whether `done` was returned, or no process can write it any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    #[cfg(feature = "serve")]
    pub(crate) fn run_folder(&self) -> &Path {
        self.folder.path()
    }

    /// The offset of the next line, in the file or after its end.
    pub(crate) fn offset(&self) -> u64 {
        self.position - (self.buffer.len() - self.start) as u64
    }

    /// The current position, if other readers can reach it too: not before the first requested event, and not after the
    /// end of the file.
    pub(crate) fn shared_position(&self) -> Option<Position> {
        let is_shared = self.from == 0 && !self.is_beyond_file;
        is_shared.then(|| Position { offset: self.offset(), has_ended: self.has_ended })
    }

    /// Moves ahead to a position of another reader. Returns false without moving when the position is not published to
    /// this reader yet.
    pub(crate) fn skip_to(&mut self, position: Position) -> bool {
        let is_published = match &self.source {
            Source::ThisProcess(progress) => position.offset <= progress.borrow().length,
            Source::OtherProcess { .. } | Source::Finished => true,
        };
        if !is_published {
            return false;
        }
        let buffered = self.position.checked_sub(position.offset).map(|rest| rest as usize);
        match buffered.filter(|rest| *rest <= self.buffer.len() - self.start) {
            Some(rest) => self.start = self.buffer.len() - rest,
            None => {
                self.buffer.clear();
                self.start = 0;
                self.position = position.offset;
            }
        }
        self.scanned = self.start;
        self.has_ended = position.has_ended;
        true
    }
}

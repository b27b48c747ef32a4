//! Reads stdin line by line, or as the fault requires.

use std::io::Read;

use super::fault::{AgentFault, Behaviour};

pub(super) struct Lines {
    behaviour: Behaviour,
    pending: Vec<u8>,
    buffer: Vec<u8>,
}

impl Lines {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, pending: Vec::new(), buffer: vec![0; 64 * 1024] }
    }

    /// Returns the lines that the next read completes; `None` at the end.
    pub(super) fn next(&mut self, stdin: &mut impl Read) -> Option<Vec<Vec<u8>>> {
        let count = stdin.read(&mut self.buffer).ok().filter(|count| *count > 0)?;
        let read = &self.buffer[..count];
        if self.behaviour.has(AgentFault::LossySplit) {
            self.pending.extend_from_slice(String::from_utf8_lossy(read).as_bytes());
        } else {
            self.pending.extend_from_slice(read);
        }
        let mut lines = Vec::new();
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let rest = self.pending.split_off(end + 1);
            self.pending.pop();
            lines.push(std::mem::replace(&mut self.pending, rest));
        }
        if self.behaviour.has(AgentFault::ChunkIsLine) && !self.pending.is_empty() {
            lines.push(std::mem::take(&mut self.pending));
        }
        Some(lines)
    }
}

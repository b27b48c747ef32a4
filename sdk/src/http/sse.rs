//! Server-sent events: bytes in, the data of each event out. Other fields than `data` are ignored.

use memchr::memchr;

/// Splits a stream into events. Events over the size limit are dropped and counted.
#[derive(Debug)]
pub(super) struct Events {
    /// The incomplete line.
    line: Vec<u8>,
    is_line_too_long: bool,
    /// The data lines of the incomplete event.
    data: Vec<u8>,
    has_data: bool,
    is_too_long: bool,
    cap: usize,
    /// Number of dropped events.
    pub(super) oversized: u64,
}

impl Events {
    pub(super) fn new(cap: usize) -> Self {
        Self {
            line: Vec::new(),
            is_line_too_long: false,
            data: Vec::new(),
            has_data: false,
            is_too_long: false,
            cap,
            oversized: 0,
        }
    }

    /// Passes every complete event to `each`.
    pub(super) fn feed(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(&[u8])) {
        while let Some(end) = memchr(b'\n', bytes) {
            self.grow_line(&bytes[..end]);
            self.end_line(each);
            bytes = &bytes[end + 1..];
        }
        self.grow_line(bytes);
    }

    /// At the end of the stream: an event that lacks only its blank line counts.
    pub(super) fn finish(&mut self, each: &mut dyn FnMut(&[u8])) {
        self.end_line(each);
        self.end_event(each);
    }

    fn grow_line(&mut self, bytes: &[u8]) {
        self.is_line_too_long |= self.line.len() + bytes.len() > self.cap;
        if !self.is_line_too_long {
            self.line.extend_from_slice(bytes);
        }
    }

    fn end_line(&mut self, each: &mut dyn FnMut(&[u8])) {
        let mut line = std::mem::take(&mut self.line);
        let text = line.strip_suffix(b"\r").unwrap_or(&line);
        if std::mem::take(&mut self.is_line_too_long) {
            self.is_too_long = true;
        } else if text.is_empty() {
            self.end_event(each);
        } else if let Some(data) = text.strip_prefix(b"data:") {
            self.add_data(data.strip_prefix(b" ").unwrap_or(data));
        }
        // The allocation is reused.
        line.clear();
        self.line = line;
    }

    fn add_data(&mut self, data: &[u8]) {
        if self.data.len() + data.len() > self.cap {
            self.is_too_long = true;
            return;
        }
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(data);
    }

    fn end_event(&mut self, each: &mut dyn FnMut(&[u8])) {
        match (self.is_too_long, self.has_data) {
            (true, _) => self.oversized += 1,
            (false, true) => each(&self.data),
            (false, false) => {}
        }
        self.data.clear();
        (self.has_data, self.is_too_long) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]], cap: usize) -> (Vec<String>, u64) {
        let mut events = Events::new(cap);
        let mut seen = Vec::new();
        let mut each = |data: &[u8]| seen.push(String::from_utf8_lossy(data).into_owned());
        for chunk in chunks {
            events.feed(chunk, &mut each);
        }
        events.finish(&mut each);
        (seen, events.oversized)
    }

    #[test]
    fn frames_in_any_cut_are_the_same() {
        let stream =
            b": hello\n\ndata: one\r\n\r\nid: 7\nevent: x\ndata:two\ndata: lines\n\n\n\ndata: last";
        let expected = vec!["one".to_owned(), "two\nlines".to_owned(), "last".to_owned()];
        assert_eq!(read(&[stream], 1000), (expected.clone(), 0));
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes, 1000), (expected, 0));
    }

    #[test]
    fn oversized_event_is_dropped_and_counted() {
        let stream = b"data: 0123456789012345\n\ndata: ok\n\n";
        assert_eq!(read(&[stream], 16), (vec!["ok".to_owned()], 1));
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes, 16), (vec!["ok".to_owned()], 1));
    }
}

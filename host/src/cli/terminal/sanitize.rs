//! Makes text of an agent safe to print: removes terminal control sequences, control characters and invisible direction
//! marks.

/// Sanitizes a stream of chunks. A control sequence may be split between two chunks, so the state is kept.
#[derive(Debug, Default)]
pub(crate) struct Sanitizer {
    state: State,
    pending_return: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte: one final byte follows.
    EscapeIntermediate,
    /// Inside `ESC [ …`.
    Control,
    /// Inside a string (title, link, device control) that BEL or any ESC ends.
    Text,
}

impl Sanitizer {
    /// The visible part of the next chunk.
    pub(crate) fn push(&mut self, chunk: &str) -> String {
        let mut clean = String::with_capacity(chunk.len());
        for character in chunk.chars() {
            self.push_char(character, &mut clean);
        }
        clean
    }

    fn push_char(&mut self, character: char, clean: &mut String) {
        self.state = match self.state {
            State::Ground => self.on_ground(character, clean),
            State::Escape => match character {
                '[' => State::Control,
                ']' | 'P' | 'X' | '^' | '_' => State::Text,
                '\u{20}'..='\u{2f}' => State::EscapeIntermediate,
                '\u{1b}' => State::Escape,
                _ => self.abort_at_line_end(character, State::Ground, clean),
            },
            State::EscapeIntermediate => self.abort_at_line_end(character, State::Ground, clean),
            State::Control => match character {
                '\u{1b}' => State::Escape,
                '\u{40}'..='\u{7e}' => State::Ground,
                _ => self.abort_at_line_end(character, State::Control, clean),
            },
            State::Text => match character {
                '\u{7}' | '\u{9c}' => State::Ground,
                '\u{1b}' => State::Escape,
                _ => self.abort_at_line_end(character, State::Text, clean),
            },
        };
    }

    fn on_ground(&mut self, character: char, clean: &mut String) -> State {
        // A lone carriage return would overwrite the line; it counts as a line end.
        if std::mem::take(&mut self.pending_return) {
            clean.push('\n');
            if character == '\n' {
                return State::Ground;
            }
        }
        match character {
            '\u{1b}' => return State::Escape,
            '\u{9b}' => return State::Control,
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => return State::Text,
            '\r' => self.pending_return = true,
            '\n' | '\t' => clean.push(character),
            _ if character.is_control() || is_direction_mark(character) => {}
            _ => clean.push(character),
        }
        State::Ground
    }

    /// A line end ends an unterminated sequence, so that it does not remove everything after it.
    fn abort_at_line_end(&self, character: char, otherwise: State, clean: &mut String) -> State {
        if character == '\n' {
            clean.push('\n');
            return State::Ground;
        }
        otherwise
    }
}

/// Marks that reorder text; they can make a command look like another one.
fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Sanitizes a text; keeps its lines.
pub(crate) fn sanitize(text: &str) -> String {
    Sanitizer::default().push(text)
}

/// Sanitizes a text and joins its lines.
pub(crate) fn single_line(text: &str) -> String {
    let clean = sanitize(text);
    let words: Vec<&str> = clean.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_are_removed() {
        assert_eq!(sanitize("a\u{1b}[31mred\u{1b}[0mb"), "aredb");
        assert_eq!(sanitize("\u{1b}]0;title\u{7}x\u{1b}]8;;http://e\u{1b}\\y"), "xy");
        assert_eq!(sanitize("\u{9b}2Jx\u{1b}(By\u{8}\u{0}"), "xy");
        assert_eq!(sanitize("tab\tgrüße 界 🎉"), "tab\tgrüße 界 🎉");
        assert_eq!(sanitize("rm \u{202e}txt.exe"), "rm txt.exe");
    }

    #[test]
    fn split_sequence_is_removed() {
        let mut sanitizer = Sanitizer::default();
        let chunks = ["one\u{1b}", "[3", "1", "mtwo\u{1b}]0;ti", "tle\u{7}three"];
        let clean: String = chunks.iter().map(|chunk| sanitizer.push(chunk)).collect();
        assert_eq!(clean, "onetwothree");
    }

    #[test]
    fn unterminated_sequence_removes_only_its_line() {
        assert_eq!(sanitize("a\u{1b}]0;never\nb"), "a\nb");
        assert_eq!(sanitize("a\u{1b}[\nb"), "a\nb");
    }

    #[test]
    fn carriage_returns_are_line_ends() {
        assert_eq!(sanitize("10%\r20%\r\ndone"), "10%\n20%\ndone");
        assert_eq!(single_line("a\r\n  b\tc "), "a b c");
    }
}

//! Tracks the cursor on the output: the column, blank lines, and the rows of the current message, so that a discarded
//! message can be erased on a terminal.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The size and abilities of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Viewport {
    /// A terminal on which rows can be erased; other outputs are append-only.
    pub(crate) is_live: bool,
    /// Columns of a line.
    pub(crate) columns: usize,
    /// Rows of the screen.
    pub(crate) rows: usize,
}

/// A change of the output: first erase rows, then write text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Moves up this many rows and erases everything below; `None` erases nothing.
    pub(crate) erase_rows: Option<usize>,
    /// Styled text.
    pub(crate) text: String,
}

/// Kinds of paragraphs; a blank line separates messages from tool output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// The first lines.
    Header,
    /// A message of the agent or of the user.
    Message,
    /// Thinking.
    Thinking,
    /// Tools, files, notes: one line each.
    Work,
    /// A question to the user.
    Question,
    /// The answer to it.
    Answer,
    /// The last lines.
    End,
}

/// A position to erase back to.
#[derive(Debug)]
struct Mark {
    line_ends: usize,
    last: Option<Block>,
    /// Other paragraphs since then, which are written again.
    kept: Vec<KeptParagraph>,
}

/// A paragraph that survives an erase.
#[derive(Debug)]
struct KeptParagraph {
    block: Block,
    pieces: Vec<(Style, String)>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Canvas {
    viewport: Viewport,
    frame: Frame,
    column: usize,
    /// Line ends at the end of the output, at most two.
    line_ends: usize,
    last: Option<Block>,
    mark: Option<Mark>,
    rows_since_mark: usize,
    /// The current paragraph survives an erase.
    is_keeping: bool,
}

impl Canvas {
    pub(crate) fn new(viewport: Viewport) -> Self {
        Self {
            viewport,
            frame: Frame::default(),
            column: 0,
            line_ends: 2,
            last: None,
            mark: None,
            rows_since_mark: 0,
            is_keeping: false,
        }
    }

    pub(crate) fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// Whether the cursor is at the start of a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.column == 0
    }

    /// Lets something else write lines; nothing above can be erased afterwards. True when the caller must end an
    /// unfinished line first.
    pub(crate) fn break_line(&mut self) -> bool {
        self.clear_mark();
        let unfinished = self.viewport.is_live && self.column != 0;
        if unfinished {
            self.column = 0;
            self.line_ends = 1;
        }
        unfinished
    }

    /// Starts a paragraph on a new line.
    pub(crate) fn begin(&mut self, block: Block) {
        self.resume(block);
        if let Some(mark) = &mut self.mark {
            mark.kept.push(KeptParagraph { block, pieces: Vec::new() });
            self.is_keeping = true;
        }
    }

    /// Continues the paragraph of the mark on a new line.
    pub(crate) fn resume(&mut self, block: Block) {
        self.is_keeping = false;
        let is_separate = match (self.last, block) {
            (None, _) => false,
            (Some(Block::Question), Block::Answer) => false,
            (Some(Block::Message | Block::Thinking | Block::Question), _) => true,
            (Some(last), next) => last != next,
        };
        self.end_line();
        if is_separate && self.line_ends < 2 {
            self.write(Style::new(), "\n");
        }
        self.last = Some(block);
    }

    /// Marks this position, the start of a line, for [`Canvas::erase_to_mark`].
    pub(crate) fn set_mark(&mut self) {
        self.mark = Some(Mark { line_ends: self.line_ends, last: self.last, kept: Vec::new() });
        self.rows_since_mark = 0;
        self.is_keeping = false;
    }

    /// Keeps everything since the mark.
    pub(crate) fn clear_mark(&mut self) {
        self.mark = None;
        self.is_keeping = false;
    }

    /// Erases everything since the mark except other paragraphs. False when that is impossible: no terminal, or the
    /// mark has scrolled off the screen.
    pub(crate) fn erase_to_mark(&mut self) -> bool {
        self.is_keeping = false;
        let Some(mark) = self.mark.take() else { return false };
        if !self.viewport.is_live {
            return false;
        }
        self.frame = Frame { erase_rows: Some(self.rows_since_mark), text: String::new() };
        self.column = 0;
        self.line_ends = mark.line_ends;
        self.last = mark.last;
        for kept in mark.kept {
            self.resume(kept.block);
            for (style, text) in kept.pieces {
                self.write(style, &text);
            }
        }
        true
    }

    /// Writes plain text in a style.
    pub(crate) fn write(&mut self, style: Style, text: &str) -> &mut Self {
        if text.is_empty() {
            return self;
        }
        let shown = self.advance(text);
        self.frame.text.push_str(&format!("{style}{shown}{style:#}"));
        if self.rows_since_mark + 1 >= self.viewport.rows {
            self.clear_mark();
        }
        if self.is_keeping
            && let Some(kept) = self.mark.as_mut().and_then(|mark| mark.kept.last_mut())
        {
            kept.pieces.push((style, text.to_owned()));
        }
        self
    }

    /// Writes text wrapped between words. Only on a terminal; elsewhere the reader wraps.
    pub(crate) fn write_wrapped(&mut self, style: Style, text: &str) {
        if !self.viewport.is_live {
            self.write(style, text);
            return;
        }
        let mut wrapped = String::with_capacity(text.len());
        let mut column = self.column;
        for word in text.split_inclusive([' ', '\n']) {
            let bare = word.trim_end_matches([' ', '\n']);
            let width = bare.width();
            if column > 0 && width < self.viewport.columns && column + width > self.viewport.columns
            {
                wrapped.truncate(wrapped.trim_end_matches(' ').len());
                wrapped.push('\n');
                column = 0;
            }
            wrapped.push_str(word);
            column = if word.ends_with('\n') { 0 } else { column + word.width() };
        }
        self.write(style, &wrapped);
    }

    /// Ends the line unless it is empty.
    pub(crate) fn end_line(&mut self) {
        if self.column != 0 || self.line_ends == 0 {
            self.write(Style::new(), "\n");
        }
    }

    /// Takes the pending change of the output.
    pub(crate) fn take_frame(&mut self) -> Frame {
        std::mem::take(&mut self.frame)
    }

    /// Moves the cursor. Tabs become spaces on a terminal, so that their width is known.
    fn advance(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for character in text.chars() {
            if character == '\n' {
                self.rows_since_mark += 1;
                self.column = 0;
                self.line_ends = (self.line_ends + 1).min(2);
                shown.push(character);
                continue;
            }
            self.line_ends = 0;
            if character == '\t' && self.viewport.is_live {
                let spaces = 8 - self.column % 8;
                (0..spaces).for_each(|_| self.move_right(1));
                shown.extend(std::iter::repeat_n(' ', spaces));
                continue;
            }
            self.move_right(character.width().unwrap_or(0));
            shown.push(character);
        }
        shown
    }

    fn move_right(&mut self, width: usize) {
        if self.column + width > self.viewport.columns {
            self.rows_since_mark += 1;
            self.column = 0;
        }
        self.column += width;
    }
}

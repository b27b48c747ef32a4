//! What has been written so far, as far as the next write must know it: the column, blank lines,
//! and how many rows a message took, so that a discarded one can be taken back on a terminal.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Where the text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// A terminal on which rows can be taken back; otherwise text is written once and for ever.
    pub(crate) live: bool,
    /// Columns of a line.
    pub(crate) columns: usize,
    /// Rows of the screen.
    pub(crate) rows: usize,
}

/// What to do to the output: first take rows back, then write.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// So many rows up, then everything below is erased; `None` means nothing is taken back.
    pub(crate) erase_rows: Option<usize>,
    /// Text with styles.
    pub(crate) text: String,
}

/// Kinds of paragraphs; a blank line sets talk off from work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// The first lines.
    Header,
    /// A message of the agent or of a person.
    Talk,
    /// A thought.
    Thought,
    /// Tools, files, notes: one line each.
    Work,
    /// A question to the person.
    Question,
    /// What was decided about it.
    Answer,
    /// The last lines.
    End,
}

/// A place to come back to.
#[derive(Debug)]
struct Mark {
    line_ends: usize,
    last: Option<Block>,
    /// What else was written since, to be written again.
    kept: Vec<Kept>,
}

/// A paragraph that is not part of what may be taken back.
#[derive(Debug)]
struct Kept {
    block: Block,
    pieces: Vec<(Style, String)>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Canvas {
    look: Look,
    frame: Frame,
    column: usize,
    /// Line ends at the very end of what was written, at most two.
    line_ends: usize,
    last: Option<Block>,
    mark: Option<Mark>,
    rows_since_mark: usize,
    /// What is written now is to be kept when the rest is taken back.
    keeping: bool,
}

impl Canvas {
    pub(crate) fn new(look: Look) -> Self {
        Self {
            look,
            frame: Frame::default(),
            column: 0,
            line_ends: 2,
            last: None,
            mark: None,
            rows_since_mark: 0,
            keeping: false,
        }
    }

    pub(crate) fn look(&self) -> Look {
        self.look
    }

    /// Whether the cursor stands at the start of a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.column == 0
    }

    /// Somebody else writes lines from here on; nothing above can be taken back. True when a line
    /// was unfinished on a terminal, which the other one must end.
    pub(crate) fn break_line(&mut self) -> bool {
        self.clear_mark();
        let unfinished = self.look.live && self.column != 0;
        if unfinished {
            self.column = 0;
            self.line_ends = 1;
        }
        unfinished
    }

    /// Begins a paragraph on a line of its own.
    pub(crate) fn begin(&mut self, block: Block) {
        self.resume(block);
        if let Some(mark) = &mut self.mark {
            mark.kept.push(Kept { block, pieces: Vec::new() });
            self.keeping = true;
        }
    }

    /// Goes on with what began at the mark, on a line of its own.
    pub(crate) fn resume(&mut self, block: Block) {
        self.keeping = false;
        let apart = match (self.last, block) {
            (None, _) => false,
            (Some(Block::Question), Block::Answer) => false,
            (Some(Block::Talk | Block::Thought | Block::Question), _) => true,
            (Some(last), next) => last != next,
        };
        self.end_line();
        if apart && self.line_ends < 2 {
            self.write(Style::new(), "\n");
        }
        self.last = Some(block);
    }

    /// Remembers this place, the start of a line, for [`Canvas::take_back`].
    pub(crate) fn set_mark(&mut self) {
        self.mark = Some(Mark { line_ends: self.line_ends, last: self.last, kept: Vec::new() });
        self.rows_since_mark = 0;
        self.keeping = false;
    }

    /// What was written since the mark stays.
    pub(crate) fn clear_mark(&mut self) {
        self.mark = None;
        self.keeping = false;
    }

    /// Takes back what was written since the mark, other paragraphs excepted. False when that
    /// cannot be done: no terminal, or the mark has left the screen.
    pub(crate) fn take_back(&mut self) -> bool {
        self.keeping = false;
        let Some(mark) = self.mark.take() else { return false };
        if !self.look.live {
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
        if self.rows_since_mark + 1 >= self.look.rows {
            self.clear_mark();
        }
        if self.keeping
            && let Some(kept) = self.mark.as_mut().and_then(|mark| mark.kept.last_mut())
        {
            kept.pieces.push((style, text.to_owned()));
        }
        self
    }

    /// Writes text with line ends between words where a line would be too long. Only on a terminal:
    /// elsewhere the reader wraps.
    pub(crate) fn write_wrapped(&mut self, style: Style, text: &str) {
        if !self.look.live {
            self.write(style, text);
            return;
        }
        let mut wrapped = String::with_capacity(text.len());
        let mut column = self.column;
        for word in text.split_inclusive([' ', '\n']) {
            let bare = word.trim_end_matches([' ', '\n']);
            let width = bare.width();
            if column > 0 && width < self.look.columns && column + width > self.look.columns {
                wrapped.truncate(wrapped.trim_end_matches(' ').len());
                wrapped.push('\n');
                column = 0;
            }
            wrapped.push_str(word);
            column = if word.ends_with('\n') { 0 } else { column + word.width() };
        }
        self.write(style, &wrapped);
    }

    /// Ends the line, unless it has just begun.
    pub(crate) fn end_line(&mut self) {
        if self.column != 0 || self.line_ends == 0 {
            self.write(Style::new(), "\n");
        }
    }

    /// What to do to the output now.
    pub(crate) fn take_frame(&mut self) -> Frame {
        std::mem::take(&mut self.frame)
    }

    /// Follows the cursor. Tabs become spaces on a terminal, where their width is ours to know.
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
            if character == '\t' && self.look.live {
                let spaces = 8 - self.column % 8;
                (0..spaces).for_each(|_| self.place(1));
                shown.extend(std::iter::repeat_n(' ', spaces));
                continue;
            }
            self.place(character.width().unwrap_or(0));
            shown.push(character);
        }
        shown
    }

    fn place(&mut self, width: usize) {
        if self.column + width > self.look.columns {
            self.rows_since_mark += 1;
            self.column = 0;
        }
        self.column += width;
    }
}

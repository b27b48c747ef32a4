//! What has been written so far, as far as the next write must know it: the column, blank lines,
//! and how many rows a message took, so that a discarded one can be taken back on a terminal.

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

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
    /// The last lines.
    End,
}

/// A place to come back to.
#[derive(Debug, Clone, Copy)]
struct Mark {
    line_ends: usize,
    last: Option<Block>,
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
        }
    }

    pub(crate) fn look(&self) -> Look {
        self.look
    }

    /// Whether the cursor stands at the start of a line.
    pub(crate) fn at_line_start(&self) -> bool {
        self.column == 0
    }

    /// Begins a paragraph on a line of its own.
    pub(crate) fn begin(&mut self, block: Block) {
        let apart = match (self.last, block) {
            (None, _) => false,
            (Some(Block::Talk | Block::Thought), _) => true,
            (Some(last), next) => last != next,
        };
        self.end_line();
        if apart && self.line_ends < 2 {
            self.write(Style::new(), "\n");
        }
        self.last = Some(block);
        self.mark = None;
    }

    /// Remembers this place, the start of a line, for [`Canvas::take_back`].
    pub(crate) fn set_mark(&mut self) {
        self.mark = Some(Mark { line_ends: self.line_ends, last: self.last });
        self.rows_since_mark = 0;
    }

    /// Takes back everything since the mark. False when that cannot be done: no terminal, something
    /// else was written since, or the start has left the screen.
    pub(crate) fn take_back(&mut self) -> bool {
        let Some(mark) = self.mark.take() else { return false };
        if !self.look.live || self.rows_since_mark + 1 >= self.look.rows {
            return false;
        }
        self.frame = Frame { erase_rows: Some(self.rows_since_mark), text: String::new() };
        self.column = 0;
        self.line_ends = mark.line_ends;
        self.last = mark.last;
        true
    }

    /// Writes plain text in a style.
    pub(crate) fn write(&mut self, style: Style, text: &str) -> &mut Self {
        if text.is_empty() {
            return self;
        }
        let text = self.advance(text);
        self.frame.text.push_str(&format!("{style}{text}{style:#}"));
        self
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

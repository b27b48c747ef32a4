//! Renderers: the events of a run in, text out. Pure: no clock, no terminal, no process.

mod canvas;
mod excerpt;
mod final_text;
mod pretty;

pub(crate) use canvas::{Frame, Look};
pub(crate) use excerpt::{input_lines, of_input};
pub(crate) use final_text::FinalText;
pub(crate) use pretty::{Headline, Pretty};

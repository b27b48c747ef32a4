//! Renderers: turn the events of a run into text. Pure: no clock, no terminal, no process.

mod canvas;
mod excerpt;
mod pretty;

pub(crate) use canvas::{Frame, Viewport};
pub(crate) use excerpt::{excerpt_of_input, input_lines};
pub(crate) use pretty::{Headline, Pretty};

//! An agent CLI of negligible cost: this executable under the name `claude`. An adapter passes no environment on, so a
//! file beside the executable controls it.

mod play;
mod script;
mod stream_json;

pub(super) use play::{detached_child, perform};
pub(super) use script::{Folder, Frame, Manner, Script, Text, Writes};
pub(super) use stream_json::{CLOCK_MARK, clock_in, now_nanoseconds, prompt_lines};

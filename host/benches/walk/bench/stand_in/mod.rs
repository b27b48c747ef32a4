//! An agent CLI that costs next to nothing: this executable under the name `claude`. A correct
//! adapter strips the environment, so it is steered by a file beside itself.

mod act;
mod dialect;
mod script;

pub(super) use act::{detached_child, perform};
pub(super) use dialect::{CLOCK_MARK, clock_in, now_nanoseconds, prompt_lines};
pub(super) use script::{Folder, Frame, Manner, Script, Text, Writes};

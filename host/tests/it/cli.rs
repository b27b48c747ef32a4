//! The binary `od-host` as a person or a script meets it: real processes, scratch homes.

mod arguments;
mod render;
mod scratch;

//! Operating-system helpers that the host and the sdk share. Nothing here knows the protocol, an
//! adapter or an agent CLI.
//!
//! | module | contents |
//! |---|---|
//! | [`lines`] | splits a byte stream into lines without copying them |
//! | [`process`] | reads the process table, adopts orphans, waits for and kills processes |
//! | [`tree`] | starts a program and ends it with every process it started |
//! | [`login_shell`] | reads PATH from the user's login shell and caches it |
//!
//! Each module has the same functions on every platform. What a platform cannot do is documented
//! at the function and has a harmless result there (an empty list, `None`, `false`).
//!
//! `/proc` is read by this crate and not by the `procfs` crate: six fields of one line are needed,
//! `procfs` adds three packages with 15,000 lines to the build of every adapter, and it needs more
//! than twice the system calls for a scan of all processes, which happens when a run ends.
//!
//! # Layers
//! A module imports only modules of lines above its own.
//!
//! 1. `lines`, `process`: no imports from this crate.
//! 2. `tree`: a started program and its descendants.
//! 3. `login_shell`: runs a shell in a tree.

pub mod lines;
pub mod login_shell;
pub mod process;
pub mod tree;

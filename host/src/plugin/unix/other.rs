//! Unix without a way to inherit orphans: the group is all that can be reached, and the adapter's own
//! guard does the rest.

use std::collections::BTreeSet;
use std::io::PipeReader;
use std::path::Path;

/// There is no such role here.
pub(crate) fn become_reaper() -> std::io::Result<()> {
    Ok(())
}

/// Not needed without a sweep.
pub(crate) fn birth(_pid: u32) -> u64 {
    0
}

/// Nothing can be found.
pub(crate) fn sweep_once(_birth: u64, _living: &BTreeSet<u32>) -> usize {
    0
}

/// Nothing can be found.
pub(crate) fn end_strays(_is_over: impl Fn(&str) -> bool) -> usize {
    0
}

/// Nothing can be found.
pub(crate) fn end_outlived(_home: &Path) -> usize {
    0
}

/// Nothing can be found.
pub(crate) fn leftovers(_home: &Path) -> Vec<(u32, String)> {
    Vec::new()
}

/// The size of a pipe is fixed here.
pub(crate) fn enlarge_pipe(_pipe: &PipeReader) {}

//! The flags an agent CLI names in its `--help`.

use std::collections::BTreeSet;

/// The long flags a help text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    names: BTreeSet<String>,
}

impl Flags {
    /// Whether the help text names the flag, given with its dashes.
    pub fn knows(&self, flag: &str) -> bool {
        self.names.contains(flag)
    }
}

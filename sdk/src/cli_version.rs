//! The version of an installed agent CLI.

//! What the system says about our own process.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(super) use linux::{open_files, resident_bytes};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{open_files, resident_bytes};

//! What tools say of the files they wrote.

use serde::Deserialize;

/// The tool's own account of a file it wrote (`tool_use_result` of Write, Edit, …).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FileReport {
    /// `create` or `update`; absent with Edit.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The file, absolute.
    pub file_path: Option<String>,
    /// With `create`: all of it.
    pub content: Option<String>,
    /// What changed.
    pub structured_patch: Option<Vec<Hunk>>,
}

/// A hunk of a patch.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Hunk {
    /// First line before.
    pub old_start: u64,
    /// Lines before.
    pub old_lines: u64,
    /// First line after.
    pub new_start: u64,
    /// Lines after.
    pub new_lines: u64,
    /// With their sign.
    pub lines: Vec<String>,
}

//! Reports of tools on the files they wrote.

use serde::Deserialize;

/// A tool's report on a written file (`tool_use_result` of Write, Edit, …).
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FileReport {
    /// `create` or `update`; absent with Edit.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The absolute path.
    pub file_path: Option<String>,
    /// With `create`: the whole content.
    pub content: Option<String>,
    /// The changes.
    pub structured_patch: Option<Vec<Hunk>>,
}

/// A hunk of a patch.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Hunk {
    /// First line in the old file.
    pub old_start: u64,
    /// Number of lines in the old file.
    pub old_lines: u64,
    /// First line in the new file.
    pub new_start: u64,
    /// Number of lines in the new file.
    pub new_lines: u64,
    /// The lines, each with the prefix ` `, `+` or `-`.
    pub lines: Vec<String>,
}

//! Files of the repository: read, compared with their generated text, or rewritten.

use std::path::{Path, PathBuf};

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The path from the root of the repository.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl GeneratedFile {
    /// A file with this text.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// Describes the first difference to the committed file; `None` when the file is current.
    pub fn difference(&self) -> Option<String> {
        let file = repository().join(&self.path);
        let committed = std::fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
        let number = first_difference(&committed, &self.text)?;
        Some(format!(
            "{}:{number}\n  committed: {}\n  generated: {}",
            self.path,
            committed.lines().nth(number - 1).unwrap_or("(end of file)"),
            self.text.lines().nth(number - 1).unwrap_or("(end of file)"),
        ))
    }

    /// Replaces the committed file.
    ///
    /// # Errors
    /// When the file or its folder cannot be written.
    pub fn write(&self) -> std::io::Result<()> {
        let file = repository().join(&self.path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, &self.text)
    }
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    folder.expect("the crate is two folders below the root").to_owned()
}

/// The text of a committed file, by its path from the root of the repository.
pub fn read(path: &str) -> String {
    let text = std::fs::read_to_string(repository().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

/// JSON as it is committed: indented, with a final line break.
pub fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// The folders of all agents, from the root of the repository: `adapters/<id>`, or `adapters/<family>/<id>` where
/// several adapters share a crate. Each holds a `manifest.json`.
pub fn agent_folders() -> Vec<String> {
    let adapters = folders_in("adapters");
    let nested: Vec<String> = adapters.iter().flat_map(|folder| folders_in(folder)).collect();
    let mut folders: Vec<String> = adapters
        .into_iter()
        .chain(nested)
        .filter(|folder| repository().join(folder).join("manifest.json").is_file())
        .collect();
    folders.sort();
    folders
}

fn folders_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(repository().join(folder))
        .unwrap_or_else(|error| panic!("{folder}: {error}"));
    entries
        .map(|entry| entry.expect("a readable entry"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
        .collect()
}

fn first_difference(committed: &str, generated: &str) -> Option<usize> {
    if committed == generated {
        return None;
    }
    let same = committed.lines().zip(generated.lines()).take_while(|(left, right)| left == right);
    Some(same.count() + 1)
}

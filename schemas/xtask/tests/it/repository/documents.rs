//! Documents about the code name only files that exist.

use od_protocol::{adapter, api};

use super::work_tree::{assert_none, exists, read};

/// Documents whose paths are checked.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The first part of a path of the repository.
const FOLDERS: [&str; 9] =
    [".cargo", ".ci", ".github", "adapters", "conformance", "host", "protocol", "schemas", "sdk"];

#[test]
fn paths_in_documents_exist() {
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        if !exists(document) {
            missing.push(document.to_owned());
            continue;
        }
        let text = read(document);
        let paths = quoted(&text).into_iter().filter(|(_, path)| is_repository_path(path));
        for (line, path) in paths.filter(|(_, path)| !exists(path)) {
            missing.push(format!("{document}:{line}: {path}"));
        }
    }
    assert_none("paths that do not exist", missing);
}

/// The texts in backticks outside code blocks, with their lines.
fn quoted(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_code_block = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code_block = !is_code_block;
        } else if !is_code_block {
            found.extend(line.split('`').skip(1).step_by(2).map(|quoted| (index + 1, quoted)));
        }
    }
    found
}

/// Whether a text looks like a path of this repository. Patterns and method names such as `host/info` do not.
fn is_repository_path(text: &str) -> bool {
    let is_method = adapter::METHODS.iter().chain(api::METHODS).any(|method| method.name == text);
    let is_pattern = text.contains(|character: char| "*<>{}$:() \"…".contains(character));
    let first = text.split('/').next().unwrap_or_default();
    text.contains('/') && FOLDERS.contains(&first) && !is_pattern && !is_method
}

#[test]
fn only_repository_paths_are_checked() {
    let text = "See `host/src/lib.rs`, `host/info`, `adapters/*`, `sdk` and `~/.local/share`.\n\
                ```\n`host/nothing`\n```\n`schemas/v1/`\n";
    let paths: Vec<(usize, &str)> =
        quoted(text).into_iter().filter(|(_, path)| is_repository_path(path)).collect();
    assert_eq!(paths, [(1, "host/src/lib.rs"), (5, "schemas/v1/")]);
}

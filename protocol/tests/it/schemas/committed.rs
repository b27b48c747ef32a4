//! A committed file that is generated: compared, or rewritten on request.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate has a parent").to_owned()
}

/// Whether `UPDATE_EXPECT` asks for new files.
pub(crate) fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1")
}

/// The text of a committed file, named from the repository's root.
pub(crate) fn read(path: &str) -> String {
    let text = std::fs::read_to_string(repository().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

/// Compares a file, named from the repository's root, with what it should be.
pub(crate) fn check(path: &str, expected: &str) {
    let file = repository().join(path);
    if updating() {
        std::fs::create_dir_all(file.parent().expect("a file has a folder")).expect("folder");
        return std::fs::write(&file, expected).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    let Some(number) = first_difference(&found, expected) else { return };
    panic!(
        "{path} is not current, first at line {number}\n  committed: {}\n  generated: {}\nhint: make schemas",
        found.lines().nth(number - 1).unwrap_or("(end of file)"),
        expected.lines().nth(number - 1).unwrap_or("(end of file)"),
    );
}

fn first_difference(found: &str, expected: &str) -> Option<usize> {
    if found == expected {
        return None;
    }
    let same = found.lines().zip(expected.lines()).take_while(|(left, right)| left == right);
    Some(same.count() + 1)
}

/// A document as it is committed: indented, with a final line end.
pub(crate) fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

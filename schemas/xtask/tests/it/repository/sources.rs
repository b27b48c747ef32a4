//! Source files: how they begin, how long they may be, how they are named, and that they are compiled.

use std::collections::BTreeMap;

use super::work_tree::{assert_none, read, rust_files};

/// The most lines of a source file outside tests.
const MAX_FILE_LINES: usize = 400;

/// Lists with one entry per fault; each grows with every check and reads from top to bottom.
const LISTS: &[&str] = &["conformance/src/mutant/fault.rs", "conformance/src/mutant/table.rs"];

/// The most lines of a function outside tests, so that it fits on a screen.
const MAX_FUNCTION_LINES: usize = 60;

fn outside_tests() -> impl Iterator<Item = String> {
    rust_files().into_iter().filter(|file| !file.contains("/tests/"))
}

#[test]
fn source_files_begin_with_doc_comment() {
    let silent = rust_files().into_iter().filter(|file| !read(file).starts_with("//!")).collect();
    assert_none("files without a //! line at their start", silent);
}

#[test]
fn source_files_have_at_most_400_lines() {
    let long = outside_tests()
        .filter(|file| !LISTS.contains(&file.as_str()))
        .map(|file| (read(&file).lines().count(), file))
        .filter(|(lines, _)| *lines > MAX_FILE_LINES)
        .map(|(lines, file)| format!("{file}: {lines}"))
        .collect();
    assert_none("files of more than 400 lines", long);
}

#[test]
fn functions_have_at_most_60_lines() {
    let long = outside_tests().flat_map(|file| long_functions(&file)).collect();
    assert_none("functions of more than 60 lines", long);
}

/// A function ends at the brace that stands where its own line begins.
fn long_functions(file: &str) -> Vec<String> {
    let text = read(file);
    let lines: Vec<&str> = text.lines().collect();
    let mut long = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = lines[start..].iter().position(|line| *line == format!("{indent}}}"));
        if let Some(length) = end.filter(|end| *end >= MAX_FUNCTION_LINES) {
            long.push(format!("{file}:{}: {}", start + 1, length + 1));
        }
    }
    long
}

/// A declaration without a body ends on its line; one of a trait over several lines is followed by
/// the end of the trait at the latest, which stands further left.
fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let visible = |word: &&str| word.starts_with("pub") || ["const", "async"].contains(word);
    words.find(|word| !visible(word)) == Some("fn") && !line.ends_with(';')
}

#[test]
fn source_files_have_no_todo_marks() {
    let marks = ["// TODO", "// FIXME", "todo!(", "unimplemented!("];
    let unfinished =
        outside_tests().filter(|file| marks.iter().any(|mark| read(file).contains(mark))).collect();
    assert_none("files with marks of unfinished work", unfinished);
}

#[test]
fn source_files_are_included_by_their_parent() {
    let sources: BTreeMap<String, String> =
        rust_files().into_iter().map(|file| (file.clone(), read(&file))).collect();
    let orphans = sources.keys().filter(|file| is_orphan(file, &sources)).cloned().collect();
    assert_none("files that no module includes", orphans);
}

/// A module's file `a/b.rs` is declared as `mod b` in `a.rs`, `a/mod.rs`, `a/lib.rs` or
/// `a/main.rs`, or by its path in one of those or beside it; roots of crates, examples and benches
/// need no parent.
fn is_orphan(file: &str, sources: &BTreeMap<String, String>) -> bool {
    let (folder, name) = file.rsplit_once('/').expect("no source file lies at the root");
    let is_root = matches!(name, "lib.rs" | "main.rs" | "build.rs")
        || ["bin", "examples", "benches", "tests"].iter().any(|root| folder.ends_with(root));
    let (folder, module) = match name {
        "mod.rs" => folder.rsplit_once('/').expect("a module folder has a parent"),
        _ => (folder, name.trim_end_matches(".rs")),
    };
    let parents = [".rs", "/mod.rs", "/lib.rs", "/main.rs"].map(|end| format!("{folder}{end}"));
    let by_name = format!("mod {module};");
    let is_named =
        parents.iter().filter_map(|parent| sources.get(parent)).any(|text| text.contains(&by_name));
    let last = folder.rsplit_once('/').map_or(folder, |(_, last)| last);
    let by_path = [format!("path = \"{name}\""), format!("path = \"{last}/{name}\"")];
    let beside = |other: &str| other.rsplit_once('/').is_some_and(|(place, _)| place == folder);
    let is_pathed = sources
        .iter()
        .filter(|(other, _)| beside(other) || parents.contains(other))
        .any(|(_, text)| by_path.iter().any(|path| text.contains(path)));
    !is_root && !is_named && !is_pathed
}

//! Names in plain English: tests, files and constants.

use super::work_tree::{assert_none, read, rust_files};

/// The most words of a test's name.
const MAX_TEST_NAME_WORDS: usize = 8;

/// File names that do not name a concept.
const VAGUE_FILES: [&str; 7] =
    ["words.rs", "parts.rs", "told.rs", "talk.rs", "go_on.rs", "wishes.rs", "patience.rs"];

/// Constant names that do not name what they limit.
const VAGUE_CONSTANTS: [&str; 5] = ["FEW", "MOST", "NEAR", "BEAT", "SPARE"];

#[test]
fn test_names_have_at_most_eight_words() {
    let long = rust_files().iter().flat_map(|file| long_test_names(file, &read(file))).collect();
    assert_none("test names of more than 8 words", long);
}

fn long_test_names(file: &str, text: &str) -> Vec<String> {
    let mut long = Vec::new();
    let mut is_test = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(name) = function_name(line).filter(|_| is_test) {
            if name.split('_').count() > MAX_TEST_NAME_WORDS {
                long.push(format!("{file}:{}: {name}", index + 1));
            }
            is_test = false;
        }
    }
    long
}

fn function_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

#[test]
fn file_names_name_a_concept() {
    let is_vague = |file: &String| {
        let name = file.rsplit('/').next();
        name.is_some_and(|name| VAGUE_FILES.contains(&name))
    };
    let vague = rust_files().into_iter().filter(is_vague).collect();
    assert_none("files whose names say nothing about their content", vague);
}

#[test]
fn constant_names_state_what_they_limit() {
    let mut vague = Vec::new();
    for file in rust_files() {
        for (index, line) in read(&file).lines().enumerate() {
            let declared = line.split_once("const ").or_else(|| line.split_once("static "));
            let name = declared.and_then(|(_, rest)| rest.split(':').next()).unwrap_or_default();
            if VAGUE_CONSTANTS.contains(&name.trim()) {
                vague.push(format!("{file}:{}: {name}", index + 1));
            }
        }
    }
    assert_none("constants whose names do not state what they limit", vague);
}

#[test]
fn long_name_of_async_test_is_found() {
    let text = "#[tokio::test]\nasync fn one_two_three_four_five_six_seven_eight_nine() {}\n\
                #[test]\nfn short_name() {}\nfn one_two_three_four_five_six_seven_eight_nine() {}\n";
    let found = long_test_names("a.rs", text);
    assert_eq!(found, ["a.rs:2: one_two_three_four_five_six_seven_eight_nine"]);
}

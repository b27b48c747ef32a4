//! Documents with generated parts: what stands between a marker and its end is made anew.

use super::committed::{check, read};

const END: &str = "<!-- end -->";

/// Compares a document, named from the repository's root, with itself after `part` has made every
/// part anew. It gets the words of the marker `<!-- generated: … -->`.
pub(crate) fn check_parts(path: &str, part: fn(&str) -> String) {
    check(path, &regenerate(&read(path), part));
}

fn regenerate(text: &str, part: fn(&str) -> String) -> String {
    let mut lines = text.lines();
    let mut generated = String::new();
    while let Some(line) = lines.next() {
        generated += &format!("{line}\n");
        let Some(wanted) = line.strip_prefix("<!-- generated: ") else { continue };
        let wanted = wanted.strip_suffix(" -->").expect("a marker ends on its line");
        generated += &part(wanted);
        lines.by_ref().find(|line| *line == END).expect("a generated part has an end");
        generated += &format!("{END}\n");
    }
    generated
}

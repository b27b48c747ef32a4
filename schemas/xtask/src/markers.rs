//! Documents with generated parts: the text between a marker and its end is replaced.

use crate::files::{GeneratedFile, read};

const END: &str = "<!-- end -->";

/// A document with every generated part replaced. `part` gets the text of the marker `<!-- generated: … -->`.
pub fn document(path: &str, part: fn(&str) -> String) -> GeneratedFile {
    GeneratedFile::new(path, regenerate(&read(path), part))
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

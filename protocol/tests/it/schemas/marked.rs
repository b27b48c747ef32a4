//! Documents with generated parts: what stands between a marker and its end is made anew.

const END: &str = "<!-- end -->";

/// The text with every part made anew by `part`, which gets the words of the marker
/// `<!-- generated: … -->`.
pub(crate) fn regenerate(text: &str, part: fn(&str) -> String) -> String {
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

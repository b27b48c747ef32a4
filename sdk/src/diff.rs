//! Writes unified diffs, for agent CLIs that report a file before and after instead of a patch. One
//! hunk: from the first changed line to the last.

use std::fmt::Write;

/// The number of unchanged lines around the change.
const CONTEXT_LINES: usize = 3;

/// Returns the diff of a new file.
///
/// ```
/// let diff = od_sdk::diff::created("/a", "x\n");
/// assert_eq!(diff, "--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+x\n");
/// ```
pub fn created(path: &str, content: &str) -> String {
    let mut diff = format!("--- /dev/null\n+++ {path}\n");
    push_hunk(
        &mut diff,
        &Hunk { start: 0, before: &[], old: &[], new: &lines(content), after: &[] },
    );
    diff
}

/// Returns the diff of a deleted file.
pub fn deleted(path: &str, content: &str) -> String {
    let mut diff = format!("--- {path}\n+++ /dev/null\n");
    push_hunk(
        &mut diff,
        &Hunk { start: 0, before: &[], old: &lines(content), new: &[], after: &[] },
    );
    diff
}

/// Returns the diff of a changed file.
pub fn edited(path: &str, old: &str, new: &str) -> String {
    let mut diff = format!("--- {path}\n+++ {path}\n");
    let (old, new) = (lines(old), lines(new));
    let same_start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - same_start;
    let same_end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let start = same_start.saturating_sub(CONTEXT_LINES);
    let end = old.len() - same_end;
    let hunk = Hunk {
        start,
        before: &old[start..same_start],
        old: &old[same_start..end],
        new: &new[same_start..new.len() - same_end],
        after: &old[end..old.len().min(end + CONTEXT_LINES)],
    };
    push_hunk(&mut diff, &hunk);
    diff
}

struct Hunk<'a> {
    /// The number of lines before it.
    start: usize,
    before: &'a [&'a str],
    old: &'a [&'a str],
    new: &'a [&'a str],
    after: &'a [&'a str],
}

/// Splits into lines that keep their line ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn push_hunk(diff: &mut String, hunk: &Hunk<'_>) {
    if hunk.old.is_empty() && hunk.new.is_empty() {
        return;
    }
    let around = hunk.before.len() + hunk.after.len();
    let (old_count, new_count) = (around + hunk.old.len(), around + hunk.new.len());
    // The number of an empty side is that of the line before it.
    let first = |count: usize| if count == 0 { hunk.start } else { hunk.start + 1 };
    let (old_first, new_first) = (first(old_count), first(new_count));
    writeln!(diff, "@@ -{old_first},{old_count} +{new_first},{new_count} @@")
        .expect("a string grows");
    for (mark, lines) in [(' ', hunk.before), ('-', hunk.old), ('+', hunk.new), (' ', hunk.after)] {
        for line in lines {
            diff.push(mark);
            diff.push_str(line);
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_file_is_all_added() {
        assert_eq!(
            created("/a", "x\ny"),
            "--- /dev/null\n+++ /a\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n"
        );
        assert_eq!(created("/a", ""), "--- /dev/null\n+++ /a\n");
        assert_eq!(deleted("/a", "x\n"), "--- /a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n");
    }

    #[test]
    fn change_has_three_context_lines() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = old.replace("5\n", "five\n");
        let expected = "--- /a\n+++ /a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(edited("/a", old, &new), expected);
    }

    #[test]
    fn repeated_lines_are_counted_once() {
        assert_eq!(
            edited("/a", "x\nx\n", "x\nx\nx\n"),
            "--- /a\n+++ /a\n@@ -1,2 +1,3 @@\n x\n x\n+x\n"
        );
        assert_eq!(edited("/a", "x\n", "x\n"), "--- /a\n+++ /a\n");
        assert_eq!(edited("/a", "", "x\n"), "--- /a\n+++ /a\n@@ -0,0 +1,1 @@\n+x\n");
    }
}

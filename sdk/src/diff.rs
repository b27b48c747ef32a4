//! Writes unified diffs, for agent CLIs that report a file before and after instead of a patch.

use std::fmt::Write;
use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// The number of unchanged lines around a change.
const CONTEXT_LINES: usize = 3;
/// Larger changes become one hunk that replaces everything: the time of a line-by-line comparison
/// grows with the square of the changed lines.
const MAX_COMPARED_LINES: usize = 2_000;

/// Returns the diff of a new file.
///
/// ```
/// let diff = od_sdk::diff::created("/a", "x\n");
/// assert_eq!(diff, "--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+x\n");
/// ```
pub fn created(path: &str, content: &str) -> String {
    unified_diff("/dev/null", path, "", content)
}

/// Returns the diff of a deleted file.
pub fn deleted(path: &str, content: &str) -> String {
    unified_diff(path, "/dev/null", content, "")
}

/// Returns the diff of a changed file.
pub fn edited(path: &str, old: &str, new: &str) -> String {
    unified_diff(path, path, old, new)
}

fn unified_diff(old_path: &str, new_path: &str, old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut diff = format!("--- {old_path}\n+++ {new_path}\n");
    for hunk in group_diff_ops(compare(&old, &new), CONTEXT_LINES) {
        push_hunk(&mut diff, &hunk, &old, &new);
    }
    diff
}

/// The operations that turn the old lines into the new ones.
fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same_start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - same_start;
    let from_end = old.iter().rev().zip(new.iter().rev()).take(rest);
    let same_end = from_end.take_while(|(one, other)| one == other).count();
    let (old_len, new_len) = (old.len() - same_start - same_end, new.len() - same_start - same_end);
    if old_len.max(new_len) <= MAX_COMPARED_LINES {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let start = DiffOp::Equal { old_index: 0, new_index: 0, len: same_start };
    let change = DiffOp::Replace { old_index: same_start, old_len, new_index: same_start, new_len };
    let end = DiffOp::Equal {
        old_index: same_start + old_len,
        new_index: same_start + new_len,
        len: same_end,
    };
    let ops = [start, change, end].into_iter();
    ops.filter(|op| !op.old_range().is_empty() || !op.new_range().is_empty()).collect()
}

fn push_hunk(diff: &mut String, hunk: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let old_lines = first.old_range().start..last.old_range().end;
    let new_lines = first.new_range().start..last.new_range().end;
    writeln!(diff, "@@ -{} +{} @@", position(&old_lines), position(&new_lines))
        .expect("a string grows");
    for op in hunk {
        match op.tag() {
            DiffTag::Equal => push_lines(diff, ' ', &old[op.old_range()]),
            _ => {
                push_lines(diff, '-', &old[op.old_range()]);
                push_lines(diff, '+', &new[op.new_range()]);
            }
        }
    }
}

/// First line and number of lines. The position of an empty range is the line before it.
fn position(lines: &Range<usize>) -> String {
    let first = if lines.is_empty() { lines.start } else { lines.start + 1 };
    format!("{first},{}", lines.len())
}

fn push_lines(diff: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        diff.push(mark);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
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

    #[test]
    fn distant_changes_are_separate_hunks() {
        let old: String = (0..20).map(|line| format!("{line}\n")).collect();
        let new = old.replace("\n1\n", "\none\n").replace("\n17\n", "\nseventeen\n");
        let diff = edited("/a", &old, &new);
        assert_eq!(diff.matches("@@ -").count(), 2, "{diff}");
        assert_eq!(diff.matches("\n-").count(), 2, "{diff}");
    }

    #[test]
    fn huge_change_is_one_hunk() {
        let old: String = (0..60_000).map(|line| format!("{line}\n")).collect();
        let new: String = (0..60_000).map(|line| format!("{}\n", line * 7 + 1)).collect();
        let diff = edited("/a", &old, &new);
        assert_eq!(diff.matches("@@ -").count(), 1);
    }
}

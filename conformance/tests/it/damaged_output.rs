//! Random damage: a failure shows the smallest line that causes it.

use crate::support::{Reference, conformance, reference_pack};

/// Runs one check on a mutant and compares the minimized damage.
fn check_smallest(fault: &str, id: &str, smallest: &[&str]) {
    let reference = Reference::with_fault(Some(fault));
    let (pack, kept) = (reference_pack(), reference.beside("kept"));
    let outcome = conformance(&[
        "run",
        &reference.path(),
        "--pack",
        &pack.to_string_lossy(),
        "--only",
        id,
        "--seed",
        "5",
        "--patience",
        "3",
        "--keep",
        &kept,
    ]);
    let fail = format!("fail {id}");
    let repeat = format!("--only {id} --seed 5");
    outcome.exits_with(1).prints(&[&fail, "seed 5, round", &repeat]).prints(smallest);
    let location = outcome.text.lines().find_map(|line| line.trim().strip_prefix("transcript  "));
    let (file, line) =
        location.and_then(|location| location.rsplit_once(':')).expect("a transcript");
    let transcript = std::fs::read_to_string(file).expect("the transcript");
    let index: usize = line.parse().expect("a line");
    let line = transcript.lines().nth(index - 1).expect("the line is there");
    assert!(line.contains("the smallest damage"), "{line}");
    assert!(smallest.iter().all(|words| line.contains(words)), "{line}");
}

#[test]
fn crash_is_minimized_to_one_line() {
    // The mutant exits at a line with this start that is not JSON: no byte can be removed.
    check_smallest(
        "damage_dies",
        "ROB-05",
        &["with no other line, is line", r#": `{\"t\":` (of 8 lines"#],
    );
}

#[test]
fn wrong_outcome_is_minimized() {
    // The mutant accepts a line with this start as the final message.
    check_smallest("torn_end_is_end", "ROB-07", &[r#"is line 8: `{\"t\":\"end\"` (of 8 lines"#]);
}

//! Random damage: a failure names the smallest line that still does it.

use crate::support::{Reference, conformance, reference_pack};

/// Judges a mutant with one check and gives the words about the smallest damage.
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
fn a_crash_is_shrunk_to_the_one_line_that_makes_it() {
    // The mutant dies at a line that begins so and is no JSON: not a byte can be left out.
    check_smallest("damage_dies", "ROB-05", &["alone, is line", r#": `{\"t\":` (of 8 lines"#]);
}

#[test]
fn a_wrong_verdict_is_shrunk_too() {
    // The mutant takes a line that begins so for the last word.
    check_smallest("torn_end_is_end", "ROB-07", &[r#"is line 8: `{\"t\":\"end\"` (of 8 lines"#]);
}

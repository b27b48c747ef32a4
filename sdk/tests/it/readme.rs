//! The guide shows the example that the tests run.

const README: &str = include_str!("../../README.md");
const EXAMPLE: &str = include_str!("../../examples/od-adapter-parrot.rs");

#[test]
fn readme_contains_whole_example() {
    let code = &EXAMPLE[EXAMPLE.find("use std::borrow").expect("the first import")..];
    assert!(README.contains(code), "copy the example into step 2 of sdk/README.md");
}

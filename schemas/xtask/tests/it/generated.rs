//! Generated files are current, and generated code is valid.

use std::process::Command;

use xtask::contract::CONTRACTS;
use xtask::{generate, python};

#[test]
fn generated_files_are_current() {
    let stale = generate::stale();
    assert!(stale.is_empty(), "not current:\n{}\nhint: cargo xtask generate", stale.join("\n"));
}

/// Runs only where Python 3.11 or later is installed.
#[test]
fn generated_python_runs() {
    let python = |script: &str| Command::new("python3").args(["-I", "-c", script]).output();
    let is_new = python("import sys; sys.exit(sys.version_info < (3, 11))");
    if !is_new.is_ok_and(|output| output.status.success()) {
        return eprintln!("skipped: python3 3.11 is not installed");
    }
    for contract in CONTRACTS {
        let output = python(&python::generate(contract)).expect("python3 runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

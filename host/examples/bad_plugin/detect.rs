//! `adapter/detect`, with a made-up result.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Mode;
use crate::manifest::capabilities;
use crate::wire::{answer, forever};

/// Answers `adapter/detect`. Calls are counted in a file beside the adapter, and its login is a file there.
pub(crate) fn detect(mode: &Mode, id: &Value) {
    count(mode);
    match mode.name.as_str() {
        "hangs_in_detect" => forever(),
        "gated" => wait_for_the_gate(mode),
        _ => {}
    }
    let installed = mode.name != "not_installed";
    let auth = if mode.name == "logged_out" { "missing" } else { "ok" };
    let login = mode.file("login");
    answer(
        id,
        &json!({
            "installed": installed, "version": "4.5.6", "meetsMin": true,
            "auth": {"state": auth}, "capabilities": capabilities(mode),
            "guidance": "install it",
            "evidence": [
                {"signal": "path", "subject": "PATH", "found": installed, "detail": std::env::var("PATH").ok()},
                {"signal": "auth_file", "subject": login, "found": login.exists()},
            ],
        }),
    );
}

fn count(mode: &Mode) {
    let file = OpenOptions::new().create(true).append(true).open(mode.file("count"));
    file.and_then(|mut file| file.write_all(b"x")).expect("a file beside the adapter");
}

fn wait_for_the_gate(mode: &Mode) {
    while !mode.file("gate").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

//! How `od-host serve` starts and stops.

use std::os::unix::fs::PermissionsExt;

use super::stage::ServeProcess;
use crate::cli::scratch::Scratch;

#[test]
fn what_cannot_work_is_refused_with_the_fix() {
    let scratch = Scratch::new();
    let refused = |arguments: &[&str], error: &str, hint: &str| {
        scratch.od_host(&[&["serve"], arguments].concat()).fails_with(2, error, hint);
    };
    refused(&["--bind", "0.0.0.0:0"], "can be reached from outside", "--tls-cert FILE");
    refused(&["--bind", "nonsense"], "no address to listen at", "127.0.0.1:7456");
    refused(
        &["--bind", "127.0.0.1:0", "--allow-origin", "*"],
        "is no origin",
        "http://localhost:5173",
    );
    refused(&["--bind", "127.0.0.1:0", "--allow-host", "a b"], "is no host name", "name:port");
    refused(&["--root", "/nowhere/at/all"], "cannot be a root", "--root DIR");
    let files = ["--bind", "0.0.0.0:0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"];
    refused(&files, "--tls-cert: cannot use /nowhere.pem", "PEM");
}

#[test]
fn a_token_that_others_can_read_is_refused() {
    let scratch = Scratch::new();
    let token = scratch.path("od/token");
    std::fs::write(&token, "0123456789abcdef0123456789abcdef\n").expect("a token");
    std::fs::set_permissions(&token, PermissionsExt::from_mode(0o644)).expect("a mode");
    let finished = scratch.od_host(&["serve", "--bind", "127.0.0.1:0"]);
    finished.fails_with(2, "others can use the token", "chmod 600");
}

#[test]
fn a_signal_ends_it() {
    let host = ServeProcess::with_adapter("x", "good");
    host.terminate();
    assert_eq!(host.wait(), Some(0));
}

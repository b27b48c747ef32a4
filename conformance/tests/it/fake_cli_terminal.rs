//! The fake CLI on a real terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use od_conformance::fake_cli::{FakeCli, Handler, Script, Step, When};
use od_conformance::process::WindowSize;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use crate::support::CONFORMANCE;

/// A fake CLI that requires a terminal: prints `ready`, reads a line, answers.
fn placed(folder: &Path) -> FakeCli {
    let fake_cli = FakeCli::install(folder, "parrot", Path::new(CONFORMANCE)).expect("a fake CLI");
    let interrupt = Handler {
        when: When::Stdin(json!("\u{3}")),
        steps: vec![Step::out("interrupted"), Step::Exit { code: 0 }],
    };
    let steps = vec![
        Step::out("ready"),
        Step::Expect { pattern: json!({"say": "{{?prompt}}"}) },
        Step::out("you said {{prompt}}"),
        Step::Hang,
    ];
    let script = Script { terminal: true, handlers: vec![interrupt], steps, ..Script::default() };
    fake_cli.load_script(&script).expect("a script");
    fake_cli
}

/// Both ends of a terminal of 90 columns and 33 rows.
fn terminal() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("its rights");
    unlockpt(&ours).expect("its lock");
    let name = ptsname(&ours, Vec::new()).expect("its name").into_string().expect("text");
    let theirs = File::options().read(true).write(true).open(name).expect("its other end");
    let size = Winsize { ws_row: 33, ws_col: 90, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).expect("its size");
    (ours.into(), theirs.into())
}

fn start(fake_cli: &FakeCli, theirs: OwnedFd) -> Child {
    let again = theirs.try_clone().expect("a second handle");
    Command::new(fake_cli.executable())
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::from(again))
        .stderr(Stdio::null())
        .spawn()
        .expect("the fake CLI starts")
}

/// Reads until the text ends with this.
fn read_until(ours: &mut File, end: &str) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(end.as_bytes()) {
        ours.read_exact(&mut byte).expect("a byte of the terminal");
        text.push(byte[0]);
    }
    String::from_utf8(text).expect("text")
}

#[test]
fn script_runs_on_raw_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let fake_cli = placed(folder.path());
    let (mut ours, theirs) = terminal();
    let mut child = start(&fake_cli, theirs);
    assert_eq!(read_until(&mut ours, "\n"), "ready\r\n");
    ours.write_all("{\"say\":\"größer\"}\r".as_bytes()).expect("it takes a line");
    // The input is not echoed: the next line is already the answer.
    assert_eq!(read_until(&mut ours, "\n"), "you said größer\r\n");
    ours.write_all(b"\x03").expect("it takes a key");
    assert_eq!(read_until(&mut ours, "\n"), "interrupted\r\n");
    assert!(child.wait().expect("it ends").success());
    let seen = fake_cli.starts().pop().expect("it was started");
    assert_eq!(seen.terminal, Some(WindowSize { columns: 90, rows: 33 }));
    assert_eq!(seen.bound_text("prompt").as_deref(), Some("größer"));
    assert_eq!(seen.signals, Vec::<(String, u64)>::new(), "Ctrl-C is a key here, no signal");
}

#[test]
fn missing_terminal_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let fake_cli = placed(folder.path());
    let output =
        Command::new(fake_cli.executable()).stdin(Stdio::null()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("this agent CLI needs a terminal: stdin is not a terminal"), "{text}");
    let problem = fake_cli.starts().pop().and_then(|seen| seen.problem());
    assert_eq!(
        problem.as_deref(),
        Some("this agent CLI needs a terminal: stdin is not a terminal")
    );
}

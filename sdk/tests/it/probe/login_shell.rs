//! The login shell's PATH: asked when PATH has nothing, remembered, never waited for too long.

use od_sdk::detect::detect;
use od_sdk::{Adapter, Machine};

use super::scratch::{CLI, PlainAdapter, Scratch, about};

/// A machine whose shell is a script that counts its starts.
fn machine(scratch: &Scratch, shell_body: &str) -> Machine {
    let shell = scratch.counting_program("shell/zsh", shell_body);
    let mut machine = scratch.machine();
    machine.env.insert("SHELL".to_owned(), shell.display().to_string());
    machine
}

fn shell_that_sets(path: &str) -> String {
    format!("echo Welcome; export PATH='{path}'; echo noise >&2; exec /bin/sh -c \"$4\"")
}

#[test]
fn what_only_the_shell_knows_is_found_and_remembered() {
    let scratch = Scratch::new();
    let folders =
        format!("{}:relative:{}", scratch.at("managed").display(), scratch.at("tools").display());
    let machine = machine(&scratch, &shell_that_sets(&folders));
    let program = scratch.program(&format!("managed/{CLI}"), "echo 2.1.0");
    let adapter = PlainAdapter::new();
    assert!(adapter.locate(&machine).is_err(), "a run does not ask the shell");
    assert_eq!(scratch.count(), 0);

    let result = detect(&adapter, &machine, false);
    assert_eq!(result.path, Some(program.display().to_string()));
    assert_eq!(result.version.as_deref(), Some("2.1.0"));
    assert_eq!(scratch.count(), 1);

    let install = adapter.locate(&machine).expect("a run uses what is remembered");
    assert_eq!(install.path, program);
    assert_eq!(install.extra_path, [scratch.at("managed"), scratch.at("tools")]);
    detect(&adapter, &machine, false);
    assert_eq!(scratch.count(), 1);
    detect(&adapter, &machine, true);
    assert_eq!(scratch.count(), 2, "asked again on demand");
}

#[test]
fn a_real_shell_reads_the_persons_own_files() {
    let scratch = Scratch::new();
    let program = scratch.program(&format!("managed/{CLI}"), "echo 2.1.0");
    let profile = format!("echo Hello\nPATH={}:$PATH\n", scratch.at("managed").display());
    scratch.file("home/.profile", &profile);
    let mut machine = scratch.machine();
    machine.env.insert("SHELL".to_owned(), "/bin/sh".to_owned());
    machine.env.insert("HOME".to_owned(), scratch.at("home").display().to_string());
    let result = detect(&PlainAdapter::new(), &machine, false);
    assert_eq!(result.path, Some(program.display().to_string()), "{:?}", result.evidence);
}

#[test]
fn the_shell_is_left_alone_when_path_has_it() {
    let scratch = Scratch::new();
    let machine = machine(&scratch, "");
    scratch.program(&format!("path/{CLI}"), "echo 2.1.0");
    assert!(detect(&PlainAdapter::new(), &machine, true).installed);
    assert_eq!(scratch.count(), 0);
}

#[test]
fn without_a_state_folder_a_detection_still_finds_it() {
    let scratch = Scratch::new();
    let machine = machine(&scratch, &shell_that_sets(&scratch.at("managed").display().to_string()));
    let machine = Machine { state_dir: None, ..machine };
    scratch.program(&format!("managed/{CLI}"), "echo 2.1.0");
    assert!(detect(&PlainAdapter::new(), &machine, false).installed);
}

#[test]
fn a_shell_that_hangs_is_ended_and_not_asked_again_at_once() {
    let scratch = Scratch::new();
    let own = scratch.at("own");
    let machine = machine(&scratch, &format!("echo $$ > '{}'\nsleep 1000", own.display()));
    for _ in 0..2 {
        let result = detect(&PlainAdapter::new(), &machine, false);
        assert!(!result.installed);
        let shell = about(&result.evidence, scratch.at("shell/zsh")).expect("it is noted");
        assert!(!shell.found);
    }
    assert_eq!(scratch.count(), 1);
    scratch.assert_gone("own");
}

#[test]
fn an_unknown_shell_is_not_asked() {
    let scratch = Scratch::new();
    let mut machine = scratch.machine();
    let shell = scratch.counting_program("shell/nu", "");
    machine.env.insert("SHELL".to_owned(), shell.display().to_string());
    assert!(!detect(&PlainAdapter::new(), &machine, true).installed);
    assert_eq!(scratch.count(), 0);
}

//! The login shell's PATH: queried when PATH lacks the CLI, cached, with a time limit.

use od_sdk::detect::detect;
use od_sdk::{Adapter, Machine};

use super::scratch::{CLI, PlainAdapter, Scratch, about};

/// Returns a machine whose shell is a script that counts its starts.
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
fn path_of_shell_is_used_and_cached() {
    let scratch = Scratch::new();
    let folders =
        format!("{}:relative:{}", scratch.at("managed").display(), scratch.at("tools").display());
    let machine = machine(&scratch, &shell_that_sets(&folders));
    let program = scratch.program(&format!("managed/{CLI}"), "echo 2.1.0");
    let adapter = PlainAdapter::new();
    assert!(adapter.locate(&machine).is_err(), "a run does not start the shell");
    assert_eq!(scratch.count(), 0);

    let result = detect(&adapter, &machine, false);
    assert_eq!(result.path, Some(program.display().to_string()));
    assert_eq!(result.version.as_deref(), Some("2.1.0"));
    assert_eq!(scratch.count(), 1);

    let install = adapter.locate(&machine).expect("a run uses the cache");
    assert_eq!(install.path, program);
    assert_eq!(install.extra_path, [scratch.at("managed"), scratch.at("tools")]);
    detect(&adapter, &machine, false);
    assert_eq!(scratch.count(), 1);
    detect(&adapter, &machine, true);
    assert_eq!(scratch.count(), 2, "refresh starts the shell again");
}

#[test]
fn real_shell_reads_user_profile() {
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
fn shell_not_started_when_path_has_cli() {
    let scratch = Scratch::new();
    let machine = machine(&scratch, "");
    scratch.program(&format!("path/{CLI}"), "echo 2.1.0");
    assert!(detect(&PlainAdapter::new(), &machine, true).installed);
    assert_eq!(scratch.count(), 0);
}

#[test]
fn detection_works_without_state_folder() {
    let scratch = Scratch::new();
    let machine = machine(&scratch, &shell_that_sets(&scratch.at("managed").display().to_string()));
    let machine = Machine { state_dir: None, ..machine };
    scratch.program(&format!("managed/{CLI}"), "echo 2.1.0");
    assert!(detect(&PlainAdapter::new(), &machine, false).installed);
}

#[test]
fn hanging_shell_is_killed_and_failure_cached() {
    let scratch = Scratch::new();
    let own = scratch.at("own");
    let machine = machine(&scratch, &format!("echo $$ > '{}'\nsleep 1000", own.display()));
    for _ in 0..2 {
        let result = detect(&PlainAdapter::new(), &machine, false);
        assert!(!result.installed);
        let shell = about(&result.evidence, scratch.at("shell/zsh")).expect("it is evidence");
        assert!(!shell.found);
    }
    assert_eq!(scratch.count(), 1);
    scratch.assert_ended("own");
}

#[test]
fn unsupported_shell_is_not_started() {
    let scratch = Scratch::new();
    let mut machine = scratch.machine();
    let shell = scratch.counting_program("shell/nu", "");
    machine.env.insert("SHELL".to_owned(), shell.display().to_string());
    assert!(!detect(&PlainAdapter::new(), &machine, true).installed);
    assert_eq!(scratch.count(), 0);
}

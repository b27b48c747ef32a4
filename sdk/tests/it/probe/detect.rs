//! What `adapter/detect` answers, whatever the agent CLI does.

use std::fs;

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{AuthState, TestedVersion};
use od_sdk::detect::detect;
use od_sdk::{Adapter, Machine};

use super::scratch::{CLI, PlainAdapter, Scratch, about};

const PROGRAM: &str = "path/od-made-up-cli";
const CACHE: &str = "state/probe-od-made-up-cli.json";

fn look(scratch: &Scratch) -> DetectAdapterResult {
    detect(&PlainAdapter::new(), &scratch.machine(), false)
}

/// The detail of the evidence about the version.
fn version_detail(result: &DetectAdapterResult) -> &str {
    let evidence = result.evidence.iter().find(|evidence| evidence.signal == "version");
    evidence.and_then(|evidence| evidence.detail.as_deref()).unwrap_or_default()
}

#[test]
fn not_installed_is_a_result() {
    let scratch = Scratch::new();
    let adapter = PlainAdapter::new();
    let result = look(&scratch);
    assert!(!result.installed);
    assert_eq!((&result.path, &result.version, result.meets_min), (&None, &None, None));
    assert_eq!(result.guidance.as_deref(), Some(adapter.manifest.cli.install[0].command.as_str()));
    assert_eq!(result.auth.state, AuthState::Missing);
    assert_eq!(result.capabilities, adapter.manifest.capabilities);
    assert!(result.evidence.iter().any(|evidence| evidence.signal == "path"));
}

#[test]
fn the_version_is_asked_for_and_compared() {
    for (body, version, meets_min, tested) in [
        ("echo '2.1.0 (Made Up)'", "2.1.0", true, TestedVersion::Same),
        ("echo 'Made Up CLI 2.2.'", "2.2", true, TestedVersion::Newer),
        ("echo 'made-up/2.0.5' >&2", "2.0.5", true, TestedVersion::Older),
        ("echo 'v1.9.9'", "1.9.9", false, TestedVersion::Older),
        ("echo 2.1.0; exec sleep 1000 >/dev/null 2>&1 &", "2.1.0", true, TestedVersion::Same),
    ] {
        let scratch = Scratch::new();
        let program = scratch.program(PROGRAM, body);
        let result = look(&scratch);
        assert!(result.installed);
        assert_eq!(result.path, Some(program.display().to_string()));
        assert_eq!(result.version.as_deref(), Some(version), "{body}");
        assert_eq!((result.meets_min, result.tested_version), (Some(meets_min), Some(tested)));
        assert_eq!(result.guidance.is_some(), !meets_min);
    }
}

#[test]
fn below_the_minimum_names_the_command_of_the_tool_that_installed_it() {
    let scratch = Scratch::new();
    let package = "home/lib/node_modules/made-up";
    scratch.file(&format!("{package}/package.json"), r#"{"version":"1.0.0","bin":"cli.js"}"#);
    let program = scratch.counting_program(&format!("{package}/cli.js"), "");
    scratch.link(PROGRAM, program);
    let result = look(&scratch);
    assert_eq!((result.version.as_deref(), result.meets_min), (Some("1.0.0"), Some(false)));
    assert_eq!(result.guidance.as_deref(), Some("npm install -g made-up"));
    assert_eq!(scratch.count(), 0, "the package tells the version");
}

#[test]
fn a_hanging_cli_is_ended_with_what_it_started() {
    let scratch = Scratch::new();
    let (own, child) = (scratch.at("own"), scratch.at("child"));
    scratch.program(
        PROGRAM,
        &format!(
            "trap '' INT TERM\necho $$ > '{}'\nsleep 1000 &\necho $! > '{}'\nwait",
            own.display(),
            child.display()
        ),
    );
    let result = look(&scratch);
    assert!(result.installed);
    assert_eq!((result.version.as_deref(), result.meets_min), (None, None));
    assert!(version_detail(&result).contains("did not end"), "{:?}", result.evidence);
    scratch.assert_gone("own");
    scratch.assert_gone("child");
}

#[test]
fn a_flooding_cli_is_ended() {
    let scratch = Scratch::new();
    let own = scratch.at("own");
    scratch
        .program(PROGRAM, &format!("echo $$ > '{}'\nwhile :; do echo flood; done", own.display()));
    let result = look(&scratch);
    assert!(result.installed && result.version.is_none());
    scratch.assert_gone("own");
}

#[test]
fn a_failing_cli_and_one_that_does_not_start() {
    let scratch = Scratch::new();
    scratch.program(PROGRAM, "echo 'cannot load 3.2.1' >&2; exit 7");
    let result = look(&scratch);
    assert!(result.installed && result.version.is_none());
    assert!(version_detail(&result).contains("exits with 7"), "{:?}", result.evidence);

    let scratch = Scratch::new();
    scratch.file(PROGRAM, "#!/nowhere/interpreter\n");
    scratch.set_mode(PROGRAM, 0o755);
    let result = look(&scratch);
    assert!(result.installed && result.version.is_none());
    assert!(version_detail(&result).contains("cannot be started"), "{:?}", result.evidence);

    scratch.set_mode(PROGRAM, 0o644);
    let result = look(&scratch);
    assert!(!result.installed);
    assert!(result.guidance.is_some_and(|guidance| guidance.starts_with("chmod +x")));
}

#[test]
fn with_cli_path_nothing_else_is_started_or_reported() {
    let scratch = Scratch::new();
    scratch.counting_program(PROGRAM, "echo 2.1.0");
    let shell = scratch.counting_program("shell/bash", "");
    let mut machine = Machine { cli_path: Some(scratch.at("gone")), ..scratch.machine() };
    machine.env.insert("SHELL".to_owned(), shell.display().to_string());
    let result = detect(&PlainAdapter::new(), &machine, true);
    assert!(!result.installed);
    assert_eq!(scratch.count(), 0);
    let stranger = scratch.at(PROGRAM).display().to_string();
    assert!(!format!("{result:?}").contains(&stranger));
}

#[test]
fn an_answer_is_remembered_until_the_file_changes() {
    let scratch = Scratch::new();
    scratch.counting_program(PROGRAM, "echo 2.1.0");
    let versions = |expected: &str| {
        assert_eq!(look(&scratch).version.as_deref(), Some(expected));
        scratch.count()
    };
    assert_eq!(versions("2.1.0"), 1);
    assert_eq!(versions("2.1.0"), 1, "remembered");
    let install = PlainAdapter::new().locate(&scratch.machine()).expect("found");
    assert_eq!(install.version.as_deref(), Some("2.1.0"), "a run knows it too");

    detect(&PlainAdapter::new(), &scratch.machine(), true);
    assert_eq!(scratch.count(), 2, "asked again on demand");

    scratch.counting_program(PROGRAM, "echo 2.1.1");
    let install = PlainAdapter::new().locate(&scratch.machine()).expect("found");
    assert_eq!(install.version, None, "another file");
    assert_eq!(versions("2.1.1"), 3);
}

#[test]
fn a_broken_or_old_memory_is_replaced() {
    let scratch = Scratch::new();
    scratch.counting_program(PROGRAM, "echo 2.1.0");
    for broken in ["", "{ half", "[]", r#"{"x":{"identity":7}}"#] {
        scratch.file(CACHE, broken);
        let before = scratch.count();
        assert_eq!(look(&scratch).version.as_deref(), Some("2.1.0"));
        assert_eq!(look(&scratch).version.as_deref(), Some("2.1.0"));
        assert_eq!(scratch.count(), before + 1, "{broken:?} is replaced by what is asked once");
    }
    let path = scratch.at(CACHE);
    let mut memory: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).expect("a cache")).expect("JSON");
    let key = scratch.at(PROGRAM).display().to_string();
    memory[&key]["version"]["askedAt"] = 1_000.into();
    fs::write(&path, memory.to_string()).expect("written");
    let before = scratch.count();
    look(&scratch);
    assert_eq!(scratch.count(), before + 1, "what is older than a day is asked again");
}

#[test]
fn without_a_state_folder_or_with_a_closed_one_it_works_all_the_same() {
    let scratch = Scratch::new();
    scratch.counting_program(PROGRAM, "echo 2.1.0");
    scratch.file("blocked", "a file where the folder should be");
    for state_dir in [None, Some(scratch.at("blocked"))] {
        let machine = Machine { state_dir, ..scratch.machine() };
        let result = detect(&PlainAdapter::new(), &machine, false);
        assert_eq!(result.version.as_deref(), Some("2.1.0"));
    }
    assert_eq!(scratch.count(), 2);
}

#[test]
fn no_secret_and_no_change_anywhere_but_in_the_state_folder() {
    let scratch = Scratch::new();
    let seen = scratch.at("seen");
    scratch.program(PROGRAM, &format!("env > '{}'; echo 2.1.0", seen.display()));
    scratch
        .file("home/.made-up/auth.json", r#"{"token":"sk-file-canary","junk":"sk-junk-canary"}"#);
    scratch.set_mode("home/.made-up/auth.json", 0o644);
    let before = scratch.home_files();
    let mut machine = scratch.machine();
    machine.env.insert("MADE_UP_API_KEY".to_owned(), "sk-env-canary".to_owned());
    let result = detect(&PlainAdapter::new(), &machine, true);
    assert_eq!(result.auth.state, AuthState::Ok);
    let credential = result.auth.credential.clone().expect("who pays");
    assert_eq!(credential.name, "MADE_UP_API_KEY");
    let shown = format!("{result:?}{}", serde_json::to_string(&result).expect("JSON"));
    let memory = fs::read_to_string(scratch.at(CACHE)).expect("a cache");
    assert!(!shown.contains("canary") && !memory.contains("canary"), "{shown} {memory}");
    let seen = fs::read_to_string(seen).expect("the program was asked");
    assert!(seen.contains("PATH=") && !seen.contains("canary"), "{seen}");
    assert!(about(&result.evidence, "MADE_UP_API_KEY").is_some_and(|evidence| evidence.found));
    let file = about(&result.evidence, scratch.at("home/.made-up/auth.json")).expect("noted");
    assert!(file.detail.as_deref().is_some_and(|detail| detail.contains("chmod 600")));
    assert_eq!(scratch.home_files(), before);
}

#[test]
fn help_pages_are_asked_for_once() {
    let scratch = Scratch::new();
    scratch.counting_program(
        PROGRAM,
        "case \"$*\" in\n--version) echo 2.1.0;;\n--help) echo ' --model M';;\n\
         'exec --help') echo ' --effort E' >&2; exit 1;;\nesac",
    );
    let machine = scratch.machine();
    let mut adapter = PlainAdapter::new();
    adapter.help_pages = &[&["--help"], &["exec", "--help"]];
    for _ in 0..2 {
        let result = detect(&adapter, &machine, false);
        assert_eq!(result.version.as_deref(), Some("2.1.0"));
        let flags = adapter.locate(&machine).expect("found").flags.expect("help pages were read");
        assert!(flags.contains("--model") && flags.contains("--effort"));
        assert!(!flags.contains("--version"));
    }
    assert_eq!(scratch.count(), 3);
    detect(&adapter, &machine, true);
    assert_eq!(scratch.count(), 6, "refresh starts the CLI again");
}

#[test]
fn the_settings_folder_and_required_programs_are_evidence() {
    let scratch = Scratch::new();
    scratch.program(PROGRAM, "echo 2.1.0");
    let mut adapter = PlainAdapter::new();
    adapter.manifest.requirements.bins = vec!["sh".to_owned(), "od-no-such-program".to_owned()];
    let result = detect(&adapter, &scratch.machine(), false);
    assert!(about(&result.evidence, "sh").is_some_and(|evidence| evidence.found));
    assert!(about(&result.evidence, "od-no-such-program").is_some_and(|evidence| !evidence.found));
    assert_eq!(result.config_dir, None);
    assert_eq!(CLI, adapter.manifest.cli.names[0]);
}

//! The answer to `adapter/detect`, whatever the agent CLI does.

use std::fs;

use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{AuthState, TestedVersion};
use od_sdk::detect::detect;
use od_sdk::{Adapter, Machine};

use super::scratch::{CLI, PlainAdapter, Scratch, about};

const PROGRAM: &str = "path/od-made-up-cli";
const CACHE: &str = "state/probe-od-made-up-cli.json";

fn detect_in(scratch: &Scratch) -> DetectAdapterResult {
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
    let result = detect_in(&scratch);
    assert!(!result.installed);
    assert_eq!((&result.path, &result.version, result.meets_min), (&None, &None, None));
    assert_eq!(result.guidance.as_deref(), Some(adapter.manifest.cli.install[0].command.as_str()));
    assert_eq!(result.auth.state, AuthState::Missing);
    assert_eq!(result.capabilities, adapter.manifest.capabilities);
    assert!(result.evidence.iter().any(|evidence| evidence.signal == "path"));
}

#[test]
fn version_is_queried_and_compared() {
    for (body, version, meets_min, tested) in [
        ("echo '2.1.0 (Made Up)'", "2.1.0", true, TestedVersion::Same),
        ("echo 'Made Up CLI 2.2.'", "2.2", true, TestedVersion::Newer),
        ("echo 'made-up/2.0.5' >&2", "2.0.5", true, TestedVersion::Older),
        ("echo 'v1.9.9'", "1.9.9", false, TestedVersion::Older),
        ("echo 2.1.0; exec sleep 1000 >/dev/null 2>&1 &", "2.1.0", true, TestedVersion::Same),
    ] {
        let scratch = Scratch::new();
        let program = scratch.program(PROGRAM, body);
        let result = detect_in(&scratch);
        assert!(result.installed);
        assert_eq!(result.path, Some(program.display().to_string()));
        assert_eq!(result.version.as_deref(), Some(version), "{body}");
        assert_eq!((result.meets_min, result.tested_version), (Some(meets_min), Some(tested)));
        assert_eq!(result.guidance.is_some(), !meets_min);
    }
}

#[test]
fn guidance_uses_tool_that_installed_cli() {
    let scratch = Scratch::new();
    let package = "home/lib/node_modules/made-up";
    scratch.file(&format!("{package}/package.json"), r#"{"version":"1.0.0","bin":"cli.js"}"#);
    let program = scratch.counting_program(&format!("{package}/cli.js"), "");
    scratch.link(PROGRAM, program);
    let result = detect_in(&scratch);
    assert_eq!((result.version.as_deref(), result.meets_min), (Some("1.0.0"), Some(false)));
    assert_eq!(result.guidance.as_deref(), Some("npm install -g made-up"));
    assert_eq!(scratch.count(), 0, "the package has the version");
}

#[test]
fn hanging_cli_is_killed_with_its_children() {
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
    let result = detect_in(&scratch);
    assert!(result.installed);
    assert_eq!((result.version.as_deref(), result.meets_min), (None, None));
    assert!(version_detail(&result).contains("did not end"), "{:?}", result.evidence);
    scratch.assert_ended("own");
    scratch.assert_ended("child");
}

#[test]
fn flooding_cli_is_killed() {
    let scratch = Scratch::new();
    let own = scratch.at("own");
    scratch
        .program(PROGRAM, &format!("echo $$ > '{}'\nwhile :; do echo flood; done", own.display()));
    let result = detect_in(&scratch);
    assert!(result.installed && result.version.is_none());
    scratch.assert_ended("own");
}

#[test]
fn failing_cli_has_no_version() {
    let scratch = Scratch::new();
    scratch.program(PROGRAM, "echo 'cannot load 3.2.1' >&2; exit 7");
    let result = detect_in(&scratch);
    assert!(result.installed && result.version.is_none());
    assert!(version_detail(&result).contains("exits with 7"), "{:?}", result.evidence);

    let scratch = Scratch::new();
    scratch.file(PROGRAM, "#!/nowhere/interpreter\n");
    scratch.set_mode(PROGRAM, 0o755);
    let result = detect_in(&scratch);
    assert!(result.installed && result.version.is_none());
    assert!(version_detail(&result).contains("cannot be started"), "{:?}", result.evidence);

    scratch.set_mode(PROGRAM, 0o644);
    let result = detect_in(&scratch);
    assert!(!result.installed);
    assert!(result.guidance.is_some_and(|guidance| guidance.starts_with("chmod +x")));
}

#[test]
fn cli_path_excludes_other_programs() {
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
fn answer_is_cached_until_file_changes() {
    let scratch = Scratch::new();
    scratch.counting_program(PROGRAM, "echo 2.1.0");
    let versions = |expected: &str| {
        assert_eq!(detect_in(&scratch).version.as_deref(), Some(expected));
        scratch.count()
    };
    assert_eq!(versions("2.1.0"), 1);
    assert_eq!(versions("2.1.0"), 1, "cached");
    let install = PlainAdapter::new().locate(&scratch.machine()).expect("found");
    assert_eq!(install.version.as_deref(), Some("2.1.0"), "a run uses it too");

    detect(&PlainAdapter::new(), &scratch.machine(), true);
    assert_eq!(scratch.count(), 2, "refresh starts the CLI again");

    scratch.counting_program(PROGRAM, "echo 2.1.1");
    let install = PlainAdapter::new().locate(&scratch.machine()).expect("found");
    assert_eq!(install.version, None, "another file");
    assert_eq!(versions("2.1.1"), 3);
}

#[test]
fn broken_or_old_cache_is_replaced() {
    let scratch = Scratch::new();
    scratch.counting_program(PROGRAM, "echo 2.1.0");
    for broken in ["", "{ half", "[]", r#"{"x":{"identity":7}}"#] {
        scratch.file(CACHE, broken);
        let before = scratch.count();
        assert_eq!(detect_in(&scratch).version.as_deref(), Some("2.1.0"));
        assert_eq!(detect_in(&scratch).version.as_deref(), Some("2.1.0"));
        assert_eq!(scratch.count(), before + 1, "{broken:?} is replaced once");
    }
    let path = scratch.at(CACHE);
    let mut cache: serde_json::Value =
        serde_json::from_slice(&fs::read(&path).expect("a cache")).expect("JSON");
    let key = scratch.at(PROGRAM).display().to_string();
    cache[&key]["version"]["askedAt"] = 1_000.into();
    fs::write(&path, cache.to_string()).expect("written");
    let before = scratch.count();
    detect_in(&scratch);
    assert_eq!(scratch.count(), before + 1, "an answer older than a day is refreshed");
}

#[test]
fn detection_works_without_writable_state_folder() {
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
fn detection_reveals_no_secret_and_changes_nothing() {
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
    let credential = result.auth.credential.clone().expect("a credential");
    assert_eq!(credential.name, "MADE_UP_API_KEY");
    let shown = format!("{result:?}{}", serde_json::to_string(&result).expect("JSON"));
    let cache = fs::read_to_string(scratch.at(CACHE)).expect("a cache");
    assert!(!shown.contains("canary") && !cache.contains("canary"), "{shown} {cache}");
    let seen = fs::read_to_string(seen).expect("the program ran");
    assert!(seen.contains("PATH=") && !seen.contains("canary"), "{seen}");
    assert!(about(&result.evidence, "MADE_UP_API_KEY").is_some_and(|evidence| evidence.found));
    let file = about(&result.evidence, scratch.at("home/.made-up/auth.json")).expect("evidence");
    assert!(file.detail.as_deref().is_some_and(|detail| detail.contains("chmod 600")));
    assert_eq!(scratch.home_files(), before);
}

#[test]
fn help_pages_are_read_once() {
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
fn settings_folder_and_programs_are_evidence() {
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

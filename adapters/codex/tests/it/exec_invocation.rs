//! Maps `run/start` to the command line of `codex exec --json`.

use od_adapter_codex::Codex;
use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, ImageInput, SessionChoice, SessionMode};
use od_sdk::Flags;
use od_sdk::testing::{SESSION, args, start_params as params, started_with};
use od_sdk::{Adapter, Install};
use serde_json::json;

use crate::invocation::{refused, start};

/// A run with the option `mode` = `exec`.
fn exec(change: impl FnOnce(&mut StartRunParams)) -> impl FnOnce(&mut StartRunParams) {
    |params| {
        params.adapter_options.insert("mode".to_owned(), json!("exec"));
        change(params);
    }
}

#[test]
fn version_selects_mode() {
    let first = |version: Option<&str>| {
        let install = Install { version: version.map(str::to_owned), ..Install::default() };
        let invocation = started_with(&Codex, &install, |_| {});
        invocation.args[0].text.clone()
    };
    assert_eq!(first(Some("0.119.0")), "exec");
    assert_eq!(first(Some("0.120.0")), "app-server");
    assert_eq!(first(Some("1.2.0")), "app-server");
    assert_eq!(first(None), "app-server");
}

#[test]
fn prompt_and_attachments_are_on_stdin() {
    let invocation = start(exec(|params| {
        params.prompt.text = "--help $(x)".to_owned();
        params.prompt.attachments = vec!["/a.txt".to_owned()];
    }));
    assert_eq!(args(&invocation), ["exec", "--json", "--skip-git-repo-check", "-"]);
    assert_eq!(invocation.stdin, b"--help $(x)\n\nAttached files:\n/a.txt");
}

#[test]
fn flags_precede_session() {
    let invocation = start(exec(|params| {
        params.model = Some("gpt-5.5".to_owned());
        params.effort = Some(Effort::Max);
        params.permission_mode = Some("workspace-write".to_owned());
        params.add_dirs = vec!["/one".to_owned()];
        params.prompt.system = Some("say \"no\"\nalways".to_owned());
        params.session = SessionChoice { mode: SessionMode::Fork, id: Some(SESSION.to_owned()) };
    }));
    let args = args(&invocation);
    let expected = [
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--model",
        "gpt-5.5",
        "-c",
        "model_reasoning_effort=\"high\"",
        "-c",
        "developer_instructions=\"say \\\"no\\\"\\nalways\"",
        "--sandbox",
        "workspace-write",
        "--add-dir",
        "/one",
        "fork",
        SESSION,
        "-",
    ];
    assert_eq!(args, expected);
    assert!(!invocation.shown_args().iter().any(|argument| argument.contains("always")));
}

#[test]
fn output_schema_becomes_file() {
    let invocation = start(exec(|params| {
        params.output_schema = json!({"type": "object"}).as_object().cloned();
    }));
    assert_eq!(invocation.files.len(), 1);
    assert!(args(&invocation).contains(&"--output-schema"));
}

#[test]
fn unsupported_options_are_refused() {
    let image =
        ImageInput { mime: "image/png".to_owned(), data: Some("AAAA".to_owned()), path: None };
    let unsupported = ErrorKind::CapabilityUnsupported;
    let install = Install { version: Some("0.60.1".to_owned()), ..Install::default() };
    let fork = params(|params| {
        params.session = SessionChoice { mode: SessionMode::Fork, id: Some(SESSION.to_owned()) };
    });
    let refusal = Codex.invocation(&fork, &install).expect_err("old versions do not support forks");
    assert_eq!(refusal.kind(), unsupported);
    assert_eq!(refused(exec(|params| params.prompt.images = vec![image])), unsupported);
    assert_eq!(refused(exec(|params| params.skills = vec!["/s".to_owned()])), unsupported);
    let replace = exec(|params| {
        params.adapter_options.insert("systemMode".to_owned(), json!("replace"));
    });
    assert_eq!(refused(replace), unsupported);
}

#[test]
fn unknown_flag_is_omitted_or_refused() {
    let flags = Some(Flags::parse("--json --image --config"));
    let install = Install { flags, version: Some("0.60.1".to_owned()), ..Install::default() };
    let plain = started_with(&Codex, &install, |_| {});
    assert_eq!(args(&plain), ["exec", "--json", "-"]);
    assert!(plain.left_out.contains(&"--skip-git-repo-check".to_owned()), "{:?}", plain.left_out);
    let folders = params(|params| params.add_dirs = vec!["/one".to_owned()]);
    let refused = Codex.invocation(&folders, &install).expect_err("the flag is missing");
    assert_eq!(refused.kind(), ErrorKind::CapabilityUnsupported);
}

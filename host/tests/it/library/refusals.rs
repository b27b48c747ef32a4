//! Refused starts: each has a kind, a message and a hint, and leaves no trace.

use od_host::{ExitStatus, Failure, HostError};
use od_protocol::ErrorKind;

use super::stage::{Stage, block_on};

/// Starts a run that must be refused, and checks that it leaves no trace.
fn refused(stage: &Stage, agent: &str, change: fn(&mut od_host::RunRequest)) -> HostError {
    let error = block_on(async {
        let mut request = stage.request(agent, "go");
        change(&mut request);
        stage.host().start(request).await.expect_err("it is refused")
    });
    let runs = std::fs::read_dir(stage.home().runs()).map_or(0, Iterator::count);
    assert_eq!(runs, 0, "no folder is left behind");
    assert!(error.hint.is_some(), "{error:?}");
    assert!(!error.message.ends_with('.'), "{error:?}");
    error
}

fn nothing(_: &mut od_host::RunRequest) {}

#[test]
fn unknown_agent_is_refused() {
    let error = refused(&Stage::new(), "unknown", nothing);
    assert_eq!(
        (error.failure.clone(), error.exit_status()),
        (Failure::AgentUnknown, ExitStatus::AgentUnavailable)
    );
}

#[test]
fn empty_prompt_is_refused() {
    let error =
        refused(&Stage::with("x", "good"), "x", |request| request.params.prompt.text.clear());
    assert_eq!(error.exit_status(), ExitStatus::Usage);
}

#[test]
fn prompt_over_line_limit_is_refused() {
    let error = refused(&Stage::with("x", "good"), "x", |request| {
        request.params.prompt.text = "x".repeat(17 * 1024 * 1024);
    });
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::PromptTooLarge));
}

#[test]
fn missing_working_folder_is_refused() {
    let error =
        refused(&Stage::with("x", "good"), "x", |request| request.params.cwd.push_str("/not/here"));
    assert_eq!(error.failure, Failure::Usage);
    assert!(error.message.contains("/not/here"));
}

#[test]
fn adapter_that_exits_at_start_is_reported() {
    let error = refused(&Stage::with("x", "dies_at_start"), "x", nothing);
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::PluginCrashed));
    assert!(error.message.contains("exit code 9"), "{error:?}");
    assert!(error.message.contains("cannot find my libraries"), "{error:?}");
}

#[test]
fn adapter_that_never_answers_is_reported() {
    let error = refused(&Stage::with("x", "silent"), "x", nothing);
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::PluginHung));
}

#[test]
fn adapter_with_other_protocol_is_refused() {
    let error = refused(&Stage::with("x", "refuses_protocol"), "x", nothing);
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::UnsupportedProtocol));
    assert_eq!(error.exit_status(), ExitStatus::AgentUnavailable);
}

#[test]
fn refusal_of_adapter_is_returned() {
    let error = refused(&Stage::with("x", "refuses_run"), "x", nothing);
    assert_eq!(
        (error.exit_status(), error.hint.as_deref()),
        (ExitStatus::NotAuthenticated, Some("test login"))
    );
}

#[test]
fn malformed_error_object_is_reported() {
    let stage = Stage::with("x", "malformed_error");
    let error = block_on(async { stage.host().connect("x").await.expect_err("it is refused") });
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::Internal));
}

#[test]
fn run_id_in_use_is_refused() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let mut request = stage.request("x", "go");
        request.params.run_id = "mine".to_owned();
        host.start(request.clone()).await.expect("a run").wait().await;
        let error = host.start(request).await.expect_err("in use");
        assert_eq!(error.failure, Failure::Protocol(ErrorKind::RunIdInUse));
        assert_eq!(host.find_run("mine").expect("the first run").run_id, "mine");
    });
}

#[test]
fn unknown_run_is_refused() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let unknown = |error: HostError| {
            assert_eq!(
                (error.failure.clone(), error.exit_status()),
                (Failure::Protocol(ErrorKind::RunUnknown), ExitStatus::Usage)
            );
            assert!(error.hint.is_some());
        };
        unknown(host.find_run("last").expect_err("none exists"));
        unknown(host.events("nope", 0).expect_err("it does not exist"));
        let run = stage.start(&host).await.expect("a run");
        run.wait().await;
        unknown(host.run_client(run.id()).await.expect_err("it has ended"));
        unknown(host.find_run("nope").expect_err("it does not exist"));
        assert_eq!(host.find_run(&run.id()[..8]).expect("a beginning").run_id, run.id());
    });
}

//! What cannot work is refused with a kind, a text and a hint, and leaves nothing behind.

use od_host::{ExitStatus, Failure, HostError};
use od_protocol::ErrorKind;

use super::stage::{Stage, block_on};

/// Starts a run that must be refused; nothing may be left of it.
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
fn an_unknown_agent() {
    let error = refused(&Stage::new(), "nobody", nothing);
    assert_eq!(
        (error.failure.clone(), error.exit_status()),
        (Failure::AgentUnknown, ExitStatus::AgentUnavailable)
    );
}

#[test]
fn an_empty_prompt() {
    let error =
        refused(&Stage::with("x", "good"), "x", |request| request.params.prompt.text.clear());
    assert_eq!(error.exit_status(), ExitStatus::Usage);
}

#[test]
fn a_prompt_that_does_not_fit_into_a_line() {
    let error = refused(&Stage::with("x", "good"), "x", |request| {
        request.params.prompt.text = "x".repeat(17 * 1024 * 1024);
    });
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::PromptTooLarge));
}

#[test]
fn a_folder_that_is_not_there() {
    let error =
        refused(&Stage::with("x", "good"), "x", |request| request.params.cwd.push_str("/not/here"));
    assert_eq!(error.failure, Failure::Usage);
    assert!(error.message.contains("/not/here"));
}

#[test]
fn an_adapter_that_dies_at_once() {
    let error = refused(&Stage::with("x", "dies_at_start"), "x", nothing);
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::PluginCrashed));
    assert!(error.message.contains("exit code 9"), "{error:?}");
    assert!(error.message.contains("cannot find my libraries"), "{error:?}");
}

#[test]
fn an_adapter_that_never_answers() {
    let error = refused(&Stage::with("x", "silent"), "x", nothing);
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::PluginHung));
}

#[test]
fn an_adapter_of_another_protocol() {
    let error = refused(&Stage::with("x", "refuses_protocol"), "x", nothing);
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::UnsupportedProtocol));
    assert_eq!(error.exit_status(), ExitStatus::AgentUnavailable);
}

#[test]
fn an_adapter_that_refuses_the_run() {
    let error = refused(&Stage::with("x", "refuses_run"), "x", nothing);
    assert_eq!(
        (error.exit_status(), error.hint.as_deref()),
        (ExitStatus::NotAuthenticated, Some("test login"))
    );
}

#[test]
fn an_error_object_that_is_none() {
    let stage = Stage::with("x", "malformed_error");
    let error = block_on(async { stage.host().connect("x").await.expect_err("it is refused") });
    assert_eq!(error.failure, Failure::Protocol(ErrorKind::Internal));
}

#[test]
fn a_run_id_that_is_in_use() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        let mut request = stage.request("x", "go");
        request.params.run_id = "mine".to_owned();
        host.start(request.clone()).await.expect("a run").wait().await;
        let error = host.start(request).await.expect_err("it is taken");
        assert_eq!(error.failure, Failure::Protocol(ErrorKind::RunIdInUse));
        assert_eq!(host.find_run("mine").expect("the first is still there").run_id, "mine");
    });
}

#[test]
fn an_unknown_run() {
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
        unknown(host.find_run("last").expect_err("there are none"));
        unknown(host.events("nope", 0).expect_err("there is none"));
        let run = stage.start(&host).await.expect("a run");
        run.wait().await;
        unknown(host.run_client(run.id()).await.expect_err("it is over"));
        unknown(host.find_run("nope").expect_err("there is none"));
        assert_eq!(host.find_run(&run.id()[..8]).expect("a beginning").run_id, run.id());
    });
}

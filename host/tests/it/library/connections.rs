//! Calls outside runs: one process per agent, kept for later calls, replaced when it dies, and closed at the end.

use std::time::Duration;

use od_host::{Failure, Host, HostError};
use od_protocol::ErrorKind;
use od_protocol::adapter::{
    GetQuotaParams, HealthAdapterParams, ListModelsParams, ListSessionsParams,
};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::stage::{Stage, block_on, set_mode};

fn pid(raw: u32) -> Pid {
    i32::try_from(raw).ok().and_then(Pid::from_raw).expect("a process id")
}

/// The process id of the adapter that answers.
async fn answering(host: &Host) -> u32 {
    let list = host.ask("x", ListModelsParams::default()).await.expect("an answer");
    list.models[0].id.parse().expect("a process id")
}

fn kind(error: &HostError) -> &Failure {
    &error.failure
}

#[test]
fn calls_share_process_until_close() {
    let stage = Stage::with("x", "answers_calls");
    block_on(async {
        let host = stage.host();
        let (one, two) = tokio::join!(answering(&host), answering(&host));
        assert_eq!(one, two, "two calls at once start one process");
        assert_eq!(answering(&host).await, one, "the next one finds it");
        let health = host.ask("x", HealthAdapterParams {}).await.expect("an answer");
        assert_eq!(health.message, one.to_string());
        let sessions = host.ask("x", ListSessionsParams::default()).await.expect("an answer");
        assert!(sessions.sessions.is_empty());
        host.close_connections().await;
        assert!(test_kill_process(pid(one)).is_err(), "it has exited and is reaped");
        assert_ne!(answering(&host).await, one, "a later call starts another");
        host.close_connections().await;
    });
}

#[test]
fn killed_process_is_replaced_silently() {
    let stage = Stage::with("x", "answers_calls");
    block_on(async {
        let host = stage.host();
        let first = answering(&host).await;
        kill_process(pid(first), Signal::KILL).expect("it is alive");
        assert_ne!(answering(&host).await, first);
        host.close_connections().await;
    });
}

#[test]
fn crash_during_call_reports_stderr() {
    let stage = Stage::with("x", "answers_calls");
    block_on(async {
        let host = stage.host();
        let error = host.ask("x", GetQuotaParams {}).await.expect_err("it dies");
        assert_eq!(kind(&error), &Failure::Protocol(ErrorKind::PluginCrashed));
        assert!(error.message.contains("exit code 5"), "{error}");
        assert!(error.message.contains("the quota was too much"), "{error}");
        answering(&host).await;
        host.close_connections().await;
    });
}

#[test]
fn hung_process_is_replaced() {
    let stage = Stage::with("x", "hangs_in_health");
    block_on(async {
        let host = stage.host();
        let error = host.ask("x", HealthAdapterParams {}).await.expect_err("it hangs");
        assert_eq!(kind(&error), &Failure::Protocol(ErrorKind::PluginHung));
        set_mode(&stage.adapters().join("od-adapter-x"), "good");
        host.ask("x", HealthAdapterParams {}).await.expect("another process answers");
        host.close_connections().await;
    });
}

#[test]
fn unsupported_call_starts_no_process() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        host.adapter("x").await.expect("its manifest is known");
        // Every adapter started from here on exits at once, so an answer proves that none was started.
        set_mode(&stage.adapters().join("od-adapter-x"), "dies_at_start");
        let error = host.ask("x", ListModelsParams::default()).await.expect_err("it cannot");
        assert_eq!(kind(&error), &Failure::Protocol(ErrorKind::CapabilityUnsupported));
        assert!(error.hint.is_some_and(|hint| hint.contains("od-host capabilities")));
    });
}

#[test]
fn idle_process_is_closed() {
    let stage = Stage::with("x", "answers_calls");
    block_on(async {
        let mut options = stage.options();
        options.keep_adapters = Duration::ZERO;
        let host = Host::open(options).expect("a host");
        let first = answering(&host).await;
        while test_kill_process(pid(first)).is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_ne!(answering(&host).await, first);
    });
}

//! Calls outside runs: one process for each agent, kept, replaced when it dies, and gone at the end.

use std::time::Duration;

use od_host::{Failure, Host, HostError};
use od_protocol::adapter::{GetQuotaParams, HealthAdapterParams, ListModelsParams, ListSessionsParams};
use od_protocol::ErrorKind;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::stage::{Stage, block_on, set_mode};

fn pid(raw: u32) -> Pid {
    i32::try_from(raw).ok().and_then(Pid::from_raw).expect("a process id")
}

/// Which process answers.
async fn answering(host: &Host) -> u32 {
    let list = host.ask("x", ListModelsParams::default()).await.expect("an answer");
    list.models[0].id.parse().expect("a process id")
}

fn kind(error: &HostError) -> &Failure {
    &error.failure
}

#[test]
fn calls_share_a_process_until_the_host_closes_it() {
    let stage = Stage::with("x", "talks");
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
        assert!(test_kill_process(pid(one)).is_err(), "it is gone and reaped");
        assert_ne!(answering(&host).await, one, "a later call starts another");
        host.close_connections().await;
    });
}

#[test]
fn one_that_was_killed_is_replaced_without_a_word() {
    let stage = Stage::with("x", "talks");
    block_on(async {
        let host = stage.host();
        let first = answering(&host).await;
        kill_process(pid(first), Signal::KILL).expect("it lives");
        assert_ne!(answering(&host).await, first);
        host.close_connections().await;
    });
}

#[test]
fn a_death_during_a_call_is_told_with_its_last_words() {
    let stage = Stage::with("x", "talks");
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
fn one_that_hangs_is_left_for_a_new_one() {
    let stage = Stage::with("x", "unwell");
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
fn what_the_agent_cannot_do_is_refused_before_anything_starts() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let host = stage.host();
        host.adapter("x").await.expect("its manifest is known");
        // Whatever is started from here on dies at once, so an answer proves that nothing was.
        set_mode(&stage.adapters().join("od-adapter-x"), "dies_at_start");
        let error = host.ask("x", ListModelsParams::default()).await.expect_err("it cannot");
        assert_eq!(kind(&error), &Failure::Protocol(ErrorKind::CapabilityUnsupported));
        assert!(error.hint.is_some_and(|hint| hint.contains("od-host capabilities")));
    });
}

#[test]
fn one_that_nobody_uses_is_closed() {
    let stage = Stage::with("x", "talks");
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

//! The same key starts one run: with concurrent calls, after a restart, and with several hosts.

use od_protocol::api::{GetRunParams, KEY_CONFLICT, RunState, StartRunParams};

use super::service_runs::{delete, service, start, task, wait_for_end};
use super::stage::{Stage, block_on};

/// Parameters of a start with a key.
fn keyed(stage: &Stage, key: &str, prompt: &str) -> StartRunParams {
    StartRunParams { key: Some(key.to_owned()), ..task(stage, "x", prompt) }
}

#[test]
fn concurrent_calls_with_key_start_one_run() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let call = || start(&service, keyed(&stage, "k", "go"));
        let (one, two) = tokio::join!(call(), call());
        let (one, two) = (one.expect("a run"), two.expect("a run"));
        assert_eq!(one.run_id, two.run_id);
        assert_eq!([one.existing, two.existing].iter().filter(|existing| **existing).count(), 1);
        let other = start(&service, keyed(&stage, "k", "something else")).await;
        assert_eq!(other.expect_err("another task").failure.as_str(), KEY_CONFLICT);
        let fresh = start(&service, keyed(&stage, "another key", "go")).await.expect("a run");
        assert!(!fresh.existing && fresh.run_id != one.run_id);
        let unusable = start(&service, keyed(&stage, "", "go")).await.expect_err("no key");
        assert_eq!(unusable.failure.as_str(), "usage");
        for run_id in [one.run_id, fresh.run_id] {
            wait_for_end(&service, &run_id).await;
        }
    });
}

#[test]
fn key_survives_restart_until_run_is_deleted() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let before = service(&stage);
        let run = start(&before, keyed(&stage, "k", "go")).await.expect("a run");
        wait_for_end(&before, &run.run_id).await;
        drop(before);

        let service = service(&stage);
        let again = start(&service, keyed(&stage, "k", "go")).await.expect("the run");
        assert_eq!((&again.run_id, again.existing), (&run.run_id, true));
        assert_eq!(again.state, RunState::Completed);
        let info = service.get_run(GetRunParams { run_id: run.run_id.clone() }).await;
        assert_eq!(info.expect("a run").key.as_deref(), Some("k"));
        assert!(service.delete_run(delete(&run.run_id)).await.expect("an answer").deleted);
        let fresh = start(&service, keyed(&stage, "k", "go")).await.expect("a run");
        assert!(!fresh.existing && fresh.run_id != run.run_id);
        wait_for_end(&service, &fresh.run_id).await;
    });
}

#[test]
fn two_hosts_start_one_run_per_key() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let (here, there) = (service(&stage), service(&stage));
        for key in ["a", "b", "c"] {
            let (one, two) = tokio::join!(
                start(&here, keyed(&stage, key, "go")),
                start(&there, keyed(&stage, key, "go"))
            );
            let (one, two) = (one.expect("a run"), two.expect("a run"));
            assert_eq!((&one.run_id, one.existing), (&two.run_id, !two.existing));
            let conflict = start(&there, keyed(&stage, key, "something else")).await;
            assert_eq!(conflict.expect_err("another task").failure.as_str(), KEY_CONFLICT);
            for service in [&here, &there] {
                wait_for_end(service, &one.run_id).await;
            }
        }
        assert_eq!(std::fs::read_dir(stage.home().runs()).expect("a folder").count(), 3);
    });
}

/// Locks a key like another process that is about to start its run.
#[cfg(unix)]
fn hold_only_key(stage: &Stage) -> std::fs::File {
    let mut keys = std::fs::read_dir(stage.home().keys()).expect("a folder");
    let path = keys.next().expect("a key").expect("a key").path();
    assert!(keys.next().is_none(), "one key");
    let file = std::fs::File::open(path).expect("a file");
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)
        .expect("the key is free");
    file
}

#[cfg(unix)]
#[test]
fn slow_start_blocks_no_other_key() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let before = start(&service, keyed(&stage, "k", "go")).await.expect("a run");
        wait_for_end(&service, &before.run_id).await;
        let held = hold_only_key(&stage);
        let hanging = tokio::spawn({
            let (service, params) = (service.clone(), keyed(&stage, "k", "go"));
            async move { start(&service, params).await }
        });
        let other = start(&service, keyed(&stage, "other", "go")).await.expect("it does not wait");
        assert!(!other.existing && !hanging.is_finished());
        wait_for_end(&service, &other.run_id).await;
        assert!(service.delete_run(delete(&before.run_id)).await.expect("an answer").deleted);
        drop(held);
        let fresh = hanging.await.expect("no panic").expect("a run");
        assert!(!fresh.existing && fresh.run_id != before.run_id, "its run was removed");
        wait_for_end(&service, &fresh.run_id).await;
    });
}

#[test]
fn key_of_failed_start_is_free() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        // A host died after it had written the key and created the folder of the run. A service that has just
        // started may delete the key once.
        let run_id = loop {
            let mut unknown = keyed(&stage, "k", "go");
            unknown.agent = Some("unknown".to_owned());
            let refused = start(&service, unknown).await.expect_err("no agent");
            assert_eq!(refused.failure.as_str(), "agent_unknown");
            let mut keys = std::fs::read_dir(stage.home().keys()).expect("a folder").flatten();
            if let Some(run_id) = keys.find_map(|key| std::fs::read_to_string(key.path()).ok()) {
                break run_id;
            }
        };
        std::fs::create_dir_all(stage.home().run(&run_id)).expect("a folder");
        let run = start(&service, keyed(&stage, "k", "go")).await.expect("a run");
        assert!(!run.existing);
        wait_for_end(&service, &run.run_id).await;
    });
}

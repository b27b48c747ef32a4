//! The agent list of a service: returned at once, stale entries detected in the background, none delayed by another.

use std::path::PathBuf;

use od_host::Host;
use od_host::agents::{Agent, AgentList, Readiness, Refresh};
use od_protocol::ErrorKind;

use super::stage::{Stage, block_on, set_mode};

fn row<'a>(list: &'a AgentList, id: &str) -> &'a Agent {
    list.agents.iter().find(|agent| agent.id == id).unwrap_or_else(|| panic!("no {id}"))
}

fn beside(stage: &Stage, id: &str, extension: &str) -> PathBuf {
    stage.adapters().join(format!("od-adapter-{id}")).with_extension(extension)
}

/// How often an adapter was started for detection.
fn detections(stage: &Stage, id: &str) -> usize {
    std::fs::read(beside(stage, id, "count")).map(|marks| marks.len()).unwrap_or_default()
}

async fn settled(host: &Host) -> AgentList {
    loop {
        let list = host.list_agents().await;
        if !list.refreshing {
            return list;
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn stale_agent_is_listed_and_detected_once() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        assert!(!row(&settled(&host).await, "a").stale);
        assert_eq!(detections(&stage, "a"), 1);

        // A login makes the result stale; the new detection blocks until the gate opens.
        set_mode(&stage.adapters().join("od-adapter-a"), "gated");
        std::fs::write(beside(&stage, "a", "login"), "").expect("a login");
        for _ in 0..5 {
            let list = host.list_agents().await;
            let a = row(&list, "a");
            assert!(list.refreshing && a.stale);
            assert_eq!(a.found().and_then(|found| found.version.as_deref()), Some("4.5.6"));
            assert!(!a.found().expect("the old row").evidence[1].found, "the row is the old one");
        }
        std::fs::write(beside(&stage, "a", "gate"), "").expect("a gate");
        let list = settled(&host).await;
        assert!(!row(&list, "a").stale && row(&list, "a").may_run());
        assert!(row(&list, "a").found().expect("a new row").evidence[1].found, "it is the new one");
        assert_eq!(detections(&stage, "a"), 2, "five lists, one detection");
    });
}

#[test]
fn list_does_not_wait_for_hung_adapter() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        stage.add("b", "hangs_in_detect");
        stage.add("c", "slow_manifest");
        let mut list = host.list_agents().await;
        while !list.agents.iter().any(|agent| agent.id == "b") {
            list = host.list_agents().await;
        }
        assert!(list.refreshing, "the hung adapter is still being detected");
        assert_eq!(row(&list, "a").readiness(), Readiness::Ready);
        let hung = row(&list, "b");
        assert_eq!((hung.detected_at, hung.stale), (None, true));
        let problem = hung.problem().expect("it cannot be used yet");
        assert_eq!(problem.kind, ErrorKind::Timeout);
        assert!(problem.fix.is_some());
    });
}

#[test]
fn refresh_keeps_last_result_of_hung_adapter() {
    let stage = Stage::with("a", "good");
    stage.add("b", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        set_mode(&stage.adapters().join("od-adapter-a"), "logged_out");
        set_mode(&stage.adapters().join("od-adapter-b"), "hangs_in_detect");
        let list = host.refresh_agents(None).await.expect("a list");
        assert_eq!(
            row(&list, "a").readiness(),
            Readiness::NotAuthenticated,
            "it was detected again"
        );
        let hung = row(&list, "b");
        assert_eq!(hung.problem().expect("a problem").kind, ErrorKind::PluginHung);
        assert!(hung.stale && !hung.may_run() && hung.detected_at.is_some());
        assert!(
            hung.found().is_some_and(|found| found.installed),
            "what was found before is shown"
        );

        // A hung adapter costs its time limit once, not with every list.
        let before = detections(&stage, "b");
        settled(&host).await;
        assert_eq!(detections(&stage, "b"), before);
    });
}

#[test]
fn refresh_of_one_agent_detects_only_it() {
    let stage = Stage::with("a", "good");
    stage.add("b", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        let list = host.refresh_agents(Some("b")).await.expect("a list");
        assert_eq!(list.agents.iter().filter(|agent| agent.id.len() == 1).count(), 2);
        assert_eq!((detections(&stage, "a"), detections(&stage, "b")), (1, 2));
        let error = host.refresh_agents(Some("unknown")).await.expect_err("no such agent");
        assert_eq!(error.failure.as_str(), "agent_unknown");
    });
}

#[test]
fn concurrent_detections_are_shared() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        let (one, two) = tokio::join!(host.agents(Refresh::Always), host.agents(Refresh::Always));
        assert_eq!(one.len(), two.len());
        assert_eq!(detections(&stage, "a"), 1);
    });
}

#[test]
fn results_of_other_process_are_used() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let (host, other) = (stage.host(), stage.host());
        settled(&host).await;
        set_mode(&stage.adapters().join("od-adapter-a"), "not_installed");
        other.agents(Refresh::Always).await;
        assert_eq!(row(&settled(&host).await, "a").readiness(), Readiness::NotInstalled);
    });
}

#[test]
fn read_only_home_still_lists_agents() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        // A folder in the place of the file: it can neither be read nor replaced.
        std::fs::create_dir_all(stage.home().agents_file().join("x")).expect("a folder");
        assert_eq!(row(&settled(&host).await, "a").readiness(), Readiness::Ready);
    });
}

#[test]
fn added_and_removed_adapters_are_noticed() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        stage.add("b", "good");
        assert_eq!(row(&settled(&host).await, "b").readiness(), Readiness::Ready);
        std::fs::remove_file(stage.adapters().join("od-adapter-b")).expect("it exists");
        assert!(settled(&host).await.agents.iter().all(|agent| agent.id != "b"));
    });
}

/// Whether an agent has a result, without yielding to running detections.
fn is_known(stage: &Stage, id: &str) -> bool {
    let rows = std::fs::read_to_string(stage.home().agents_file()).unwrap_or_default();
    rows.contains(&format!("od-adapter-{id}"))
}

#[test]
fn only_first_list_waits_for_hung_adapter() {
    let stage = Stage::with("b", "hangs_in_detect");
    block_on(async {
        let host = stage.host();
        while !host.list_agents().await.agents.iter().any(|agent| agent.id == "b") {}
        // If each list waited, together they would take longer than the detection.
        for _ in 0..4 {
            assert!(row(&host.list_agents().await, "b").stale);
        }
        assert!(!is_known(&stage, "b"), "its time limit has not passed");
    });
}

#[test]
fn auto_ignores_slow_adapter_that_cannot_win() {
    let stage = Stage::with("a", "good");
    stage.add("b", "hangs_in_detect");
    block_on(async {
        let host = stage.host();
        assert_eq!(host.auto().await.expect("an agent").id, "a");
        assert!(is_known(&stage, "a") && !is_known(&stage, "b"));
    });
}

#[test]
fn auto_waits_for_slow_adapter_that_may_win() {
    let stage = Stage::with("a", "hangs_in_detect");
    stage.add("b", "good");
    block_on(async {
        let host = stage.host();
        assert_eq!(host.auto().await.expect("an agent").id, "b");
        assert!(is_known(&stage, "a"), "its time limit passed first");
    });
}

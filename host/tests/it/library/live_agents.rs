//! Agents as a service shows them: at once, what is stale looked at meanwhile, nobody delayed by another.

use std::path::PathBuf;

use od_host::Host;
use od_host::agents::{Agent, AgentList, Refresh, Readiness};
use od_protocol::ErrorKind;

use super::stage::{Stage, block_on, set_mode};

fn row<'a>(list: &'a AgentList, id: &str) -> &'a Agent {
    list.agents.iter().find(|agent| agent.id == id).unwrap_or_else(|| panic!("no {id}"))
}

fn beside(stage: &Stage, id: &str, extension: &str) -> PathBuf {
    stage.adapters().join(format!("od-adapter-{id}")).with_extension(extension)
}

/// How often an adapter was asked.
fn looks(stage: &Stage, id: &str) -> usize {
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
fn a_stale_row_is_shown_at_once_and_looked_at_meanwhile_by_one_look() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        assert!(!row(&settled(&host).await, "a").stale);
        assert_eq!(looks(&stage, "a"), 1);

        // A login is a reason to look again; the look stands still until the gate opens.
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
        assert_eq!(looks(&stage, "a"), 2, "five lists, one look");
    });
}

#[test]
fn a_list_does_not_wait_for_one_that_hangs() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        stage.add("b", "wedged");
        stage.add("c", "slow_manifest");
        let mut list = host.list_agents().await;
        while !list.agents.iter().any(|agent| agent.id == "b") {
            list = host.list_agents().await;
        }
        assert!(list.refreshing, "the hung one is still being looked at");
        assert_eq!(row(&list, "a").readiness(), Readiness::Ready);
        let hung = row(&list, "b");
        assert_eq!((hung.detected_at, hung.stale), (None, true));
        let problem = hung.problem().expect("it cannot be used yet");
        assert_eq!(problem.kind, ErrorKind::Timeout);
        assert!(problem.fix.is_some());
    });
}

#[test]
fn a_refresh_keeps_the_last_good_row_of_one_that_hangs() {
    let stage = Stage::with("a", "good");
    stage.add("b", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        set_mode(&stage.adapters().join("od-adapter-a"), "logged_out");
        set_mode(&stage.adapters().join("od-adapter-b"), "wedged");
        let list = host.refresh_agents(None).await.expect("a list");
        assert_eq!(row(&list, "a").readiness(), Readiness::NotAuthenticated, "it was asked again");
        let hung = row(&list, "b");
        assert_eq!(hung.problem().expect("a problem").kind, ErrorKind::PluginHung);
        assert!(hung.stale && !hung.may_run() && hung.detected_at.is_some());
        assert!(
            hung.found().is_some_and(|found| found.installed),
            "what was found before is shown"
        );

        // It costs its limit once, not with every list.
        let before = looks(&stage, "b");
        settled(&host).await;
        assert_eq!(looks(&stage, "b"), before);
    });
}

#[test]
fn one_agent_is_refreshed_alone() {
    let stage = Stage::with("a", "good");
    stage.add("b", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        let list = host.refresh_agents(Some("b")).await.expect("a list");
        assert_eq!(list.agents.iter().filter(|agent| agent.id.len() == 1).count(), 2);
        assert_eq!((looks(&stage, "a"), looks(&stage, "b")), (1, 2));
        let error = host.refresh_agents(Some("nobody")).await.expect_err("no such agent");
        assert_eq!(error.failure.as_str(), "agent_unknown");
    });
}

#[test]
fn looks_at_the_same_time_are_one() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        let (one, two) = tokio::join!(host.agents(Refresh::Always), host.agents(Refresh::Always));
        assert_eq!(one.len(), two.len());
        assert_eq!(looks(&stage, "a"), 1);
    });
}

#[test]
fn what_another_process_found_counts_here_too() {
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
fn a_home_that_cannot_be_written_still_has_agents() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        // A folder where the file should be: it can neither be read nor replaced.
        std::fs::create_dir_all(stage.home().agents_file().join("x")).expect("a folder");
        assert_eq!(row(&settled(&host).await, "a").readiness(), Readiness::Ready);
    });
}

#[test]
fn adapters_that_come_and_go_are_noticed() {
    let stage = Stage::with("a", "good");
    block_on(async {
        let host = stage.host();
        settled(&host).await;
        stage.add("b", "good");
        assert_eq!(row(&settled(&host).await, "b").readiness(), Readiness::Ready);
        std::fs::remove_file(stage.adapters().join("od-adapter-b")).expect("it is there");
        assert!(settled(&host).await.agents.iter().all(|agent| agent.id != "b"));
    });
}

/// Whether anything is known of an agent, without giving those that look a chance to find out.
fn is_known(stage: &Stage, id: &str) -> bool {
    let rows = std::fs::read_to_string(stage.home().agents_file()).unwrap_or_default();
    rows.contains(&format!("od-adapter-{id}"))
}

#[test]
fn only_the_first_lists_wait_for_one_that_hangs() {
    let stage = Stage::with("b", "wedged");
    block_on(async {
        let host = stage.host();
        while !host.list_agents().await.agents.iter().any(|agent| agent.id == "b") {}
        // Together they would take longer than the look itself if each of them waited.
        for _ in 0..4 {
            assert!(row(&host.list_agents().await, "b").stale);
        }
        assert!(!is_known(&stage, "b"), "it has not even been given up");
    });
}

#[test]
fn a_choice_does_not_wait_for_one_that_cannot_change_it() {
    let stage = Stage::with("a", "good");
    stage.add("b", "wedged");
    block_on(async {
        let host = stage.host();
        assert_eq!(host.auto().await.expect("an agent").id, "a");
        assert!(is_known(&stage, "a") && !is_known(&stage, "b"));
    });
}

#[test]
fn a_choice_waits_for_one_that_could_be_better() {
    let stage = Stage::with("a", "wedged");
    stage.add("b", "good");
    block_on(async {
        let host = stage.host();
        assert_eq!(host.auto().await.expect("an agent").id, "b");
        assert!(is_known(&stage, "a"), "it was given up first");
    });
}

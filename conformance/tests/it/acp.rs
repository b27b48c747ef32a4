//! The profile `acp-agent`: results and reports for agents that implement the Agent Client Protocol,
//! also for hostile ones.

use crate::support::{CONFORMANCE, CommandOutput, Reference, conformance};

const MODEL: [&str; 2] = ["--env", "REFERENCE_MODEL_URL={{url}}"];

/// Checks an agent with network access, so that the test needs no namespace.
fn check_agent(more: &[&str], command: &[&str]) -> CommandOutput {
    let profile = ["run", "--profile", "acp-agent", "--allow-network"];
    conformance(&[&profile, more, &["--"], command].concat())
}

#[test]
fn reference_agent_conforms() {
    let agent = Reference::agent(None);
    let switches = [&MODEL[..], &["--strict", "--patience", "3"]].concat();
    let outcome = check_agent(&switches, &[&agent.path()]);
    outcome.exits_with(0).prints(&["acp-reference-agent", "conforms (", "ACP-SHU-05"]);
    assert!(!outcome.text.contains(" skip "), "{}", outcome.text);
}

#[test]
fn run_without_fake_model_is_protocol_only() {
    let agent = Reference::agent(None);
    let only = ["--only", "ACP-HS", "--only", "ACP-TXT-01"];
    let outcome = check_agent(&only, &[&agent.path()]);
    outcome.exits_with(0).prints(&["protocol-only", "skip", "reaches the fake model"]);
}

#[test]
fn program_may_precede_the_separator() {
    let agent = Reference::agent(None);
    let path = agent.path();
    let profile = ["run", "--allow-network", "--only", "ACP-HS-04", "--profile", "acp-agent"];
    conformance(&[&profile[..], &[&path]].concat()).exits_with(0).prints(&["conforms"]);
    let with = [&profile[..], &[&path, "--", "--fault", "anonymous"]].concat();
    conformance(&with).exits_with(0).prints(&["warn ACP-HS-04"]);
}

#[test]
fn agent_failure_has_reason_location_and_repetition() {
    let agent = Reference::agent(Some("dup_text"));
    let more = [&MODEL[..], &["--only", "ACP-TXT-01", "--seed", "11"]].concat();
    check_agent(&more, &[&agent.path()]).exits_with(1).prints(&[
        "fail ACP-TXT-01",
        "sent        session/prompt",
        "expected    the text",
        "why         users notice lost or duplicated text",
        "transcript.log:",
        "--profile acp-agent --env 'REFERENCE_MODEL_URL={{url}}' --only ACP-TXT-01 --seed 11 -- ",
    ]);
}

#[test]
fn unused_model_blocks_checks_that_need_it() {
    let agent = Reference::agent(None);
    let more = ["--env", "SOMETHING_ELSE={{url}}", "--only", "ACP-TXT-01"];
    let words = ["blocked", "sent no request to the fake model", "REFERENCE_MODEL_URL is not set"];
    check_agent(&more, &[&agent.path()]).exits_with(1).prints(&words);
}

#[test]
fn every_report_format_is_written() {
    let agent = Reference::agent(Some("anonymous"));
    let files = ["json", "junit", "tap", "html"].map(|form| (form, agent.beside(form)));
    let mut more: Vec<String> = vec!["--only".into(), "ACP-HS".into(), "--strict".into()];
    for (form, file) in &files {
        more.extend(["--report".into(), format!("{form}={file}")]);
    }
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    check_agent(&more, &[&agent.path()]).exits_with(1);
    let texts = files.map(|(_, file)| std::fs::read_to_string(file).expect("a report"));
    let report: serde_json::Value = serde_json::from_str(&texts[0]).expect("JSON");
    assert_eq!(report["claim"], "protocol-only");
    assert_eq!(report["requirements"], "acp-1.1");
    assert!(texts.iter().all(|text| text.contains("ACP-HS-04")));
    assert!(texts[1].contains("<testsuite name=\"ACP-HS\""), "{}", texts[1]);
    let cited = "Agents SHOULD provide information about their implementation";
    assert!(texts.iter().all(|text| text.contains(cited)), "every report cites the sentence");
    assert!(texts[3].contains("how the ACP agent reaches the fake model"));
}

#[test]
fn practice_is_advice_even_when_strict() {
    let agent = Reference::agent(Some("silent_garbage"));
    let only = ["--only", "ACP-ROB-02", "--strict"];
    let advised = ["advice ACP-ROB-02", "ACP does not demand it", "conforms", "1 advice"];
    check_agent(&only, &[&agent.path()]).exits_with(0).prints(&advised);
    let more = [&only[..], &["--requirements", "acp-1"]].concat();
    check_agent(&more, &[&agent.path()]).exits_with(1).prints(&["fail ACP-ROB-02"]);
}

#[test]
fn known_failure_is_not_scored() {
    let agent = Reference::agent(Some("echoes_version"));
    let baseline = agent.beside("baseline.toml");
    let text = "[[known_failure]]\nid = \"ACP-HS-02\"\nreason = \"we know\"\n";
    std::fs::write(&baseline, text).expect("a baseline");
    let more = ["--only", "ACP-HS-02", "--baseline", &baseline];
    check_agent(&more, &[&agent.path()]).exits_with(0).prints(&["known failure"]);
}

#[test]
fn agent_that_cannot_start_is_usage_error() {
    check_agent(&[], &["no-such-agent-anywhere"])
        .exits_with(3)
        .prints(&["not found on PATH", "hint:"]);
    check_agent(&["--home", "no/such/folder"], &[CONFORMANCE])
        .exits_with(2)
        .prints(&["folder no/such/folder not found"]);
    check_agent(&[], &[]).exits_with(2).prints(&["no agent given", "-- COMMAND"]);
    let more = ["--env", "NONSENSE"];
    check_agent(&more, &[CONFORMANCE]).exits_with(2).prints(&["NAME=TEXT"]);
}

#[cfg(unix)]
#[test]
fn hostile_agents_fail_and_are_killed() {
    let more = ["--patience", "0.1", "--jobs", "1"];
    for command in [&["/bin/false"][..], &["/bin/sleep", "600"], &["/usr/bin/yes"]] {
        let outcome = check_agent(&more, command);
        outcome.exits_with(1).prints(&["fail ACP-HS-01", "blocked ACP-SES-01"]);
    }
}

#[test]
fn every_agent_mutant_is_found() {
    let arguments = ["--profile", "acp-agent", "--quick", "--jobs", "8", "--patience", "2"];
    let outcome = conformance(&[&["self-test"], &arguments[..]].concat());
    outcome.exits_with(0).prints(&["0 problems"]);
}

#[test]
fn profile_checks_are_listed_and_explained() {
    let listed = conformance(&["list", "--profile", "acp-agent"]);
    listed.exits_with(0).prints(&["ACP-PRM-06", "[the fake model]", "[capability loadSession]"]);
    let words = ["Requirement: does not perform a rejected action", "reject_is_yes"];
    conformance(&["explain", "acp-prm-04"]).exits_with(0).prints(&words);
    let cited =
        ["Basis: ACP, Tool Calls: \"`reject_once` - Reject this operation only this time\""];
    conformance(&["explain", "acp-prm-04"]).exits_with(0).prints(&cited);
    let advised = ["(practice, fast)", "Basis: good practice; ACP does not demand it"];
    conformance(&["explain", "acp-shu-05"]).exits_with(0).prints(&advised);
}

//! The profile `acp-agent`: verdicts, claims and reports about agents that speak the Agent Client
//! Protocol, and what hostile ones do to the suite.

use crate::support::{CONFORMANCE, CommandOutput, Reference, conformance};

const MODEL: [&str; 2] = ["--env", "REFERENCE_MODEL_URL={{url}}"];

/// Judges an agent; the network stays, so that the test needs no namespace.
fn judge(more: &[&str], command: &[&str]) -> CommandOutput {
    let profile = ["run", "--profile", "acp-agent", "--allow-network"];
    conformance(&[&profile, more, &["--"], command].concat())
}

#[test]
fn the_reference_agent_conforms() {
    let agent = Reference::agent(None);
    let switches = [&MODEL[..], &["--strict", "--patience", "3"]].concat();
    let outcome = judge(&switches, &[&agent.path()]);
    outcome.exits_with(0).prints(&["acp-reference-agent", "conforms;", "ACP-SHU-05"]);
    assert!(!outcome.text.contains(" skip "), "{}", outcome.text);
}

#[test]
fn without_the_fake_model_the_claim_is_protocol_only() {
    let agent = Reference::agent(None);
    let only = ["--only", "ACP-HS", "--only", "ACP-TXT-01"];
    let outcome = judge(&only, &[&agent.path()]);
    outcome.exits_with(0).prints(&["protocol-only", "skip", "reaches the fake model"]);
}

#[test]
fn the_program_may_stand_in_front() {
    let agent = Reference::agent(None);
    let path = agent.path();
    let profile = ["run", "--allow-network", "--only", "ACP-HS-04", "--profile", "acp-agent"];
    conformance(&[&profile[..], &[&path]].concat()).exits_with(0).prints(&["conforms"]);
    let with = [&profile[..], &[&path, "--", "--fault", "anonymous"]].concat();
    conformance(&with).exits_with(0).prints(&["warn ACP-HS-04"]);
}

#[test]
fn a_failure_says_what_why_where_and_how_to_repeat_it() {
    let agent = Reference::agent(Some("dup_text"));
    let more = [&MODEL[..], &["--only", "ACP-TXT-01", "--seed", "11"]].concat();
    judge(&more, &[&agent.path()]).exits_with(1).prints(&[
        "fail ACP-TXT-01",
        "sent        session/prompt",
        "expected    the text",
        "why         lost or doubled text",
        "transcript.log:",
        "--profile acp-agent --env 'REFERENCE_MODEL_URL={{url}}' --only ACP-TXT-01 --seed 11 -- ",
    ]);
}

#[test]
fn a_model_that_is_never_asked_blocks_what_needs_it() {
    let agent = Reference::agent(None);
    let more = ["--env", "SOMETHING_ELSE={{url}}", "--only", "ACP-TXT-01"];
    let words = ["blocked", "never asked the fake model", "REFERENCE_MODEL_URL is not set"];
    judge(&more, &[&agent.path()]).exits_with(1).prints(&words);
}

#[test]
fn every_form_of_report_is_written() {
    let agent = Reference::agent(Some("anonymous"));
    let files = ["json", "junit", "tap", "html"].map(|form| (form, agent.beside(form)));
    let mut more: Vec<String> = vec!["--only".into(), "ACP-HS".into(), "--strict".into()];
    for (form, file) in &files {
        more.extend(["--report".into(), format!("{form}={file}")]);
    }
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    judge(&more, &[&agent.path()]).exits_with(1);
    let texts = files.map(|(_, file)| std::fs::read_to_string(file).expect("a report"));
    let report: serde_json::Value = serde_json::from_str(&texts[0]).expect("JSON");
    assert_eq!(report["claim"], "protocol-only");
    assert_eq!(report["requirements"], "acp-1");
    assert!(texts.iter().all(|text| text.contains("ACP-HS-04")));
    assert!(texts[1].contains("<testsuite name=\"ACP-HS\""), "{}", texts[1]);
    assert!(texts[3].contains("how the ACP agent reaches the fake model"));
}

#[test]
fn a_known_failure_is_no_failure() {
    let agent = Reference::agent(Some("echoes_version"));
    let baseline = agent.beside("baseline.toml");
    let text = "[[known_failure]]\nid = \"ACP-HS-02\"\nreason = \"we know\"\n";
    std::fs::write(&baseline, text).expect("a baseline");
    let more = ["--only", "ACP-HS-02", "--baseline", &baseline];
    judge(&more, &[&agent.path()]).exits_with(0).prints(&["known failure"]);
}

#[test]
fn what_cannot_be_started_is_no_verdict() {
    judge(&[], &["no-such-agent-anywhere"]).exits_with(3).prints(&["there is no program", "hint:"]);
    judge(&["--home", "no/such/folder"], &[CONFORMANCE]).exits_with(2).prints(&["no folder"]);
    judge(&[], &[]).exits_with(2).prints(&["no agent to judge", "-- COMMAND"]);
    let more = ["--env", "NONSENSE"];
    judge(&more, &[CONFORMANCE]).exits_with(2).prints(&["NAME=TEXT"]);
}

#[cfg(unix)]
#[test]
fn agents_that_exit_flood_or_say_nothing_are_judged_and_ended() {
    let more = ["--patience", "0.1", "--jobs", "1"];
    for command in [&["/bin/false"][..], &["/bin/sleep", "600"], &["/usr/bin/yes"]] {
        let outcome = judge(&more, command);
        outcome.exits_with(1).prints(&["fail ACP-HS-01", "blocked ACP-SES-01"]);
    }
}

#[test]
fn every_agent_mutant_is_caught_by_the_checks_that_must_catch_it() {
    let arguments = ["--profile", "acp-agent", "--quick", "--jobs", "8", "--patience", "2"];
    let outcome = conformance(&[&["self-test"], &arguments[..]].concat());
    outcome.exits_with(0).prints(&["0 complaints"]);
}

#[test]
fn the_checks_of_the_profile_are_listed_and_explained() {
    let listed = conformance(&["list", "--profile", "acp-agent"]);
    listed.exits_with(0).prints(&["ACP-PRM-06", "[the fake model]", "[capability loadSession]"]);
    let words = ["The agent: does not do what was rejected", "reject_is_yes"];
    conformance(&["explain", "acp-prm-04"]).exits_with(0).prints(&words);
}

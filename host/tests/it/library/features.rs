//! Feature gates: what an app can offer, why not, and what to offer instead.

use od_host::agents::Agent;
use od_host::features::{features, table};
use od_protocol::api::{Feature, FeatureGate, SkillRequirements};
use serde_json::{Value, json};

/// An agent whose manifest declares one thing and whose installed version has another.
fn agent(declared: Value, here: Value) -> Agent {
    let manifest = json!({
        "manifestVersion": "1.0", "adapterId": "acme", "displayName": "Acme", "version": "1.0.0",
        "vendor": "acme", "protocol": {"min": 1, "max": 1}, "capabilities": declared, "auth": {},
        "cli": {"names": ["acme"], "transport": "stdio", "install": [
            {"platform": "any", "kind": "npm", "command": "npm install -g acme"},
        ]},
    });
    let detected = json!({
        "installed": true, "version": "2.0.0", "meetsMin": true, "auth": {"state": "ok"},
        "capabilities": here,
    });
    Agent {
        id: "acme".to_owned(),
        adapter_path: "acme".into(),
        manifest: serde_json::from_value(manifest).expect("a manifest"),
        detected: Ok(serde_json::from_value(detected).expect("a result")),
        before: None,
        detected_at: None,
        stale: false,
    }
}

fn gate(agent: &Agent, feature: Feature) -> FeatureGate {
    let gates = features(agent, &[]).gates;
    gates.into_iter().find(|gate| gate.feature == feature).expect("every feature has a gate")
}

fn skill(agent: &Agent, capabilities: &[&str]) -> FeatureGate {
    let capabilities = capabilities.iter().map(|name| (*name).to_owned()).collect();
    let skill = SkillRequirements { name: "tidy".to_owned(), capabilities };
    features(agent, &[skill]).gates.pop().expect("the skill comes last")
}

#[test]
fn what_the_agent_has_is_open_and_the_rest_is_explained() {
    let acme = agent(json!({}), json!({"tools": {}, "fileChanges": {}}));
    let open = gate(&acme, Feature::CommentMode);
    assert!(open.enabled && open.reason.is_none() && open.instead.is_none());
    let shut = gate(&acme, Feature::Resume);
    assert!(!shut.enabled);
    assert_eq!(
        (&shut.requires[..], &shut.missing[..]),
        (&["resume".to_owned()][..], &["resume".to_owned()][..])
    );
    assert_eq!(shut.reason.as_deref(), Some("Acme cannot go on with an earlier session."));
    assert_eq!(shut.instead.as_deref(), Some("Start the run again instead."));
}

#[test]
fn every_shut_gate_says_why_and_what_else() {
    let nothing = agent(json!({}), json!({}));
    let gates = features(&nothing, &[]).gates;
    assert_eq!(gates.len(), 14);
    for gate in gates {
        assert!(!gate.enabled && gate.missing == gate.requires && !gate.requires.is_empty());
        assert!(gate.reason.is_some_and(|reason| reason.starts_with("Acme cannot ")));
        assert!(gate.instead.is_some_and(|instead| instead.ends_with('.')));
    }
}

#[test]
fn details_of_a_capability_count() {
    let queueing = agent(json!({}), json!({"input": {"steer": false}, "usage": {"cost": false}}));
    let steer = gate(&queueing, Feature::Steer);
    assert_eq!(steer.missing, ["input.steer"]);
    assert!(steer.instead.is_some_and(|instead| instead.contains("turn is over")));
    let cost = gate(&queueing, Feature::CostMeter);
    assert_eq!(cost.instead.as_deref(), Some("Show tokens instead of dollars."));
    let steering = agent(json!({}), json!({"input": {"steer": true}}));
    assert!(gate(&steering, Feature::Steer).enabled);
}

#[test]
fn what_a_newer_version_can_is_said_with_the_way_to_it() {
    let old = agent(json!({"resume": {}}), json!({}));
    let shut = gate(&old, Feature::Resume);
    let reason = "Acme 2.0.0 cannot go on with an earlier session; a newer version can.";
    assert_eq!(shut.reason.as_deref(), Some(reason));
    assert_eq!(shut.instead.as_deref(), Some("Upgrade Acme: npm install -g acme"));
}

#[test]
fn a_skill_needs_all_that_it_names() {
    let acme = agent(json!({}), json!({"tools": {}, "images": {}}));
    assert!(skill(&acme, &["tools", "images"]).enabled);
    assert!(skill(&acme, &[]).enabled);
    let shut = skill(&acme, &["tools", "approvals", "telepathy"]);
    assert_eq!((shut.feature, shut.name.as_deref()), (Feature::Skill, Some("tidy")));
    assert_eq!(shut.missing, ["approvals", "telepathy"]);
    let reason = "Acme cannot ask before it does something. \
                  This host does not know the capability \"telepathy\".";
    assert_eq!(shut.reason.as_deref(), Some(reason));
}

#[test]
fn every_capability_of_the_protocol_is_known_to_skills() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/v1/schema.json");
    let schema = std::fs::read_to_string(path).expect("the published schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let names = schema["$defs"]["Capabilities"]["properties"].as_object().expect("properties");
    let nothing = agent(json!({}), json!({}));
    for name in names.keys() {
        let reason = skill(&nothing, &[name]).reason.expect("it lacks everything");
        assert!(reason.starts_with("Acme cannot "), "{name}: {reason}");
    }
}

#[test]
fn the_readme_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    assert!(readme.contains(&table()), "put this into host/README.md:\n{}", table());
}

//! Feature gates: what an app can offer, why not, and what to offer instead.

use od_host::agents::Agent;
use od_host::agents::features::{features, table};
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
fn missing_capabilities_close_feature_gates() {
    let acme = agent(json!({}), json!({"tools": {}, "fileChanges": {}}));
    let open = gate(&acme, Feature::CommentMode);
    assert!(open.enabled && open.reason.is_none() && open.instead.is_none());
    let closed = gate(&acme, Feature::Resume);
    assert!(!closed.enabled);
    assert_eq!(
        (&closed.requires[..], &closed.missing[..]),
        (&["resume".to_owned()][..], &["resume".to_owned()][..])
    );
    assert_eq!(closed.reason.as_deref(), Some("Acme cannot resume an earlier session."));
    assert_eq!(closed.instead.as_deref(), Some("Start the run again instead."));
}

#[test]
fn closed_gate_has_reason_and_alternative() {
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
fn capability_details_decide_gate() {
    let queueing = agent(json!({}), json!({"input": {"steer": false}, "usage": {"cost": false}}));
    let steer = gate(&queueing, Feature::Steer);
    assert_eq!(steer.missing, ["input.steer"]);
    assert!(steer.instead.is_some_and(|instead| instead.contains("after its current turn")));
    let cost = gate(&queueing, Feature::CostMeter);
    assert_eq!(cost.instead.as_deref(), Some("Show tokens instead of dollars."));
    let steering = agent(json!({}), json!({"input": {"steer": true}}));
    assert!(gate(&steering, Feature::Steer).enabled);
}

#[test]
fn closed_gate_suggests_upgrade() {
    let old = agent(json!({"resume": {}}), json!({}));
    let closed = gate(&old, Feature::Resume);
    let reason = "Acme 2.0.0 cannot resume an earlier session; a newer version can.";
    assert_eq!(closed.reason.as_deref(), Some(reason));
    assert_eq!(closed.instead.as_deref(), Some("Upgrade Acme: npm install -g acme"));
}

#[test]
fn skill_needs_all_its_capabilities() {
    let acme = agent(json!({}), json!({"tools": {}, "images": {}}));
    assert!(skill(&acme, &["tools", "images"]).enabled);
    assert!(skill(&acme, &[]).enabled);
    let closed = skill(&acme, &["tools", "approvals", "telepathy"]);
    assert_eq!((closed.feature, closed.name.as_deref()), (Feature::Skill, Some("tidy")));
    assert_eq!(closed.missing, ["approvals", "telepathy"]);
    let reason = "Acme cannot ask for approval. \
                  This host does not know the capability \"telepathy\".";
    assert_eq!(closed.reason.as_deref(), Some(reason));
}

#[test]
fn every_protocol_capability_has_description() {
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
fn readme_contains_feature_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    assert!(readme.contains(&table()), "put this into host/README.md:\n{}", table());
}

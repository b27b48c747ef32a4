//! Feature gates: which features of an app an agent supports, and why not. Pure functions.
//!
//! A feature needs capabilities, named as in `od_protocol::Capabilities`; a detail follows after a dot (`input.steer`).
//! Comment mode (change only the part that was clicked on) needs an agent that edits files in place and reports which:
//! `tools` and `fileChanges`.

mod abilities;

use od_protocol::Capabilities;
use od_protocol::api::{AgentFeatures, Feature, FeatureGate, SkillRequirements};
use serde_json::Value;

use super::Agent;

/// What a feature needs, and what to offer when it is missing.
struct Rule {
    feature: Feature,
    requires: &'static [&'static str],
    /// What the agent cannot do; follows "cannot" in a sentence.
    cannot: &'static str,
    /// What to offer instead.
    instead: &'static str,
    /// With this capability, a better alternative.
    better: Option<(&'static str, &'static str)>,
}

/// Every feature except skills, in the order of the API.
const RULES: [Rule; 14] = [
    Rule {
        feature: Feature::CommentMode,
        requires: &["tools", "fileChanges"],
        cannot: "change only one part of a result and report what it changed",
        instead: "Describe the change in a new prompt.",
        better: None,
    },
    Rule {
        feature: Feature::ToolFeed,
        requires: &["tools"],
        cannot: "show what its tools do",
        instead: "Show a spinner while it works.",
        better: None,
    },
    Rule {
        feature: Feature::LiveText,
        requires: &["textDeltas"],
        cannot: "show its answer while it is written",
        instead: "Show each message when it is complete.",
        better: None,
    },
    Rule {
        feature: Feature::Resume,
        requires: &["resume"],
        cannot: "resume an earlier session",
        instead: "Start the run again instead.",
        better: None,
    },
    Rule {
        feature: Feature::Fork,
        requires: &["fork"],
        cannot: "fork a session",
        instead: "Start a new run with the same prompt.",
        better: None,
    },
    Rule {
        feature: Feature::Steer,
        requires: &["input.steer"],
        cannot: "take input during a turn",
        instead: "Cancel the run and start it again with the new instruction.",
        better: Some(("input", "Your input reaches it after its current turn.")),
    },
    Rule {
        feature: Feature::Approvals,
        requires: &["approvals"],
        cannot: "ask for approval",
        instead: "Run it in a copy of the folder and review the changes afterwards.",
        better: Some(("permissionModes", "Choose a strict permission mode before the run.")),
    },
    Rule {
        feature: Feature::ModelPicker,
        requires: &["models"],
        cannot: "use a chosen model",
        instead: "It uses the model in its settings.",
        better: None,
    },
    Rule {
        feature: Feature::EffortPicker,
        requires: &["effort"],
        cannot: "use a chosen reasoning effort",
        instead: "It uses the effort in its settings.",
        better: None,
    },
    Rule {
        feature: Feature::CostMeter,
        requires: &["usage.cost"],
        cannot: "report the cost of a run",
        instead: "Show the duration.",
        better: Some(("usage", "Show tokens instead of dollars.")),
    },
    Rule {
        feature: Feature::QuotaMeter,
        requires: &["quota"],
        cannot: "report your remaining quota",
        instead: "A run reports when the quota is used up.",
        better: None,
    },
    Rule {
        feature: Feature::Images,
        requires: &["images"],
        cannot: "take images with a prompt",
        instead: "Describe the image in the prompt.",
        better: Some(("attachments", "Attach the image as a file.")),
    },
    Rule {
        feature: Feature::Attachments,
        requires: &["attachments"],
        cannot: "take files with a prompt",
        instead: "Put the files into the working folder and refer to them in the prompt.",
        better: None,
    },
    Rule {
        feature: Feature::SessionHistory,
        requires: &["sessions"],
        cannot: "list its own sessions",
        instead: "Show the runs that this host has started.",
        better: None,
    },
];

/// The gates of every feature, then of every given skill.
pub fn features(agent: &Agent, skills: &[SkillRequirements]) -> AgentFeatures {
    let gates = AgentGates::of(agent);
    let features = RULES.iter().map(|rule| gates.feature(rule));
    let skills = skills.iter().map(|skill| gates.skill(skill));
    AgentFeatures { agent: agent.id.clone(), gates: features.chain(skills).collect() }
}

/// The rules as a Markdown table, for authors of apps.
pub fn table() -> String {
    let row = |rule: &Rule| {
        let requires: Vec<String> = rule.requires.iter().map(|it| format!("`{it}`")).collect();
        let better = rule.better.map(|(have, text)| format!(" With `{have}`: {text}"));
        let (name, instead) = (rule.feature.as_str(), rule.instead);
        let requires = requires.join(", ");
        format!("| `{name}` | {requires} | {instead}{} |\n", better.unwrap_or_default())
    };
    let head = "| feature | requires | offer instead |\n|---|---|---|\n".to_owned();
    RULES.iter().fold(head, |table, rule| table + &row(rule))
}

/// The capabilities of one agent.
struct AgentGates<'a> {
    agent: &'a Agent,
    /// The capabilities of the installed version.
    installed: Value,
    /// The capabilities of the newest version.
    declared: Value,
}

impl<'a> AgentGates<'a> {
    fn of(agent: &'a Agent) -> Self {
        let declared = &agent.manifest.capabilities;
        let installed = agent.found().map_or(declared, |found| &found.capabilities);
        Self { agent, installed: json(installed), declared: json(declared) }
    }

    fn feature(&self, rule: &Rule) -> FeatureGate {
        let requires: Vec<String> = rule.requires.iter().map(|it| (*it).to_owned()).collect();
        let missing = self.missing(&requires);
        let mut gate = FeatureGate {
            feature: rule.feature,
            name: None,
            enabled: missing.is_empty(),
            requires,
            missing,
            reason: None,
            instead: None,
        };
        if !gate.enabled {
            let upgrade = self.upgrade(&gate.missing);
            gate.reason = Some(self.reason(rule.cannot, upgrade.is_some()));
            let better = rule.better.filter(|(have, _)| has(&self.installed, have));
            let instead = better.map_or(rule.instead, |(_, sentence)| sentence);
            gate.instead = Some(upgrade.unwrap_or_else(|| instead.to_owned()));
        }
        gate
    }

    fn skill(&self, skill: &SkillRequirements) -> FeatureGate {
        let missing = self.missing(&skill.capabilities);
        let enabled = missing.is_empty();
        let upgrade = self.upgrade(&missing);
        let other = "Choose an agent that can, or a skill that needs fewer capabilities.";
        FeatureGate {
            feature: Feature::Skill,
            name: Some(skill.name.clone()),
            enabled,
            requires: skill.capabilities.clone(),
            reason: (!enabled).then(|| self.reason_of_skill(&missing, upgrade.is_some())),
            instead: (!enabled).then(|| upgrade.unwrap_or_else(|| other.to_owned())),
            missing,
        }
    }

    fn missing(&self, requires: &[String]) -> Vec<String> {
        requires.iter().filter(|name| !has(&self.installed, name)).cloned().collect()
    }

    /// How to upgrade, when a newer version of the agent CLI has every missing capability.
    fn upgrade(&self, missing: &[String]) -> Option<String> {
        let newer = !missing.is_empty() && missing.iter().all(|name| has(&self.declared, name));
        let command = || super::install_methods(&self.agent.manifest).next();
        newer.then(|| match command() {
            Some(method) => format!("Upgrade {}: {}", self.name(), method.command),
            None => format!("Upgrade {}.", self.name()),
        })
    }

    fn reason(&self, cannot: &str, newer_can: bool) -> String {
        let version = self.agent.found().and_then(|found| found.version.as_deref());
        match (newer_can, version) {
            (true, Some(version)) => {
                format!("{} {version} cannot {cannot}; a newer version can.", self.name())
            }
            _ => format!("{} cannot {cannot}.", self.name()),
        }
    }

    fn reason_of_skill(&self, missing: &[String], newer_can: bool) -> String {
        let (known, unknown): (Vec<&String>, Vec<&String>) =
            missing.iter().partition(|name| abilities::ability(name).is_some());
        let abilities: Vec<&str> =
            known.iter().filter_map(|name| abilities::ability(name)).collect();
        let mut sentences = Vec::new();
        if !abilities.is_empty() {
            sentences.push(self.reason(&abilities.join(" or "), newer_can));
        }
        for name in unknown {
            sentences.push(format!("This host does not know the capability {name:?}."));
        }
        sentences.join(" ")
    }

    fn name(&self) -> &str {
        &self.agent.manifest.display_name
    }
}

fn json(capabilities: &Capabilities) -> Value {
    serde_json::to_value(capabilities).unwrap_or_default()
}

/// Whether a capability exists, or with `a.b`, whether its detail is enabled.
fn has(capabilities: &Value, name: &str) -> bool {
    match name.split_once('.') {
        None => capabilities.get(name).is_some(),
        Some((name, detail)) => match capabilities.get(name).and_then(|it| it.get(detail)) {
            Some(Value::Bool(on)) => *on,
            Some(Value::Array(items)) => !items.is_empty(),
            _ => false,
        },
    }
}

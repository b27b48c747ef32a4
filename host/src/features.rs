//! Feature gates: which features of an app an agent can carry, and why not where it cannot. Pure.
//!
//! A feature needs capabilities, in the words of `od_protocol::Capabilities`; a detail of one is
//! written after a dot (`input.steer`). Comment mode (change just the part that was clicked on)
//! needs an agent that edits files in place and says which: `tools` and `fileChanges`.

mod words;

use od_protocol::Capabilities;
use od_protocol::api::{AgentFeatures, Feature, FeatureGate, SkillRequirements};
use serde_json::Value;

use crate::agents::Agent;

/// What a feature needs, and what to say when it cannot be offered.
struct Rule {
    feature: Feature,
    requires: &'static [&'static str],
    /// What the agent cannot do, after "cannot".
    cannot: &'static str,
    /// What to offer instead.
    instead: &'static str,
    /// With this capability something better can be offered instead.
    softer: Option<(&'static str, &'static str)>,
}

/// Every feature but skills, in the order of the API.
const RULES: [Rule; 14] = [
    Rule {
        feature: Feature::CommentMode,
        requires: &["tools", "fileChanges"],
        cannot: "change just one part of a result and say what it changed",
        instead: "Describe the change in a new prompt.",
        softer: None,
    },
    Rule {
        feature: Feature::ToolFeed,
        requires: &["tools"],
        cannot: "show what its tools do",
        instead: "Show a spinner while it works.",
        softer: None,
    },
    Rule {
        feature: Feature::LiveText,
        requires: &["textDeltas"],
        cannot: "show its answer while it is written",
        instead: "Show each message when it is complete.",
        softer: None,
    },
    Rule {
        feature: Feature::Resume,
        requires: &["resume"],
        cannot: "go on with an earlier session",
        instead: "Start the run again instead.",
        softer: None,
    },
    Rule {
        feature: Feature::Fork,
        requires: &["fork"],
        cannot: "try another way from the middle of a session",
        instead: "Start a new run with the same prompt.",
        softer: None,
    },
    Rule {
        feature: Feature::Steer,
        requires: &["input.steer"],
        cannot: "be told something in the middle of its work",
        instead: "Cancel the run and start it again with the new instruction.",
        softer: Some(("input", "What you say reaches it when its present turn is over.")),
    },
    Rule {
        feature: Feature::Approvals,
        requires: &["approvals"],
        cannot: "ask before it does something",
        instead: "Run it in a copy of the folder and look at the changes afterwards.",
        softer: Some(("permissionModes", "Choose a strict permission mode before the run.")),
    },
    Rule {
        feature: Feature::ModelPicker,
        requires: &["models"],
        cannot: "be given a model",
        instead: "It uses the model of its own settings.",
        softer: None,
    },
    Rule {
        feature: Feature::EffortPicker,
        requires: &["effort"],
        cannot: "be told how hard to think",
        instead: "It thinks as hard as its own settings say.",
        softer: None,
    },
    Rule {
        feature: Feature::CostMeter,
        requires: &["usage.cost"],
        cannot: "say what a run costs",
        instead: "Show how long it takes.",
        softer: Some(("usage", "Show tokens instead of dollars.")),
    },
    Rule {
        feature: Feature::QuotaMeter,
        requires: &["quota"],
        cannot: "say what is left of your allowance",
        instead: "A run says so when the allowance is used up.",
        softer: None,
    },
    Rule {
        feature: Feature::Images,
        requires: &["images"],
        cannot: "take pictures with a prompt",
        instead: "Describe the picture in words.",
        softer: Some(("attachments", "Attach the picture as a file.")),
    },
    Rule {
        feature: Feature::Attachments,
        requires: &["attachments"],
        cannot: "take files with a prompt",
        instead: "Put the files into the working folder and name them in the prompt.",
        softer: None,
    },
    Rule {
        feature: Feature::SessionHistory,
        requires: &["sessions"],
        cannot: "list its own sessions",
        instead: "Show the runs that this host has started.",
        softer: None,
    },
];

/// Every feature, then every skill that is asked about.
pub fn features(agent: &Agent, skills: &[SkillRequirements]) -> AgentFeatures {
    let judge = Judge::of(agent);
    let features = RULES.iter().map(|rule| judge.feature(rule));
    let skills = skills.iter().map(|skill| judge.skill(skill));
    AgentFeatures { agent: agent.id.clone(), gates: features.chain(skills).collect() }
}

/// The rules as rows of a table, for people who write apps.
pub fn table() -> String {
    let row = |rule: &Rule| {
        let requires: Vec<String> = rule.requires.iter().map(|it| format!("`{it}`")).collect();
        let softer = rule.softer.map(|(have, say)| format!(" With `{have}`: {say}"));
        let (name, instead) = (rule.feature.as_str(), rule.instead);
        let requires = requires.join(", ");
        format!("| `{name}` | {requires} | {instead}{} |\n", softer.unwrap_or_default())
    };
    let head = "| feature | requires | offer instead |\n|---|---|---|\n".to_owned();
    RULES.iter().fold(head, |table, rule| table + &row(rule))
}

/// One agent, as far as gates are concerned.
struct Judge<'a> {
    agent: &'a Agent,
    /// What works with the version that is installed.
    here: Value,
    /// What works with the best version.
    declared: Value,
}

impl<'a> Judge<'a> {
    fn of(agent: &'a Agent) -> Self {
        let declared = &agent.manifest.capabilities;
        let here = agent.found().map_or(declared, |found| &found.capabilities);
        Self { agent, here: json(here), declared: json(declared) }
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
            let softer = rule.softer.filter(|(have, _)| has(&self.here, have));
            let instead = softer.map_or(rule.instead, |(_, sentence)| sentence);
            gate.instead = Some(upgrade.unwrap_or_else(|| instead.to_owned()));
        }
        gate
    }

    fn skill(&self, skill: &SkillRequirements) -> FeatureGate {
        let missing = self.missing(&skill.capabilities);
        let enabled = missing.is_empty();
        let upgrade = self.upgrade(&missing);
        let other = "Choose an agent that can, or a skill that needs less.";
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
        requires.iter().filter(|name| !has(&self.here, name)).cloned().collect()
    }

    /// When a newer version of the agent CLI has all that is missing: how to get it.
    fn upgrade(&self, missing: &[String]) -> Option<String> {
        let newer = !missing.is_empty() && missing.iter().all(|name| has(&self.declared, name));
        let command = || crate::agents::install_methods(&self.agent.manifest).next();
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
            missing.iter().partition(|name| words::ability(name).is_some());
        let abilities: Vec<&str> = known.iter().filter_map(|name| words::ability(name)).collect();
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

/// Whether a capability is there, or with `a.b` its detail is on.
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

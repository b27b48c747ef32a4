//! The tables of agents in the root README, generated from the committed manifests of the adapters. Each adapter's
//! own tests check that its manifest is current.

use od_protocol::{Capabilities, Manifest};

use crate::files::{GeneratedFile, agent_folders, read};
use crate::markdown::{code, table};
use crate::markers;

/// A column of the table of features, and whether an adapter has it.
type Feature = (&'static str, fn(&Capabilities) -> bool);

/// What people choose an agent by, in the order of the columns.
const FEATURES: [Feature; 16] = [
    ("live text", |it| it.text_deltas.is_some()),
    ("thoughts", |it| it.thinking.is_some()),
    ("tools", |it| it.tools.is_some()),
    ("files", |it| it.file_changes.is_some()),
    ("approvals", |it| it.approvals.is_some()),
    ("input", |it| it.input.is_some()),
    ("resume", |it| it.resume.is_some()),
    ("fork", |it| it.fork.is_some()),
    ("effort", |it| it.effort.is_some()),
    ("models", |it| it.models.is_some()),
    ("tokens", |it| it.usage.is_some()),
    ("cost", |it| it.usage.as_ref().is_some_and(|usage| usage.cost)),
    ("images", |it| it.images.is_some()),
    ("MCP", |it| it.mcp_servers.is_some()),
    ("skills", |it| it.skills.is_some()),
    ("system prompt", |it| it.system_prompt.is_some()),
];

/// The document with current tables.
pub fn file() -> GeneratedFile {
    markers::document("README.md", part)
}

fn part(wanted: &str) -> String {
    let agents = agents_of_repository();
    match wanted {
        "agents" => agent_table(&agents),
        "features" => features(&agents),
        _ => panic!("no such part: {wanted}"),
    }
}

fn agent_table(agents: &[Agent]) -> String {
    let head = ["adapter", "agent", "at least", "real CLI tested"];
    table(head, agents.iter().map(agent_row).collect())
}

fn agent_row(agent: &Agent) -> [String; 4] {
    let Agent { folder, manifest } = agent;
    let or_dash = |version: &Option<String>| version.clone().unwrap_or_else(|| "–".to_owned());
    let tested = match is_embedded(manifest) {
        true => "–".to_owned(),
        false => or_dash(&manifest.cli.version_tested),
    };
    let id = &manifest.adapter_id;
    [
        format!("[{}]({folder}/README.md)", code(id)),
        manifest.description.clone(),
        or_dash(&manifest.cli.version_min),
        tested,
    ]
}

/// Whether the agent is part of the adapter, so that nothing has to be installed.
fn is_embedded(manifest: &Manifest) -> bool {
    manifest.cli.install.is_empty()
}

fn features(agents: &[Agent]) -> String {
    let mut head = [""; FEATURES.len() + 1];
    for (column, (name, _)) in head[1..].iter_mut().zip(FEATURES) {
        *column = name;
    }
    table(head, agents.iter().map(|agent| feature_row(&agent.manifest)).collect())
}

fn feature_row(manifest: &Manifest) -> [String; FEATURES.len() + 1] {
    let mut row = std::array::from_fn(|_| String::new());
    row[0] = code(&manifest.adapter_id);
    for (cell, (_, has)) in row[1..].iter_mut().zip(FEATURES) {
        *cell = if has(&manifest.capabilities) { "●".to_owned() } else { String::new() };
    }
    row
}

/// An adapter: its folder from the root of the repository, and its manifest.
struct Agent {
    folder: String,
    manifest: Manifest,
}

/// All agents by id; the demo, which wraps no agent CLI, comes last.
fn agents_of_repository() -> Vec<Agent> {
    let mut agents: Vec<Agent> = agent_folders()
        .into_iter()
        .map(|folder| {
            let text = read(&format!("{folder}/manifest.json"));
            let manifest = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{folder}/manifest.json: {error}"));
            Agent { folder, manifest }
        })
        .collect();
    agents
        .sort_by_key(|Agent { manifest, .. }| (is_embedded(manifest), manifest.adapter_id.clone()));
    agents
}

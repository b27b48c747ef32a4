//! The root README's tables of agents, made from the manifests that are committed beside the
//! adapters. That those are current is tested by each adapter.

use od_protocol::{Capabilities, Manifest};

use super::committed::repository;
use super::markdown::{code, table};
use super::marked::check_parts;

/// A column of the table of features, and whether an adapter has it.
type Feature = (&'static str, fn(&Capabilities) -> bool);

/// What a reader chooses an agent by, in the order of the columns.
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

#[test]
fn the_tables_of_agents_are_current() {
    check_parts("README.md", part);
}

fn part(wanted: &str) -> String {
    let manifests = manifests();
    match wanted {
        "agents" => agents(&manifests),
        "features" => features(&manifests),
        _ => panic!("no such part: {wanted}"),
    }
}

fn agents(manifests: &[Manifest]) -> String {
    let head = ["adapter", "agent", "at least", "real CLI tested"];
    table(head, manifests.iter().map(agent).collect())
}

fn agent(manifest: &Manifest) -> [String; 4] {
    let or_dash = |version: &Option<String>| version.clone().unwrap_or_else(|| "–".to_owned());
    let tested = match is_part_of_the_adapter(manifest) {
        true => "–".to_owned(),
        false => or_dash(&manifest.cli.version_tested),
    };
    let id = &manifest.adapter_id;
    [
        format!("[{}](adapters/{id}/README.md)", code(id)),
        manifest.description.clone(),
        or_dash(&manifest.cli.version_min),
        tested,
    ]
}

/// Nothing has to be installed for it.
fn is_part_of_the_adapter(manifest: &Manifest) -> bool {
    manifest.cli.install.is_empty()
}

fn features(manifests: &[Manifest]) -> String {
    let mut head = [""; FEATURES.len() + 1];
    for (column, (name, _)) in head[1..].iter_mut().zip(FEATURES) {
        *column = name;
    }
    table(head, manifests.iter().map(feature_row).collect())
}

fn feature_row(manifest: &Manifest) -> [String; FEATURES.len() + 1] {
    let mut row = std::array::from_fn(|_| String::new());
    row[0] = code(&manifest.adapter_id);
    for (cell, (_, has)) in row[1..].iter_mut().zip(FEATURES) {
        *cell = if has(&manifest.capabilities) { "●".to_owned() } else { String::new() };
    }
    row
}

/// By name; the demo, which is no agent of anybody's, comes last.
fn manifests() -> Vec<Manifest> {
    let folder = repository().join("adapters");
    let folders = std::fs::read_dir(folder).expect("there are adapters");
    let mut manifests: Vec<Manifest> = folders
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("manifest.json")).ok())
        .map(|text| serde_json::from_slice(&text).expect("a committed manifest can be read"))
        .collect();
    manifests
        .sort_by_key(|manifest| (is_part_of_the_adapter(manifest), manifest.adapter_id.clone()));
    manifests
}

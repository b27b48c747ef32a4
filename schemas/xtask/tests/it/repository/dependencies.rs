//! Which crate may depend on which, and that every dependency is used and explained.

use super::work_tree::{Member, assert_none, members, read};

/// The crates of this workspace that a crate may depend on.
fn allowed(member: &Member) -> &'static [&'static str] {
    match member.folder.as_str() {
        "protocol" | "sdk/os" => &[],
        "sdk" | "host" => &["od-protocol", "od-os"],
        "conformance" | "schemas/xtask" => &["od-protocol"],
        _ => &["od-protocol", "od-sdk"],
    }
}

#[test]
fn crate_edges_follow_architecture() {
    let members = members();
    let ours = |name: &String| members.iter().any(|member| member.name() == *name);
    let mut forbidden = Vec::new();
    for member in &members {
        for name in member.dependencies().into_iter().filter(ours) {
            // A crate names itself among its dev-dependencies to switch a feature on for its tests.
            let is_own = name == member.name();
            if !is_own && !allowed(member).contains(&name.as_str()) {
                forbidden.push(format!("{} → {name}", member.name()));
            }
        }
    }
    assert_none("dependencies that the architecture forbids", forbidden);
}

#[test]
fn protocol_depends_only_on_serde_and_schemars() {
    let members = members();
    let protocol = members.iter().find(|member| member.folder == "protocol").expect("protocol");
    let mut names: Vec<&str> = protocol.manifest["dependencies"]
        .as_table()
        .expect("dependencies")
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["schemars", "serde", "serde_json"]);
}

/// The lines of `[workspace.dependencies]`: name and rest.
fn workspace_dependencies() -> Vec<(String, String)> {
    read("Cargo.toml")
        .lines()
        .skip_while(|line| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(name, rest)| (name.trim().to_owned(), rest.trim().to_owned()))
        .collect()
}

#[test]
fn every_workspace_dependency_has_a_reason() {
    let silent = workspace_dependencies()
        .into_iter()
        .filter(|(_, rest)| !rest.contains("path =") && !has_reason(rest))
        .map(|(name, _)| name)
        .collect();
    assert_none("dependencies without a reason beside them", silent);
}

fn has_reason(rest: &str) -> bool {
    rest.rsplit_once('#').is_some_and(|(_, reason)| reason.trim().len() > 5)
}

#[test]
fn every_workspace_dependency_is_used() {
    let members = members();
    let used = |name: &String| members.iter().any(|member| member.dependencies().contains(name));
    let unused = workspace_dependencies()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| !used(name))
        .collect();
    assert_none("workspace dependencies that no crate uses", unused);
}

#[test]
fn every_crate_dependency_is_used() {
    let mut unused = Vec::new();
    for member in members() {
        let code = member.code();
        for name in member.dependencies() {
            if !code.contains(&format!("{}::", name.replace('-', "_"))) {
                unused.push(format!("{}: {name}", member.name()));
            }
        }
    }
    assert_none("dependencies that their crate does not use", unused);
}

#[test]
fn versions_are_only_in_root_manifest() {
    let mut own = Vec::new();
    for member in members() {
        let text = read(&format!("{}/Cargo.toml", member.folder));
        let manifest = text.parse::<toml::Table>().expect("a manifest");
        if manifest["package"]["version"].is_str() {
            own.push(format!("{}: package.version", member.name()));
        }
        let lines = text.lines().filter(|line| line.contains("version = \""));
        own.extend(lines.map(|line| format!("{}: {line}", member.name())));
    }
    assert_none("versions outside the root manifest", own);
}

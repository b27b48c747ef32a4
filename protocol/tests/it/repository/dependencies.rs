//! Who may depend on whom, and why a dependency is there.

use super::files::{Member, assert_none, members, read};

/// What each crate may use of the others; everything else is a layer that leaks.
fn allowed(member: &Member) -> &'static [&'static str] {
    match member.folder.as_str() {
        "protocol" => &[],
        "sdk" | "host" | "conformance" => &["od-protocol"],
        _ => &["od-protocol", "od-sdk"],
    }
}

#[test]
fn crates_depend_on_each_other_only_as_the_architecture_says() {
    let members = members();
    let ours = |name: &String| members.iter().any(|member| member.name() == *name);
    let mut leaks = Vec::new();
    for member in &members {
        for name in member.dependencies().into_iter().filter(ours) {
            if !allowed(member).contains(&name.as_str()) {
                leaks.push(format!("{} → {name}", member.name()));
            }
        }
    }
    assert_none("edges that the architecture does not have", leaks);
}

#[test]
fn the_protocol_depends_on_serde_serde_json_and_schemars_only() {
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
fn every_workspace_dependency_says_why_it_is_there() {
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
fn every_workspace_dependency_is_used_by_a_crate() {
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
fn every_dependency_of_a_crate_occurs_in_its_code() {
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
fn versions_live_in_the_root_manifest_only() {
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

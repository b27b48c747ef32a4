//! The shape of an adapter's folder.

use xtask::files::agent_folders;

use super::work_tree::{adapter_folders, assert_none, exists, members, read, rust_files};

/// The longest main file of an adapter.
const MAX_MAIN_LINES: usize = 40;

#[test]
fn adapter_folders_are_complete() {
    let crate_files = ["Cargo.toml", "README.md", "src"];
    let agent_files = ["README.md", "manifest.json", "conformance/conformance.toml"];
    let of_crates = adapter_folders()
        .into_iter()
        .flat_map(|folder| crate_files.map(|file| format!("{folder}/{file}")));
    let of_agents = agent_folders()
        .into_iter()
        .flat_map(|folder| agent_files.map(|file| format!("{folder}/{file}")));
    let missing = of_crates.chain(of_agents).filter(|file| !exists(file)).collect();
    assert_none("missing files of adapters", missing);
}

/// `src/main.rs`, or the files of `src/bin` where several adapters share a crate.
fn main_file(agent_folder: &str) -> String {
    let single = format!("{agent_folder}/src/main.rs");
    match agent_folder.rsplit_once('/') {
        Some((family, id)) if !exists(&single) => format!("{family}/src/bin/od-adapter-{id}.rs"),
        _ => single,
    }
}

#[test]
fn adapter_main_files_are_short() {
    let long = agent_folders()
        .iter()
        .map(|folder| main_file(folder))
        .filter(|file| !exists(file) || read(file).lines().count() > MAX_MAIN_LINES)
        .collect();
    assert_none("main files that are missing or have more than 40 lines", long);
}

#[test]
fn adapter_crates_are_named_after_their_folder() {
    let mut misnamed = Vec::new();
    for member in members() {
        let Some(folder) = member.folder.strip_prefix("adapters/") else { continue };
        let expected = format!("od-adapter-{folder}");
        let binaries = member.manifest.get("bin").and_then(toml::Value::as_array);
        let binaries = binaries.into_iter().flatten().filter_map(|binary| binary["name"].as_str());
        let names = binaries.chain([member.name()]);
        misnamed.extend(names.filter(|name| *name != expected).map(str::to_owned));
    }
    assert_none("names that are not od-adapter-<folder>", misnamed);
}

#[test]
fn adapter_sources_have_no_async_code() {
    let typed = rust_files()
        .into_iter()
        .filter(|file| file.starts_with("adapters/") && file.contains("/src/"))
        .filter(|file| {
            ["async fn", "async move", ".await"].iter().any(|word| read(file).contains(word))
        })
        .collect();
    assert_none("adapter files with async code", typed);
}

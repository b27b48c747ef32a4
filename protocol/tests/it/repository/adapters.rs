//! The shape of an adapter's folder, so that a copied folder is a template.

use super::files::{adapter_folders, assert_none, exists, members, read};

/// The longest `main.rs` of an adapter.
const MAIN_LINES: usize = 40;

#[test]
fn every_adapter_folder_is_complete() {
    let parts =
        ["Cargo.toml", "README.md", "manifest.json", "src/main.rs", "conformance/conformance.toml"];
    let missing = adapter_folders()
        .into_iter()
        .flat_map(|folder| parts.map(|part| format!("{folder}/{part}")))
        .filter(|file| !exists(file))
        .collect();
    assert_none("missing files of adapters", missing);
}

#[test]
fn the_main_file_of_an_adapter_is_short() {
    let long = adapter_folders()
        .into_iter()
        .map(|folder| format!("{folder}/src/main.rs"))
        .filter(|file| read(file).lines().count() > MAIN_LINES)
        .collect();
    assert_none("main files of more than 40 lines", long);
}

#[test]
fn an_adapter_is_named_after_its_folder() {
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
fn an_adapter_author_never_types_async() {
    let typed = super::files::rust_files()
        .into_iter()
        .filter(|file| file.starts_with("adapters/") && file.contains("/src/"))
        .filter(|file| {
            ["async fn", "async move", ".await"].iter().any(|word| read(file).contains(word))
        })
        .collect();
    assert_none("adapter files with async code", typed);
}

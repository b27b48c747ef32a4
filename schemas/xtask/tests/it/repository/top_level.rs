//! The names at the root of the repository, and what no file may contain.

use std::collections::BTreeSet;

use super::work_tree::{all_files, assert_none, entries, exists, read};
use xtask::files::repository;

const TOP_LEVEL: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "adapters",
    "clippy.toml",
    "conformance",
    "deny.toml",
    "host",
    "protocol",
    "rustfmt.toml",
    "schemas",
    "sdk",
];

/// Hosts of package registries, in two parts so that this file does not name one either.
const REGISTRY_HOSTS: &[(&str, &str)] = &[
    ("index.", "crates.io"),
    ("static.", "crates.io"),
    ("registry.", "npmjs.org"),
    ("pypi", ".org"),
    ("python", "hosted.org"),
    ("registry-1.", "docker.io"),
];

#[test]
fn top_level_has_agreed_names() {
    let found: BTreeSet<String> = entries(&repository())
        .into_iter()
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .filter(|name| !name.starts_with('.') && name != "target")
        .collect();
    assert_eq!(found, TOP_LEVEL.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn ci_and_cargo_settings_exist() {
    for file in [".cargo/config.toml", ".ci/run", ".github", ".gitignore"] {
        assert!(exists(file), "{file} is missing");
    }
}

#[test]
fn no_file_is_a_link() {
    let links = all_files().into_iter().filter(|file| repository().join(file).is_symlink());
    assert_none("links, which a checkout on Windows turns into text", links.collect());
}

#[test]
fn no_file_names_a_registry_host() {
    let names_one = |file: &String| {
        let text = read(file);
        REGISTRY_HOSTS.iter().any(|(name, domain)| text.contains(&format!("{name}{domain}")))
    };
    assert_none(
        "files that name a registry host",
        all_files().into_iter().filter(names_one).collect(),
    );
}

#[test]
fn locked_packages_come_from_public_registry() {
    let foreign = read("Cargo.lock")
        .lines()
        .filter(|line| line.starts_with("source = "))
        .filter(|line| {
            *line != "source = \"registry+https://github.com/rust-lang/crates.io-index\""
        })
        .map(str::to_owned)
        .collect();
    assert_none("sources other than the public registry", foreign);
}

#[test]
fn relative_links_in_documents_resolve() {
    let documents = all_files().into_iter().filter(|file| file.ends_with(".md"));
    let dead = documents.flat_map(|document| dead_links(&document)).collect();
    assert_none("dead links", dead);
}

fn dead_links(document: &str) -> Vec<String> {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = read(document);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' '))
        .filter(|target| !exists(&format!("./{folder}/{target}")))
        .map(|target| format!("{document}: {target}"))
        .collect()
}

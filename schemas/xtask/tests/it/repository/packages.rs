//! The packages of other people: each has a licence that `deny.toml` allows, and each supports the minimum Rust version.
//! `make deny` checks more, but needs cargo-deny.

use std::process::Command;

use serde_json::Value;

use super::work_tree::{assert_none, read};

/// The output of a command of the toolchain that runs this test.
fn output(program: &str, arguments: &[&str]) -> String {
    let path = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let program =
        path.strip_suffix("cargo").map_or(program.to_owned(), |bin| format!("{bin}{program}"));
    let output = Command::new(&program)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// The packages that a build on this platform uses, ours included.
fn packages() -> Vec<Value> {
    let version = output("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host line");
    let root = xtask::files::repository().join("Cargo.toml");
    let root = root.to_str().expect("paths are UTF-8");
    let arguments =
        ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    let metadata = output("cargo", &[&arguments[..], &["--manifest-path", root]].concat());
    let metadata: Value = serde_json::from_str(&metadata).expect("metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn name(package: &Value) -> String {
    format!("{} {}", package["name"], package["version"]).replace('"', "")
}

#[test]
fn packages_have_allowed_licences() {
    let deny = read("deny.toml").parse::<toml::Table>().expect("deny.toml is TOML");
    let allowed: Vec<String> = deny["licenses"]["allow"]
        .as_array()
        .expect("a list of licences")
        .iter()
        .filter_map(|licence| licence.as_str().map(str::to_owned))
        .collect();
    let is_allowed = |package: &&Value| {
        let text = package["license"].as_str().unwrap_or_default();
        let expression = spdx::Expression::parse_mode(text, spdx::ParseMode::LAX);
        expression.is_ok_and(|expression| {
            expression.evaluate(|requirement| allowed.contains(&requirement.to_string()))
        })
    };
    let packages = packages();
    let forbidden = packages.iter().filter(|package| !is_allowed(package));
    assert_none("packages whose licence deny.toml does not allow", forbidden.map(name).collect());
}

#[test]
fn packages_support_minimum_rust_version() {
    let parse = |version: &str| -> Vec<u32> {
        version.split('.').filter_map(|part| part.parse().ok()).collect()
    };
    let root = read("Cargo.toml").parse::<toml::Table>().expect("Cargo.toml is TOML");
    let minimum = parse(root["workspace"]["package"]["rust-version"].as_str().expect("a version"));
    let packages = packages();
    let needs_newer = packages.iter().filter(|package| {
        package["rust_version"].as_str().is_some_and(|version| parse(version) > minimum)
    });
    assert_none("packages that need a newer Rust version", needs_newer.map(name).collect());
}

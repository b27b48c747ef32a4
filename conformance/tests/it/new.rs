//! `conformance new`: what it writes conforms in every language, and nothing is overwritten.
//!
//! The Rust template is a member of this workspace, so its build and its own tests are part of the
//! workspace's; here only its executable is checked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{CONFORMANCE, CommandOutput, PYTHON, can_run, conformance, run_checks};

/// All checks except those that send megabytes, start hundreds of runs, or wait for a CLI that hangs.
const FAST_CHECKS: &[&str] = &[
    "MAN", "HS", "SHU", "DET-01", "DET-02", "DET-06", "PRM-01", "PRM-04", "ENV", "RUN", "ORD",
    "ENC-01", "ENC-02", "ENC-04", "ROB-01", "ROB-02", "ROB-03", "CAN-02", "CAN-03", "ERR", "SCH",
];

/// Passed by an adapter that maps text, tools and usage.
const PASSED: &[&str] = &["pass  RUN-02", "pass  CAN-03", "pass  ORD-05", "pass  ORD-08"];

fn templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")
}

fn new_adapter(id: &str, language: &str, into: &Path) -> CommandOutput {
    conformance(&["new", id, "--language", language, "--into", &into.to_string_lossy()])
}

/// Writes an adapter, runs its own tests, then the suite.
fn check_interpreted(language: &str, interpreter: &str, own_tests: &[&str]) {
    if !can_run(interpreter) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().join("new");
    new_adapter("red-fox", language, &folder).exits_with(0).prints(&["wrote", "conformance run"]);
    let tests = Command::new(interpreter).args(own_tests).current_dir(&folder).output();
    let tests = tests.expect("the adapter's own tests start");
    assert!(tests.status.success(), "{}", String::from_utf8_lossy(&tests.stderr));
    let outcome = run_checks(&folder.join("od-adapter-red-fox"), FAST_CHECKS, &[]);
    outcome.exits_with(0).prints(&["red-fox 0.1.0: conforms"]).prints(PASSED);
}

#[test]
fn new_python_adapter_conforms() {
    check_interpreted("python", PYTHON, &["-m", "unittest", "discover", "tests"]);
}

#[test]
fn new_typescript_adapter_conforms() {
    check_interpreted("typescript", "node", &["--test", "tests/"]);
}

/// `make test` builds the workspace first; a build of the suite alone has no template to check.
#[test]
fn rust_template_conforms() {
    let built = Path::new(CONFORMANCE).with_file_name("od-adapter-my-agent");
    let built = built.with_extension(std::env::consts::EXE_EXTENSION);
    if !built.is_file() {
        eprintln!("not checked: cargo build -p od-adapter-my-agent builds the template");
        return;
    }
    let pack = templates().join("shared/conformance");
    let outcome = run_checks(&built, FAST_CHECKS, &["--pack", &pack.to_string_lossy()]);
    outcome.exits_with(0).prints(&["my-agent", "conforms"]).prints(PASSED);
}

/// The file names below a folder, sorted.
fn files_below(folder: &Path) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => {
                    let path = path.strip_prefix(folder).expect("below the folder").to_owned();
                    files.insert(path.to_string_lossy().replace('\\', "/"));
                }
            }
        }
    }
    files
}

#[test]
fn no_template_name_is_left() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    for language in ["rust", "python", "typescript"] {
        let folder = scratch.path().join(language);
        new_adapter("red-fox", language, &folder).exits_with(0);
        for file in files_below(&folder) {
            let text = std::fs::read_to_string(folder.join(&file)).expect("a text file");
            for name in ["my-agent", "my_agent", "MyAgent", "My Agent"] {
                assert!(!text.contains(name) && !file.contains(name), "{language} {file}: {name}");
            }
        }
    }
}

/// A folder that looks like the workspace of the sdk.
fn workspace() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a scratch folder");
    let manifest = "[workspace]\nmembers = [\"sdk\", \"adapters/*\"]\n";
    std::fs::write(root.path().join("Cargo.toml"), manifest).expect("a workspace");
    for member in ["adapters", "sdk", "protocol"] {
        std::fs::create_dir(root.path().join(member)).expect("a folder");
    }
    for member in ["sdk", "protocol"] {
        std::fs::write(root.path().join(member).join("Cargo.toml"), "").expect("a crate");
    }
    root
}

#[test]
fn rust_adapter_in_workspace_becomes_member() {
    let root = workspace();
    let output = Command::new(CONFORMANCE)
        .args(["new", "red-fox", "--language", "rust"])
        .current_dir(root.path().join("sdk"))
        .output()
        .expect("the suite starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let cargo = std::fs::read_to_string(root.path().join("adapters/red-fox/Cargo.toml"));
    let cargo = cargo.expect("a crate below adapters");
    assert!(cargo.contains("od-sdk.workspace = true") && !cargo.contains("[workspace]"), "{cargo}");
}

#[test]
fn rust_adapter_elsewhere_names_the_sdk() {
    let root = workspace();
    let sdk = root.path().join("sdk").canonicalize().expect("the sdk");
    let cargo = |name: &str, more: &[&str]| {
        let folder = root.path().join(name);
        let folder_text = folder.to_string_lossy().into_owned();
        let new = ["new", "red-fox", "--language", "rust", "--into", &folder_text];
        let wanted: &[&str] = if more.is_empty() { &["on crates.io; --sdk-path"] } else { &[] };
        conformance(&[&new, more].concat()).exits_with(0).prints(wanted);
        std::fs::read_to_string(folder.join("Cargo.toml")).expect("a crate")
    };
    let published = cargo("published", &[]);
    let version = format!("od-sdk = {{ version = {:?} }}", env!("CARGO_PKG_VERSION"));
    assert!(published.contains(&version) && published.contains("[workspace]"), "{published}");
    let local = cargo("local", &["--sdk-path", &sdk.to_string_lossy()]);
    assert!(local.contains(&format!("od-sdk = {{ path = {:?} }}", sdk)), "{local}");
    let parsed: Result<toml::Table, _> = local.parse();
    assert!(parsed.is_ok(), "{local}");
}

#[test]
fn bad_arguments_write_nothing() {
    let root = workspace();
    let folder = root.path().join("new");
    let text = folder.to_string_lossy().into_owned();
    let new =
        |id: &str, more: &[&str]| conformance(&[&["new", id, "--into", &text], more].concat());
    new("Red_Fox", &["--language", "rust"])
        .exits_with(2)
        .prints(&["is not an adapter id", "hint:"]);
    new("fox", &["--language", "cobol"]).exits_with(2).prints(&["[possible values: rust, python"]);
    let sdk = ["--language", "rust", "--sdk-path", "/nowhere"];
    new("fox", &sdk).exits_with(2).prints(&["is not the folder of od-sdk", "hint:"]);
    let sdk = ["--language", "python", "--sdk-path", "/nowhere"];
    new("fox", &sdk).exits_with(2).prints(&["--sdk-path is for Rust adapters", "hint:"]);
    assert!(!folder.exists());
}

#[test]
fn existing_folder_is_not_overwritten() {
    let root = workspace();
    let folder = root.path().join("new");
    new_adapter("fox", "python", &folder).exits_with(0);
    let before = files_below(&folder);
    new_adapter("fox", "rust", &folder).exits_with(2).prints(&[
        "already exists",
        "hint:",
        "--into",
    ]);
    assert_eq!(files_below(&folder), before);
}

#[test]
fn typescript_adapter_has_the_types_it_names() {
    let Some(tsc) = std::env::var_os("TSC") else {
        eprintln!("not checked: TSC names no TypeScript compiler");
        return;
    };
    let tsc = PathBuf::from(tsc);
    let types = tsc.ancestors().nth(2).expect("it is in node_modules/.bin").join("@types");
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let folder = scratch.path().join("new");
    new_adapter("red-fox", "typescript", &folder).exits_with(0);
    let output = Command::new(&tsc).arg("-p").arg(folder).arg("--typeRoots").arg(types).output();
    let output = output.expect("the TypeScript compiler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn python_protocol_part_fits_360_lines() {
    let text = std::fs::read_to_string(templates().join("python/od-adapter-my-agent"));
    let text = text.expect("the Python template");
    let (_, protocol) = text.split_once("# The protocol.").expect("two parts");
    assert!(protocol.lines().count() <= 360, "{} lines", protocol.lines().count());
}

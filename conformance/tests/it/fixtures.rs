//! `fixtures init` and `fixtures lint`.

use std::path::{Path, PathBuf};

use crate::support::{CommandOutput, Reference, conformance, pack_copy, reference_pack};

fn lint(folder: &Path) -> CommandOutput {
    conformance(&["fixtures", "lint", &folder.to_string_lossy()])
}

#[test]
fn new_pack_is_clean_and_never_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("adapters/x/conformance");
    let init = |name| conformance(&["fixtures", "init", &pack.to_string_lossy(), "--cli", name]);
    init("../x").exits_with(2).prints(&["is not a file name"]);
    init("parakeet").exits_with(0).prints(&["wrote", "text.steps", "fixtures lint"]);
    lint(&pack).exits_with(0).prints(&["faults 0, warnings 0"]);
    let settings = std::fs::read_to_string(pack.join("conformance.toml")).expect("settings");
    assert!(settings.contains("name = \"parakeet\""), "{settings}");
    assert!(settings.contains("PARAKEET_API_KEY"), "{settings}");
    init("other").exits_with(2).prints(&["conformance.toml already exists"]);
    assert!(std::fs::read_to_string(pack.join("conformance.toml")).is_ok_and(|it| it == settings));
}

#[test]
fn new_pack_of_every_kind_is_clean() {
    let folder = tempfile::tempdir().expect("a folder");
    let kinds = [
        ("lines", "prompt = \"stdin\"", "read-all prompt"),
        ("rpc", "prompt = \"rpc\"", "expect {"),
        ("http", "prompt = \"rpc\"", "listen basic par-rot $PAR_ROT_PASSWORD"),
        ("pty", "pty = true", "expect {"),
    ];
    for (kind, setting, step) in kinds {
        let pack = folder.path().join(kind);
        let path = pack.to_string_lossy().into_owned();
        let init = ["fixtures", "init", &path, "--cli", "par-rot", "--kind", kind];
        conformance(&init).exits_with(0).prints(&["wrote"]);
        lint(&pack).exits_with(0).prints(&["faults 0, warnings 0"]);
        for (file, wanted) in [("conformance.toml", setting), ("text.steps", step)] {
            let text = std::fs::read_to_string(pack.join(file)).expect("a file of the pack");
            assert!(text.contains(wanted), "{kind}: {wanted} is not in {file}:\n{text}");
            assert!(!text.contains("my-agent") && !text.contains("MY_AGENT"), "{text}");
        }
    }
}

#[test]
fn packs_of_this_repository_are_clean() {
    lint(&reference_pack()).exits_with(0).prints(&["faults 0, warnings 0"]);
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    for pack in ["templates/shared", "tests/adapters/served", "tests/adapters/typed"] {
        lint(&own.join(pack).join("conformance")).exits_with(0).prints(&["faults 0, warnings 0"]);
    }
    for adapter in od_conformance::pack::adapter_folders(&own.join("../adapters")) {
        lint(&adapter.join("conformance")).exits_with(0);
    }
}

#[test]
fn lint_reports_every_fault_with_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("pack");
    pack_copy(&pack);
    let settings = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&settings).expect("settings");
    let text = text
        .replace("[scenario.thinking]", "[scenario.thinkng]")
        .replace("steps/usage", "steps/no_such_file")
        .replace("{{secret}}", "{{secrte}}");
    std::fs::write(&settings, text + "\n[known_failures]\n\"NO-01\" = \"x\"\n").expect("settings");
    let steps = "out {}\nshout hello\n{{#each words}}\nout {{txet}}\n{{/each}}\nexpect {not json\n";
    std::fs::write(pack.join("steps/text"), steps).expect("steps");
    lint(&pack).exits_with(2).prints(&[
        "unknown scenario \"thinkng\"",
        "steps/no_such_file cannot be read",
        "unknown placeholder \"secrte\"",
        "unknown check NO-01",
        "steps/text:2: unknown step \"shout\"",
        "steps/text:3: expected {{#each deltas}}",
        "steps/text:4: unknown placeholder \"txet\"",
        "steps/text:6: the pattern is not JSON",
        "steps/usage: the settings do not mention this file",
        "faults 8, warnings 1",
    ]);
}

#[test]
fn lint_reports_server_faults_with_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("pack");
    pack_copy(&pack);
    let check = |steps: &str, wanted: &[&str]| {
        std::fs::write(pack.join("steps/text"), steps).expect("steps");
        lint(&pack).exits_with(2).prints(wanted).prints(&[&format!("faults {},", wanted.len())]);
    };
    let steps = "listen basic me PASSWORD\n\
                 expect-request fetch /x\n\
                 reply ok\n\
                 on request GET /y {no json\n\
                 reply 204 {}\n\
                 end\n\
                 on request GET /z\n\
                 end\n\
                 reply 200\n\
                 stream now\n\
                 sse {\"p\":\"{{prot}}\"}\n";
    let wanted = [
        "steps/text:1: expected `listen`, `listen basic",
        "steps/text:2: expected a method and a path such as POST /session, not \"fetch\"",
        "steps/text:3: expected a status such as 200",
        "steps/text:4: the pattern is not JSON",
        "steps/text:5: a reply with status 204",
        "steps/text:7: this block does not answer",
        "steps/text:9: no request to answer",
        "steps/text:10: `stream` accepts only header:NAME=VALUE",
        "steps/text:10: no request to answer",
        "steps/text:11: unknown placeholder \"prot\"",
    ];
    check(steps, &wanted);
    check("out at {{url}}\nlisten\n", &["steps/text:1: this needs a server"]);
    check("expect-request GET /x\nreply 200\n", &["steps/text:1: this needs a server"]);
    check("listen\nlisten\n", &["steps/text:2: `listen` is already used"]);
}

#[test]
fn missing_or_broken_settings_are_faults() {
    let folder = tempfile::tempdir().expect("a folder");
    lint(folder.path()).exits_with(2).prints(&["conformance.toml cannot be read"]);
    std::fs::write(folder.path().join("conformance.toml"), "\ncolour = 1\n").expect("settings");
    lint(folder.path()).exits_with(2).prints(&["conformance.toml:2:", "colour"]);
}

#[test]
fn lint_reports_missing_scenarios() {
    let reference = Reference::with_fault(None);
    let pack = PathBuf::from(reference.beside("pack"));
    let pack_text = pack.to_string_lossy().into_owned();
    conformance(&["fixtures", "init", &pack_text, "--cli", "parrot"]).exits_with(0);
    let lint =
        |folder: &str| conformance(&["fixtures", "lint", folder, "--plugin", &reference.path()]);
    lint(&pack_text).exits_with(1).prints(&["missing  scenario version_old", "DET-07", "hint:"]);
    lint(&reference_pack().to_string_lossy()).exits_with(0).prints(&["missing scenarios 0"]);
}

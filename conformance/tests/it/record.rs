//! `record` with a scripted agent CLI: the written pack works and contains no private value.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{CommandOutput, Reference, conformance, pack_copy, script_plugin};

/// Prints messages of `parrot` that contain private values.
const TELLTALE: &str = r#"case "$1" in
--version) echo "parrot 2.4.1"; exit;;
--help) echo "usage: parrot [--model NAME] for $HOME"; exit;;
esac
read -r line
text=$(printf '%s' "$line" | sed 's/.*TEXT=<\([^>]*\)>.*/\1/')
echo "debug: $PARROT_API_KEY read from $HOME/.parrot by alice@corp.example" >&2
echo '{"t":"hello","session":"0f8fad5b-d9cb-469f-a165-70867728950e","model":"macaw"}'
printf '{"t":"note","key":"Bearer %s","home":"%s/x"}\n' "$PARROT_API_KEY" "$HOME"
echo '{"t":"note","token":"ghp_CANARYcanary0123456789","jwt":"eyJCANARY.canary0123456789"}'
echo '{"t":"note","path":"/home/alice/.ssh/CANARY","windows":"C:\\Users\\CANARY\\x"}'
echo '{"t":"note","words":"You are CANARY and you follow these many rules that a vendor wrote in the hope that nobody copies them into another repository ever at all"}'
printf '{"t":"say","text":"%s"}\n' "$(printf '%s' "$text" | cut -c1-7)"
printf '{"t":"say","text":"%s"}\n' "$(printf '%s' "$text" | cut -c8-)"
echo '{"t":"say_end"}'
echo '{"t":"end","stop":"end_turn"}'"#;

/// Records the scenario `text` and returns all written files.
fn check_record(folder: &Path, name: &str) -> (CommandOutput, BTreeMap<String, String>) {
    let pack = folder.join("pack");
    if !pack.exists() {
        pack_copy(&pack);
        let file = pack.join("conformance.toml");
        let text = std::fs::read_to_string(&file).expect("the settings");
        let table = "[real]\nenv = { PARROT_API_KEY = \"{{secret}}\" }";
        std::fs::write(&file, format!("{text}\n{table}\n")).expect("new settings");
    }
    let cli = script_plugin(folder, TELLTALE);
    let adapter = Reference::with_fault(None);
    let (pack, out) = (text_of(&pack), folder.join(name));
    let arguments = ["record", &adapter.path(), "--pack", &pack, "--cli", &cli, "--only", "text"];
    let more = ["--allow-network", "--out", &text_of(&out)];
    let outcome = conformance(&[&arguments[..], &more].concat());
    let mut files = BTreeMap::new();
    collect(&out, &out, &mut files);
    (outcome, files)
}

fn collect(base: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(base, &path, files);
        } else {
            let name = path.strip_prefix(base).expect("it is below").to_string_lossy().into_owned();
            files.insert(name, std::fs::read_to_string(&path).expect("text"));
        }
    }
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn recorded_pack_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let (outcome, files) = check_record(folder.path(), "out");
    outcome.exits_with(0).prints(&["recorded  text"]);
    let steps = &files["steps/text"];
    for line in [
        "expect {\"t\":\"prompt\",\"text\":\"{{?prompt}}\"}\n",
        "{{#each deltas}}\nout {\"t\":\"say\",\"text\":\"{{text}}\"}\n{{/each}}\n",
        "\"{{session_id}}\"",
        "exit 0\n",
    ] {
        assert!(steps.contains(line), "{line:?} is missing in:\n{steps}");
    }
    assert_eq!(files["recordings/flags.txt"], "--model\n");
    assert!(files["recordings/plain.stdout.jsonl"].contains("\"say_end\""));
    let adapter = Reference::with_fault(None);
    let pack = text_of(&folder.path().join("out"));
    conformance(&["run", &adapter.path(), "--pack", &pack, "--only", "RUN-02,ENC-01"])
        .exits_with(0)
        .prints(&["2 pass"]);
}

#[test]
fn private_values_are_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, files) = check_record(folder.path(), "out");
    let here = text_of(folder.path());
    let secrets = ["CANARY", "canary", "sk-conformance", "alice", "corp.example", &here, "/tmp/"];
    for (name, text) in &files {
        for secret in secrets {
            assert!(!text.contains(secret), "{secret:?} is in {name}:\n{text}");
        }
    }
    let steps = &files["steps/text"];
    assert!(steps.contains("Bearer {{secret}}") && steps.contains("(prose)"), "{steps}");
}

#[test]
fn recording_is_deterministic() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, first) = check_record(folder.path(), "first");
    let (_, second) = check_record(folder.path(), "second");
    assert_eq!(first, second);
    let (outcome, _) = check_record(folder.path(), "first");
    outcome.exits_with(2).prints(&["is not empty"]);
}

//! Broken packs are usage errors with file and line.

use std::path::PathBuf;

use od_conformance::pack::{Pack, Values, find};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::support::{CommandOutput, Reference, conformance, pack_copy};

/// Breaks one file of the pack and runs one check with it.
fn check_broken(file: &str, change: impl Fn(&str) -> String) -> CommandOutput {
    let reference = Reference::with_fault(None);
    let pack = PathBuf::from(reference.beside("pack"));
    pack_copy(&pack);
    let path = pack.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(&path, change(&text)).expect("the broken file");
    conformance(&["run", &reference.path(), "--pack", &pack.to_string_lossy(), "--only", "RUN-02"])
}

#[test]
fn unknown_step_is_reported_with_line() {
    let outcome = check_broken("steps/text", |text| format!("{text}\nshout hello\n"));
    outcome.exits_with(2).prints(&["steps/text:", "unknown step \"shout\"", "available: out"]);
}

#[test]
fn invalid_pattern_is_reported_with_line() {
    let outcome = check_broken("steps/text", |text| format!("expect {{not json\n{text}"));
    outcome.exits_with(2).prints(&["steps/text:1: the pattern is not JSON"]);
}

#[test]
fn open_block_is_reported_with_line() {
    let outcome = check_broken("steps/text", |_| "out {}\n{{#each deltas}}\nout x\n".to_owned());
    outcome.exits_with(2).prints(&["steps/text:2: this block is not closed"]);
}

#[test]
fn unknown_placeholder_is_reported_with_line() {
    let outcome = check_broken("steps/text", |_| "out {}\nout {\"x\":\"{{txet}}\"}\n".to_owned());
    outcome.exits_with(2).prints(&["steps/text:2: unknown placeholder \"txet\""]);
}

#[test]
fn unknown_setting_is_reported_with_line() {
    let outcome = check_broken("conformance.toml", |text| format!("colour = 1\n{text}"));
    outcome.exits_with(2).prints(&["conformance.toml:1:", "colour"]);
    let outcome = check_broken("conformance.toml", |text| {
        text.replace("[scenario.thinking]", "[scenario.thinkng]")
    });
    outcome.exits_with(2).prints(&["conformance.toml:", "unknown scenario \"thinkng\""]);
}

#[test]
fn missing_step_file_is_reported() {
    let outcome =
        check_broken("conformance.toml", |text| text.replace("steps/text", "steps/texts"));
    outcome.exits_with(2).prints(&["steps/texts cannot be read"]);
}

#[test]
fn session_ids_follow_the_pack() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = "[cli]\nsession_id = \"ses_{{uuid}}\"\n";
    std::fs::write(folder.path().join("conformance.toml"), settings).expect("settings");
    let pack = Pack::load(folder.path()).expect("a pack");
    let mut values = Values::fresh(&mut StdRng::seed_from_u64(1), folder.path());
    let plain = ["session_id", "new_session_id"].map(|name| format!("ses_{}", values.text(name)));
    pack.format_session_ids(&mut values);
    assert_eq!([values.text("session_id"), values.text("new_session_id")], plain);
    assert_ne!(plain[0], plain[1]);
}

#[cfg(unix)]
#[test]
fn linked_adapter_keeps_its_pack() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("an absolute path");
    let write_pack = |folder: &str| {
        let pack = top.join(folder).join("conformance");
        std::fs::create_dir_all(&pack).expect("a folder");
        std::fs::write(pack.join("conformance.toml"), "").expect("a pack");
        pack
    };
    let of_target = write_pack("installed");
    std::fs::write(top.join("installed/od-adapter-linked"), "").expect("an adapter");
    std::fs::create_dir(top.join("bin")).expect("a folder");
    let link = top.join("bin/od-adapter-linked");
    std::os::unix::fs::symlink("../installed/od-adapter-linked", &link).expect("a link");
    assert_eq!(find(&link, "linked"), Some(of_target));
    let of_link = write_pack("bin");
    assert_eq!(find(&link, "linked"), Some(of_link), "the pack beside the link comes first");
}

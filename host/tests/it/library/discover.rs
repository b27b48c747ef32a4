//! Which adapters are used, which are hidden, which are passed over and why; and the manifest cache.

use std::path::Path;

use od_host::discover::{Discovery, Rule};

use super::stage::{Stage, add_to, block_on, set_mode};

fn discover(stage: &Stage) -> Discovery {
    block_on(stage.host().discover())
}

/// The one thing that is wrong with the adapter `x`.
fn rule(stage: &Stage) -> Rule {
    let discovery = discover(stage);
    assert!(!discovery.adapters.iter().any(|adapter| adapter.id == "x"), "it is not used");
    let about = |path: &Path| path.starts_with(stage.adapters());
    let rejected: Vec<_> =
        discovery.rejected.iter().filter(|rejected| about(&rejected.path)).collect();
    let [rejected] = rejected[..] else { panic!("one reason: {:?}", discovery.rejected) };
    assert!(!rejected.reason.is_empty() && !rejected.fix.is_empty());

    // Asked for by name, the same reason is the error.
    let error = block_on(stage.host().adapter("x")).expect_err("it is not used");
    assert_eq!(error.failure.as_str(), "agent_rejected");
    assert_eq!(error.hint.as_deref(), Some(rejected.fix.as_str()));
    rejected.rule
}

#[test]
fn a_good_one_is_used() {
    let stage = Stage::with("x", "next_minor");
    let discovery = discover(&stage);
    let adapter = discovery.adapters.iter().find(|adapter| adapter.id == "x").expect("it is used");
    assert_eq!((adapter.manifest.version.as_str(), adapter.sha256.len()), ("1.2.3", 64));
}

#[test]
fn manifests_that_are_no_good() {
    for (mode, expected) in [
        ("wrong_id", Rule::WrongId),
        ("bad_manifest", Rule::ManifestInvalid),
        ("big_manifest", Rule::ManifestInvalid),
        ("failing_manifest", Rule::ManifestInvalid),
        ("future_manifest", Rule::ManifestMajor),
        ("future_protocol", Rule::Protocol),
    ] {
        assert_eq!(rule(&Stage::with("x", mode)), expected, "{mode}");
    }
}

#[test]
fn a_manifest_that_never_comes_delays_no_other() {
    let stage = Stage::with("x", "slow_manifest");
    stage.add("y", "good");
    let discovery = discover(&stage);
    assert!(discovery.adapters.iter().any(|adapter| adapter.id == "y"));
    assert_eq!(rule(&stage), Rule::ManifestTimeout);
}

#[test]
fn the_first_wins_and_the_rest_is_listed() {
    let stage = Stage::with("x", "good");
    let second = stage.home().adapters();
    std::fs::create_dir_all(&second).expect("a folder");
    let hidden = add_to(&second, "x", "good");
    let discovery = discover(&stage);
    let [shadowed] = &discovery.shadowed[..] else { panic!("{:?}", discovery.shadowed) };
    assert_eq!((&shadowed.path, &shadowed.by), (&hidden, &stage.adapters().join("od-adapter-x")));

    // One that cannot be used hides nothing.
    set_mode(&stage.adapters().join("od-adapter-x"), "wrong_id");
    std::fs::remove_dir_all(stage.home().cache()).expect("the cache");
    let discovery = discover(&stage);
    assert_eq!(
        discovery.adapters.iter().find(|adapter| adapter.id == "x").map(|adapter| &adapter.path),
        Some(&hidden)
    );
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let stage = Stage::new();
    std::fs::remove_dir(stage.adapters()).expect("an empty folder");
    let discovery = discover(&stage);
    let named = discovery.rejected.iter().any(|rejected| rejected.path == stage.adapters());
    assert!(named, "{:?}", discovery.rejected);
}

#[test]
fn only_pinned_adapters_run_when_the_settings_say_so() {
    let stage = Stage::with("x", "good");
    let sha256 = discover(&stage)
        .adapters
        .iter()
        .find(|adapter| adapter.id == "x")
        .map(|adapter| adapter.sha256.clone());
    let settings = |pinned: &str| {
        let text = format!("[trust]\npolicy = \"pinned\"\npinned = [\"{pinned}\"]\n");
        std::fs::write(stage.home().settings_file(), text).expect("settings");
    };
    settings("00");
    assert_eq!(rule(&stage), Rule::NotPinned);
    settings(&sha256.expect("a hash"));
    assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
}

#[test]
fn the_manifest_is_asked_for_once() {
    let stage = Stage::with("x", "good");
    discover(&stage);
    // The executable is the same file, so the host does not notice what it would say now.
    set_mode(&stage.adapters().join("od-adapter-x"), "bad_manifest");
    assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
    // A touched file is asked again.
    let file = std::fs::File::options().append(true).open(stage.adapters().join("od-adapter-x"));
    file.and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH)).expect("a touch");
    assert_eq!(rule(&stage), Rule::ManifestInvalid);
}

#[test]
fn a_damaged_cache_is_written_anew() {
    let stage = Stage::with("x", "good");
    discover(&stage);
    let whole = std::fs::read(stage.home().manifest_cache()).expect("a cache");
    for damage in [&b"{\"format\":1,"[..], b"\xff\xff", b"{\"format\":99,\"entries\":{}}", b""] {
        std::fs::write(stage.home().manifest_cache(), damage).expect("damage");
        assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
        assert_eq!(std::fs::read(stage.home().manifest_cache()).expect("a cache"), whole);
    }
}

#[test]
fn several_hosts_share_the_cache() {
    let stage = Stage::new();
    for index in 0..4 {
        stage.add(&format!("x{index}"), "good");
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let found = discover(&stage).adapters;
                assert_eq!(found.iter().filter(|adapter| adapter.id.starts_with('x')).count(), 4);
            });
        }
    });
    let cache = std::fs::read(stage.home().manifest_cache()).expect("a cache");
    serde_json::from_slice::<serde_json::Value>(&cache).expect("a whole document");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn chmod(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    }

    #[test]
    fn files_and_folders_that_others_can_write() {
        for (file_mode, folder_mode, expected) in [
            (0o777, 0o755, Rule::WritableFile),
            (0o775, 0o755, Rule::WritableFile),
            (0o755, 0o777, Rule::WritableFolder),
            (0o755, 0o1777, Rule::WritableFolder),
            (0o755, 0o775, Rule::WritableFolder),
            (0o644, 0o755, Rule::NotExecutable),
        ] {
            let stage = Stage::with("x", "good");
            chmod(&stage.adapters().join("od-adapter-x"), file_mode);
            chmod(&stage.adapters(), folder_mode);
            assert_eq!(rule(&stage), expected, "file {file_mode:o}, folder {folder_mode:o}");
        }
    }

    #[test]
    fn a_link_is_judged_by_what_it_points_at() {
        let stage = Stage::new();
        let elsewhere = stage.work();
        let target = add_to(&elsewhere, "x", "good");
        std::os::unix::fs::symlink(&target, stage.adapters().join("od-adapter-x")).expect("a link");
        assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
        chmod(&elsewhere, 0o777);
        assert_eq!(rule(&stage), Rule::WritableFolder);
    }

    #[test]
    fn a_dangling_link_is_explained() {
        let stage = Stage::new();
        std::os::unix::fs::symlink("/surely/not/here", stage.adapters().join("od-adapter-x"))
            .expect("a link");
        assert_eq!(rule(&stage), Rule::Unreadable);
    }

    /// Only root can give a file away; elsewhere the rule itself is tested beside its code.
    #[test]
    fn a_file_or_folder_of_a_stranger() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let stage = Stage::with("x", "good");
        let file = stage.adapters().join("od-adapter-x");
        std::os::unix::fs::chown(&file, Some(12345), None).expect("a stranger");
        assert_eq!(rule(&stage), Rule::ForeignFile);
        std::os::unix::fs::chown(&file, Some(0), None).expect("root");
        std::os::unix::fs::chown(stage.adapters(), Some(12345), None).expect("a stranger");
        assert_eq!(rule(&stage), Rule::ForeignFolder);
    }
}

//! Which adapters are found, shadowed or rejected and why; and the manifest cache.

use std::path::Path;

use od_host::discover::{Discovery, Rule};

use super::stage::{Stage, add_to, block_on, set_mode};

fn discover(stage: &Stage) -> Discovery {
    block_on(stage.host().discover())
}

/// The reason why the adapter `x` is rejected.
fn rule(stage: &Stage) -> Rule {
    let discovery = discover(stage);
    assert!(!discovery.adapters.iter().any(|adapter| adapter.id == "x"), "it is rejected");
    let about = |path: &Path| path.starts_with(stage.adapters());
    let rejected: Vec<_> =
        discovery.rejected.iter().filter(|rejected| about(&rejected.path)).collect();
    let [rejected] = rejected[..] else { panic!("one reason: {:?}", discovery.rejected) };
    assert!(!rejected.reason.is_empty() && !rejected.fix.is_empty());

    // A lookup by id fails with the same reason.
    let error = block_on(stage.host().adapter("x")).expect_err("it is rejected");
    assert_eq!(error.failure.as_str(), "agent_rejected");
    assert_eq!(error.hint.as_deref(), Some(rejected.fix.as_str()));
    rejected.rule
}

#[test]
fn valid_adapter_is_found() {
    let stage = Stage::with("x", "next_minor");
    let discovery = discover(&stage);
    let adapter = discovery.adapters.iter().find(|adapter| adapter.id == "x").expect("it is used");
    assert_eq!((adapter.manifest.version.as_str(), adapter.sha256.len()), ("1.2.3", 64));
}

#[test]
fn invalid_manifests_are_rejected_with_rule() {
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
fn slow_manifest_delays_no_other_adapter() {
    let stage = Stage::with("x", "slow_manifest");
    stage.add("y", "good");
    let discovery = discover(&stage);
    assert!(discovery.adapters.iter().any(|adapter| adapter.id == "y"));
    assert_eq!(rule(&stage), Rule::ManifestTimeout);
}

#[test]
fn first_adapter_shadows_others() {
    let stage = Stage::with("x", "good");
    let second = stage.home().adapters();
    std::fs::create_dir_all(&second).expect("a folder");
    let hidden = add_to(&second, "x", "good");
    let discovery = discover(&stage);
    let [shadowed] = &discovery.shadowed[..] else { panic!("{:?}", discovery.shadowed) };
    assert_eq!((&shadowed.path, &shadowed.by), (&hidden, &stage.adapters().join("od-adapter-x")));

    // A rejected adapter shadows no other.
    set_mode(&stage.adapters().join("od-adapter-x"), "wrong_id");
    std::fs::remove_dir_all(stage.home().cache()).expect("the cache");
    let discovery = discover(&stage);
    assert_eq!(
        discovery.adapters.iter().find(|adapter| adapter.id == "x").map(|adapter| &adapter.path),
        Some(&hidden)
    );
}

#[test]
fn missing_adapter_folder_is_reported() {
    let stage = Stage::new();
    std::fs::remove_dir(stage.adapters()).expect("an empty folder");
    let discovery = discover(&stage);
    let named = discovery.rejected.iter().any(|rejected| rejected.path == stage.adapters());
    assert!(named, "{:?}", discovery.rejected);
}

#[test]
fn pinned_policy_rejects_unlisted_adapters() {
    let stage = Stage::with("x", "good");
    let sha256 = discover(&stage)
        .adapters
        .iter()
        .find(|adapter| adapter.id == "x")
        .map(|adapter| adapter.sha256.clone());
    let settings = |pinned: &str| {
        let text = format!("[trust]\npolicy = \"pinned\"\npinned = [\"{pinned}\"]\n");
        stage.write_settings(&text);
    };
    settings("00");
    assert_eq!(rule(&stage), Rule::NotPinned);
    settings(&sha256.expect("a hash"));
    assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
}

#[test]
fn manifest_is_cached() {
    let stage = Stage::with("x", "good");
    discover(&stage);
    // The executable is the same file, so the host does not ask for its manifest again.
    set_mode(&stage.adapters().join("od-adapter-x"), "bad_manifest");
    assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
    // A touched file is probed again.
    let file = std::fs::File::options().append(true).open(stage.adapters().join("od-adapter-x"));
    file.and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH)).expect("a touch");
    assert_eq!(rule(&stage), Rule::ManifestInvalid);
}

#[test]
fn damaged_manifest_cache_is_replaced() {
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
fn concurrent_hosts_share_manifest_cache() {
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
    fn writable_files_and_folders_are_rejected() {
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
    fn link_is_checked_by_target() {
        let stage = Stage::new();
        let elsewhere = stage.work();
        let target = add_to(&elsewhere, "x", "good");
        std::os::unix::fs::symlink(&target, stage.adapters().join("od-adapter-x")).expect("a link");
        assert!(discover(&stage).adapters.iter().any(|adapter| adapter.id == "x"));
        chmod(&elsewhere, 0o777);
        assert_eq!(rule(&stage), Rule::WritableFolder);
    }

    #[test]
    fn dangling_link_is_rejected_with_reason() {
        let stage = Stage::new();
        std::os::unix::fs::symlink("/surely/not/here", stage.adapters().join("od-adapter-x"))
            .expect("a link");
        assert_eq!(rule(&stage), Rule::Unreadable);
    }

    /// Only root can change the owner of a file; unit tests cover the rule for other users.
    #[test]
    fn foreign_files_and_folders_are_rejected() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let stage = Stage::with("x", "good");
        let file = stage.adapters().join("od-adapter-x");
        std::os::unix::fs::chown(&file, Some(12345), None).expect("another owner");
        assert_eq!(rule(&stage), Rule::ForeignFile);
        std::os::unix::fs::chown(&file, Some(0), None).expect("root");
        std::os::unix::fs::chown(stage.adapters(), Some(12345), None).expect("another owner");
        assert_eq!(rule(&stage), Rule::ForeignFolder);
    }
}

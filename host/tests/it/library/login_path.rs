//! The PATH of the login shell, read from real shell processes, and how the host uses it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use od_host::Host;
use od_host::discover::Origin;
use od_host::login_path::{LaunchEnvironment, LoginPath, search_path};
use rustix::process::{Pid, test_kill_process};

use super::stage::{Stage, add_to, block_on};

/// A shell that runs this script; the command it receives is in `$command`.
fn shell(stage: &Stage, script: &str) -> PathBuf {
    let path = stage.work().join("sh");
    let text = format!("#!/bin/sh\nfor command; do :; done\nprintf x >> starts\n{script}\n");
    std::fs::write(&path, text).expect("a script");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("a mode");
    path
}

/// The PATH that a desktop gives to programs.
fn started(stage: &Stage, shell: PathBuf) -> LaunchEnvironment {
    LaunchEnvironment {
        has_terminal: false,
        path: Some("/usr/bin:/bin".into()),
        shell: Some(shell),
        home_dir: Some(stage.work()),
    }
}

/// How often the shell was started.
fn shell_starts(stage: &Stage) -> usize {
    std::fs::read(stage.work().join("starts")).map(|marks| marks.len()).unwrap_or_default()
}

fn path(stage: &Stage, started: &LaunchEnvironment) -> Option<String> {
    let path = search_path(LoginPath::Auto, started, &stage.home());
    path.map(|path| path.into_string().expect("UTF-8"))
}

#[test]
fn login_path_is_cached_until_startup_file_changes() {
    let stage = Stage::new();
    let script = "echo welcome to my shell\nPATH=/ada/bin:$PATH\nexport PATH\neval \"$command\"";
    let started = started(&stage, shell(&stage, script));
    // The script extends our own PATH, which has the system folders.
    let first = path(&stage, &started).expect("a PATH");
    assert!(first.starts_with("/ada/bin:"), "{first}");
    assert!(first.split(':').filter(|folder| *folder == "/usr/bin").count() == 1, "{first}");
    assert_eq!(path(&stage, &started), Some(first.clone()));
    assert_eq!(shell_starts(&stage), 1, "the second result is cached");
    std::fs::write(stage.work().join(".profile"), "# new").expect("a startup file");
    assert_eq!(path(&stage, &started), Some(first));
    assert_eq!(shell_starts(&stage), 2, "a changed startup file invalidates the cache");
}

#[test]
fn silent_shell_keeps_path() {
    let stage = Stage::new();
    let started = started(&stage, shell(&stage, "echo I would rather not"));
    assert_eq!(path(&stage, &started), None);
    assert_eq!(path(&stage, &started), None);
    assert_eq!(shell_starts(&stage), 1, "it is not detected again at once");
}

#[test]
fn hung_shell_is_killed_with_children() {
    let stage = Stage::new();
    let script = "sleep 3600 &\necho $$ $! > pids\nwait";
    assert_eq!(path(&stage, &started(&stage, shell(&stage, script))), None);
    let pids = std::fs::read_to_string(stage.work().join("pids")).expect("it ran");
    let gone = |raw: &str| {
        let pid = raw.parse().ok().and_then(Pid::from_raw).expect("a process id");
        test_kill_process(pid).is_err() || is_zombie(raw)
    };
    // A killed process needs some time to exit; one that was not killed sleeps for an hour.
    let dies = |raw: &str| {
        (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            gone(raw)
        })
    };
    assert!(pids.split_whitespace().all(dies), "{pids}");
}

/// Dead, but not reaped yet.
fn is_zombie(raw: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{raw}/stat")).is_ok_and(|stat| stat.contains(") Z "))
}

#[test]
fn missing_shell_keeps_path() {
    let stage = Stage::new();
    assert_eq!(path(&stage, &started(&stage, stage.work().join("missing"))), None);
}

#[test]
fn shell_is_not_started_without_need() {
    let stage = Stage::new();
    let mut started = started(&stage, shell(&stage, "eval \"$command\""));
    started.has_terminal = true;
    assert_eq!(path(&stage, &started), None);
    started.has_terminal = false;
    assert_eq!(search_path(LoginPath::Never, &started, &stage.home()), None);
    assert_eq!(shell_starts(&stage), 0);
}

#[test]
fn installed_shells_print_their_path() {
    for shell in ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish"] {
        let stage = Stage::new();
        if Path::new(shell).exists() {
            std::fs::write(stage.work().join(".profile"), "PATH=/ada/bin:$PATH\n").expect("a file");
            let path = path(&stage, &started(&stage, shell.into()));
            let path = path.unwrap_or_else(|| panic!("{shell} does not print its PATH"));
            assert!(path.contains("/usr/bin"), "{shell}: {path}");
        }
    }
}

#[test]
fn adapters_use_login_path() {
    let stage = Stage::new();
    let folder = stage.work().join("bin");
    std::fs::create_dir(&folder).expect("a folder");
    add_to(&folder, "x", "good");
    let mut options = stage.options();
    options.search_path = Some(folder.clone().into_os_string());
    let host = Host::open(options).expect("a host");
    block_on(async {
        let adapter = host.adapter("x").await.expect("it is on the PATH");
        assert_eq!(adapter.origin, Origin::Path);
        let agent = host.agent("x").await.expect("an agent");
        let evidence = &agent.found().expect("it answers").evidence[0];
        assert_eq!(evidence.detail.as_deref(), folder.to_str(), "its PATH is ours");
    });
}

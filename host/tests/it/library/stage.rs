//! A temporary home with adapters in it, and helpers to run them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use od_host::home::OdHome;
use od_host::{Answers, Host, HostError, HostOptions, RunHandle, RunRequest};
use od_protocol::{Done, Event, RunEventParams};

/// A home and a folder of adapters; removed at the end of the test.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().expect("a scratch folder") };
        for folder in [stage.adapters(), stage.work()] {
            std::fs::create_dir(folder).expect("a folder in it");
        }
        stage
    }

    /// One adapter with this behaviour; the modes are in `examples/bad_plugin`.
    pub(crate) fn with(id: &str, mode: &str) -> Self {
        let stage = Self::new();
        stage.add(id, mode);
        stage
    }

    /// Adds an adapter; returns its path.
    pub(crate) fn add(&self, id: &str, mode: &str) -> PathBuf {
        add_to(&self.adapters(), id, mode)
    }

    pub(crate) fn adapters(&self) -> PathBuf {
        self.folder.path().join("adapters")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn home(&self) -> OdHome {
        OdHome::at(self.folder.path().join("home")).expect("an absolute path")
    }

    pub(crate) fn write_settings(&self, text: &str) {
        let home = self.home();
        std::fs::create_dir_all(home.root()).expect("a home");
        std::fs::write(home.settings_file(), text).expect("settings");
    }

    pub(crate) fn options(&self) -> HostOptions {
        let mut options = HostOptions::new(self.home());
        options.adapter_dirs = vec![self.adapters()];
        // Agent CLIs installed on this machine must not affect a test.
        options.search_path = Some("/usr/bin:/bin".into());
        options
    }

    pub(crate) fn host(&self) -> Host {
        Host::open(self.options()).expect("a host")
    }

    pub(crate) fn request(&self, agent: &str, prompt: &str) -> RunRequest {
        let mut request = RunRequest {
            agent: agent.to_owned(),
            answers: Answers::Client,
            ..RunRequest::default()
        };
        request.params.prompt.text = prompt.to_owned();
        request.params.cwd = self.work().display().to_string();
        request
    }

    /// Starts a run of the adapter `x`.
    pub(crate) async fn start(&self, host: &Host) -> Result<RunHandle, HostError> {
        host.start(self.request("x", "go")).await
    }

    pub(crate) fn events_file(&self, run_id: &str) -> PathBuf {
        self.home().run(run_id).join("events.jsonl")
    }
}

/// Adds an adapter to a folder. A copy, not a link: a link would share its mode with the original.
pub(crate) fn add_to(folder: &Path, id: &str, mode: &str) -> PathBuf {
    let path = folder.join(format!("od-adapter-{id}"));
    std::fs::copy(example("bad_plugin"), &path).expect("an adapter");
    set_mode(&path, mode);
    path
}

/// Changes how an adapter behaves.
pub(crate) fn set_mode(adapter: &Path, mode: &str) {
    std::fs::write(adapter.with_extension("mode"), mode).expect("a mode file");
}

/// An example program of this crate, built beside the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("the path of the tests");
    let profile = tests.parent().and_then(Path::parent).expect("target/<profile>/deps/it");
    let path = profile.join("examples").join(name);
    assert!(path.exists(), "{} is missing: cargo build -p od-host --examples", path.display());
    path
}

/// Runs async code on one thread, as the product does.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        tokio::time::timeout(Duration::from_secs(120), future).await.expect("it ends in time")
    })
}

/// Reads all events of a run.
pub(crate) async fn collect(run: &RunHandle) -> (Vec<RunEventParams>, Done) {
    let mut reader = run.events(0).expect("a reader");
    let mut events = Vec::new();
    while let Some(event) = reader.next().await.expect("an event") {
        events.push(event.parse().expect("a whole event"));
    }
    (events, run.wait().await)
}

/// The types of events, in order.
pub(crate) fn types(events: &[RunEventParams]) -> Vec<&str> {
    events.iter().map(|params| params.event.type_name()).collect()
}

/// The texts of all `text_delta`s.
pub(crate) fn text(events: &[RunEventParams]) -> String {
    let texts = events.iter().filter_map(|params| match &params.event {
        Event::TextDelta(delta) => Some(delta.text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// Checks that the numbers have no gaps and that one `done` is the last event.
pub(crate) fn assert_numbered(events: &[RunEventParams]) {
    let numbers: Vec<u64> = events.iter().map(|params| params.seq).collect();
    let expected: Vec<u64> = (0..).take(events.len()).collect();
    assert_eq!(numbers, expected, "numbers without gaps");
    let types = types(events);
    assert_eq!(types.last(), Some(&"done"));
    assert_eq!(types.iter().filter(|name| **name == "done").count(), 1, "one done");
}

/// Checks the rules that hold for every stream, however the adapter behaves.
pub(crate) fn assert_whole(events: &[RunEventParams]) {
    assert_numbered(events);
    let types = types(events);
    assert_eq!(types.first(), Some(&"run_started"));
    let count = |name: &str| types.iter().filter(|other| **other == name).count();
    assert_eq!(count("tool_call_started"), count("tool_result"), "tool calls are closed");
    assert_eq!(count("thinking_started"), count("thinking_stopped"), "thinking is closed");
    assert_eq!(count("approval_requested"), count("approval_resolved"), "approvals are closed");
}

//! DET: files of the agent CLI that are not what an adapter expects.

use std::path::Path;
use std::time::{Duration, Instant};

use od_protocol::adapter::DetectAdapterResult;
use serde_json::json;

use super::AdapterCheck;
use super::expectations::{SHORT_RUN_TIMEOUT, plain_answer, still_answers};
use super::login_states::login_files;
use super::snapshot::Snapshot;
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, initialize};
use crate::outcome::{CheckOutcome, skip_if};
use crate::process;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "DET-14",
    "login and settings files that are named pipes, folders, loops of links, huge, unreadable or \
     not text neither fail nor delay detection, runs and the exit, and are not changed",
    "one damaged file in the home folder must not make an agent unusable",
    Gate::cli_scenario("text"),
    hostile_files,
)];

/// The limit of `adapter/detect`.
const DETECT_LIMIT: Duration = Duration::from_secs(5);
/// The time in which an adapter exits after the end of its stdin, and a reserve.
const EXIT_LIMIT: Duration = Duration::from_secs(8);
/// The size of the huge file.
const HUGE_BYTES: usize = 20 << 20;

type Make = fn(&Path) -> std::io::Result<()>;

fn kinds() -> Vec<(&'static str, Make)> {
    let mut kinds: Vec<(&str, Make)> = vec![
        ("a folder", |path| std::fs::create_dir(path)),
        ("a file of 20 MB", |path| std::fs::write(path, vec![b'['; HUGE_BYTES])),
        ("a file that is not UTF-8", |path| std::fs::write(path, b"{\"token\":\"\xff\xfe\x80\"}")),
    ];
    if cfg!(unix) {
        kinds.push(("a named pipe", process::make_fifo));
        kinds.push(("a link to itself", |path| process::link_file(path, path)));
    }
    if cfg!(unix) && !process::is_root() {
        kinds.push(("a file that cannot be read", |path| {
            std::fs::write(path, b"{}")?;
            process::set_mode(path, 0)
        }));
    }
    kinds
}

fn hostile_files(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let names: Vec<String> = login_files(context)?.into_keys().collect();
    skip_if(names.is_empty(), "neither the pack nor the manifest names a file of the agent CLI")?;
    for (what, make) in kinds() {
        let options = LaunchOptions { initialize: false, ..LaunchOptions::default() };
        let mut adapter = context.launch_with(&options)?;
        for name in &names {
            place(&adapter.home.join(name), make)?;
        }
        initialize(&mut adapter, &options)?;
        let before = Snapshot::take(&adapter.home);
        let sent = format!("adapter/detect and run/start; each of {names:?} below HOME is {what}");
        detects(&mut adapter, &sent)?;
        runs(context, &mut adapter, &sent)?;
        let changes = before.changes(&Snapshot::take(&adapter.home));
        let expected = "no file below HOME is changed";
        adapter.ensure(changes.is_empty(), expected, changes.join(", "), sent.clone())?;
        adapter.close_stdin();
        let limit = adapter.limit(EXIT_LIMIT);
        let has_exited = adapter.wait_exit(limit).is_some();
        adapter.ensure(has_exited, "it exits when stdin ends", "it is still running", sent)?;
    }
    Ok(())
}

/// Replaces a file of the login by a hostile one.
fn place(path: &Path, make: Make) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    if path.is_file() {
        std::fs::remove_file(path)?;
    }
    make(path)
}

fn detects(adapter: &mut AdapterClient, sent: &str) -> CheckOutcome {
    let id = adapter.ask("adapter/detect", json!({"refresh": true}));
    still_answers(adapter, sent)?;
    let answer = adapter.answer(&id, DETECT_LIMIT);
    let answer =
        answer.map_err(|finding| finding.map_failure(|failure| failure.sent(sent).into()))?;
    let is_valid = match &answer {
        Answer::Result(value) => serde_json::from_value::<DetectAdapterResult>(value.clone())
            .is_ok_and(|it| it.installed),
        Answer::Error(_) => false,
    };
    adapter.ensure(is_valid, "a result with installed: true", answer.summary(), sent)
}

/// The run may be refused, fail or complete, but not hang or leave a process.
fn runs(context: &mut CheckContext, adapter: &mut AdapterClient, sent: &str) -> CheckOutcome {
    let prepared = context.prepare("text")?;
    if let Answer::Result(_) = adapter.try_begin(&prepared)? {
        adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    }
    still_answers(adapter, sent)?;
    let deadline = Instant::now() + adapter.limit(Duration::from_secs(2));
    while !adapter.fake_cli.processes().is_empty() {
        let is_late = Instant::now() >= deadline;
        let got = format!("processes {:?} are alive", adapter.fake_cli.processes());
        adapter.ensure(!is_late, "no process of the agent CLI is left", got, sent)?;
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

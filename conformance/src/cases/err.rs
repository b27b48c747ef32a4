//! ERR: what went wrong, as a kind to branch on, and without secrets.

use std::path::{Path, PathBuf};

use od_protocol::{DoneStatus, ErrorKind};

use super::expectations::{
    RUN_LIMIT, ending, failed_with, failure, output_steps, plain_answer, refused_with,
};
use crate::bench::{Bench, CliPath, Setup};
use crate::case::{Check, Gate, active};
use crate::derive::{before_each_line, cut_after};
use crate::play::Play;
use crate::plugin::{Plugin, RunRecord};
use crate::stand_in::Step;
use crate::verdict::{Finding, Verdict, shorten};

/// What a crash may be called.
const CRASHES: &[ErrorKind] = &[ErrorKind::CliCrashed, ErrorKind::CliProtocol];

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "ERR-01",
        "an agent CLI that exits with an error at any line makes a failed run, with what it had \
         said before",
        "a crash that looks like success is acted upon",
        Gate::cli_scenario("text"),
        crash_at_each_line,
    ),
    active(
        "ERR-02",
        "death by a signal, and exit code 0 without a last word, are failures",
        "only the agent CLI itself knows that it is done; an exit code proves nothing",
        Gate::cli_scenario("text"),
        no_last_word,
    ),
    active(
        "ERR-03",
        "an agent CLI that cannot be started is cli_not_found, cli_spawn_failed or \
         permission_denied",
        "the person must know whether to install, repair or allow",
        Gate::cli_scenario("text"),
        spawn_failures,
    ),
    active(
        "ERR-04",
        "a login that is refused during a run is an error of authentication",
        "a host asks the person to log in again by this kind",
        Gate::cli_scenario("auth_fail_run"),
        refused_login,
    ),
    active(
        "ERR-05",
        "a conversation that no longer fits is context_exceeded",
        "a host starts a new session by this kind",
        Gate::cli_scenario("context_exceeded"),
        full_context,
    ),
    active(
        "ERR-06",
        "no event of a run that crashes shows a secret that the agent CLI printed",
        "errors are logged, shown and sent to others",
        Gate::cli_scenario("text"),
        no_secret,
    ),
];

fn crash_at_each_line(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut plugin = bench.launch(&Setup::default())?;
    let last_steps =
        [Step::Err { text: "panic: out of feathers".to_owned() }, Step::Exit { code: 1 }];
    for missing in 1.. {
        let Some((play, record)) = cut(bench, &mut plugin, missing, &last_steps)? else { break };
        let sent =
            format!("run/start; the agent CLI exited with code 1, {missing} lines too early");
        failed_with(&record, CRASHES, &sent)?;
        let (all, got) = (play.values.text("text"), record.text());
        if !all.starts_with(&got) {
            let expected = format!("the beginning of {all:?}");
            return Err(failure(&record, expected, format!("{:?}", shorten(&got, 200)), &sent));
        }
    }
    Ok(())
}

fn no_last_word(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut plugin = bench.launch(&Setup::default())?;
    let endings = [
        ("died by SIGKILL", Step::Die { signal: "SIGKILL".to_owned() }),
        ("died by SIGSEGV", Step::Die { signal: "SIGSEGV".to_owned() }),
        ("exited with code 0", Step::Exit { code: 0 }),
    ];
    for (how, step) in endings {
        if let Some((_, record)) = cut(bench, &mut plugin, 1, &[step])? {
            let sent = format!("run/start; the agent CLI {how} before its last line");
            failed_with(&record, CRASHES, &sent)?;
        }
    }
    Ok(())
}

fn spawn_failures(bench: &mut Bench) -> Verdict {
    let folder = bench.folder("no cli")?;
    let absent = folder.join("absent");
    let plain = folder.join("not-executable");
    std::fs::write(&plain, "#!/bin/sh\nexit 0\n")?;
    let broken = folder.join("broken");
    std::fs::write(&broken, b"\x7fELF this is no program")?;
    make_executable(&broken)?;
    let cases: [(&str, PathBuf); 4] = [
        ("does not exist", absent),
        ("is not executable", plain),
        ("is no program", broken),
        ("is a folder", folder),
    ];
    let kinds = [ErrorKind::CliNotFound, ErrorKind::CliSpawnFailed, ErrorKind::PermissionDenied];
    for (what, path) in cases {
        let sent = format!("run/start with config.cliPath {}, which {what}", path.display());
        let request = bench.prepare("text")?.request;
        let setup = Setup { cli_path: CliPath::At(path), ..Setup::default() };
        let mut plugin = bench.launch(&setup)?;
        refused_with(&mut plugin, &request, &kinds, &sent)?;
    }
    Ok(())
}

fn refused_login(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("auth_fail_run")?;
    let kinds = [ErrorKind::AuthExpired, ErrorKind::AuthMissing, ErrorKind::AuthWrongAccount];
    failed_with(&performance.record, &kinds, "run/start of the scenario auth_fail_run")
}

fn full_context(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("context_exceeded")?;
    let sent = "run/start of the scenario context_exceeded";
    failed_with(&performance.record, &[ErrorKind::ContextExceeded], sent)
}

fn no_secret(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let secret = format!("sk-conformance-{}{}", bench.nonce(), bench.nonce());
    let variable = bench
        .suite
        .manifest
        .as_ref()
        .and_then(|manifest| manifest.auth.env.first().cloned())
        .unwrap_or_else(|| "OD_RUN_API_KEY".to_owned());
    let mut play = bench.prepare("text")?;
    play.request.env.insert(variable.clone(), secret.clone());
    let complaint = format!("fatal: 401 for the key {secret} (Authorization: Bearer {secret})");
    let last_steps = [Step::Err { text: complaint }, Step::Exit { code: 1 }];
    let lines = output_steps(&play.script, 0).len().saturating_sub(1);
    let unknown = format!(
        r#"{{"type":"of_tomorrow","t":"of_tomorrow","method":"of_tomorrow","key":"{secret}"}}"#
    );
    let script =
        before_each_line(&play.script, &Step::OutBytes { bytes: format!("{unknown}\n").into() });
    play.script = cut_after(&script, lines, &last_steps);
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.begin(&play)?;
    let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
    let sent = format!(
        "run/start with {variable} set; the agent CLI printed its value in an unknown message and on stderr, and exited"
    );
    if record.done().is_some_and(|done| done.status == DoneStatus::Completed) {
        return Err(failure(&record, "a failed run", ending(&record), &sent));
    }
    let leak = record.events.iter().find(|received| received.value.to_string().contains(&secret));
    if let Some(leak) = leak {
        let got = format!("a `{}` event with the secret in it", leak.type_name());
        return Err(failure(&record, "no secret in any event", got, &sent));
    }
    Ok(())
}

/// A plain answer that lacks its last lines and ends otherwise; `None` when it has not so many.
fn cut(
    bench: &mut Bench,
    plugin: &mut Plugin,
    missing: usize,
    ending: &[Step],
) -> Result<Option<(Play, RunRecord)>, Finding> {
    let mut play = bench.prepare("text")?;
    let Some(lines) = output_steps(&play.script, 0).len().checked_sub(missing) else {
        return Ok(None);
    };
    play.script = cut_after(&play.script, lines, ending);
    plugin.begin(&play)?;
    let record = plugin.finish(play.run_id(), RUN_LIMIT)?;
    Ok(Some((play, record)))
}

#[cfg(unix)]
fn make_executable(file: &Path) -> std::io::Result<()> {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(file, permissions)
}

#[cfg(not(unix))]
fn make_executable(_file: &Path) -> std::io::Result<()> {
    Ok(())
}

//! ERR: failures are reported with an error kind and without secrets.

use std::path::{Path, PathBuf};

use od_protocol::{DoneStatus, ErrorKind};

use super::AdapterCheck;
use super::expectations::{
    SHORT_RUN_TIMEOUT, describe_end, failed_with, output_steps, plain_answer, refused_with,
};
use super::failure_values::{flags_and_hints, message_style, text_before_failure, unknown_model};
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::check::{Gate, active};
use crate::context::{CheckContext, CliPath, LaunchOptions};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::prepared_run::PreparedRun;
use crate::script_variants::{before_each_line, cut_after};

/// The kinds that a crash may have.
const CRASHES: &[ErrorKind] = &[ErrorKind::CliCrashed, ErrorKind::CliProtocol];

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "ERR-01",
        "an agent CLI that exits with an error after any line makes the run fail, and its earlier \
         output is kept",
        "a crash that looks like a success leads to wrong decisions",
        Gate::cli_scenario("text"),
        crash_at_each_line,
    ),
    active(
        "ERR-02",
        "death by a signal, and exit code 0 without a final message, are failures",
        "only the agent CLI knows that it is finished; an exit code proves nothing",
        Gate::cli_scenario("text"),
        missing_final_message,
    ),
    active(
        "ERR-03",
        "an agent CLI that cannot be started is reported as cli_not_found, cli_spawn_failed or \
         permission_denied",
        "the user must know whether to install, repair or allow the agent CLI",
        Gate::cli_scenario("text"),
        spawn_failures,
    ),
    active(
        "ERR-04",
        "a login that is rejected during a run is an authentication error",
        "a host uses this kind to ask the user to log in again",
        Gate::cli_scenario("auth_fail_run"),
        refused_login,
    ),
    active(
        "ERR-05",
        "a conversation that no longer fits the model is reported as context_exceeded",
        "a host uses this kind to start a new session",
        Gate::cli_scenario("context_exceeded"),
        full_context,
    ),
    active(
        "ERR-06",
        "no event of a crashed run contains a secret that the agent CLI printed",
        "errors are logged, displayed and sent to others",
        Gate::cli_scenario("text"),
        no_secret,
    ),
    active(
        "ERR-07",
        "a model that the provider does not know is reported as model_unknown",
        "a host uses this kind to offer other models",
        Gate::cli_scenario("text"),
        unknown_model,
    ),
    active(
        "ERR-08",
        "errors have the flags of their kind: a hint for auth_* and cli_not_found, retryable only \
         where a repetition can help, `which` for timeout and capability_unsupported; a rate limit \
         is rate_limited",
        "a host repeats, waits or asks the user according to these fields",
        Gate::cli_scenario("text"),
        flags_and_hints,
    ),
    active(
        "ERR-09",
        "a run that fails after some text keeps exactly this text and is never reported as \
         completed",
        "an incomplete answer that looks complete leads to wrong decisions",
        Gate::cli_scenario("text"),
        text_before_failure,
    ),
    active(
        "ERR-11",
        "messages of errors are lowercase fragments without a final dot",
        "hosts insert them into sentences of their own",
        Gate::cli_scenario("text"),
        message_style,
    )
    .should(),
];

fn crash_at_each_line(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let last_steps =
        [Step::Err { text: "panic: out of memory".to_owned() }, Step::Exit { code: 1 }];
    for missing in 1.. {
        let Some((prepared, record)) =
            run_without_last_lines(context, &mut adapter, missing, &last_steps)?
        else {
            break;
        };
        let sent =
            format!("run/start; the agent CLI exited with code 1, {missing} lines before its end");
        failed_with(&record, CRASHES, &sent)?;
        let (all, got) = (prepared.values.text("text"), record.text());
        if !all.starts_with(&got) {
            let expected = format!("the beginning of {all:?}");
            return Err(record.failure(expected, format!("{:?}", shorten(&got, 200)), &sent));
        }
    }
    Ok(())
}

fn missing_final_message(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let endings = [
        ("was killed by SIGKILL", Step::Die { signal: "SIGKILL".to_owned() }),
        ("was killed by SIGSEGV", Step::Die { signal: "SIGSEGV".to_owned() }),
        ("exited with code 0", Step::Exit { code: 0 }),
    ];
    for (ending_text, step) in endings {
        if let Some((_, record)) = run_without_last_lines(context, &mut adapter, 1, &[step])? {
            let sent = format!("run/start; the agent CLI {ending_text} before its last line");
            failed_with(&record, CRASHES, &sent)?;
        }
    }
    Ok(())
}

fn spawn_failures(context: &mut CheckContext) -> CheckOutcome {
    let folder = context.folder("no cli")?;
    let absent = folder.join("absent");
    let plain = folder.join("not-executable");
    std::fs::write(&plain, "#!/bin/sh\nexit 0\n")?;
    let broken = folder.join("broken");
    std::fs::write(&broken, b"\x7fELF this is not a program")?;
    make_executable(&broken)?;
    let invalid_paths: [(&str, PathBuf); 4] = [
        ("does not exist", absent),
        ("is not executable", plain),
        ("is not a program", broken),
        ("is a folder", folder),
    ];
    let kinds = [ErrorKind::CliNotFound, ErrorKind::CliSpawnFailed, ErrorKind::PermissionDenied];
    for (what, path) in invalid_paths {
        let sent = format!("run/start with config.cliPath {}, which {what}", path.display());
        let request = context.prepare("text")?.request;
        let options = LaunchOptions { cli_path: CliPath::At(path), ..LaunchOptions::default() };
        let mut adapter = context.launch_with(&options)?;
        refused_with(&mut adapter, &request, &kinds, &sent)?;
    }
    Ok(())
}

fn refused_login(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("auth_fail_run")?;
    let kinds = [ErrorKind::AuthExpired, ErrorKind::AuthMissing, ErrorKind::AuthWrongAccount];
    failed_with(&completed_run.record, &kinds, "run/start of the scenario auth_fail_run")
}

fn full_context(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("context_exceeded")?;
    let sent = "run/start of the scenario context_exceeded";
    failed_with(&completed_run.record, &[ErrorKind::ContextExceeded], sent)
}

fn no_secret(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let secret = format!("sk-conformance-{}{}", context.nonce(), context.nonce());
    let variable = context
        .suite
        .manifest
        .as_ref()
        .and_then(|manifest| manifest.auth.env.first().cloned())
        .unwrap_or_else(|| "OD_RUN_API_KEY".to_owned());
    let mut prepared = context.prepare("text")?;
    prepared.request.env.insert(variable.clone(), secret.clone());
    let message = format!("fatal: 401 for the key {secret} (Authorization: Bearer {secret})");
    let last_steps = [Step::Err { text: message }, Step::Exit { code: 1 }];
    let lines = output_steps(&prepared.script, 0).len().saturating_sub(1);
    let unknown = format!(
        r#"{{"type":"of_tomorrow","t":"of_tomorrow","method":"of_tomorrow","key":"{secret}"}}"#
    );
    let script = before_each_line(
        &prepared.script,
        &Step::OutBytes { bytes: format!("{unknown}\n").into() },
    );
    prepared.script = cut_after(&script, lines, &last_steps);
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = format!(
        "run/start with {variable} set; the agent CLI printed its value in an unknown message and on stderr, and exited"
    );
    if record.done().is_some_and(|done| done.status == DoneStatus::Completed) {
        return Err(record.failure("a failed run", describe_end(&record), &sent));
    }
    let leak = record.events.iter().find(|received| received.value.to_string().contains(&secret));
    if let Some(leak) = leak {
        let got = format!("a `{}` event that contains the secret", leak.type_name());
        return Err(record.failure("no secret in any event", got, &sent));
    }
    Ok(())
}

/// Runs a plain answer that lacks its last lines and ends differently; `None` if it has fewer
/// lines.
fn run_without_last_lines(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    missing: usize,
    ending: &[Step],
) -> Result<Option<(PreparedRun, RunRecord)>, Finding> {
    let mut prepared = context.prepare("text")?;
    let Some(lines) = output_steps(&prepared.script, 0).len().checked_sub(missing) else {
        return Ok(None);
    };
    prepared.script = cut_after(&prepared.script, lines, ending);
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    Ok(Some((prepared, record)))
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

//! DET: detection reports changes of the machine.

use std::collections::BTreeMap;

use od_protocol::adapter::DetectAdapterParams;
use od_protocol::{AuthState, ErrorKind};

use super::AdapterCheck;
use super::cli_versions::StatedVersion;
use super::detection::{answer_probes_with, detect, detect_with};
use super::expectations::{exact_answer, plain_answer, refused_with};
use super::login_states::write;
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, execute_on};
use crate::fake_cli::{ProbeMode, Step};
use crate::outcome::{CheckOutcome, Finding, shorten};
use crate::pack::Values;
use crate::process;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "DET-12",
    "with `refresh` detection reports the agent CLI and the login as they are now; without it a \
     version is reported only for the file that stated it",
    "users install, upgrade and log in while the adapter is running",
    Gate::cli_scenario("text"),
    sees_changes,
)];

fn sees_changes(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let stated = StatedVersion::of_pack(context)?;
    let mut adapter = context.launch()?;
    let [first, second] = [1, 2].map(|difference| stated.newer_by(difference));
    expect_version(&mut adapter, false, stated.number(), "the first detection")?;
    replace(context, &adapter, &stated, &first)?;
    expect_version(&mut adapter, true, &first, "the agent CLI was upgraded")?;
    replace(context, &adapter, &stated, &second)?;
    expect_version(&mut adapter, false, &second, "the agent CLI was replaced by another file")?;
    std::fs::remove_file(adapter.fake_cli.executable())?;
    let (result, value) = detect(&mut adapter)?;
    if result.installed {
        let sent = "adapter/detect with refresh; the agent CLI was removed";
        let got = shorten(&value.to_string(), 300);
        return Err(adapter.failure("installed: false", got, sent));
    }
    let request = context.prepare("text")?.request;
    let sent = "run/start; the agent CLI was removed after it had been detected";
    let kinds = [ErrorKind::CliNotFound, ErrorKind::CliSpawnFailed];
    refused_with(&mut adapter, &request, &kinds, sent)?;
    replace(context, &adapter, &stated, &first)?;
    expect_version(&mut adapter, true, &first, "the agent CLI was installed again")?;
    let prepared = context.prepare("text")?;
    let completed_run = execute_on(&mut adapter, prepared)?;
    exact_answer(&completed_run, "run/start; the agent CLI was installed again")?;
    recovers_from_hang(context, &stated)?;
    login_and_logout(context)
}

/// Replaces the executable by a new file and states another version.
fn replace(
    context: &CheckContext,
    adapter: &AdapterClient,
    stated: &StatedVersion,
    version: &str,
) -> CheckOutcome {
    stated.state(adapter, version)?;
    let executable = adapter.fake_cli.executable();
    let fresh = executable.with_extension("new");
    process::copy_program(&context.suite.executable, &fresh)?;
    Ok(std::fs::rename(fresh, executable)?)
}

fn expect_version(
    adapter: &mut AdapterClient,
    refresh: bool,
    version: &str,
    what: &str,
) -> CheckOutcome {
    let (result, value) = detect_with(adapter, DetectAdapterParams { refresh })?;
    if result.installed && result.version.as_deref() == Some(version) {
        return Ok(());
    }
    let expected = format!("installed: true with the version {version}");
    let sent = format!("adapter/detect with refresh {refresh}; {what}");
    Err(adapter.failure(expected, shorten(&value.to_string(), 300), sent))
}

/// A first detection whose agent CLI hangs is not kept forever.
fn recovers_from_hang(context: &mut CheckContext, stated: &StatedVersion) -> CheckOutcome {
    let mut adapter = context.launch()?;
    answer_probes_with(context, &adapter, ProbeMode::Hang, Step::Hang)?;
    detect_with(&mut adapter, DetectAdapterParams { refresh: false })?;
    stated.state(&adapter, stated.number())?;
    expect_version(&mut adapter, true, stated.number(), "the agent CLI hung before and works now")
}

/// Logs in and out while the adapter is running, where login files can show it.
fn login_and_logout(context: &mut CheckContext) -> CheckOutcome {
    if !context.suite.has_scenario("auth_missing") {
        return Ok(());
    }
    let folder = context.suite.work.clone();
    let values = Values::fresh(context.random(), &folder);
    let pack = context.suite.pack()?;
    let home_of = |scenario| pack.launch_environment(scenario, &values).home;
    // A login by variables cannot change while the adapter is running.
    let is_login_by_files = pack.launch_environment(None, &values).env.is_empty();
    let valid_login = if is_login_by_files { home_of(None) } else { BTreeMap::new() };
    let logins =
        [(valid_login, AuthState::Ok), (home_of(Some("auth_expired")), AuthState::Expired)];
    let has_expired = pack.has("auth_expired");
    let options = LaunchOptions { scenario: Some("auth_missing"), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let before = detect(&mut adapter)?.0.auth.state;
    for (home, state) in logins {
        if home.is_empty() || (state == AuthState::Expired && !has_expired) {
            continue;
        }
        for (name, text) in &home {
            write(&adapter.home.join(name), text.as_bytes())?;
        }
        expect_state(&mut adapter, state, "login files were written")?;
        for name in home.keys() {
            std::fs::remove_file(adapter.home.join(name))?;
        }
        expect_state(&mut adapter, before, "the login files were removed again")?;
    }
    Ok(())
}

fn expect_state(adapter: &mut AdapterClient, state: AuthState, what: &str) -> CheckOutcome {
    let (result, value) = detect(adapter)?;
    if result.auth.state == state {
        return Ok(());
    }
    let sent = format!("adapter/detect with refresh; {what}");
    let finding: Finding =
        adapter.failure(format!("auth.state {state}"), format!("auth {}", value["auth"]), sent);
    Err(finding)
}

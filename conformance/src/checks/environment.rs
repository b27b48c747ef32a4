//! ENV: the environment and working folder of the agent CLI.

use std::path::Path;

use od_protocol::ErrorKind;

use super::AdapterCheck;
use super::expectations::{completed, plain_answer, refused_with};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, execute_on};
use crate::outcome::CheckOutcome;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "ENV-01",
        "no variable of the adapter's environment reaches the agent CLI unless the allowlist, the \
         manifest or the run names it",
        "an agent runs commands written by a model; it can send away every secret it can read",
        Gate::cli_scenario("text"),
        no_canary,
    ),
    active(
        "ENV-02",
        "the login variables that the manifest declares and the variables of `run/start` reach the \
         agent CLI unchanged",
        "without them the agent CLI cannot log in, or uses another account",
        Gate::cli_scenario("text"),
        wanted_variables,
    ),
    active(
        "ENV-03",
        "the agent CLI works in exactly the requested folder; for a missing folder the adapter \
         returns a typed error and starts nothing",
        "an agent in the wrong folder changes the wrong files",
        Gate::cli_scenario("text"),
        exact_folder,
    ),
];

fn no_canary(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = plain_answer(context)?;
    let invocation = completed_run.started()?;
    for (name, value) in context.suite.canaries() {
        let carried =
            invocation.env.iter().find(|(known, found)| **known == name || found.contains(&value));
        if let Some((found, _)) = carried {
            let expected = format!("the agent CLI does not see {name}");
            let got = format!("the agent CLI received the variable {found}");
            let sent = format!("run/start, with {name} in the adapter's own environment");
            return Err(completed_run.record.failure(expected, got, &sent));
        }
    }
    Ok(())
}

fn wanted_variables(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let secret = format!("sk-conformance-{}", context.nonce());
    let own = (format!("OD_RUN_{}", context.nonce().to_uppercase()), format!("a=b c\"{secret}"));
    let login = login_variables(context);
    let env = login.iter().map(|name| (name.clone(), secret.clone())).collect();
    let mut adapter = context.launch_with(&LaunchOptions { env, ..LaunchOptions::default() })?;
    let mut prepared = context.prepare("text")?;
    prepared.request.env.insert(own.0.clone(), own.1.clone());
    let completed_run = execute_on(&mut adapter, prepared)?;
    let invocation = completed_run.started()?;
    let wanted = login.into_iter().map(|name| (name, secret.clone())).chain([own]);
    for (name, value) in wanted {
        let found = invocation.env.get(&name);
        if found != Some(&value) {
            let got = match found {
                Some(_) => "a different value",
                None => "nothing",
            };
            let expected = format!("{name} with its original value");
            let sent = format!("run/start; {name} is a variable of the login or of the run");
            return Err(completed_run.record.failure(expected, got, &sent));
        }
    }
    Ok(())
}

fn exact_folder(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut prepared = context.prepare("text")?;
    let folder = Path::new(&prepared.request.cwd).join("ein Ordner, \"ünïcödé\" 海 $HOME");
    std::fs::create_dir_all(&folder)?;
    prepared.request.cwd = folder.to_string_lossy().into_owned();
    let completed_run = context.execute(prepared)?;
    let sent = format!("run/start with cwd {}", folder.display());
    completed(&completed_run.record, &sent)?;
    let got = completed_run.started()?.cwd.clone();
    if Path::new(&got).canonicalize()? != folder.canonicalize()? {
        let expected = "the agent CLI works in that folder";
        return Err(completed_run.record.failure(expected, format!("it works in {got}"), &sent));
    }
    let mut request = context.prepare("text")?.request;
    request.cwd = folder.join("missing").to_string_lossy().into_owned();
    let sent = format!("run/start with cwd {}, which does not exist", request.cwd);
    let mut adapter = context.launch()?;
    refused_with(
        &mut adapter,
        &request,
        &[ErrorKind::ConfigInvalid, ErrorKind::InvalidParams],
        &sent,
    )
}

/// Returns the login variables: those of the pack's login that the manifest declares, or otherwise
/// the first declared one.
pub(super) fn login_variables(context: &CheckContext) -> Vec<String> {
    let declared = context.suite.manifest.as_ref().map(|manifest| manifest.auth.env.clone());
    let declared = declared.unwrap_or_default();
    let used: Vec<String> = context
        .suite
        .pack
        .iter()
        .flat_map(|pack| pack.settings.auth.env.keys())
        .filter(|name| declared.contains(name))
        .cloned()
        .collect();
    if used.is_empty() { declared.into_iter().take(1).collect() } else { used }
}

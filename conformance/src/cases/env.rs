//! ENV: what the agent CLI gets of environment and folder.

use std::path::Path;

use od_protocol::ErrorKind;

use super::expectations::{completed, failure, plain_answer, refused_with};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::play::Performance;
use crate::stand_in::Invocation;
use crate::verdict::{Finding, Verdict};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    Check {
        id: "ENV-01",
        level: Level::Must,
        sentence: "no variable of the adapter's environment reaches the agent CLI unless the \
                   allowlist, the manifest or the run names it",
        why: "an agent runs commands that a model wrote; every secret it can see can be sent away",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(no_canary),
    },
    Check {
        id: "ENV-02",
        level: Level::Must,
        sentence: "the variables that the manifest declares for the login and those of `run/start` \
                   reach the agent CLI unchanged",
        why: "without them the agent CLI cannot log in, or works for another account",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(wanted_variables),
    },
    Check {
        id: "ENV-03",
        level: Level::Must,
        sentence: "the agent CLI works in exactly the folder asked for; a folder that is not there \
                   is a typed error and nothing is started",
        why: "an agent in the wrong folder changes the wrong files",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(exact_folder),
    },
];

fn no_canary(bench: &mut Bench) -> Verdict {
    let performance = plain_answer(bench)?;
    let invocation = started(&performance)?;
    for (name, value) in bench.suite.canaries() {
        let carried =
            invocation.env.iter().find(|(known, found)| **known == name || found.contains(&value));
        if let Some((found, _)) = carried {
            let expected = format!("the agent CLI does not see {name}");
            let got = format!("the variable {found} reached it");
            let sent = format!("run/start, with {name} in the adapter's own environment");
            return Err(failure(&performance.record, expected, got, &sent));
        }
    }
    Ok(())
}

fn wanted_variables(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let secret = format!("sk-conformance-{}", bench.nonce());
    let own = (format!("OD_RUN_{}", bench.nonce().to_uppercase()), format!("a=b c\"{secret}"));
    let login = login_variables(bench);
    let env = login.iter().map(|name| (name.clone(), secret.clone())).collect();
    let mut plugin = bench.launch(&Setup { env, ..Setup::default() })?;
    let mut play = bench.prepare("text")?;
    play.request.env.insert(own.0.clone(), own.1.clone());
    let performance = perform_on(&mut plugin, play)?;
    let invocation = started(&performance)?;
    let wanted = login.into_iter().map(|name| (name, secret.clone())).chain([own]);
    for (name, value) in wanted {
        let found = invocation.env.get(&name);
        if found != Some(&value) {
            let got = match found {
                Some(_) => "another value",
                None => "nothing",
            };
            let expected = format!("{name} with the value it was given");
            let sent = format!("run/start; {name} is a variable of the login or of the run");
            return Err(failure(&performance.record, expected, got, &sent));
        }
    }
    Ok(())
}

fn exact_folder(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let mut play = bench.prepare("text")?;
    let folder = Path::new(&play.request.cwd).join("ein Ordner, \"ünïcödé\" 海 $HOME");
    std::fs::create_dir_all(&folder)?;
    play.request.cwd = folder.to_string_lossy().into_owned();
    let performance = bench.perform(play)?;
    let sent = format!("run/start with cwd {}", folder.display());
    completed(&performance.record, &sent)?;
    let got = started(&performance)?.cwd.clone();
    if Path::new(&got).canonicalize()? != folder.canonicalize()? {
        let expected = "the agent CLI works in that folder";
        return Err(failure(&performance.record, expected, format!("it works in {got}"), &sent));
    }
    let mut request = bench.prepare("text")?.request;
    request.cwd = folder.join("not there").to_string_lossy().into_owned();
    let sent = format!("run/start with cwd {}, which does not exist", request.cwd);
    let mut plugin = bench.launch(&Setup::default())?;
    refused_with(
        &mut plugin,
        &request,
        &[ErrorKind::ConfigInvalid, ErrorKind::InvalidParams],
        &sent,
    )
}

/// The variables that log in: those of the pack's login that the manifest declares, or else the
/// first one it declares.
fn login_variables(bench: &Bench) -> Vec<String> {
    let declared = bench.suite.manifest.as_ref().map(|manifest| manifest.auth.env.clone());
    let declared = declared.unwrap_or_default();
    let used: Vec<String> = bench
        .suite
        .pack
        .iter()
        .flat_map(|pack| pack.settings.auth.env.keys())
        .filter(|name| declared.contains(name))
        .cloned()
        .collect();
    if used.is_empty() { declared.into_iter().take(1).collect() } else { used }
}

fn started(performance: &Performance) -> Result<&Invocation, Finding> {
    performance.invocation.as_ref().ok_or_else(|| {
        failure(&performance.record, "the agent CLI is started", "it was not", "run/start")
    })
}

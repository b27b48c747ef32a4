//! DET: the environment of every program that a detection starts.

use serde_json::json;

use super::AdapterCheck;
use super::detection::detect;
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions};
use crate::fake_cli::Invocation;
use crate::outcome::{CheckOutcome, skip_if};

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "DET-13",
    "every program that the adapter starts outside of a run, such as `--version`, gets only the \
     variables that a run gets, with PATH, HOME, TERM=dumb and NO_COLOR=1",
    "the agent CLI can read every secret of its environment also when it only prints its version",
    Gate { cli: true, ..Gate::NONE },
    restricted_environment,
)];

/// Methods that may start the agent CLI, with the capability that they need.
const METHODS: &[(&str, Option<&str>)] = &[
    ("adapter/health", None),
    ("models/list", Some("models")),
    ("quota/get", Some("quota")),
    ("sessions/list", Some("sessions")),
];

fn restricted_environment(context: &mut CheckContext) -> CheckOutcome {
    let mark = format!("canary-{}", context.nonce());
    let mut env = context.suite.look_alikes(&mark);
    env.insert("TERM".to_owned(), "xterm-256color".to_owned());
    let mut adapter = context.launch_with(&LaunchOptions { env, ..LaunchOptions::default() })?;
    detect(&mut adapter)?;
    for (method, capability) in METHODS {
        if capability.is_none_or(|capability| context.suite.declares(capability)) {
            // Other checks inspect the responses.
            adapter.request(method, json!({}))?;
        }
    }
    let invocations = adapter.fake_cli.invocations();
    skip_if(invocations.is_empty(), "the adapter starts no program outside of a run")?;
    for invocation in &invocations {
        is_restricted(context, &adapter, invocation, &mark)?;
    }
    Ok(())
}

fn is_restricted(
    context: &CheckContext,
    adapter: &AdapterClient,
    invocation: &Invocation,
    mark: &str,
) -> CheckOutcome {
    let sent = format!("a request that starts the agent CLI with {:?}", invocation.args);
    let canaries: Vec<String> = context.suite.canaries().into_values().collect();
    let leaked = invocation.env.iter().find(|(_, value)| {
        value.contains(mark) || canaries.iter().any(|canary| value.contains(canary))
    });
    if let Some((name, _)) = leaked {
        let expected = "only allowlisted and declared variables";
        return Err(adapter.failure(expected, format!("the variable {name}"), sent));
    }
    let home = adapter.home.to_string_lossy().into_owned();
    for (name, expected) in [("TERM", "dumb"), ("NO_COLOR", "1"), ("HOME", &home)] {
        let found = invocation.env.get(name);
        let got = format!("{found:?}");
        let is_same = found.is_some_and(|found| found == expected);
        adapter.ensure(is_same, format!("{name}={expected}"), got, sent.clone())?;
    }
    let has_path = invocation.env.get("PATH").is_some_and(|path| !path.is_empty());
    adapter.ensure(has_path, "PATH is set", "it is not set", sent)
}

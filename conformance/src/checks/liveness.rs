//! LIV: liveness. The adapter answers and emits heartbeats, however busy or stuck the agent CLI is.

mod pending_calls;

use std::time::Duration;

use od_protocol::adapter::HealthAdapterParams;

use super::AdapterCheck;
use super::cancellation::{prepare_hanging, start_and_wait_for_output};
use super::expectations::{PerTier, plain_answer, still_answers};
use super::throughput::{events_for, wait_while_progressing};
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::{ProbeMode, Script, Step};
use crate::outcome::{CheckOutcome, Finding};

/// How many events the agent CLI prints as fast as possible; fewer for a slow adapter.
const FLOOD_EVENTS: PerTier = PerTier { brief: 1_000, fast: 20_000, full: 20_000, slow: 200_000 };
/// The number of bursts, and the pause after each in milliseconds.
const BURSTS: usize = 20;
const PAUSE_MS: u64 = 100;
/// How many pings are sent during the flood.
const PINGS: usize = 4;
/// The longest allowed silence, with a reserve for slow machines.
const MAX_SILENCE: Duration = Duration::from_secs(11);
const GATE: &str = "all-printed";

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "LIV-01",
        "`adapter/health` is answered within five seconds, even while the agent CLI hangs",
        "hosts request health when something seems wrong; a response that waits for the fault is \
         useless",
        Gate::NONE,
        health,
    ),
    active(
        "LIV-02",
        "`ping` is answered within a second, during a flood of events and while the agent CLI hangs",
        "a host treats an adapter that does not answer as hung and kills it with its run",
        Gate::cli_scenario("text"),
        ping,
    ),
    active(
        "LIV-03",
        "a `heartbeat` is emitted at least every ten seconds while the agent CLI is silent",
        "without it a host cannot distinguish a working agent from a stuck one",
        Gate::scenario("cancel"),
        heartbeat,
    ),
    active(
        "LIV-04",
        "`ping` and `run/cancel` are answered within a second while another request is pending, and \
         a slow detection does not delay the events of a run",
        "a host cannot stop a run, and takes the adapter for hung, while the agent CLI starts slowly",
        Gate::cli_scenario("text"),
        pending_calls::do_not_block,
    ),
];

fn health(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    adapter.call(&HealthAdapterParams {})?;
    if !context.suite.has_cli() || context.suite.pack.is_none() {
        return Ok(());
    }
    let prepared = prepare_hanging(context, &[])?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let every_start_hangs = Script { probe_mode: ProbeMode::Hang, ..prepared.script.clone() };
    adapter.fake_cli.load_script(&every_start_hangs)?;
    let sent = "adapter/health; the agent CLI of the open run and every new one hang";
    let health = adapter.call(&HealthAdapterParams {}).map(drop);
    health.map_err(|finding| finding.map_failure(|failure| failure.sent(sent).into()))
}

fn ping(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let lines = events_for(context, FLOOD_EVENTS.of(context))?.div_ceil(BURSTS) as u64;
    let mut prepared = prepare_hanging(context, &[Step::Gate { name: GATE.to_owned() }])?;
    let last_output =
        prepared.script.steps.iter().rposition(|step| matches!(step, Step::Out { .. }));
    let Some((index, Step::Out { text, .. })) =
        last_output.map(|at| (at, prepared.script.steps[at].clone()))
    else {
        return Err(Finding::Untestable("the scenario text prints nothing".to_owned()));
    };
    let burst = [Step::Flood { stderr: false, lines, text }, Step::Sleep { ms: PAUSE_MS }];
    let flood = std::iter::repeat_n(burst, BURSTS).flatten();
    prepared.script.steps.splice(index + 1..index + 1, flood);
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let total = lines * BURSTS as u64;
    for round in 0..PINGS {
        still_answers(&mut adapter, &format!("ping {round} in a flood of {total} lines"))?;
        adapter.listen(Duration::from_millis(2 * PAUSE_MS));
    }
    wait_for_flood_end(&mut adapter, prepared.run_id())?;
    still_answers(&mut adapter, "ping; the agent CLI has stopped printing")
}

/// Reads events until the fake CLI has printed everything.
fn wait_for_flood_end(adapter: &mut AdapterClient, run_id: &str) -> CheckOutcome {
    let has_printed = |adapter: &mut AdapterClient| {
        let starts = adapter.fake_cli.starts();
        starts.iter().any(|start| start.gates.iter().any(|gate| gate == GATE))
    };
    if wait_while_progressing(adapter, run_id, has_printed) {
        return Ok(());
    }
    let got = "no more events arrive, and the agent CLI is still blocked by its full pipe";
    Err(adapter.failure("the whole output of the agent CLI is read", got, "a flood of output"))
}

fn heartbeat(context: &mut CheckContext) -> CheckOutcome {
    let prepared = context.prepare("cancel")?;
    let mut adapter = context.launch()?;
    start_and_wait_for_output(context, &mut adapter, &prepared)?;
    let wanted = "a `heartbeat` while the agent CLI is silent";
    let found = adapter.wait_event(prepared.run_id(), MAX_SILENCE, wanted, |received| {
        received.type_name() == "heartbeat"
    });
    found.map(drop)
}

//! LIV: signs of life. However busy or stuck the agent CLI is, the adapter answers and is heard.

use std::time::{Duration, Instant};

use od_protocol::HealthAdapterParams;

use super::can::{hanging, under_way};
use super::expectations::{Amount, plain_answer, still_answers};
use crate::bench::{Bench, Setup};
use crate::case::{Check, Gate, active};
use crate::plugin::Plugin;
use crate::stand_in::{ProbeMode, Script, Step};
use crate::verdict::{Failure, Finding, Verdict};

/// How many events an agent CLI floods the adapter with.
const FLOOD: Amount = Amount { brief: 1_000, fast: 20_000, full: 20_000, slow: 200_000 };
/// In how many bursts they come, and how long it pauses after each.
const BURSTS: usize = 20;
const PAUSE_MS: u64 = 100;
/// How often the adapter is asked meanwhile.
const PINGS: usize = 4;
/// How long a flood may take to get through.
const FLOOD_LIMIT: Duration = Duration::from_secs(30);
/// The longest silence, and some air for the machine.
const SILENCE: Duration = Duration::from_secs(11);
const GATE: &str = "said-it-all";

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "LIV-01",
        "`adapter/health` is answered within five seconds, also while the agent CLI hangs",
        "health is asked when something seems wrong; an answer that waits for it is none",
        Gate::NONE,
        health,
    ),
    active(
        "LIV-02",
        "`ping` is answered within a second, in a flood of events and while the agent CLI hangs",
        "a host takes an adapter that does not answer for hung, and kills it with its run",
        Gate::cli_scenario("text"),
        ping,
    ),
    active(
        "LIV-03",
        "a `heartbeat` comes at least every ten seconds while the agent CLI is silent",
        "without it nobody can tell a thoughtful agent from one that is stuck",
        Gate::scenario("cancel"),
        heartbeat,
    ),
];

fn health(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.call(&HealthAdapterParams {})?;
    if !bench.suite.has_cli() || bench.suite.pack.is_none() {
        return Ok(());
    }
    let play = hanging(bench, &[])?;
    under_way(bench, &mut plugin, &play)?;
    let every_start_hangs = Script { probe_mode: ProbeMode::Hang, ..play.script.clone() };
    plugin.stand_in.play(&every_start_hangs)?;
    plugin.call(&HealthAdapterParams {}).map(drop).map_err(|finding| match finding {
        Finding::Fail(failure) => {
            let sent = "adapter/health; the agent CLI of the open run and every new one hang";
            Finding::Fail(Box::new(failure.sent(sent)))
        }
        other => other,
    })
}

fn ping(bench: &mut Bench) -> Verdict {
    plain_answer(bench)?;
    let lines = FLOOD.of(bench).div_ceil(BURSTS) as u64;
    let mut play = hanging(bench, &[Step::Gate { name: GATE.to_owned() }])?;
    let words = play.script.steps.iter().rposition(|step| matches!(step, Step::Out { .. }));
    let Some((index, Step::Out { text, .. })) = words.map(|at| (at, play.script.steps[at].clone()))
    else {
        return Err(Finding::Untestable("the scenario text prints nothing".to_owned()));
    };
    let burst = [Step::Flood { stderr: false, lines, text }, Step::Sleep { ms: PAUSE_MS }];
    let flood = std::iter::repeat_n(burst, BURSTS).flatten();
    play.script.steps.splice(index + 1..index + 1, flood);
    let mut plugin = bench.launch(&Setup::default())?;
    under_way(bench, &mut plugin, &play)?;
    let total = lines * BURSTS as u64;
    for round in 0..PINGS {
        still_answers(&mut plugin, &format!("ping {round} in a flood of {total} lines"))?;
        plugin.listen(Duration::from_millis(2 * PAUSE_MS));
    }
    flood_is_over(&mut plugin)?;
    still_answers(&mut plugin, "ping; the agent CLI says nothing any more")
}

/// Takes events in until the stand-in has printed everything.
fn flood_is_over(plugin: &mut Plugin) -> Verdict {
    let deadline = Instant::now() + plugin.limit(FLOOD_LIMIT);
    loop {
        plugin.listen(Duration::from_millis(PAUSE_MS));
        let starts = plugin.stand_in.starts();
        if starts.iter().any(|start| start.gates.iter().any(|gate| gate == GATE)) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let expected = format!("the whole output is read within {FLOOD_LIMIT:?}");
            let got = "the agent CLI still waits for somebody to read it";
            return Err(Failure::new(expected, got).at(plugin.place()).into());
        }
    }
}

fn heartbeat(bench: &mut Bench) -> Verdict {
    let play = bench.prepare("cancel")?;
    let mut plugin = bench.launch(&Setup::default())?;
    under_way(bench, &mut plugin, &play)?;
    let wanted = "a `heartbeat` while the agent CLI is silent";
    let found = plugin
        .wait_event(play.run_id(), SILENCE, wanted, |received| received.type_name() == "heartbeat");
    found.map(drop)
}

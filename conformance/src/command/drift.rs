//! `conformance drift PLUGIN`: compares the real agent CLI with the recordings of the pack.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::real::{Agent, AgentArguments, flag_facts, recorded, table};
use super::suite_setup::WorkFolder;
use super::{CommandError, EXIT_CONFORMANT, EXIT_FAILURES};
use crate::console::say;
use crate::outcome::Finding;
use crate::real::{
    Change, Drift, FlagFacts, REAL_SCENARIOS, RealOptions, ScenarioResult, outputs_by_scenario,
    run_scenarios, unmapped,
};
use crate::suite::Suite;

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit code: 0 no drift, 1 drift, 2 wrong usage, 3 the adapter cannot be started, 4 the suite failed.
A newer version with the same behaviour is reported, but is not drift.")]
pub(super) struct DriftArguments {
    #[command(flatten)]
    agent: AgentArguments,
    /// The recordings to compare with [default: those of the pack's [real] table].
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the scenarios and prints the differences.
pub(super) fn drift(arguments: &DriftArguments) -> Result<u8, CommandError> {
    let names: Vec<&str> = REAL_SCENARIOS.iter().map(|scenario| scenario.name).collect();
    arguments.agent.prepare(&names)?;
    let work = WorkFolder::make(None)?;
    let suite = arguments.agent.open_suite(None, &work)?;
    let (drift, faults) = compared(arguments, &suite)?;
    if arguments.json {
        let mut value = drift.to_json();
        value["adapterId"] = suite.adapter_id().into();
        value["notPlayed"] = json!(faults);
        say!("{value:#}");
    } else {
        print_drift(&suite.adapter_id(), &drift, &faults);
    }
    Ok(if drift.is_none() { EXIT_CONFORMANT } else { EXIT_FAILURES })
}

/// Runs the scenarios and compares; also returns why scenarios did not finish.
fn compared(
    arguments: &DriftArguments,
    suite: &Suite,
) -> Result<(Drift, Vec<String>), CommandError> {
    let settings = table(suite)?;
    let agent = Agent::find(suite, settings, arguments.agent.cli.as_deref())?;
    let Some(known) = recorded(suite, settings, arguments.recordings.as_deref())? else {
        let message = format!("no recordings to compare {} with", agent.version.found);
        let hint = "name recordings with --recordings DIR or in the pack's [real] table; \
                    conformance record makes them";
        return Err(CommandError::usage(message, hint));
    };
    let options = RealOptions {
        suite,
        settings,
        cli: &agent.cli,
        only: &arguments.agent.only,
        is_relayed: true,
    };
    let scenario_results = run_scenarios(options, arguments.agent.jobs, &mut |scenario_result| {
        anstream::eprintln!(
            "{} ({:.1} s)",
            scenario_result.scenario.name,
            scenario_result.took.as_secs_f64()
        );
    });
    let faults = scenario_results.iter().filter_map(fault).collect();
    let scenario_records = scenario_results
        .into_iter()
        .map(|scenario_result| (scenario_result.scenario.name, scenario_result.scenario_record))
        .collect();
    let mut drift = Drift { unmapped: unmapped(&scenario_records), ..Drift::default() };
    drift.compare_lines(&outputs_by_scenario(&scenario_records), &known.lines);
    let mut flags = flag_facts(&agent, settings, &known, suite)?;
    flags.passed = scenario_records.values().flat_map(|it| it.flags.iter().cloned()).collect();
    drift.flags = Some(flags);
    drift.version = agent.version;
    Ok((drift, faults))
}

/// Why a scenario did not finish. `run --real` reports it; here it explains missing lines.
fn fault(scenario_result: &ScenarioResult) -> Option<String> {
    match scenario_result.outcome.as_ref().err()? {
        Finding::Skip(_) => None,
        Finding::Fail(failure) => {
            Some(format!("{}: expected {}", scenario_result.scenario.name, failure.expected))
        }
        Finding::Blocked(reason) | Finding::Untestable(reason) | Finding::Suite(reason) => {
            Some(format!("{}: {reason}", scenario_result.scenario.name))
        }
    }
}

fn print_drift(adapter_id: &str, drift: &Drift, faults: &[String]) {
    print_version(drift);
    print_change("kind of line", drift.kinds.as_ref());
    print_change("member", drift.members.as_ref());
    for (name, count) in &drift.unmapped {
        say!("unmapped  the adapter does not know {name} ({count} times)");
    }
    if let Some(flags) = &drift.flags {
        match flags.change() {
            None => {
                say!("note      flags not compared: the recordings have none")
            }
            change => print_change("flag", change.as_ref()),
        }
        print_names("unknown   flag that the adapter passes:", &flags.unknown());
        let shown = FlagFacts::no_longer_hidden(flags);
        print_names("note      listed as hidden, but shown now:", &shown);
    }
    for fault in faults {
        say!("note      not finished: {fault}");
    }
    let result = if drift.is_none() { "no drift" } else { "drift" };
    say!("{adapter_id} with {}: {result}", drift.version.found);
}

fn print_version(drift: &Drift) {
    let version = &drift.version;
    let tested = version.tested.as_deref().unwrap_or("none");
    match (version.meets_minimum(), version.is_tested()) {
        (Some(false), _) => {
            let minimum = version.minimum.as_deref().unwrap_or_default();
            say!("version   found {}, but the adapter needs {minimum}", version.found);
        }
        (_, Some(true)) => say!("version   {}, as tested", version.found),
        _ => say!("version   found {}, tested {tested}", version.found),
    }
}

fn print_change(what: &str, change: Option<&Change>) {
    if let Some(change) = change {
        print_names(&format!("new       {what}:"), &change.new);
        print_names(&format!("vanished  {what}:"), &change.vanished);
    }
}

fn print_names(lead: &str, names: &BTreeSet<String>) {
    for name in names {
        say!("{lead} {name}");
    }
}

//! `conformance list`: every check with its sentence.

use clap::Args;
use serde_json::{Value, json};

use super::acp::Profile;
use super::{CommandError, EXIT_CONFORMANT};
use crate::acp;
use crate::check::{Check, Kind};
use crate::checks;
use crate::console::say;

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// List the checks of another profile.
    #[arg(long, value_enum)]
    profile: Option<Profile>,
}

/// Lists every check.
pub(super) fn list(arguments: &ListArguments) -> Result<u8, CommandError> {
    let checks = match arguments.profile {
        Some(Profile::AcpAgent) => acp::checks(),
        None => checks::all(),
    };
    if arguments.json {
        let values: Vec<Value> = checks.iter().map(as_json).collect();
        say!("{:#}", Value::Array(values));
        return Ok(EXIT_CONFORMANT);
    }
    let mut chapter = "";
    for check in &checks {
        if check.chapter() != chapter {
            chapter = check.chapter();
            say!("");
        }
        let needs = needs(check);
        let needs = if needs.is_empty() { needs } else { format!("  [{needs}]") };
        say!("{:11} {:8} {}{needs}", check.id, check.level.as_str(), check.requirement);
    }
    Ok(EXIT_CONFORMANT)
}

/// What a check needs.
pub(super) fn needs(check: &Check) -> String {
    let scenario = check.gate.scenario.map(|name| format!("scenario {name}"));
    let capability = check.gate.capability.map(|name| format!("capability {name}"));
    let cli = check.gate.cli.then(|| "an agent CLI".to_owned());
    let model = check.gate.model.then(|| "the fake model".to_owned());
    let parts: Vec<String> = [capability, scenario, cli, model].into_iter().flatten().collect();
    parts.join(", ")
}

fn as_json(check: &Check) -> Value {
    json!({
        "id": check.id,
        "chapter": check.chapter(),
        "level": check.level.as_str(),
        "tier": check.tier.as_str(),
        "sentence": check.requirement,
        "why": check.why,
        "basis": check.basis(),
        "invariant": check.kind == Kind::Invariant,
        "needs": {
            "cli": check.gate.cli,
            "capability": check.gate.capability,
            "scenario": check.gate.scenario,
            "model": check.gate.model,
        },
    })
}

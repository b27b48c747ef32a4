//! `conformance explain ID`: what a check requires, and why.

use clap::Args;

use super::list::needs;
use super::{CommandError, EXIT_CONFORMANT};
use crate::acp::{self, AGENT_MUTANTS};
use crate::check::{Check, Kind};
use crate::checks;
use crate::console::say;
use crate::mutant::MUTANTS;

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// The check id, such as DET-02.
    id: String,
}

/// Explains one check.
pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8, CommandError> {
    let wanted = arguments.id.to_uppercase();
    let mut all = checks::all().into_iter().chain(acp::checks());
    let check = all.find(|check| check.id == wanted).ok_or_else(|| {
        CommandError::usage(format!("unknown check {wanted}"), "conformance list prints all checks")
    })?;
    print(&check);
    Ok(EXIT_CONFORMANT)
}

fn print(check: &Check) {
    say!("{} ({}, {})", check.id, check.level.as_str(), check.tier.as_str());
    say!("  Requirement: {}.", check.requirement);
    say!("  Why: {}.", check.why);
    if let Some(basis) = check.basis() {
        say!("  Basis: {basis}.");
    }
    let needs = needs(check);
    if !needs.is_empty() {
        say!("  Needs: {needs}.");
    }
    if check.kind == Kind::Invariant {
        say!("  Checked on every line that any check receives.");
    }
    let adapters = MUTANTS.iter().map(|mutant| (mutant.fault.name(), mutant.must_fail));
    let agents = AGENT_MUTANTS.iter().map(|mutant| (mutant.fault.name(), mutant.must_fail));
    let killers: Vec<&str> = adapters
        .chain(agents)
        .filter(|(_, must_fail)| must_fail.contains(&check.id))
        .map(|(name, _)| name)
        .collect();
    if !killers.is_empty() {
        say!("  Proven by the mutants: {}.", killers.join(", "));
    }
}

//! `conformance explain ID`: what a check asks for, and why.

use clap::Args;

use super::list::needs;
use super::{CommandError, EXIT_CONFORMANT};
use crate::case::{Body, Check};
use crate::cases;
use crate::console::say;
use crate::mutant::MUTANTS;

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// The check, such as DET-02.
    id: String,
}

/// Explains one check.
pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8, CommandError> {
    let wanted = arguments.id.to_uppercase();
    let check = cases::all().into_iter().find(|check| check.id == wanted).ok_or_else(|| {
        CommandError::usage(
            format!("there is no check {wanted}"),
            "conformance list shows all of them",
        )
    })?;
    print(&check);
    Ok(EXIT_CONFORMANT)
}

fn print(check: &Check) {
    say!("{} ({}, {})", check.id, check.level.as_str(), check.tier.as_str());
    say!("  The adapter: {}.", check.sentence);
    say!("  Why: {}.", check.why);
    let needs = needs(check);
    if !needs.is_empty() {
        say!("  Needs: {needs}.");
    }
    if matches!(check.body, Body::Invariant) {
        say!("  Watched over every line that any check makes the adapter say.");
    }
    let killers: Vec<&str> = MUTANTS
        .iter()
        .filter(|mutant| mutant.must_fail.contains(&check.id))
        .map(|mutant| mutant.fault.name())
        .collect();
    if !killers.is_empty() {
        say!("  Proven by the mutants: {}.", killers.join(", "));
    }
}

//! The faults that a check found in an earlier complete run. The quick form repeats a sample of them.

use std::fmt::Write;
use std::time::Duration;

use super::result::{FaultResult, Outcome};

/// The committed list: one line per fault, its name and the check.
const PROVEN: &str = include_str!("proven.txt");

/// Slower faults are not part of the quick form.
const MAX_QUICK_DURATION: Duration = Duration::from_secs(3);

/// A fault and the check that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenFault {
    /// The name of the fault.
    pub name: String,
    /// The check, or `exercise` for the runs for the stream rules.
    pub check: String,
}

/// Returns the committed list.
pub fn proven_faults() -> Vec<ProvenFault> {
    let lines = PROVEN.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.rsplit_once(' '));
    entries
        .map(|(name, check)| ProvenFault { name: name.to_owned(), check: check.to_owned() })
        .collect()
}

/// Returns the list of a complete run, without slow faults.
pub fn proven_text(outcomes: &[Outcome]) -> String {
    let mut text =
        "# Written by `conformance self-test --generated --write-proven FILE`.\n".to_owned();
    for outcome in outcomes.iter().filter(|outcome| outcome.took <= MAX_QUICK_DURATION) {
        if let FaultResult::Caught { during: Some(check), .. } = &outcome.result {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {check}", outcome.fault.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::generated_faults::catalogue;
    use crate::runner::EXERCISE_LABEL;

    #[test]
    fn proven_faults_and_checks_exist() {
        let names: Vec<String> = catalogue().into_iter().map(|fault| fault.name).collect();
        for proven in proven_faults() {
            assert!(names.contains(&proven.name), "{} is not a fault", proven.name);
            let is_check = checks::all().iter().any(|check| check.id == proven.check);
            assert!(is_check || proven.check == EXERCISE_LABEL, "{} is not a check", proven.check);
        }
    }
}

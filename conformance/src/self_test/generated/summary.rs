//! The summary for people: a row per chapter, then the survivors with their reasons.

use std::collections::BTreeMap;

use super::result::{FaultResult, Outcome};
use crate::console::say;
use crate::generated_faults::Chapter;

/// The counts of one chapter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChapterCount {
    /// All faults.
    pub generated: usize,
    /// Faults that the specification forbids and whose value or field occurs.
    pub forbidden: usize,
    /// Forbidden faults that a check found.
    pub caught: usize,
    /// Forbidden faults that every check passes.
    pub survived: usize,
    /// Forbidden faults that no check reaches.
    pub not_reached: usize,
}

impl ChapterCount {
    fn add(&mut self, outcome: &Outcome) {
        self.generated += 1;
        self.forbidden += usize::from(outcome.counts());
        self.caught += usize::from(outcome.is_caught());
        self.not_reached += usize::from(outcome.result == FaultResult::NotReached);
        self.survived += usize::from(matches!(
            outcome.result,
            FaultResult::Survived { .. } | FaultResult::NotRun(_)
        ));
    }

    /// The share of the forbidden faults that were found.
    pub fn share(&self) -> f64 {
        share(self.caught, self.forbidden)
    }
}

/// The share in percent; everything of nothing is found.
pub fn share(caught: usize, forbidden: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if forbidden == 0 { 100.0 } else { number(caught) * 100.0 / number(forbidden) }
}

/// The counts per chapter, and of all.
pub fn count_chapters(outcomes: &[Outcome]) -> (Vec<(Chapter, ChapterCount)>, ChapterCount) {
    let mut total = ChapterCount::default();
    let mut chapters: BTreeMap<Chapter, ChapterCount> = BTreeMap::new();
    for outcome in outcomes {
        chapters.entry(outcome.fault.chapter).or_default().add(outcome);
        total.add(outcome);
    }
    (chapters.into_iter().collect(), total)
}

/// Prints the table and the survivors.
pub fn print_summary(outcomes: &[Outcome]) {
    let (chapters, total) = count_chapters(outcomes);
    say!(
        "\n{:31} {:>9} {:>9} {:>7} {:>9} {:>11} {:>7}",
        "chapter",
        "generated",
        "forbidden",
        "caught",
        "survived",
        "not reached",
        "share"
    );
    for (chapter, count) in &chapters {
        print_row(chapter.name(), count);
    }
    print_row("total", &total);
    print_group("HOLES: forbidden, and every check that reaches them passes", outcomes, |result| {
        match result {
            FaultResult::Survived { checks } => Some(format!("{checks} checks")),
            _ => None,
        }
    });
    print_group(
        "HOLES: forbidden, and no check makes the adapter send or read them",
        outcomes,
        |result| (*result == FaultResult::NotReached).then(String::new),
    );
    print_group(
        "NEVER OCCURS: not counted, because the reference adapter never sends this value or optional field",
        outcomes,
        |result| (*result == FaultResult::NeverOccurs).then(String::new),
    );
    print_group("NOT RUN", outcomes, |result| match result {
        FaultResult::NotRun(reason) => Some(reason.clone()),
        _ => None,
    });
    print_allowed(outcomes);
}

fn print_row(name: &str, count: &ChapterCount) {
    say!(
        "{name:31} {:9} {:9} {:7} {:9} {:11} {:6.1} %",
        count.generated,
        count.forbidden,
        count.caught,
        count.survived,
        count.not_reached,
        count.share()
    );
}

fn print_group(
    title: &str,
    outcomes: &[Outcome],
    describe: impl Fn(&FaultResult) -> Option<String>,
) {
    let found: Vec<(&Outcome, String)> =
        outcomes.iter().filter_map(|outcome| Some((outcome, describe(&outcome.result)?))).collect();
    if found.is_empty() {
        return;
    }
    say!("\n{title} ({})", found.len());
    for chapter in Chapter::ALL {
        let of_chapter: Vec<String> = found
            .iter()
            .filter(|(outcome, _)| outcome.fault.chapter == chapter)
            .map(|(outcome, note)| match note.is_empty() {
                true => format!("    {}", outcome.fault.name),
                false => format!("    {} ({note})", outcome.fault.name),
            })
            .collect();
        if !of_chapter.is_empty() {
            say!("  {} ({})\n{}", chapter.name(), of_chapter.len(), of_chapter.join("\n"));
        }
    }
}

/// How many faults are legal, by reason.
fn print_allowed(outcomes: &[Outcome]) {
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        if let FaultResult::Legal(reason) = outcome.result {
            *by_reason.entry(reason).or_default() += 1;
        }
    }
    say!("\nLEGAL: not run ({})", by_reason.values().sum::<usize>());
    for (reason, count) in by_reason {
        say!("  {count:4}  {reason}");
    }
}

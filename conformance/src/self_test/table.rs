//! The table of checks and mutants, in bands of limited width: a column per check, a row per mutant
//! that a check of the band finds.

use std::fmt::Write;

use super::outcome::{Cell, Outcome};
use crate::check::Check;

/// The maximum line width.
const WIDTH: usize = 100;

/// The legend.
const LEGEND: &str = "X must find it and does · x may find it and does · . passes · - no result \
                      · ! wrong · blank: never reaches the fault";

/// The table as text.
pub fn table(checks: &[Check], outcomes: &[Outcome]) -> String {
    let names = outcomes.iter().map(|outcome| outcome.subject.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for band in bands(checks, WIDTH.saturating_sub(names + 1)) {
        header(&mut text, names, &band);
        for outcome in outcomes {
            row(&mut text, names, &band, outcome);
        }
        text.push('\n');
    }
    text + LEGEND + "\n"
}

/// The checks of one band, chapter by chapter.
type Band<'a> = Vec<Vec<&'a Check>>;

fn bands(checks: &[Check], width: usize) -> Vec<Band<'_>> {
    let mut bands: Vec<Band<'_>> = vec![Vec::new()];
    let mut used = 0;
    for chapter in chapters(checks) {
        if used + chapter.len() + 1 > width && used > 0 {
            bands.push(Vec::new());
            used = 0;
        }
        used += chapter.len() + 1;
        if let Some(band) = bands.last_mut() {
            band.push(chapter);
        }
    }
    bands
}

fn chapters(checks: &[Check]) -> Vec<Vec<&Check>> {
    let mut chapters: Vec<Vec<&Check>> = Vec::new();
    for check in checks {
        match chapters.last_mut() {
            Some(last) if last[0].chapter() == check.chapter() => last.push(check),
            _ => chapters.push(vec![check]),
        }
    }
    chapters
}

/// The names of the chapters from top to bottom, then the last digit of each check.
fn header(text: &mut String, names: usize, band: &Band<'_>) {
    let tallest = band.iter().map(|chapter| chapter[0].chapter().len()).max().unwrap_or(0);
    for level in 0..tallest {
        line(text, "", names, band, |check, is_first| {
            let letter = check.chapter().chars().nth(level);
            letter.filter(|_| is_first).unwrap_or(' ')
        });
    }
    line(text, "", names, band, |check, _| check.id.chars().last().unwrap_or(' '));
}

fn row(text: &mut String, names: usize, band: &Band<'_>, outcome: &Outcome) {
    let is_news = |check: &&Check| {
        let cell = outcome.cells.get(check.id);
        matches!(cell, Some(Cell::Caught | Cell::Also | Cell::Wrong))
    };
    if band.iter().flatten().any(is_news) {
        line(text, outcome.subject.name, names, band, |check, _| {
            outcome.cells.get(check.id).map_or(' ', |cell| sign(*cell))
        });
    }
}

const fn sign(cell: Cell) -> char {
    match cell {
        Cell::Pass => '.',
        Cell::Caught => 'X',
        Cell::Also => 'x',
        Cell::Wrong => '!',
        Cell::NoResult => '-',
    }
}

fn line(
    text: &mut String,
    name: &str,
    names: usize,
    band: &Band<'_>,
    mut sign: impl FnMut(&Check, bool) -> char,
) {
    let mut line = format!("{name:names$}");
    for chapter in band {
        line.push(' ');
        let signs = chapter.iter().enumerate();
        line.extend(signs.map(|(index, check)| sign(check, index == 0)));
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::self_test::subjects;
    use std::time::Duration;

    #[test]
    fn table_lines_fit_and_show_every_failure() {
        let checks = checks::all();
        let outcomes: Vec<Outcome> = subjects()
            .into_iter()
            .map(|subject| {
                let mut outcome = Outcome::of(subject, &[], Duration::ZERO);
                let caught = subject.must_fail().iter().map(|id| (*id, Cell::Caught));
                outcome.cells = caught.collect();
                outcome
            })
            .collect();
        let text = table(&checks, &outcomes);
        let widest = text.lines().filter(|line| !line.starts_with("X must")).map(str::len).max();
        assert!(widest <= Some(WIDTH), "{widest:?}");
        let caught: usize = outcomes.iter().map(|outcome| outcome.cells.len()).sum();
        let body = text.strip_suffix(&format!("{LEGEND}\n")).expect("the legend");
        let rows = body.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        assert_eq!(rows.flat_map(str::chars).filter(|sign| *sign == 'X').count(), caught);
    }
}

//! The text of `TRACEABILITY.md`.

use std::collections::BTreeMap;

use od_conformance::mutant::MUTANTS;

use super::{Row, Specification, Traceability};

/// Longer sentences are shortened; the specification has the whole text.
const MAX_SENTENCE_CHARACTERS: usize = 140;

pub(super) fn markdown(specification: &Specification, traceability: &Traceability) -> String {
    let rows = rows_by_id(traceability);
    let head = head(specification, &rows);
    let mut chapters: Vec<(&str, String)> = Vec::new();
    for requirement in &specification.requirements {
        let Some((chapter, row)) = rows.get(requirement.id.as_str()) else { continue };
        let line = table_row(&requirement.id, &requirement.text, row, traceability);
        match chapters.iter_mut().find(|(known, _)| known == chapter) {
            Some((_, text)) => text.push_str(&line),
            None => chapters.push((chapter, line)),
        }
    }
    let sections = chapters.iter().map(|(chapter, lines)| {
        format!(
            "\n## {}\n\n| id | requirement | checks | mutants | not visible or not checked |\n\
             |---|---|---|---|---|\n{lines}",
            chapter.replace('_', " ")
        )
    });
    head + &sections.collect::<String>()
}

type RowsById<'a> = BTreeMap<&'a str, (&'a str, &'a Row)>;

fn rows_by_id(traceability: &Traceability) -> RowsById<'_> {
    let rows = traceability.rows();
    rows.flat_map(|(chapter, row)| row.ids.iter().map(move |id| (id.as_str(), (chapter, row))))
        .collect()
}

fn head(specification: &Specification, rows: &RowsById<'_>) -> String {
    let count = |is_counted: fn(&Row) -> bool| {
        specification
            .requirements
            .iter()
            .filter(|requirement| {
                rows.get(requirement.id.as_str()).is_some_and(|(_, row)| is_counted(row))
            })
            .count()
    };
    let all = specification.requirements.len();
    let held = count(|row| row.is_held() && row.reason.is_none() && row.unchecked.is_none());
    let visible_part =
        count(|row| row.is_held() && row.reason.is_some() && row.unchecked.is_none());
    let checked_part = count(|row| row.is_held() && row.unchecked.is_some());
    let open = count(|row| !row.is_held() && row.unchecked.is_some());
    let invisible = count(|row| !row.is_held() && row.unchecked.is_none());
    format!(
        "# Traceability: which checks hold which requirement\n\n\
         Generated from [the specification](../protocol/README.md) (revision {revision}), \
         [`requirements/traceability.toml`](requirements/traceability.toml), the checks and the mutants: do not edit.\n\
         `UPDATE_EXPECT=1 cargo nextest run -p od-conformance traceability` writes it.\n\n\
         A mutant is a fault of the reference adapter that one of the checks must find. The last column says which part of a\n\
         requirement no black box can see, or, after \"unchecked\", what no check compares yet.\n\n\
         | requirements | number |\n|---|---|\n\
         | all | {all} |\n\
         | held by a check | {held} |\n\
         | held by a check as far as it is visible, with a reason | {visible_part} |\n\
         | held by a check in part; another part is unchecked | {checked_part} |\n\
         | unchecked | {open} |\n\
         | not visible from outside, with a reason | {invisible} |\n",
        revision = specification.revision,
    )
}

fn table_row(id: &str, text: &str, row: &Row, traceability: &Traceability) -> String {
    let checks = row.checks.join(" ");
    let mutants = mutants(row).join(" ");
    let unchecked = row.unchecked.as_ref().map(|text| format!("unchecked: {text}"));
    let reason = traceability.reason(row).map(str::to_owned);
    let notes: Vec<String> = reason.into_iter().chain(unchecked).collect();
    let text = shortened(text).replace('|', "\\|");
    format!("| `{id}` | {text} | {checks} | {mutants} | {} |\n", notes.join("; "))
}

/// The faults that one of the checks must find.
fn mutants(row: &Row) -> Vec<&'static str> {
    let is_found = |check: &&str| row.checks.iter().any(|listed| listed == check);
    MUTANTS
        .iter()
        .filter(|mutant| mutant.must_fail.iter().any(&is_found))
        .map(|mutant| mutant.fault.name())
        .collect()
}

/// Cuts at a space, and closes code that the cut has opened.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_SENTENCE_CHARACTERS {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MAX_SENTENCE_CHARACTERS).collect();
    let kept = kept.rsplit_once(' ').map_or(kept.as_str(), |(kept, _)| kept);
    let code = if kept.matches('`').count() % 2 == 1 { "`" } else { "" };
    format!("{kept}{code} …")
}

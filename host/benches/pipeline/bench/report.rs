//! The figures with their references and targets, as a table for people and as JSON for programs.

use std::path::Path;

use anyhow::Context;
use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Unit {
    EventsPerSecond,
    Milliseconds,
    Microseconds,
    /// Processor seconds for 100,000 events.
    ProcessorSeconds,
    Megabytes,
    /// A plain number.
    Times,
}

/// The target of a figure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// At most this much more than the reference.
    AddedAtMost(f64),
    /// At least this share of the reference.
    ShareAtLeast(f64),
}

/// One figure.
#[derive(Debug)]
pub(super) struct Figure {
    chapter: &'static str,
    name: String,
    unit: Unit,
    reference: Option<f64>,
    ours: f64,
    targets: Vec<Target>,
}

impl Figure {
    pub(super) fn new(name: impl Into<String>, unit: Unit, ours: f64) -> Self {
        Self { chapter: "", name: name.into(), unit, reference: None, ours, targets: Vec::new() }
    }

    /// Sets the reference: usually the same through the raw pipe.
    pub(super) fn against(mut self, reference: f64) -> Self {
        self.reference = Some(reference);
        self
    }

    pub(super) fn target(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    fn ratio(&self) -> Option<f64> {
        self.reference.filter(|value| *value > 0.0).map(|value| self.ours / value)
    }

    fn is_met(&self, target: Target) -> bool {
        match target {
            Target::AtMost(limit) => self.ours <= limit,
            Target::AtLeast(limit) => self.ours >= limit,
            Target::AddedAtMost(limit) => self.ours - self.reference.unwrap_or_default() <= limit,
            Target::ShareAtLeast(limit) => self.ratio().is_some_and(|ratio| ratio >= limit),
        }
    }

    fn status(&self) -> &'static str {
        match self.targets.as_slice() {
            [] => "",
            targets if targets.iter().all(|target| self.is_met(*target)) => "ok",
            _ => "MISSED",
        }
    }

    fn targets_text(&self) -> String {
        let text = |target: &Target| match *target {
            Target::AtMost(limit) => format!("≤ {}", self.unit.show(limit)),
            Target::AtLeast(limit) => format!("≥ {}", self.unit.show(limit)),
            Target::AddedAtMost(limit) => format!("≤ {} added", self.unit.show(limit)),
            Target::ShareAtLeast(limit) => format!("≥ {limit} × raw pipe"),
        };
        self.targets.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::EventsPerSecond if value >= 1e6 => format!("{:.2} M/s", value / 1e6),
            Self::EventsPerSecond if value >= 1e4 => format!("{:.0} k/s", value / 1e3),
            Self::EventsPerSecond => format!("{value:.0} /s"),
            Self::Milliseconds if value >= 100.0 => format!("{value:.0} ms"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Microseconds if value < 10.0 => format!("{value:.2} µs"),
            Self::Microseconds => format!("{value:.0} µs"),
            Self::ProcessorSeconds => format!("{value:.3} s"),
            Self::Megabytes => format!("{value:.1} MB"),
            Self::Times => format!("{value:.2} ×"),
        }
    }
}

/// Everything that was measured.
#[derive(Debug, Default)]
pub(super) struct Report {
    chapter: &'static str,
    figures: Vec<Figure>,
    failures: Vec<String>,
}

impl Report {
    /// Figures from now on belong to this chapter.
    pub(super) fn begin(&mut self, chapter: &'static str) {
        self.chapter = chapter;
    }

    pub(super) fn add(&mut self, figure: Figure) {
        self.figures.push(Figure { chapter: self.chapter, ..figure });
    }

    /// Something was lost, or a process survived: what no figure makes good.
    pub(super) fn fail(&mut self, what: impl Into<String>) {
        self.failures.push(format!("{}: {}", self.chapter, what.into()));
    }

    /// The same, where there may be nothing to complain of.
    pub(super) fn fail_if(&mut self, what: Option<String>) {
        if let Some(what) = what {
            self.fail(what);
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// For people.
    pub(super) fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(ASCII_MARKDOWN);
        table.set_header(["", "", "reference", "ours", "ratio", "target", ""]);
        for column in 2..5 {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let mut chapter = "";
        for figure in &self.figures {
            let first = std::mem::replace(&mut chapter, figure.chapter) != figure.chapter;
            let optional = |text: Option<String>| text.unwrap_or_default();
            table.add_row([
                if first { chapter.to_owned() } else { String::new() },
                figure.name.clone(),
                optional(figure.reference.map(|value| figure.unit.show(value))),
                figure.unit.show(figure.ours),
                optional(figure.ratio().map(|ratio| format!("{ratio:.2}"))),
                figure.targets_text(),
                figure.status().to_owned(),
            ]);
        }
        let failures: String =
            self.failures.iter().map(|failure| format!("FAILED {failure}\n")).collect();
        format!("{table}\n{failures}")
    }

    /// For programs.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn write_json(&self, file: &Path) -> anyhow::Result<()> {
        let figures: Vec<serde_json::Value> = self.figures.iter().map(figure_json).collect();
        let document = serde_json::json!({"figures": figures, "failures": self.failures});
        std::fs::write(file, format!("{document:#}\n"))
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

fn figure_json(figure: &Figure) -> serde_json::Value {
    let targets: Vec<serde_json::Value> = figure
        .targets
        .iter()
        .map(|target| {
            let (word, limit) = match *target {
                Target::AtMost(limit) => ("atMost", limit),
                Target::AtLeast(limit) => ("atLeast", limit),
                Target::AddedAtMost(limit) => ("addedAtMost", limit),
                Target::ShareAtLeast(limit) => ("shareAtLeast", limit),
            };
            serde_json::json!({word: limit, "met": figure.is_met(*target)})
        })
        .collect();
    serde_json::json!({
        "chapter": figure.chapter,
        "name": figure.name,
        "unit": figure.unit,
        "bare": figure.reference,
        "ours": figure.ours,
        "ratio": figure.ratio(),
        "targets": targets,
    })
}

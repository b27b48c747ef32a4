//! Lints a pack: reports all errors at once, while loading stops at the first one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::error::PackError;
use super::load::{Pack, SETTINGS_FILE};
use super::real_settings::{ACP_PLACEHOLDERS, REAL_PLACEHOLDERS};
use super::render::{render, unknown_name};
use super::scenarios::unknown_scenarios;
use super::settings::{PromptDelivery, Settings};
use super::steps::{self, NEEDS_LISTEN, Template};
use super::values::Values;
use crate::check::Check;

/// The result of linting.
#[derive(Debug, Clone, Default)]
pub struct Lint {
    /// Errors that make the pack unusable.
    pub faults: Vec<PackError>,
    /// Probable mistakes.
    pub warnings: Vec<PackError>,
}

/// Lints a pack.
pub fn lint(folder: &Path, checks: &[Check]) -> Lint {
    let file = folder.join(SETTINGS_FILE);
    let mut found = Lint::default();
    if let Some((text, settings)) = readable_settings(&file) {
        let sample = Values::fresh(&mut StdRng::seed_from_u64(0), Path::new("/"));
        found.faults.extend(unknown_scenarios(&file, &text, &settings));
        found.faults.extend(unknown_checks(&file, &text, &settings, checks));
        found.faults.extend(wrong_placeholders(&file, &text, &sample));
        for (name, steps) in step_files(&settings) {
            let template = lint_steps(folder, &file, &text, steps, &sample, &mut found.faults);
            let binds = |it: Template| it.bound.iter().any(|bound| bound == "prompt");
            let lacks_prompt = template.is_some_and(|template| !binds(template));
            if name == "text" && settings.cli.prompt == PromptDelivery::Rpc && lacks_prompt {
                let message = "no step binds {{?prompt}}, so the suite cannot check the prompt";
                found.warnings.push(PackError::file(&folder.join(steps), message));
            }
        }
        found.warnings.extend(unused(folder, &settings));
    }
    // Loading decides: what it refuses is an error, even if no rule above found it.
    let reading = Pack::load(folder).err();
    if found.faults.is_empty() {
        found.faults.extend(reading);
    }
    found.faults.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    found
}

fn readable_settings(file: &Path) -> Option<(String, Settings)> {
    let text = std::fs::read_to_string(file).ok()?;
    let settings = toml::from_str(&text).ok()?;
    Some((text, settings))
}

fn step_files(settings: &Settings) -> impl Iterator<Item = (&str, &String)> {
    let scenarios = settings.scenario.iter();
    scenarios.filter_map(|(name, scenario)| Some((name.as_str(), scenario.steps.as_ref()?)))
}

fn unknown_checks(
    file: &Path,
    text: &str,
    settings: &Settings,
    checks: &[Check],
) -> Vec<PackError> {
    let is_check = |id: &str| checks.iter().any(|check| check.id == id);
    let unknown = settings.known_failures.keys().filter(|id| !is_check(id));
    unknown.map(|id| PackError::at_word(file, text, id, format!("unknown check {id}"))).collect()
}

/// Reports unknown placeholders of the settings. Output of probes is not filled, so it is ignored.
fn wrong_placeholders(file: &Path, text: &str, sample: &Values) -> Vec<PackError> {
    let is_filled = |line: &str| {
        let line = line.trim_start();
        !["#", "stdout", "stderr"].iter().any(|start| line.starts_with(start))
    };
    let mut faults = Vec::new();
    let (real_names, acp_names) =
        (REAL_PLACEHOLDERS.map(str::to_owned), ACP_PLACEHOLDERS.map(str::to_owned));
    let mut own: &[String] = &[];
    for (index, line) in text.lines().enumerate().filter(|(_, line)| is_filled(line)) {
        if line.starts_with('[') {
            own = match line {
                _ if line.starts_with("[real.acp") => &acp_names,
                _ if line.starts_with("[real") => &real_names,
                _ => &[],
            };
        }
        if let Some(name) = unknown_name(line, &sample.single, own) {
            faults.push(PackError::at(file, index + 1, format!("unknown placeholder {name:?}")));
        }
    }
    faults
}

/// Parses a step file; after each error the line is replaced and the file is parsed again. Returns
/// the template if there was no error.
fn lint_steps(
    folder: &Path,
    settings_file: &Path,
    settings_text: &str,
    steps: &str,
    sample: &Values,
    faults: &mut Vec<PackError>,
) -> Option<Template> {
    let file = folder.join(steps);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("{} cannot be read: {error}", file.display());
            faults.push(PackError::at_word(settings_file, settings_text, steps, message));
            return None;
        }
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut is_clean = true;
    let mut attempts: BTreeMap<usize, usize> = BTreeMap::new();
    loop {
        let read = steps::parse(&file, &lines.join("\n"));
        let fault = match read.and_then(|template| render(&template, sample).map(|_| template)) {
            Ok(template) => return is_clean.then_some(template),
            Err(fault) => fault,
        };
        is_clean = false;
        let (line, is_last) = (fault.line, fault.message == NEEDS_LISTEN);
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        let attempt = attempts.entry(line).or_default();
        match lines.get_mut(line.wrapping_sub(1)) {
            Some(text) if *attempt < 2 && !is_last => {
                *text = replacement_line(text, *attempt).to_owned()
            }
            _ => return None,
        }
        *attempt += 1;
    }
}

/// Returns a valid line that opens or answers the same as the invalid one; the second time a line
/// that does as little as possible.
fn replacement_line(text: &str, attempt: usize) -> &'static str {
    let text = text.trim_start();
    let replacements = [
        ("{{#each", ["{{#each deltas}}"; 2]),
        ("listen", ["listen", ""]),
        ("expect-request", ["expect-request GET /", ""]),
        ("reply", ["reply 200", ""]),
        ("stream", ["stream", ""]),
        ("on request", ["on request GET /", "on signal SIGINT"]),
        ("on ", ["on signal SIGINT"; 2]),
    ];
    let known = replacements.iter().find(|(start, _)| text.starts_with(start));
    known.map_or("", |(_, replacement)| replacement[attempt])
}

/// Reports files that the settings do not mention.
fn unused(folder: &Path, settings: &Settings) -> Vec<PackError> {
    let scenarios = settings.scenario.values();
    let own = scenarios.flat_map(|scenario| {
        let files = scenario.home.iter().chain(&scenario.files).flat_map(|files| files.values());
        files.chain(&scenario.steps)
    });
    let used: BTreeSet<PathBuf> = own
        .chain(settings.auth.home.values())
        .chain(settings.cli.files.values())
        .map(|name| folder.join(name))
        .chain([folder.join(SETTINGS_FILE)])
        .collect();
    let is_document = |file: &Path| file.extension().is_some_and(|end| end == "md");
    files_below(folder)
        .into_iter()
        .filter(|file| !used.contains(file) && !is_document(file))
        .map(|file| PackError::file(&file, "the settings do not mention this file"))
        .collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

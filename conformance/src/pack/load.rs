//! Finds and loads a pack, and creates scripts from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use super::error::PackError;
use super::launch_environment::LaunchEnvironment;
use super::render::render;
use super::scenarios::unknown_scenarios;
use super::settings::{ScenarioSettings, Settings};
use super::steps::{self, Template};
use super::values::Values;
use crate::fake_cli::pattern::{Bindings, fill, fill_value};
use crate::fake_cli::{Probe, Script};

pub(super) const SETTINGS_FILE: &str = "conformance.toml";

/// A valid pack.
#[derive(Debug, Clone)]
pub struct Pack {
    /// Its folder.
    pub folder: PathBuf,
    /// `conformance.toml`.
    pub settings: Settings,
    templates: BTreeMap<String, Template>,
    files: BTreeMap<String, String>,
}

/// Finds the pack of an adapter: next to its executable or the target of that link, then below the
/// folder `adapters` of the current folder and its ancestors, then of the ancestors of the
/// executable and of its target (see [`adapter_folders`]).
pub fn find(adapter: &Path, adapter_id: &str) -> Option<PathBuf> {
    let target = adapter.canonicalize().ok();
    let of_link = adapter.parent().map(Path::to_owned);
    let of_target = target.as_deref().and_then(Path::parent).map(Path::to_owned);
    let beside = [&of_link, &of_target].map(|folder| Some(folder.as_ref()?.join("conformance")));
    let from_here = std::env::current_dir().ok();
    let from_link = of_link.and_then(|folder| folder.canonicalize().ok());
    let above = [from_here, from_link, of_target].into_iter().flatten().flat_map(|folder| {
        let folders: Vec<PathBuf> = folder.ancestors().map(Path::to_owned).collect();
        folders.into_iter().flat_map(|folder| adapter_folders(&folder.join("adapters")))
    });
    let of_adapter =
        above.filter(|folder| folder.file_name().is_some_and(|name| name == adapter_id));
    let packs = of_adapter.map(|folder| folder.join("conformance"));
    beside.into_iter().flatten().chain(packs).find(|folder| folder.join(SETTINGS_FILE).is_file())
}

/// Returns the folders below `adapters` that contain a pack, each named after its adapter:
/// `adapters/<id>`, or `adapters/<family>/<id>` if several adapters share a crate.
pub fn adapter_folders(adapters: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let mut folders = entries(adapters);
    let nested: Vec<PathBuf> = folders.iter().flat_map(|folder| entries(folder)).collect();
    folders.extend(nested);
    folders.retain(|folder| folder.join("conformance").join(SETTINGS_FILE).is_file());
    folders.sort_by(|left, right| left.file_name().cmp(&right.file_name()));
    folders
}

impl Pack {
    /// Loads a pack and all its files.
    ///
    /// # Errors
    /// When a file is missing or invalid, with file and line.
    pub fn load(folder: &Path) -> Result<Self, PackError> {
        let file = folder.join(SETTINGS_FILE);
        let text = read(&file, &file)?;
        let settings: Settings = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            PackError::at(&file, line, error.message())
        })?;
        let mut pack = Self {
            folder: folder.to_owned(),
            settings,
            templates: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        pack.check_names(&file, &text)?;
        pack.read_templates(&file)?;
        pack.read_files(&file)?;
        Ok(pack)
    }

    /// Returns the path of its `conformance.toml`.
    pub fn settings_file(&self) -> PathBuf {
        self.folder.join(SETTINGS_FILE)
    }

    /// Whether the pack has a scenario.
    pub fn has(&self, scenario: &str) -> bool {
        self.settings.scenario.contains_key(scenario)
    }

    /// Returns the script of a scenario for the fake CLI.
    ///
    /// # Errors
    /// When a placeholder of its step file is unknown.
    pub fn script(&self, scenario: &str, values: &Values) -> Result<Script, PackError> {
        let mut script = match self.templates.get(scenario) {
            Some(template) => render(template, values)?,
            None => Script::default(),
        };
        script.probes = self.probes(self.settings.scenario.get(scenario));
        script.terminal = self.settings.cli.pty;
        Ok(script)
    }

    /// Whether the steps of a scenario print a value: not every agent CLI reports every number.
    pub fn prints_value(&self, scenario: &str, value: &str) -> bool {
        let placeholder = format!("{{{{{value}}}}}");
        let template = self.templates.get(scenario);
        template
            .is_some_and(|template| template.nodes.iter().any(|node| node.mentions(&placeholder)))
    }

    /// Formats the session ids like this agent CLI does.
    pub fn format_session_ids(&self, values: &mut Values) {
        let Some(form) = &self.settings.cli.session_id else { return };
        for name in ["session_id", "new_session_id"] {
            let uuid = Bindings::from([("uuid".to_owned(), values.text(name).into())]);
            values.set(name, fill(form, &uuid));
        }
    }

    /// Returns the prompt of a scenario and its additional members of `run/start`.
    pub fn request_extras(&self, scenario: &str, values: &Values) -> (String, Value) {
        let settings = self.settings.scenario.get(scenario).cloned().unwrap_or_default();
        let prompt = settings
            .prompt
            .map_or_else(|| values.text("prompt"), |text| fill(&text, &values.single));
        let mut params = serde_json::to_value(settings.params).unwrap_or_default();
        fill_value(&mut params, &values.single);
        (prompt, params)
    }

    /// Returns the home, environment and files with which the adapter of a scenario is started.
    pub fn launch_environment(&self, scenario: Option<&str>, values: &Values) -> LaunchEnvironment {
        let own =
            scenario.and_then(|name| self.settings.scenario.get(name)).cloned().unwrap_or_default();
        let is_own =
            own.env.is_some() || own.home.is_some() || own.files.is_some() || own.version.is_some();
        let probes = self.probes(Some(&own));
        let env = own.env.unwrap_or_else(|| self.settings.auth.env.clone());
        let home = own.home.unwrap_or_else(|| self.settings.auth.home.clone());
        let files = own.files.unwrap_or_else(|| self.settings.cli.files.clone());
        LaunchEnvironment {
            is_own,
            probes,
            env: env
                .into_iter()
                .map(|(name, value)| (name, fill(&value, &values.single)))
                .collect(),
            home: self.filled(&home, values),
            files: self.filled(&files, values),
        }
    }

    fn filled(
        &self,
        files: &BTreeMap<String, String>,
        values: &Values,
    ) -> BTreeMap<String, String> {
        let fill_one = |(target, source): (&String, &String)| {
            let text = self.files.get(source).map(|text| fill(text, &values.single));
            (target.clone(), text.unwrap_or_default())
        };
        files.iter().map(fill_one).collect()
    }

    fn probes(&self, own: Option<&ScenarioSettings>) -> Vec<Probe> {
        let version = own
            .and_then(|own| own.version.clone())
            .or_else(|| self.settings.cli.version.clone())
            .map(|version| Probe {
                args: vec!["--version".to_owned()],
                stdout: format!("{version}\n"),
                ..Probe::default()
            });
        let own = own.map(|own| own.probe.clone()).unwrap_or_default();
        own.into_iter().chain(self.settings.cli.probe.clone()).chain(version).collect()
    }

    fn check_names(&self, file: &Path, text: &str) -> Result<(), PackError> {
        match unknown_scenarios(file, text, &self.settings).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn read_templates(&mut self, settings_file: &Path) -> Result<(), PackError> {
        let sample = Values::fresh(&mut StdRng::seed_from_u64(0), Path::new("/"));
        for (name, scenario) in &self.settings.scenario {
            if let Some(steps) = &scenario.steps {
                let file = self.folder.join(steps);
                let template = steps::parse(&file, &read(&file, settings_file)?)?;
                // An unknown placeholder is an error of the pack and is found before any check.
                render(&template, &sample)?;
                self.templates.insert(name.clone(), template);
            }
        }
        Ok(())
    }

    fn read_files(&mut self, settings_file: &Path) -> Result<(), PackError> {
        let settings = &self.settings;
        let own = settings.scenario.values().flat_map(|scenario| {
            scenario.home.iter().chain(&scenario.files).flat_map(BTreeMap::values)
        });
        let all: Vec<String> = settings
            .auth
            .home
            .values()
            .chain(settings.cli.files.values())
            .chain(own)
            .cloned()
            .collect();
        for source in all {
            let text = read(&self.folder.join(&source), settings_file)?;
            self.files.insert(source, text);
        }
        Ok(())
    }
}

fn read(file: &Path, named_by: &Path) -> Result<String, PackError> {
    std::fs::read_to_string(file).map_err(|error| {
        PackError::file(named_by, format!("{} cannot be read: {error}", file.display()))
    })
}

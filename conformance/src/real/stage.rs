//! The stage of one scenario: a fake model, a scratch home, a plugin that is told to use the real
//! agent CLI, and the runs that are made on it.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use od_protocol::{Prompt, SessionChoice, StartRunParams};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::drift::flags_of;
use super::leftover;
use super::relay::{Journal, Relay};
use super::settings::{RealExpectation, RealSettings};
use super::version::search_path;
use crate::bench::{CliPath, initialize};
use crate::invariants::{Label, Violations, Watch};
use crate::model::{ModelOptions, ModelServer, RecordedRequest};
use crate::pack::nonce;
use crate::plugin::{Answer, Launch, Plugin, RunRecord, base_env};
use crate::process;
use crate::stand_in::StandIn;
use crate::stand_in::pattern::{Bindings, fill};
use crate::suite::Suite;
use crate::transcript::Transcript;
use crate::verdict::{Failure, Finding, fail};

/// How long a run of the real agent CLI may take.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// What can be filled into the pack's `[real]` table: the fake model's address and a fake key.
pub const REAL_PLACEHOLDERS: [&str; 2] = ["url", "secret"];

/// What a stage is set with.
pub(super) struct StageOptions<'a> {
    /// The plugin, its manifest and its pack.
    pub(super) suite: &'a Suite,
    /// The pack's `[real]` table.
    pub(super) settings: &'a RealSettings,
    /// The agent CLI.
    pub(super) cli: &'a Path,
    /// Whether a relay between adapter and agent CLI writes down what both say.
    pub(super) is_relayed: bool,
    /// What every prompt ends with; more directions for the model.
    pub(super) prompt_end: &'static str,
}

/// What a scenario holds.
pub(super) struct Stage {
    /// The plugin.
    pub(super) plugin: Plugin,
    /// Where the agent works; it exists and is empty.
    pub(super) cwd: PathBuf,
    /// What the pack says about this scenario.
    pub(super) expectation: RealExpectation,
    /// Rules that were broken on this stage.
    pub(super) violations: Violations,
    /// What was asked of the agent, run by run.
    pub(super) prompts: Vec<String>,
    /// The key that the agent CLI was given.
    pub(super) secret: String,
    /// Everything of this stage is below it.
    pub(super) folder: PathBuf,
    prompt_end: &'static str,
    model: ModelServer,
    relay: Option<Relay>,
    random: StdRng,
    run_env: std::collections::BTreeMap<String, String>,
    runs: Vec<String>,
}

impl Stage {
    /// Sets the stage: everything is new but the agent CLI.
    ///
    /// # Errors
    /// Blocked when the plugin cannot be started or initialised; a suite error when something of
    /// the suite cannot be made.
    pub(super) fn set(
        options: &StageOptions<'_>,
        scenario: &str,
        folder: &Path,
    ) -> Result<Self, Finding> {
        let StageOptions { suite, settings, .. } = *options;
        let folder = suite.work.join(folder);
        let (cwd, home) = (folder.join("cwd"), folder.join("home"));
        std::fs::create_dir_all(&cwd)?;
        std::fs::create_dir_all(home.join("tmp"))?;
        let log = Some(folder.join("requests"));
        let model = ModelServer::start(ModelOptions { log, ..ModelOptions::default() })
            .map_err(|error| Finding::Suite(error.to_string()))?;
        let mut hasher = DefaultHasher::new();
        (suite.seed, scenario).hash(&mut hasher);
        let mut random = StdRng::seed_from_u64(hasher.finish());
        let secret = format!("sk-conformance-{}", nonce(&mut random));
        let bindings = placeholders(&model.url(), &secret);
        for (name, text) in &settings.home {
            let file = home.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&home))?;
            std::fs::write(file, fill(text, &bindings))?;
        }
        let mut env = base_env(&home, &search_path(options.cli));
        let filled = |(name, value): (&String, &String)| (name.clone(), fill(value, &bindings));
        env.extend(settings.env.iter().map(filled));
        let run_env = settings.run_env.iter().map(filled).collect();
        let relay = match options.is_relayed {
            true => Some(Relay::place(&folder.join("relay"), suite, options.cli)?),
            false => None,
        };
        let cli = relay.as_ref().map_or(options.cli, Relay::executable);
        let violations = Violations::default();
        let launch = Launch {
            env,
            cwd: folder.clone(),
            arguments: vec!["--stdio".to_owned()],
            patience: suite.patience,
            secrets: vec![secret.clone()],
        };
        let mut plugin = start(suite, &launch, &folder, (scenario, &violations))?;
        initialize(&mut plugin, &CliPath::At(cli.to_owned()))?;
        Ok(Self {
            plugin,
            cwd,
            expectation: settings.scenario.get(scenario).cloned().unwrap_or_default(),
            violations,
            prompts: Vec::new(),
            secret,
            folder,
            prompt_end: options.prompt_end,
            model,
            relay,
            random,
            run_env,
            runs: Vec::new(),
        })
    }

    /// What the relay wrote down, start by start; nothing when there is none.
    pub(super) fn journals(&self) -> Vec<Journal> {
        self.relay.as_ref().map(Relay::journals).unwrap_or_default()
    }

    /// The flags that the adapter passed, where a relay saw them.
    pub(super) fn flags(&self) -> BTreeSet<String> {
        self.journals().iter().flat_map(|journal| flags_of(&journal.arguments)).collect()
    }

    /// A short word that occurs nowhere else.
    pub(super) fn nonce(&mut self) -> String {
        nonce(&mut self.random)
    }

    /// What the model was asked so far, without calls on the side.
    pub(super) fn asked(&self) -> Vec<RecordedRequest> {
        let is_main = |it: &RecordedRequest| it.wire.is_some() && !it.side_call;
        self.model.requests().into_iter().filter(is_main).collect()
    }

    /// Starts a run in a new session; it must be accepted.
    ///
    /// # Errors
    /// A failure when it is not.
    pub(super) fn start(&mut self, prompt: &str) -> Result<String, Finding> {
        self.start_in(prompt, SessionChoice::default())
    }

    /// Starts a run in a session; it must be accepted.
    ///
    /// # Errors
    /// A failure when it is not.
    pub(super) fn start_in(
        &mut self,
        prompt: &str,
        session: SessionChoice,
    ) -> Result<String, Finding> {
        let run_id = format!("run-{}", self.nonce());
        let prompt = format!("{prompt}{}", self.prompt_end);
        let request = StartRunParams {
            run_id: run_id.clone(),
            cwd: self.cwd.to_string_lossy().into_owned(),
            prompt: Prompt { text: prompt.clone(), ..Prompt::default() },
            session,
            env: self.run_env.clone(),
            trace_path: Some(self.trace().to_string_lossy().into_owned()),
            ..StartRunParams::default()
        };
        let request = with_params(request, &self.expectation.params)?;
        self.prompts.push(prompt);
        match self.plugin.start_run(&request)? {
            Answer::Result(_) => {
                self.runs.push(run_id.clone());
                Ok(run_id)
            }
            refused @ Answer::Error(_) => {
                let failure = Failure::new("the run is accepted", refused.summary());
                Err(failure.at(self.plugin.place()).into())
            }
        }
    }

    /// Waits for the end of a run; nothing of it may be alive then.
    ///
    /// # Errors
    /// A failure when it does not end, or when a process of it is left.
    pub(super) fn finish(&mut self, run_id: &str) -> Result<RunRecord, Finding> {
        let limit = self.expectation.limit_s.map_or(RUN_LIMIT, Duration::from_secs);
        let record = self.plugin.finish(run_id, limit)?;
        let left = self.processes();
        if left.is_empty() {
            return Ok(record);
        }
        let names: Vec<String> =
            left.iter().map(|it| format!("{} ({})", it.pid, it.command)).collect();
        fail("no process of the run is left after `done`", names.join(", "))
    }

    /// Makes a run to its end, in a new session.
    ///
    /// # Errors
    /// As [`Stage::start`] and [`Stage::finish`].
    pub(super) fn play(&mut self, prompt: &str) -> Result<RunRecord, Finding> {
        let run_id = self.start(prompt)?;
        self.finish(&run_id)
    }

    /// Waits until a process of a run has these words in its command line. Where processes cannot
    /// be looked at it does not wait.
    ///
    /// # Errors
    /// A failure when none comes.
    pub(super) fn wait_process(&self, words: &str) -> Result<(), Finding> {
        if !process::CAN_INSPECT {
            return Ok(());
        }
        let limit = self.plugin.limit(RUN_LIMIT);
        let is_there =
            |all: &[leftover::Process]| all.iter().any(|one| one.command.contains(words));
        if leftover::wait_for(&self.folder, self.plugin.pid(), limit, is_there) {
            return Ok(());
        }
        fail(format!("a process `{words}` within {limit:.1?}"), "there is none")
    }

    /// Everything that was said, run after run.
    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.runs.iter().map(|run_id| self.plugin.run(run_id)).collect()
    }

    /// What the agent CLI printed: what the relay heard, else what the adapter wrote down.
    pub(super) fn printed(&self) -> String {
        if self.relay.is_some() {
            return self.journals().iter().map(Journal::stdout).collect();
        }
        let trace = std::fs::read(self.trace()).unwrap_or_default();
        String::from_utf8_lossy(&trace).into_owned()
    }

    /// The file in which the adapter writes down everything that the agent CLI printed.
    fn trace(&self) -> PathBuf {
        self.folder.join("trace.log")
    }

    /// The live processes of all runs.
    fn processes(&self) -> Vec<leftover::Process> {
        if !process::CAN_INSPECT {
            return Vec::new();
        }
        leftover::processes_of(&self.folder, self.plugin.pid())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.plugin.kill();
        self.processes().into_iter().for_each(|it| process::kill(it.pid));
    }
}

/// Starts the plugin of a scenario; every line it says is watched.
fn start(
    suite: &Suite,
    launch: &Launch,
    folder: &Path,
    (scenario, violations): (&str, &Violations),
) -> Result<Plugin, Finding> {
    let label = Label::default();
    label.set(scenario);
    let watch = Watch::new(Arc::clone(&suite.schema), violations.clone(), label);
    let transcript = Transcript::create(&folder.join("transcript.log"))?;
    // It is never named to the adapter: the real agent CLI plays its part.
    let stand_in = StandIn::place(&folder.join("unused"), &suite.cli_name(), &suite.executable)?;
    Plugin::start(&suite.plugin, launch, stand_in, transcript, watch)
}

/// What the placeholders stand for.
pub(crate) fn placeholders(url: &str, secret: &str) -> Bindings {
    let [url_name, secret_name] = REAL_PLACEHOLDERS;
    [(url_name, url), (secret_name, secret)]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect()
}

fn with_params(request: StartRunParams, more: &toml::Table) -> Result<StartRunParams, Finding> {
    let mut value = serde_json::to_value(request).unwrap_or_default();
    let more = serde_json::to_value(more).unwrap_or_default();
    if let (Value::Object(into), Value::Object(from)) = (&mut value, more) {
        into.extend(from);
    }
    serde_json::from_value(value)
        .map_err(|error| Finding::Suite(format!("the pack's params do not fit run/start: {error}")))
}

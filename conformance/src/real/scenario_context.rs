//! The context of one scenario: a fake model, a scratch home, an adapter with the real agent CLI,
//! and its runs.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use od_protocol::adapter::StartRunParams;
use od_protocol::{Prompt, SessionChoice};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use super::drift::flags_of;
use super::relay::{Relay, RelayLog};
use crate::adapter_client::{AdapterClient, Answer, Launch, RunRecord, base_env};
use crate::context::{CliPath, LaunchOptions, initialize};
use crate::fake_cli::FakeCli;
use crate::fake_cli::pattern::fill;
use crate::invariants::{InvariantChecker, Label, Violations};
use crate::model::{ModelOptions, ModelServer, RecordedRequest};
use crate::outcome::{Failure, Finding, fail};

use crate::pack::{RealExpectation, RealSettings, nonce, real_placeholders};
use crate::process::{self, Process};
use crate::suite::Suite;
use crate::transcript::Transcript;

/// The time limit of a run of the real agent CLI.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// What a context is created from.
pub(super) struct ScenarioContextOptions<'a> {
    /// The adapter, its manifest and its pack.
    pub(super) suite: &'a Suite,
    /// The pack's `[real]` table.
    pub(super) settings: &'a RealSettings,
    pub(super) cli: &'a Path,
    /// Whether a relay between adapter and agent CLI records both sides.
    pub(super) is_relayed: bool,
    /// Appended to every prompt: more directions for the fake model.
    pub(super) prompt_suffix: &'static str,
}

/// What a scenario works with.
pub(super) struct ScenarioContext {
    pub(super) adapter: AdapterClient,
    /// The folder of the runs; exists and is empty.
    pub(super) cwd: PathBuf,
    /// The settings of the pack for this scenario.
    pub(super) expectation: RealExpectation,
    /// Violations of stream rules in this scenario.
    pub(super) violations: Violations,
    pub(super) prompts: Vec<String>,
    /// The API key of the agent CLI.
    pub(super) secret: String,
    /// All files of this scenario are below it.
    pub(super) folder: PathBuf,
    prompt_suffix: &'static str,
    model: ModelServer,
    relay: Option<Relay>,
    random: StdRng,
    run_env: std::collections::BTreeMap<String, String>,
    runs: Vec<String>,
}

impl ScenarioContext {
    /// Creates the context. Only the agent CLI is shared.
    ///
    /// # Errors
    /// Blocked when the adapter cannot be started or initialised; a suite error when the suite fails.
    pub(super) fn new(
        options: &ScenarioContextOptions<'_>,
        scenario: &str,
        folder: &Path,
    ) -> Result<Self, Finding> {
        let ScenarioContextOptions { suite, settings, .. } = *options;
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
        let bindings = real_placeholders(&model.url(), &secret);
        for (name, text) in &settings.home {
            let file = home.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&home))?;
            std::fs::write(file, fill(text, &bindings))?;
        }
        let mut env = base_env(&home, &process::own_search_path(options.cli));
        let filled = |(name, value): (&String, &String)| (name.clone(), fill(value, &bindings));
        env.extend(settings.env.iter().map(filled));
        let run_env = settings.run_env.iter().map(filled).collect();
        let relay = match options.is_relayed {
            true => Some(Relay::location(&folder.join("relay"), suite, options.cli)?),
            false => None,
        };
        let cli = relay.as_ref().map_or(options.cli, Relay::executable);
        let violations = Violations::default();
        let launch = Launch {
            env,
            cwd: folder.clone(),
            arguments: vec!["--stdio".to_owned()],
            time_factor: suite.time_factor,
            secrets: vec![secret.clone()],
        };
        let mut adapter = start(suite, &launch, &folder, (scenario, &violations))?;
        let cli_path = CliPath::At(cli.to_owned());
        initialize(&mut adapter, &LaunchOptions { cli_path, ..LaunchOptions::default() })?;
        Ok(Self {
            adapter,
            cwd,
            expectation: settings.scenario.get(scenario).cloned().unwrap_or_default(),
            violations,
            prompts: Vec::new(),
            secret,
            folder,
            prompt_suffix: options.prompt_suffix,
            model,
            relay,
            random,
            run_env,
            runs: Vec::new(),
        })
    }

    /// The logs of the relay, one per start; empty without a relay.
    pub(super) fn relay_logs(&self) -> Vec<RelayLog> {
        self.relay.as_ref().map(Relay::relay_logs).unwrap_or_default()
    }

    /// The flags that the adapter passed, if a relay recorded them.
    pub(super) fn flags(&self) -> BTreeSet<String> {
        self.relay_logs().iter().flat_map(|relay_log| flags_of(&relay_log.arguments)).collect()
    }

    /// A short unique text.
    pub(super) fn nonce(&mut self) -> String {
        nonce(&mut self.random)
    }

    /// The requests to the model so far, without auxiliary ones.
    pub(super) fn model_requests(&self) -> Vec<RecordedRequest> {
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
        let prompt = format!("{prompt}{}", self.prompt_suffix);
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
        match self.adapter.start_run(&request)? {
            Answer::Result(_) => {
                self.runs.push(run_id.clone());
                Ok(run_id)
            }
            refused @ Answer::Error(_) => {
                let failure = Failure::new("the run is accepted", refused.summary());
                Err(failure.at(self.adapter.location()).into())
            }
        }
    }

    /// Waits for the end of a run; no process of it may be left.
    ///
    /// # Errors
    /// A failure when it does not end, or when a process of it is left.
    pub(super) fn finish(&mut self, run_id: &str) -> Result<RunRecord, Finding> {
        let limit = self.expectation.limit_s.map_or(RUN_LIMIT, Duration::from_secs);
        let record = self.adapter.finish(run_id, limit)?;
        let left = self.processes();
        if left.is_empty() {
            return Ok(record);
        }
        let names: Vec<String> =
            left.iter().map(|it| format!("{} ({})", it.pid, it.command)).collect();
        fail("no process of the run is left after `done`", names.join(", "))
    }

    /// Starts a run in a new session and waits for its end.
    ///
    /// # Errors
    /// As [`ScenarioContext::start`] and [`ScenarioContext::finish`].
    pub(super) fn run_prompt(&mut self, prompt: &str) -> Result<RunRecord, Finding> {
        let run_id = self.start(prompt)?;
        self.finish(&run_id)
    }

    /// Waits until a process of a run has this text in its command line. Returns at once where
    /// processes cannot be listed.
    ///
    /// # Errors
    /// A failure when none appears.
    pub(super) fn wait_process(&self, text: &str) -> Result<(), Finding> {
        if !process::CAN_INSPECT {
            return Ok(());
        }
        let limit = self.adapter.limit(RUN_LIMIT);
        let is_there = |all: &[Process]| all.iter().any(|one| one.command.contains(text));
        if process::wait_for(&self.folder, self.adapter.pid(), limit, is_there) {
            return Ok(());
        }
        fail(format!("a process `{text}` within {limit:.1?}"), "no such process")
    }

    pub(super) fn records(&self) -> Vec<RunRecord> {
        self.runs.iter().map(|run_id| self.adapter.run(run_id)).collect()
    }

    /// The output of the agent CLI, from the relay or else from the trace of the adapter.
    pub(super) fn cli_output(&self) -> String {
        if self.relay.is_some() {
            return self.relay_logs().iter().map(RelayLog::stdout).collect();
        }
        let trace = std::fs::read(self.trace()).unwrap_or_default();
        String::from_utf8_lossy(&trace).into_owned()
    }

    /// The trace file: the adapter writes all output of the agent CLI to it.
    fn trace(&self) -> PathBuf {
        self.folder.join("trace.log")
    }

    /// The live processes of all runs.
    fn processes(&self) -> Vec<Process> {
        if !process::CAN_INSPECT {
            return Vec::new();
        }
        process::processes_of(&self.folder, self.adapter.pid())
    }
}

impl Drop for ScenarioContext {
    fn drop(&mut self) {
        self.adapter.kill();
        self.processes().into_iter().for_each(|it| process::kill(it.pid));
    }
}

/// Starts the adapter of a scenario with the stream rules on every line.
fn start(
    suite: &Suite,
    launch: &Launch,
    folder: &Path,
    (scenario, violations): (&str, &Violations),
) -> Result<AdapterClient, Finding> {
    let label = Label::default();
    label.set(scenario);
    let watch = InvariantChecker::new(Arc::clone(&suite.schema), violations.clone(), label);
    let transcript = Transcript::create(&folder.join("transcript.log"))?;
    // The adapter never gets its path: it uses the real agent CLI.
    let fake_cli = FakeCli::install(&folder.join("unused"), &suite.cli_name(), &suite.executable)?;
    AdapterClient::start(&suite.adapter, launch, fake_cli, transcript, watch)
}

fn with_params(request: StartRunParams, more: &toml::Table) -> Result<StartRunParams, Finding> {
    let mut value = serde_json::to_value(request).unwrap_or_default();
    let more = serde_json::to_value(more).unwrap_or_default();
    if let (Value::Object(into), Value::Object(from)) = (&mut value, more) {
        into.extend(from);
    }
    serde_json::from_value(value).map_err(|error| {
        Finding::Suite(format!("the params of the pack are not valid for run/start: {error}"))
    })
}

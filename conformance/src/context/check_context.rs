//! The context of a check.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use od_protocol::Prompt;
use od_protocol::adapter::StartRunParams;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use super::completed_run::CompletedRun;
use super::launch::{LaunchOptions, initialize};
use crate::adapter_client::{AdapterClient, Launch, base_env};
use crate::fake_cli::{FakeCli, Script};
use crate::invariants::{InvariantChecker, Label};
use crate::outcome::{CheckOutcome, Finding};
use crate::pack::{LaunchEnvironment, Values};
use crate::prepared_run::{PreparedRun, RUN_TIMEOUT};
use crate::process;
use crate::suite::Suite;
use crate::transcript::{Location, Transcript};

/// What a check works with.
pub struct CheckContext {
    /// The data that all contexts share.
    pub suite: Arc<Suite>,
    random: StdRng,
    label: Label,
    folder_count: usize,
    shared: Option<AdapterClient>,
    /// The most recent transcript of this check.
    latest_transcript: Option<Transcript>,
    completed_runs: HashMap<String, Result<Arc<CompletedRun>, Finding>>,
}

impl CheckContext {
    /// Creates a context without a check.
    pub fn new(suite: Arc<Suite>) -> Self {
        let random = StdRng::seed_from_u64(suite.seed);
        Self {
            suite,
            random,
            label: Label::default(),
            folder_count: 0,
            shared: None,
            latest_transcript: None,
            completed_runs: HashMap::new(),
        }
    }

    /// Prepares for a check: from here on random values depend only on the seed and the label.
    pub fn start_check(&mut self, label: &str) {
        self.label.set(label);
        self.random = self.random_for(label);
        self.latest_transcript = None;
    }

    /// Starts a transcript; failures without a location point at its end.
    pub fn transcript(&mut self, folder: &std::path::Path) -> Result<Transcript, Finding> {
        let transcript = Transcript::create(&folder.join("transcript.log"))?;
        self.latest_transcript = Some(transcript.clone());
        Ok(transcript)
    }

    /// Returns the last line of the most recent transcript, or that of the manifest.
    pub fn last_location(&self) -> Option<Location> {
        let latest = self.latest_transcript.as_ref().map(Transcript::location);
        let shared = || self.shared.as_ref().map(|adapter| adapter.location());
        latest.or_else(shared).or_else(|| Some(self.suite.manifest_location()))
    }

    /// Returns the random number generator of this check.
    pub fn random(&mut self) -> &mut StdRng {
        &mut self.random
    }

    /// Returns a short text that occurs nowhere else.
    pub fn nonce(&mut self) -> String {
        crate::pack::nonce(&mut self.random)
    }

    /// Scales a timeout by the time factor.
    pub fn limit(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.suite.time_factor)
    }

    /// Returns the manifest as received.
    ///
    /// # Errors
    /// Blocked if it cannot be read.
    pub fn manifest(&self) -> Result<Value, Finding> {
        if self.suite.manifest_value.is_object() {
            return Ok(self.suite.manifest_value.clone());
        }
        Err(Finding::Blocked("MAN-01: the manifest cannot be read".to_owned()))
    }

    /// Creates a new empty folder for this check.
    pub fn folder(&mut self, name: &str) -> Result<PathBuf, Finding> {
        self.folder_count += 1;
        let thread = format!("{:?}", std::thread::current().id());
        let worker: String = thread.chars().filter(char::is_ascii_digit).collect();
        let folder = self.suite.work.join(format!(
            "{}-{worker}-{}-{name}",
            self.label.get(),
            self.folder_count
        ));
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Returns the adapter process that many checks share: initialized, with a valid login and the
    /// fake CLI. Starts a new one if the last one has ended.
    ///
    /// # Errors
    /// Blocked if it cannot be started or initialized.
    pub fn adapter(&mut self) -> Result<&mut AdapterClient, Finding> {
        let is_usable = self.shared.as_mut().is_some_and(|adapter| {
            adapter.listen(Duration::ZERO);
            adapter.is_running() && !adapter.is_stdout_closed()
        });
        if !is_usable {
            self.shared = None;
            self.shared = Some(self.launch()?);
        }
        self.shared.as_mut().ok_or_else(|| Finding::Suite("no shared adapter".to_owned()))
    }

    /// Starts a new adapter process for this check, with a valid login and the fake CLI. It is
    /// killed with its process tree when dropped.
    ///
    /// # Errors
    /// Blocked if it cannot be started or `initialize` fails, which HS-01 reports.
    pub fn launch(&mut self) -> Result<AdapterClient, Finding> {
        self.launch_with(&LaunchOptions::default())
    }

    /// Starts a new adapter process with other options.
    pub fn launch_with(&mut self, options: &LaunchOptions) -> Result<AdapterClient, Finding> {
        let folder = self.folder("adapter")?;
        let values = Values::fresh(&mut self.random, &folder);
        let environment = match &self.suite.pack {
            Some(pack) => pack.launch_environment(options.scenario, &values),
            None => LaunchEnvironment::default(),
        };
        let cli_folder = options.cli_folder.clone().unwrap_or_else(|| folder.join("cli"));
        let fake_cli = self.install_fake_cli(&cli_folder, &environment)?;
        let home = folder.join("home");
        std::fs::create_dir_all(home.join("tmp"))?;
        write_files(&home, &environment.home)?;
        let path = process::search_path(fake_cli.folder());
        let mut env = base_env(&home, &path);
        let canaries = self.suite.canaries();
        let secrets = canaries.values().cloned().chain([values.text("secret")]).collect();
        env.extend(canaries);
        env.extend(environment.env);
        env.extend(options.env.clone());
        let launch = Launch {
            env,
            cwd: folder.clone(),
            arguments: vec!["--stdio".to_owned()],
            time_factor: self.suite.time_factor,
            secrets,
        };
        let transcript = self.transcript(&folder)?;
        let checker = InvariantChecker::new(
            Arc::clone(&self.suite.schema),
            self.suite.violations.clone(),
            self.label.clone(),
        );
        let mut adapter =
            AdapterClient::start(&self.suite.adapter, &launch, fake_cli, transcript, checker)?;
        if options.initialize {
            initialize(&mut adapter, options).map_err(|finding| {
                finding.map_failure(|failure| {
                    let got = failure.got;
                    Finding::Blocked(format!("HS-01: the adapter cannot be initialized: {got}"))
                })
            })?;
        }
        Ok(adapter)
    }

    /// Starts a new adapter process without calling `initialize`.
    pub fn launch_uninitialized(&mut self) -> Result<AdapterClient, Finding> {
        self.launch_with(&LaunchOptions { initialize: false, ..LaunchOptions::default() })
    }

    /// Prepares a run of a scenario with new random values. The check may change it before it is
    /// executed.
    ///
    /// # Errors
    /// Skip without a pack, untestable without the scenario.
    pub fn prepare(&mut self, scenario: &str) -> Result<PreparedRun, Finding> {
        let cwd = self.folder("cwd")?;
        let mut values = Values::fresh(&mut self.random, &cwd);
        let pack = self.suite.pack()?;
        if !pack.has(scenario) {
            return Err(Finding::Untestable(format!("the pack has no scenario {scenario}")));
        }
        pack.format_session_ids(&mut values);
        let (prompt, extras) = pack.request_extras(scenario, &values);
        values.set("prompt", prompt.clone());
        let script = self.suite.script(scenario, &values)?;
        let needs_own_process = pack.launch_environment(Some(scenario), &values).is_own;
        let request = request(&values, prompt, extras)?;
        Ok(PreparedRun {
            scenario: scenario.to_owned(),
            values,
            script,
            request,
            needs_own_process,
        })
    }

    /// Executes a run to its end, on the shared adapter or, if the scenario needs one, on a
    /// separate adapter.
    ///
    /// # Errors
    /// See [`AdapterClient::begin`] and [`AdapterClient::finish`].
    pub fn execute(&mut self, prepared: PreparedRun) -> Result<CompletedRun, Finding> {
        if prepared.needs_own_process {
            let scenario = crate::pack::SCENARIOS
                .iter()
                .map(|(name, _)| *name)
                .find(|name| *name == prepared.scenario);
            let mut adapter =
                self.launch_with(&LaunchOptions { scenario, ..LaunchOptions::default() })?;
            return execute_on(&mut adapter, prepared);
        }
        execute_on(self.adapter()?, prepared)
    }

    /// Returns the completed run of an unchanged scenario, which all checks of this context share.
    ///
    /// # Errors
    /// As [`CheckContext::execute`], with the same result every time.
    pub fn shared_run(&mut self, scenario: &str) -> Result<Arc<CompletedRun>, Finding> {
        if let Some(known) = self.completed_runs.get(scenario) {
            return known.clone();
        }
        let mut random = self.random_for(scenario);
        std::mem::swap(&mut random, &mut self.random);
        let outcome =
            self.prepare(scenario).and_then(|prepared| self.execute(prepared)).map(Arc::new);
        std::mem::swap(&mut random, &mut self.random);
        self.completed_runs.insert(scenario.to_owned(), outcome.clone());
        outcome
    }

    /// Ends a check: a shared adapter with open runs is killed, otherwise its received messages are
    /// discarded.
    pub fn finish_check(&mut self) {
        let has_open_run = self.shared.as_mut().is_some_and(|adapter| {
            adapter.listen(Duration::ZERO);
            adapter.inbox.runs.values().any(|run| run.is_accepted && !run.finished)
        });
        if has_open_run {
            self.shared = None;
        }
        if let Some(adapter) = &mut self.shared {
            adapter.inbox.forget();
        }
    }

    fn install_fake_cli(
        &self,
        folder: &std::path::Path,
        environment: &LaunchEnvironment,
    ) -> Result<FakeCli, Finding> {
        let fake_cli = FakeCli::install(folder, &self.suite.cli_name(), &self.suite.executable)?;
        write_files(fake_cli.folder(), &environment.files)?;
        fake_cli
            .load_script(&Script { probes: environment.probes.clone(), ..Script::default() })?;
        Ok(fake_cli)
    }

    fn random_for(&self, label: &str) -> StdRng {
        let mut hasher = DefaultHasher::new();
        (self.suite.seed, label).hash(&mut hasher);
        StdRng::seed_from_u64(hasher.finish())
    }
}

/// Executes a run to its end on the given adapter.
///
/// # Errors
/// See [`AdapterClient::begin`] and [`AdapterClient::finish`].
pub fn execute_on(
    adapter: &mut AdapterClient,
    prepared: PreparedRun,
) -> Result<CompletedRun, Finding> {
    let before = adapter.fake_cli.starts().len();
    let record = adapter.complete_run(&prepared, RUN_TIMEOUT)?;
    let invocation = adapter.fake_cli.starts().into_iter().nth(before);
    Ok(CompletedRun { prepared, record, invocation })
}

fn request(values: &Values, prompt: String, extras: Value) -> Result<StartRunParams, Finding> {
    let request = StartRunParams {
        run_id: format!("run-{}", values.text("nonce")),
        cwd: values.text("cwd"),
        prompt: Prompt { text: prompt, ..Prompt::default() },
        ..StartRunParams::default()
    };
    let mut value = serde_json::to_value(request).unwrap_or_default();
    if let (Value::Object(into), Value::Object(from)) = (&mut value, extras) {
        into.extend(from);
    }
    serde_json::from_value(value).map_err(|error| {
        Finding::Suite(format!("the pack's params are not valid for run/start: {error}"))
    })
}

fn write_files(folder: &std::path::Path, files: &BTreeMap<String, String>) -> CheckOutcome {
    for (name, text) in files {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(file, text)?;
    }
    Ok(())
}

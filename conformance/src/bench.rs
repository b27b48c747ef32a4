//! The bench: what a check holds. It starts plugins (a shared one, or fresh ones), prepares and
//! performs plays, and makes random values that a seed repeats.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use od_protocol::{
    AdapterConfig, HostCapabilities, HostInfo, InitializeParams, InitializeResult, Limits, Marker,
    Prompt, ProtocolRange, StartRunParams,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;

use crate::invariants::{Label, Watch};
use crate::pack::Values;
use crate::play::{PLAY_LIMIT, Performance, Play, Setting};
use crate::plugin::{Launch, Plugin, base_env};
use crate::process;
use crate::stand_in::{Script, StandIn};
use crate::suite::Suite;
use crate::transcript::{Place, Transcript};
use crate::verdict::{Finding, Verdict};

/// How a fresh plugin is started.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The scenario whose environment, home and version it gets; `None` means a login that works.
    pub scenario: Option<&'static str>,
    /// What `config.cliPath` says.
    pub cli_path: CliPath,
    /// Calls `initialize` before it is handed out.
    pub initialize: bool,
    /// More variables.
    pub env: BTreeMap<String, String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self { scenario: None, cli_path: CliPath::StandIn, initialize: true, env: BTreeMap::new() }
    }
}

/// What `config.cliPath` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliPath {
    /// The stand-in.
    StandIn,
    /// This file, whatever it is.
    At(PathBuf),
}

/// What a check holds.
pub struct Bench {
    /// What all benches share.
    pub suite: Arc<Suite>,
    random: StdRng,
    label: Label,
    made: usize,
    shared: Option<Plugin>,
    /// The newest transcript of this check.
    newest: Option<Transcript>,
    performances: HashMap<String, Result<Arc<Performance>, Finding>>,
}

impl Bench {
    /// A bench without a check.
    pub fn new(suite: Arc<Suite>) -> Self {
        let random = StdRng::seed_from_u64(suite.seed);
        Self {
            suite,
            random,
            label: Label::default(),
            made: 0,
            shared: None,
            newest: None,
            performances: HashMap::new(),
        }
    }

    /// Gets ready for a check: from here on random values depend on the seed and the label only.
    pub fn turn_to(&mut self, label: &str) {
        self.label.set(label);
        self.random = self.random_for(label);
        self.newest = None;
    }

    /// Starts a transcript; failures that name no line point at its end.
    ///
    /// # Errors
    /// A suite error when the file cannot be made.
    pub fn transcript(&mut self, folder: &std::path::Path) -> Result<Transcript, Finding> {
        let transcript = Transcript::create(&folder.join("transcript.log"))?;
        self.newest = Some(transcript.clone());
        Ok(transcript)
    }

    /// The last line of the newest transcript; without any it is that of the manifest.
    pub fn last_place(&self) -> Option<Place> {
        let newest = self.newest.as_ref().map(Transcript::place);
        let shared = || self.shared.as_ref().map(Plugin::place);
        newest.or_else(shared).or_else(|| Some(self.suite.manifest_place()))
    }

    /// The source of everything random in this check.
    pub fn random(&mut self) -> &mut StdRng {
        &mut self.random
    }

    /// A short word that occurs nowhere else.
    pub fn nonce(&mut self) -> String {
        crate::pack::nonce(&mut self.random)
    }

    /// A limit of time, stretched on slow machines.
    pub fn limit(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.suite.patience)
    }

    /// What the manifest says, as it came.
    ///
    /// # Errors
    /// Blocked when it cannot be read.
    pub fn stated(&self) -> Result<Value, Finding> {
        if self.suite.manifest_value.is_object() {
            return Ok(self.suite.manifest_value.clone());
        }
        Err(Finding::Blocked("MAN-01: there is no manifest to read".to_owned()))
    }

    /// A new empty folder for this check.
    ///
    /// # Errors
    /// A suite error when it cannot be made.
    pub fn folder(&mut self, name: &str) -> Result<PathBuf, Finding> {
        self.made += 1;
        let thread = format!("{:?}", std::thread::current().id());
        let worker: String = thread.chars().filter(char::is_ascii_digit).collect();
        let folder =
            self.suite.work.join(format!("{}-{worker}-{}-{name}", self.label.get(), self.made));
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The plugin process that many checks share, initialised, with a login that works and the
    /// stand-in as its agent CLI. A new one is started when the last one is gone.
    ///
    /// # Errors
    /// Blocked when it cannot be started or initialised.
    pub fn plugin(&mut self) -> Result<&mut Plugin, Finding> {
        let is_there = self.shared.as_mut().is_some_and(|plugin| {
            plugin.listen(Duration::ZERO);
            plugin.is_running() && !plugin.inbox.ended
        });
        if !is_there {
            self.shared = None;
            self.shared = Some(self.launch(&Setup::default())?);
        }
        self.shared.as_mut().ok_or_else(|| Finding::Suite("no shared plugin".to_owned()))
    }

    /// Starts a plugin process of the check's own. It is killed with its tree when dropped.
    ///
    /// # Errors
    /// Blocked when it cannot be started or `initialize` goes wrong, which is HS-01's business.
    pub fn launch(&mut self, setup: &Setup) -> Result<Plugin, Finding> {
        let folder = self.folder("plugin")?;
        let values = Values::fresh(&mut self.random, &folder);
        let setting = match &self.suite.pack {
            Some(pack) => pack.setting(setup.scenario, &values),
            None => Setting::default(),
        };
        let stand_in = self.place_stand_in(&folder, &setting)?;
        let home = folder.join("home");
        std::fs::create_dir_all(home.join("tmp"))?;
        write_files(&home, &setting.home)?;
        let path = process::search_path(stand_in.folder());
        let mut env = base_env(&home, &path);
        let canaries = self.suite.canaries();
        let secrets = canaries.values().cloned().chain([values.text("secret")]).collect();
        env.extend(canaries);
        env.extend(setting.env);
        env.extend(setup.env.clone());
        let launch = Launch {
            env,
            cwd: folder.clone(),
            arguments: vec!["--stdio".to_owned()],
            patience: self.suite.patience,
            secrets,
        };
        let transcript = self.transcript(&folder)?;
        let watch = Watch::new(
            Arc::clone(&self.suite.schema),
            self.suite.violations.clone(),
            self.label.clone(),
        );
        let mut plugin = Plugin::start(&self.suite.plugin, &launch, stand_in, transcript, watch)?;
        if setup.initialize {
            initialize(&mut plugin, &setup.cli_path).map_err(blocked_by_handshake)?;
        }
        Ok(plugin)
    }

    /// A scenario with fresh values, ready to be changed and performed.
    ///
    /// # Errors
    /// Skip without a pack, untestable without the scenario.
    pub fn prepare(&mut self, scenario: &str) -> Result<Play, Finding> {
        let cwd = self.folder("cwd")?;
        let mut values = Values::fresh(&mut self.random, &cwd);
        let Some(pack) = &self.suite.pack else {
            return Err(Finding::Skip("there is no fixture pack".to_owned()));
        };
        if !pack.has(scenario) {
            return Err(Finding::Untestable(format!("the pack has no scenario {scenario}")));
        }
        pack.shape(&mut values);
        let (prompt, extras) = pack.request_extras(scenario, &values);
        values.set("prompt", prompt.clone());
        let script =
            pack.script(scenario, &values).map_err(|error| Finding::Suite(error.to_string()))?;
        let needs_own_plugin = pack.setting(Some(scenario), &values).is_own;
        let request = request(&values, prompt, extras)?;
        Ok(Play { scenario: scenario.to_owned(), values, script, request, needs_own_plugin })
    }

    /// Performs a play to its end, on the shared plugin or, where the scenario needs one, on its
    /// own.
    ///
    /// # Errors
    /// See [`Plugin::begin`] and [`Plugin::finish`].
    pub fn perform(&mut self, play: Play) -> Result<Performance, Finding> {
        if play.needs_own_plugin {
            let scenario = crate::pack::SCENARIOS
                .iter()
                .map(|(name, _)| *name)
                .find(|name| *name == play.scenario);
            let mut plugin = self.launch(&Setup { scenario, ..Setup::default() })?;
            return perform_on(&mut plugin, play);
        }
        perform_on(self.plugin()?, play)
    }

    /// The performance of an unchanged scenario that all checks of this bench share.
    ///
    /// # Errors
    /// As [`Bench::perform`], the same every time.
    pub fn shared_run(&mut self, scenario: &str) -> Result<Arc<Performance>, Finding> {
        if let Some(known) = self.performances.get(scenario) {
            return known.clone();
        }
        let mut random = self.random_for(scenario);
        std::mem::swap(&mut random, &mut self.random);
        let outcome = self.prepare(scenario).and_then(|play| self.perform(play)).map(Arc::new);
        std::mem::swap(&mut random, &mut self.random);
        self.performances.insert(scenario.to_owned(), outcome.clone());
        outcome
    }

    /// Gets ready for the next check: a shared plugin with open runs is ended, one without
    /// forgets what it said.
    pub fn tidy(&mut self) {
        let has_open_run = self.shared.as_mut().is_some_and(|plugin| {
            plugin.listen(Duration::ZERO);
            plugin.inbox.runs.values().any(|run| run.is_accepted && !run.finished)
        });
        if has_open_run {
            self.shared = None;
        }
        if let Some(plugin) = &mut self.shared {
            plugin.inbox.forget();
        }
    }

    fn place_stand_in(
        &self,
        folder: &std::path::Path,
        setting: &Setting,
    ) -> Result<StandIn, Finding> {
        let stand_in =
            StandIn::place(&folder.join("cli"), &self.suite.cli_name(), &self.suite.executable)?;
        write_files(stand_in.folder(), &setting.files)?;
        stand_in.play(&Script { probes: setting.probes.clone(), ..Script::default() })?;
        Ok(stand_in)
    }

    fn random_for(&self, label: &str) -> StdRng {
        let mut hasher = DefaultHasher::new();
        (self.suite.seed, label).hash(&mut hasher);
        StdRng::seed_from_u64(hasher.finish())
    }
}

/// Performs a play to its end on a plugin of the caller's choice.
///
/// # Errors
/// See [`Plugin::begin`] and [`Plugin::finish`].
pub fn perform_on(plugin: &mut Plugin, play: Play) -> Result<Performance, Finding> {
    let before = plugin.stand_in.starts().len();
    plugin.begin(&play)?;
    let record = plugin.finish(play.run_id(), PLAY_LIMIT)?;
    let invocation = plugin.stand_in.starts().into_iter().nth(before);
    Ok(Performance { play, record, invocation })
}

/// The parameters of `initialize` that a good host sends.
pub fn initialize_params(plugin: &Plugin, cli_path: &CliPath) -> InitializeParams {
    let cli_path = match cli_path {
        CliPath::StandIn => plugin.stand_in.executable(),
        CliPath::At(path) => path,
    };
    InitializeParams {
        protocol: ProtocolRange::current(),
        host: HostInfo {
            name: "conformance".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        host_pid: Some(std::process::id()),
        capabilities: HostCapabilities { approvals: Some(Marker {}) },
        limits: Limits::default(),
        config: AdapterConfig {
            cli_path: Some(cli_path.to_string_lossy().into_owned()),
            ..AdapterConfig::default()
        },
        meta: None,
    }
}

/// Calls `initialize` as a good host does.
///
/// # Errors
/// A failure when it goes wrong.
pub fn initialize(plugin: &mut Plugin, cli_path: &CliPath) -> Result<InitializeResult, Finding> {
    let params = initialize_params(plugin, cli_path);
    plugin.call(&params)
}

fn blocked_by_handshake(finding: Finding) -> Finding {
    match finding {
        Finding::Fail(failure) => {
            Finding::Blocked(format!("HS-01: the plugin cannot be initialised: {}", failure.got))
        }
        other => other,
    }
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
    serde_json::from_value(value)
        .map_err(|error| Finding::Suite(format!("the pack's params do not fit run/start: {error}")))
}

fn write_files(folder: &std::path::Path, files: &BTreeMap<String, String>) -> Verdict {
    for (name, text) in files {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(file, text)?;
    }
    Ok(())
}

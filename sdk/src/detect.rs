//! Answers `adapter/detect`: what is installed, in which version, and whether a run would be logged
//! in. Writes nothing but the state folder. Starts a program only when files do not have the
//! answer, and stays below the protocol's limit of five seconds whatever the program does.

mod evidence;

use std::time::{Duration, Instant};

use od_os::login_shell::STARTUP_LIMIT;
use od_protocol::adapter::DetectAdapterResult;
use od_protocol::{CliTransport, ErrorObject, Evidence, Manifest};

use crate::probe::{self, cache, help, login_shell, version};
use crate::{Adapter, Install, Machine, auth, files};

/// The time for all started programs together; the rest of the five seconds is for killing them.
const PROGRAMS_LIMIT: Duration = Duration::from_millis(4000);

/// The time for `--version`.
const VERSION_LIMIT: Duration = Duration::from_secs(3);

/// Less time than this is not worth starting a program.
const MIN_LIMIT: Duration = Duration::from_millis(100);

/// Detects what is installed. "Not installed" is a result, not an error. Also reads
/// [`Adapter::help_pages`] in the remaining time.
pub fn detect(
    adapter: &(impl Adapter + ?Sized),
    machine: &Machine,
    refresh: bool,
) -> DetectAdapterResult {
    let manifest = adapter.manifest();
    let budget = TimeBudget { deadline: Instant::now() + PROGRAMS_LIMIT };
    let (machine, failed_shell) = with_login_path(&manifest, machine, refresh, &budget);
    let machine = &machine;
    let detection = Detection { manifest: &manifest, machine, refresh, budget, failed_shell };
    let mut result = match adapter.locate(machine) {
        Ok(mut install) => {
            let mut result = detection.installed(adapter, &mut install);
            result.evidence.extend(evidence::of_programs(&manifest, &install, machine));
            detection.read_help(&install, &result, adapter.help_pages());
            result
        }
        Err(error) => detection.absent(adapter, &error),
    };
    adapter.adjust_detection(&mut result);
    result
}

struct TimeBudget {
    deadline: Instant,
}

impl TimeBudget {
    /// Returns the time for one program; `None` when too little is left.
    fn allow(&self, limit: Duration) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        Some(left.min(limit)).filter(|limit| *limit > MIN_LIMIT)
    }
}

struct Detection<'a> {
    manifest: &'a Manifest,
    machine: &'a Machine,
    refresh: bool,
    budget: TimeBudget,
    /// The login shell was needed and reported no PATH.
    failed_shell: Option<Evidence>,
}

impl Detection<'_> {
    fn installed(
        &self,
        adapter: &(impl Adapter + ?Sized),
        install: &mut Install,
    ) -> DetectAdapterResult {
        let mut evidence = std::mem::take(&mut install.evidence);
        let version = self.version(install, &mut evidence);
        let version = version.as_deref();
        let cli = &self.manifest.cli;
        let meets_min = version::meets_minimum(version, cli);
        let is_too_old = meets_min == Some(false);
        let guidance = is_too_old.then(|| probe::update_command(self.manifest, install));
        DetectAdapterResult {
            installed: true,
            path: Some(install.path.display().to_string()),
            version: version.map(str::to_owned),
            meets_min,
            tested_version: version::against_tested(version, cli),
            guidance,
            ..self.result(adapter, evidence)
        }
    }

    fn absent(
        &self,
        adapter: &(impl Adapter + ?Sized),
        error: &ErrorObject,
    ) -> DetectAdapterResult {
        DetectAdapterResult {
            guidance: error.hint().map(str::to_owned),
            ..self.result(adapter, probe::evidence_of(error))
        }
    }

    /// The part of the result that does not depend on the agent CLI itself.
    fn result(
        &self,
        adapter: &(impl Adapter + ?Sized),
        mut evidence: Vec<Evidence>,
    ) -> DetectAdapterResult {
        evidence.extend(self.failed_shell.clone());
        let config_dir = adapter.config_dir(self.machine);
        evidence.extend(config_dir.as_deref().map(evidence::of_config_dir));
        evidence.extend(evidence::of_auth(&self.manifest.auth, self.machine));
        let skills = self.manifest.skills.as_ref();
        let skills_dir = skills
            .into_iter()
            .flat_map(|skills| &skills.dirs)
            .map(|dir| files::expand_home(dir, &self.machine.home))
            .find(|dir| dir.is_absolute());
        DetectAdapterResult {
            installed: false,
            path: None,
            version: None,
            meets_min: None,
            tested_version: None,
            config_dir: config_dir.filter(|dir| dir.is_dir()).map(|dir| dir.display().to_string()),
            skills_dir: skills_dir.map(|dir| dir.display().to_string()),
            auth: adapter.auth(self.machine),
            evidence,
            capabilities: self.manifest.capabilities.clone(),
            guidance: None,
        }
    }

    /// Returns the version from files, from the cache, or from `--version`: the first that has it.
    /// With `refresh` the cache comes last.
    fn version(&self, install: &Install, evidence: &mut Vec<Evidence>) -> Option<String> {
        let cached = cache::load(self.machine, &install.path).version;
        let may_be_cached = install.version.is_none()
            || install.version == cached.as_ref().map(|answer| answer.version.clone());
        let is_embedded = self.manifest.cli.transport == CliTransport::Embedded;
        let is_in_files = || version::from_metadata(&install.path).is_some();
        if is_embedded || !may_be_cached || (install.version.is_some() && is_in_files()) {
            return install.version.clone();
        }
        let is_recent = |answer: &cache::VersionAnswer| version::is_recent(answer, auth::now());
        if !self.refresh && cached.as_ref().is_some_and(is_recent) {
            evidence.push(evidence::of_version(install, install.version.as_deref(), "cached"));
            return install.version.clone();
        }
        let Some(limit) = self.budget.allow(VERSION_LIMIT) else {
            return install.version.clone();
        };
        match version::query(install, self.machine, limit) {
            Ok(version) => {
                evidence.push(evidence::of_version(install, Some(&version), "from --version"));
                Some(version)
            }
            Err(error) => {
                evidence.push(evidence::of_version(install, None, &error.to_string()));
                install.version.clone()
            }
        }
    }

    /// Reads the help pages into the cache. An agent CLI that did not report its version is not
    /// started again.
    fn read_help(&self, install: &Install, result: &DetectAdapterResult, pages: &[&[&str]]) {
        if result.version.is_none() || pages.is_empty() {
            return;
        }
        if self.refresh {
            help::forget(install, self.machine);
        }
        for page in pages {
            let Some(limit) = self.budget.allow(help::PAGE_LIMIT) else { return };
            help::read_page(install, self.machine, page, limit);
        }
    }
}

/// Returns the machine with the login shell's PATH, when PATH itself does not have the agent CLI.
fn with_login_path(
    manifest: &Manifest,
    machine: &Machine,
    refresh: bool,
    budget: &TimeBudget,
) -> (Machine, Option<Evidence>) {
    let mut machine = machine.clone();
    let is_searched = machine.cli_path.is_none() && !manifest.cli.names.is_empty();
    let limit = budget.allow(STARTUP_LIMIT).filter(|_| is_searched);
    let Some(limit) = limit.filter(|_| !probe::is_on_path(manifest, &machine)) else {
        return (machine, None);
    };
    machine.login_path = login_shell::path(&machine, refresh, limit);
    let failed = machine.login_path.is_none().then(|| evidence::of_failed_shell(&machine));
    (machine, failed)
}

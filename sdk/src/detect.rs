//! What `adapter/detect` answers: what is installed here, in which version, and whether a run would
//! be let in. Read-only but for the state folder; a program is started only when files do not tell,
//! and the whole stays below the protocol's limit of five seconds whatever the program does.

mod evidence;

use std::time::{Duration, Instant};

use od_protocol::{CliTransport, DetectAdapterResult, ErrorObject, Evidence, Manifest};

use crate::help::{self, Flags};
use crate::probe::platform::{Platform, install_command};
use crate::probe::{self, cache, files};
use crate::{Adapter, Install, Machine, auth, cli_version, login_shell};

/// What all programs that are started may take together; the rest of the five seconds is for
/// ending them.
const BUDGET: Duration = Duration::from_millis(4000);

/// What `--version` may take.
const VERSION_LIMIT: Duration = Duration::from_secs(3);

/// What is installed here. Not installed is a result, not an error.
pub fn detect(
    adapter: &(impl Adapter + ?Sized),
    machine: &Machine,
    refresh: bool,
) -> DetectAdapterResult {
    detect_with_help(adapter, machine, refresh, &[]).0
}

/// As [`detect`], and asks for help pages in what is left of the time (see [`help::probe`]): for
/// adapters that narrow their capabilities, or later build a command line, by the flags there are.
pub fn detect_with_help(
    adapter: &(impl Adapter + ?Sized),
    machine: &Machine,
    refresh: bool,
    pages: &[&[&str]],
) -> (DetectAdapterResult, Option<Flags>) {
    let manifest = adapter.manifest();
    let clock = Clock { deadline: Instant::now() + BUDGET };
    let (machine, silent_shell) = with_login_path(&manifest, machine, refresh, &clock);
    let machine = &machine;
    let detection = Detection { manifest: &manifest, machine, refresh, clock, silent_shell };
    match adapter.locate(machine) {
        Ok(mut install) => {
            let mut result = detection.installed(adapter, &mut install);
            result.evidence.extend(evidence::of_programs(&manifest, &install, machine));
            let flags = detection.help(&install, &result, pages);
            (result, flags)
        }
        Err(error) => (detection.absent(adapter, &error), None),
    }
}

struct Clock {
    deadline: Instant,
}

impl Clock {
    /// What one program may take; `None` when nothing sensible is left.
    fn allow(&self, limit: Duration) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        Some(left.min(limit)).filter(|limit| *limit > Duration::from_millis(100))
    }
}

struct Detection<'a> {
    manifest: &'a Manifest,
    machine: &'a Machine,
    refresh: bool,
    clock: Clock,
    /// The login shell was needed and did not tell its PATH.
    silent_shell: Option<Evidence>,
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
        let meets_min = cli_version::meets_minimum(version, cli);
        let guidance = (meets_min == Some(false)).then(|| self.upgrade(install));
        DetectAdapterResult {
            installed: true,
            path: Some(install.path.display().to_string()),
            version: version.map(str::to_owned),
            meets_min,
            tested_version: cli_version::against_tested(version, cli),
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

    /// What does not depend on the agent CLI itself.
    fn result(
        &self,
        adapter: &(impl Adapter + ?Sized),
        mut evidence: Vec<Evidence>,
    ) -> DetectAdapterResult {
        evidence.extend(self.silent_shell.clone());
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

    /// The version from files, from memory, or from the agent CLI: whichever comes first. With
    /// `refresh` memory comes last.
    fn version(&self, install: &Install, evidence: &mut Vec<Evidence>) -> Option<String> {
        let remembered = cache::recall(self.machine, &install.path).version;
        let is_remembered = install.version.is_none()
            || install.version == remembered.as_ref().map(|answer| answer.version.clone());
        let embedded = self.manifest.cli.transport == CliTransport::Embedded;
        let from_files = || cli_version::from_metadata(&install.path).is_some();
        if embedded || !is_remembered || (install.version.is_some() && from_files()) {
            return install.version.clone();
        }
        let fresh = |answer: &cache::VersionAnswer| cli_version::is_fresh(answer, auth::now());
        if !self.refresh && remembered.as_ref().is_some_and(fresh) {
            evidence.push(evidence::of_version(install, install.version.as_deref(), "remembered"));
            return install.version.clone();
        }
        let Some(limit) = self.clock.allow(VERSION_LIMIT) else { return install.version.clone() };
        match cli_version::ask(install, self.machine, limit) {
            Ok(version) => {
                evidence.push(evidence::of_version(install, Some(&version), "by --version"));
                Some(version)
            }
            Err(unanswered) => {
                evidence.push(evidence::of_version(install, None, &unanswered.to_string()));
                install.version.clone()
            }
        }
    }

    fn upgrade(&self, install: &Install) -> String {
        let cli = &self.manifest.cli;
        let installer =
            cli_version::from_metadata(&install.path).map(|metadata| metadata.installer);
        match install_command(cli, Platform::current(), installer) {
            Some(command) => command.to_owned(),
            None => format!(
                "upgrade {} to {} or newer",
                self.manifest.display_name,
                cli.version_min.as_deref().unwrap_or("a newer version")
            ),
        }
    }

    /// An agent CLI that did not even tell its version is not asked for more.
    fn help(
        &self,
        install: &Install,
        result: &DetectAdapterResult,
        pages: &[&[&str]],
    ) -> Option<Flags> {
        let mut flags = install.flags.clone();
        if result.version.is_some() {
            if self.refresh && !pages.is_empty() {
                help::forget(install, self.machine);
            }
            for page in pages {
                let limit = self.clock.allow(help::LIMIT)?;
                flags = help::probe(install, self.machine, page, limit).or(flags);
            }
        }
        flags
    }
}

/// The machine with the login shell's PATH, when PATH itself does not hold the agent CLI.
fn with_login_path(
    manifest: &Manifest,
    machine: &Machine,
    refresh: bool,
    clock: &Clock,
) -> (Machine, Option<Evidence>) {
    let mut machine = machine.clone();
    let searched = machine.cli_path.is_none() && !manifest.cli.names.is_empty();
    let limit = clock.allow(login_shell::LIMIT).filter(|_| searched);
    let Some(limit) = limit.filter(|_| !probe::is_on_path(manifest, &machine)) else {
        return (machine, None);
    };
    machine.login_path = login_shell::path(&machine, refresh, limit);
    let silent = machine.login_path.is_none().then(|| evidence::of_silent_shell(&machine));
    (machine, silent)
}

//! An adapter of the family; delegates to the other modules.

use std::path::PathBuf;

use od_protocol::adapter::{ListModelsResult, StartRunParams};
use od_protocol::{
    AuthInfo, AuthStatus, Capabilities, CliInfo, Effort, EffortCapability, ErrorObject,
    InputCapability, InstallMethod, Manifest, Marker, Requirements, ResumeCapability,
    UsageCapability,
};

use super::{Dialect, PiEvents, credentials, invocation, models, options, sessions};
use od_sdk::manifest::{self, Introduction, Versions, strings};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, SessionStore};

/// One CLI of the family as an adapter.
#[derive(Debug, Clone, Copy)]
pub struct PiAdapter {
    /// How the CLI differs from the others of its family.
    pub dialect: Dialect,
    /// The adapter's own version.
    pub version: &'static str,
    /// The name of the CLI.
    pub display_name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Where it is documented.
    pub homepage: &'static str,
    /// The oldest supported version.
    pub version_min: &'static str,
    /// The version its recordings were made with.
    pub version_tested: &'static str,
    /// How to install it, recommended way first.
    pub install: &'static [Installer],
    /// Its skill folders; empty if it cannot add skills.
    pub skill_dirs: &'static [&'static str],
    /// The files that hold logins.
    pub auth_files: &'static [&'static str],
    /// Variables that only this CLI reads.
    pub own_env: &'static [&'static str],
    /// Its capabilities.
    pub capabilities: fn() -> Capabilities,
    /// Finds its login.
    pub auth: fn(&Machine) -> AuthStatus,
}

/// A way to install a CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installer {
    /// `any`, `linux`, `macos`, `windows`.
    pub platform: &'static str,
    /// `npm`, `brew`, ….
    pub kind: &'static str,
    /// The command.
    pub command: &'static str,
    /// Further requirements.
    pub notes: Option<&'static str>,
}

/// The ways to log in.
pub fn auth_info(auth_files: &[&str]) -> AuthInfo {
    AuthInfo {
        methods: strings(&["api_key", "oauth", "token", "cloud"]),
        env: credentials::auth_env(),
        files: strings(auth_files),
        // The login command is `/login` inside the CLI.
        login_command: None,
    }
}

/// Capabilities of every CLI of the family.
pub fn common_capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        input: Some(InputCapability { steer: true }),
        sessions: marker(),
        resume: Some(ResumeCapability { same_cwd_only: true }),
        fork: marker(),
        effort: Some(EffortCapability { levels: Effort::ALL.to_vec() }),
        usage: Some(UsageCapability { cost: true }),
        system_prompt: marker(),
        attachments: marker(),
        images: marker(),
        ..manifest::usual_capabilities()
    }
}

impl PiAdapter {
    fn cli(&self) -> CliInfo {
        let method = |installer: &Installer| InstallMethod {
            notes: installer.notes.map(str::to_owned),
            ..manifest::install(installer.platform, installer.kind, installer.command)
        };
        let versions = Versions { min: self.version_min, tested: self.version_tested };
        let methods: Vec<InstallMethod> = self.install.iter().map(method).collect();
        manifest::cli(self.dialect.id, versions, &methods)
    }
}

impl Adapter for PiAdapter {
    fn manifest(&self) -> Manifest {
        let introduction = Introduction {
            adapter_id: self.dialect.id,
            display_name: self.display_name,
            version: self.version,
            description: self.description,
            homepage: Some(self.homepage),
        };
        let env = credentials::requirements_env(self.own_env);
        let skills = manifest::native_skills(self.skill_dirs);
        Manifest {
            capabilities: (self.capabilities)(),
            auth: auth_info(self.auth_files),
            requirements: Requirements { env, ..Requirements::default() },
            skills: skills.filter(|skills| !skills.dirs.is_empty()),
            config_schema: Some(options::schema()),
            ..introduction.manifest(self.cli())
        }
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        (self.auth)(machine)
    }

    fn help_pages(&self) -> &'static [&'static [&'static str]] {
        &[&["--help"]]
    }

    fn config_dir(&self, machine: &Machine) -> Option<PathBuf> {
        Some(self.dialect.config_dir(machine))
    }

    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        invocation::invocation(&self.dialect, start_run_params, install)
    }

    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper> {
        Box::new(PiEvents::new(self.dialect, start_run_params, install))
    }

    fn models(&self, machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        let install = self.locate(machine)?;
        models::list(&self.dialect, &self.manifest(), machine, &install)
    }

    fn session_store(&self) -> Option<SessionStore> {
        Some(SessionStore::of::<sessions::Entry>())
    }
}

//! Manifests: what those of this repository have in common, and short ways to write the values of
//! one. What an adapter can do and how its CLI is installed is said by the adapter.

use od_protocol::{AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo, EnvRequirement, InstallMethod, Manifest, Marker, PermissionModesCapability, ProtocolRange, Requirements, SkillStrategy, SkillsInfo};

/// What an adapter is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Introduction<'a> {
    /// The file name after `od-adapter-`.
    pub adapter_id: &'a str,
    /// For people.
    pub display_name: &'a str,
    /// The adapter's own version.
    pub version: &'a str,
    /// In one sentence.
    pub description: &'a str,
    /// Where to read more about the CLI.
    pub homepage: Option<&'a str>,
}

impl Introduction<'_> {
    /// The manifest of an adapter of this repository that drives this CLI and says nothing else
    /// yet: no login, no requirements, nothing it can do.
    pub fn manifest(self, cli: CliInfo) -> Manifest {
        Manifest {
            manifest_version: "1.0".to_owned(),
            adapter_id: self.adapter_id.to_owned(),
            display_name: self.display_name.to_owned(),
            version: self.version.to_owned(),
            vendor: "OD Adapters".to_owned(),
            description: self.description.to_owned(),
            homepage: self.homepage.map(str::to_owned),
            license: Some("MIT OR Apache-2.0".to_owned()),
            protocol: ProtocolRange::current(),
            capabilities: Capabilities::default(),
            cli,
            auth: AuthInfo::default(),
            requirements: Requirements::default(),
            skills: None,
            plugin_formats: Vec::new(),
            config_schema: None,
            conformance: Some(ConformanceInfo {
                requirements: "1.0".to_owned(),
                fixtures: Some("conformance".to_owned()),
            }),
            signature: None,
            meta: None,
        }
    }
}

/// Which versions of a CLI fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions<'a> {
    /// The oldest that works.
    pub min: &'a str,
    /// The one the adapter was tested with.
    pub tested: &'a str,
}

/// A CLI that is talked to by lines over its pipes.
pub fn cli(name: &str, versions: Versions<'_>, install: &[InstallMethod]) -> CliInfo {
    CliInfo {
        names: vec![name.to_owned()],
        version_min: Some(versions.min.to_owned()),
        version_tested: Some(versions.tested.to_owned()),
        transport: CliTransport::Stdio,
        install: install.to_vec(),
    }
}

/// A way to install a CLI: where, by what, and what to type.
pub fn install(platform: &str, kind: &str, command: &str) -> InstallMethod {
    InstallMethod {
        platform: platform.to_owned(),
        kind: kind.to_owned(),
        command: command.to_owned(),
        notes: None,
    }
}

/// What every agent CLI of this repository can do: it thinks, uses tools, changes files and says so
/// piece by piece, by a model one can choose.
pub fn usual_capabilities() -> Capabilities {
    let marker = || Some(Marker {});
    Capabilities {
        run: marker(),
        models: marker(),
        thinking: marker(),
        tools: marker(),
        text_deltas: marker(),
        file_changes: marker(),
        ..Capabilities::default()
    }
}

/// The CLI's own modes, the strictest first.
pub fn permission_modes(modes: &[&str]) -> Option<PermissionModesCapability> {
    Some(PermissionModesCapability { modes: strings(modes) })
}

/// The CLI reads skills from these folders.
pub fn native_skills(dirs: &[&str]) -> Option<SkillsInfo> {
    Some(SkillsInfo { strategy: SkillStrategy::Native, dirs: strings(dirs) })
}

/// Variables that steer a CLI and carry no credential.
pub fn settings(names: &[&str]) -> Vec<EnvRequirement> {
    variables(names, false)
}

/// Variables whose values are never shown.
pub fn secrets(names: &[&str]) -> Vec<EnvRequirement> {
    variables(names, true)
}

/// Words as a manifest holds them.
pub fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn variables(names: &[&str], secret: bool) -> Vec<EnvRequirement> {
    let variable =
        |name: &&str| EnvRequirement { name: (*name).to_owned(), secret, optional: true };
    names.iter().map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_introduction_promises_nothing() {
        let introduction = Introduction {
            adapter_id: "x",
            display_name: "X",
            version: "0.1.0",
            description: "an agent",
            homepage: None,
        };
        let versions = Versions { min: "1.0", tested: "1.2" };
        let npm = install("any", "npm", "npm install -g x");
        let manifest = introduction.manifest(cli("x", versions, std::slice::from_ref(&npm)));
        assert_eq!(manifest.capabilities, Capabilities::default());
        assert_eq!(manifest.auth, AuthInfo::default());
        assert_eq!(manifest.cli.install, [npm]);
        assert_eq!(manifest.cli.version_tested.as_deref(), Some("1.2"));
    }

    #[test]
    fn only_secrets_are_secret_and_nothing_is_demanded() {
        let all = [settings(&["HOME_OF_X"]), secrets(&["KEY_OF_X"])].concat();
        let secret: Vec<bool> = all.iter().map(|variable| variable.secret).collect();
        assert_eq!(secret, [false, true]);
        assert!(all.iter().all(|variable| variable.optional));
    }
}

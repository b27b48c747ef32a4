//! Helpers to write a manifest. Capabilities and install commands come from the adapter.

use od_protocol::{
    AuthInfo, Capabilities, CliInfo, CliTransport, ConformanceInfo, EnvRequirement, InstallMethod,
    Manifest, Marker, PermissionModesCapability, ProtocolRange, Requirements, SkillStrategy,
    SkillsInfo,
};

/// The names of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Introduction<'a> {
    /// The file name after `od-adapter-`.
    pub adapter_id: &'a str,
    /// The name for users.
    pub display_name: &'a str,
    /// The adapter's own version.
    pub version: &'a str,
    /// One sentence.
    pub description: &'a str,
    /// The web page of the CLI.
    pub homepage: Option<&'a str>,
}

impl Introduction<'_> {
    /// Returns the manifest of an adapter of this repository for this CLI, without login, requirements
    /// and capabilities.
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

/// The supported versions of a CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions<'a> {
    /// The oldest supported version.
    pub min: &'a str,
    /// The one the adapter was tested with.
    pub tested: &'a str,
}

/// Describes a CLI that exchanges lines over its pipes.
pub fn cli(name: &str, versions: Versions<'_>, install: &[InstallMethod]) -> CliInfo {
    CliInfo {
        names: vec![name.to_owned()],
        version_min: Some(versions.min.to_owned()),
        version_tested: Some(versions.tested.to_owned()),
        transport: CliTransport::Stdio,
        install: install.to_vec(),
    }
}

/// Describes an install method: the platform, the tool and the command.
pub fn install(platform: &str, kind: &str, command: &str) -> InstallMethod {
    InstallMethod {
        platform: platform.to_owned(),
        kind: kind.to_owned(),
        command: command.to_owned(),
        notes: None,
    }
}

/// The capabilities that most agent CLIs have: runs, models, thinking, tools, text deltas, file changes.
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

/// The CLI's own permission modes, the strictest first.
pub fn permission_modes(modes: &[&str]) -> Option<PermissionModesCapability> {
    Some(PermissionModesCapability { modes: strings(modes) })
}

/// For a CLI that reads skills from these folders.
pub fn native_skills(dirs: &[&str]) -> Option<SkillsInfo> {
    Some(SkillsInfo { strategy: SkillStrategy::Native, dirs: strings(dirs) })
}

/// Optional variables of a CLI without credentials.
pub fn settings(names: &[&str]) -> Vec<EnvRequirement> {
    variables(names, false)
}

/// Optional variables whose values are redacted.
pub fn secrets(names: &[&str]) -> Vec<EnvRequirement> {
    variables(names, true)
}

/// Converts texts to owned strings.
pub fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
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
    fn introduction_declares_no_capabilities() {
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
    fn variables_are_optional_and_secrets_marked() {
        let all = [settings(&["HOME_OF_X"]), secrets(&["KEY_OF_X"])].concat();
        let secret: Vec<bool> = all.iter().map(|variable| variable.secret).collect();
        assert_eq!(secret, [false, true]);
        assert!(all.iter().all(|variable| variable.optional));
    }
}

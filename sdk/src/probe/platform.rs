//! The operating systems a manifest distinguishes, and which of its install commands fits one.

use od_protocol::{CliInfo, InstallMethod};

use crate::cli_version::Installer;

/// An operating system, as a value: the rules for all of them are tested on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux and the other free Unixes.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

impl Platform {
    /// The one this program runs on.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Macos
        } else {
            Self::Linux
        }
    }

    /// Its word in a manifest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Macos => "macos",
            Self::Windows => "windows",
        }
    }
}

/// What to type to install or upgrade: with the tool that installed what is there, else the first
/// method for this platform, else the first for any.
pub fn install_command(
    cli: &CliInfo,
    platform: Platform,
    installer: Option<Installer>,
) -> Option<&str> {
    let fits =
        |method: &&InstallMethod| method.platform == platform.as_str() || method.platform == "any";
    let same_tool = |method: &&InstallMethod| {
        installer.is_some_and(|installer| installer.kinds().contains(&method.kind.as_str()))
    };
    let mut methods: Vec<&InstallMethod> = cli.install.iter().filter(fits).collect();
    methods.sort_by_key(|method| (!same_tool(method), method.platform == "any"));
    methods.first().map(|method| method.command.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cli(methods: &[(&str, &str, &str)]) -> CliInfo {
        let mut cli = crate::testing::manifest("x").cli;
        cli.install = methods
            .iter()
            .map(|(platform, kind, command)| InstallMethod {
                platform: (*platform).to_owned(),
                kind: (*kind).to_owned(),
                command: (*command).to_owned(),
                notes: None,
            })
            .collect();
        cli
    }

    #[test]
    fn the_platforms_own_command_beats_the_general_one() {
        let cli = cli(&[
            ("any", "npm", "npm i -g x"),
            ("windows", "script", "irm x | iex"),
            ("macos", "brew", "brew install x"),
        ]);
        let command = |platform, installer| install_command(&cli, platform, installer);
        assert_eq!(command(Platform::Linux, None), Some("npm i -g x"));
        assert_eq!(command(Platform::Windows, None), Some("irm x | iex"));
        assert_eq!(command(Platform::Macos, None), Some("brew install x"));
        assert_eq!(command(Platform::Macos, Some(Installer::Npm)), Some("npm i -g x"));
        assert_eq!(command(Platform::Linux, Some(Installer::Homebrew)), Some("npm i -g x"));
    }

    #[test]
    fn no_command_for_another_platform() {
        let cli = cli(&[("windows", "script", "irm x | iex")]);
        assert_eq!(install_command(&cli, Platform::Linux, None), None);
    }
}

//! The operating systems of a manifest, and the install command for each.

use od_protocol::{CliInfo, InstallMethod};

use super::version::Installer;

/// An operating system, as a value, so that every platform's rules can be tested on each platform.
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
    /// The platform this program runs on.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Macos
        } else {
            Self::Linux
        }
    }

    /// Its name in a manifest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::Macos => "macos",
            Self::Windows => "windows",
        }
    }
}

/// Returns the command to install or update: with the tool that installed the CLI, else the first
/// method for this platform, else the first for any platform.
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
        let mut cli = od_protocol::Manifest::new("x", "X").cli;
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
    fn platform_command_is_preferred_to_general_one() {
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
    fn command_of_other_platform_is_not_used() {
        let cli = cli(&[("windows", "script", "irm x | iex")]);
        assert_eq!(install_command(&cli, Platform::Linux, None), None);
    }
}

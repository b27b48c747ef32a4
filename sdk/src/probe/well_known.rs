//! Folders where installers put programs without adding them to PATH.

use std::path::{Path, PathBuf};

use super::platform::Platform;
use super::version::CliVersion;
use crate::Machine;

/// Folders below the home folder on every platform.
const BELOW_HOME: &[&str] = &[".local/bin", "bin", ".yarn/bin"];

/// Folders of tools that a variable can move: the variable, the place below the home folder, the
/// folder inside.
const MOVABLE: &[(&str, &str, &str)] = &[
    ("NPM_CONFIG_PREFIX", ".npm-global", "bin"),
    ("BUN_INSTALL", ".bun", "bin"),
    ("VOLTA_HOME", ".volta", "bin"),
    ("CARGO_HOME", ".cargo", "bin"),
    ("DENO_INSTALL", ".deno", "bin"),
    ("MISE_DATA_DIR", ".local/share/mise", "shims"),
    ("ASDF_DATA_DIR", ".asdf", "shims"),
];

const LINUX: &[&str] =
    &["/usr/local/bin", "/usr/bin", "/bin", "/snap/bin", "/home/linuxbrew/.linuxbrew/bin"];

const MACOS: &[&str] = &["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin", "/bin"];

/// Folders below what a variable of Windows names.
const WINDOWS: &[(&str, &str)] = &[
    ("APPDATA", "npm"),
    ("LOCALAPPDATA", "pnpm"),
    ("LOCALAPPDATA", "Volta/bin"),
    ("LOCALAPPDATA", "Microsoft/WinGet/Links"),
    ("PROGRAMDATA", "chocolatey/bin"),
    ("PROGRAMFILES", "nodejs"),
];

/// Returns the folders of a platform, the user's own before the machine's. Pure.
pub fn folders(platform: Platform, machine: &Machine) -> Vec<PathBuf> {
    let movable =
        |(variable, folder, inner): &(&str, &str, &str)| machine.dir(variable, folder).join(inner);
    let mut folders: Vec<PathBuf> =
        BELOW_HOME.iter().map(|folder| machine.home.join(folder)).collect();
    folders.extend(MOVABLE.iter().map(movable));
    match platform {
        Platform::Linux => {
            folders.push(machine.dir("PNPM_HOME", ".local/share/pnpm"));
            folders.push(machine.home.join(".nix-profile/bin"));
            folders.extend(LINUX.iter().map(PathBuf::from));
        }
        Platform::Macos => {
            folders.push(machine.dir("PNPM_HOME", "Library/pnpm"));
            folders.push(machine.home.join(".nix-profile/bin"));
            folders.extend(MACOS.iter().map(PathBuf::from));
        }
        Platform::Windows => {
            folders.push(machine.home.join("scoop/shims"));
            let named = |(variable, folder): &(&str, &str)| {
                Some(Path::new(machine.var(variable)?).join(folder))
            };
            folders.extend(WINDOWS.iter().filter_map(named));
        }
    }
    folders
}

/// Returns the folders of every Node.js of nvm and fnm, each tool's newest first: agent CLIs may be
/// installed under different ones.
pub fn node_versions(machine: &Machine) -> Vec<PathBuf> {
    let nvm = machine.dir("NVM_DIR", ".nvm").join("versions/node");
    let fnm = machine.dir("FNM_DIR", ".local/share/fnm").join("node-versions");
    let mut folders: Vec<PathBuf> =
        newest_first(&nvm).into_iter().map(|version| version.join("bin")).collect();
    folders.extend(newest_first(&fnm).into_iter().map(|version| version.join("installation/bin")));
    folders
}

fn newest_first(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut versions: Vec<(CliVersion, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((CliVersion::parse(entry.file_name().to_str()?)?, entry.path())))
        .collect();
    versions.sort_by(|(one, one_path), (other, other_path)| {
        other.cmp(one).then_with(|| one_path.cmp(other_path))
    });
    versions.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(home: &str, env: &[(&str, &str)]) -> Machine {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Machine { home: home.into(), env: env.collect(), ..Machine::default() }
    }

    fn shown(platform: Platform, machine: &Machine) -> Vec<String> {
        folders(platform, machine)
            .iter()
            .map(|folder| folder.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn linux_user_folders_precede_system_folders() {
        let folders = shown(Platform::Linux, &machine("/home/ada", &[]));
        let position = |wanted: &str| folders.iter().position(|folder| folder == wanted);
        assert_eq!(position("/home/ada/.local/bin"), Some(0));
        for folder in [".npm-global/bin", ".bun/bin", ".volta/bin", ".cargo/bin", ".deno/bin"] {
            let own = position(&format!("/home/ada/{folder}"));
            assert!(own.is_some() && own < position("/usr/local/bin"), "{folder}: {folders:?}");
        }
        assert!(!folders.iter().any(|folder| folder.contains("homebrew")));
    }

    #[test]
    fn macos_includes_homebrew() {
        let folders = shown(Platform::Macos, &machine("/Users/ada", &[]));
        assert!(folders.contains(&"/opt/homebrew/bin".to_owned()));
        assert!(folders.contains(&"/Users/ada/Library/pnpm".to_owned()));
    }

    #[test]
    fn windows_uses_only_set_variables() {
        let machine = machine("C:/Users/ada", &[("APPDATA", "C:/Users/ada/AppData/Roaming")]);
        let folders = shown(Platform::Windows, &machine);
        assert!(folders.contains(&"C:/Users/ada/AppData/Roaming/npm".to_owned()));
        assert!(folders.contains(&"C:/Users/ada/.local/bin".to_owned()));
        assert!(!folders.iter().any(|folder| folder.contains("chocolatey")));
        assert!(!folders.iter().any(|folder| folder.starts_with("/usr")));
    }

    #[test]
    fn variable_moves_folder() {
        let machine = machine("/home/ada", &[("BUN_INSTALL", "/opt/bun")]);
        let folders = shown(Platform::Linux, &machine);
        assert!(folders.contains(&"/opt/bun/bin".to_owned()));
        assert!(!folders.contains(&"/home/ada/.bun/bin".to_owned()));
    }
}

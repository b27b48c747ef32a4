//! Finds the folders that a script needs on PATH for its interpreter. Most agent CLIs are scripts
//! that start with `#!/usr/bin/env node`; a host started from a desktop has no `node` on PATH.

use std::path::{Path, PathBuf};

use od_protocol::Evidence;

use super::candidate::{self, Candidate};
use super::search::Place;
use crate::{Machine, files};

/// Returns the folders besides PATH and the script's own. An agent CLI that was found through the
/// login shell gets the shell's whole PATH, because its tools are there too.
pub(super) fn extra_path(
    cli: &Path,
    places: &[Place],
    machine: &Machine,
    evidence: &mut Vec<Evidence>,
) -> Vec<PathBuf> {
    let own = cli.parent().map(Path::to_owned);
    let on_path = Place::path(machine).folders;
    let login_shell = places.iter().find(|place| place.signal == "login_shell_path");
    let mut extra = match (login_shell, &own) {
        (Some(place), Some(own)) if place.folders.contains(own) && !on_path.contains(own) => {
            place.folders.iter().filter(|folder| !on_path.contains(folder)).cloned().collect()
        }
        _ => Vec::new(),
    };
    let Some(interpreter) = looked_up_interpreter(&files::read_beginning(cli, 256)) else {
        return extra;
    };
    let holds = |folder: &&PathBuf| {
        matches!(candidate::in_folder(folder, &interpreter), Candidate::Usable(_))
    };
    if on_path.iter().chain(&own).chain(&extra).any(|folder| holds(&folder)) {
        return extra;
    }
    let found = places.iter().flat_map(|place| &place.folders).find(holds);
    evidence.push(Evidence {
        signal: "interpreter".to_owned(),
        subject: found.map_or_else(|| interpreter.clone(), |folder| folder.display().to_string()),
        found: found.is_some(),
        detail: Some(format!("{} is a script for {interpreter}", cli.display())),
    });
    extra.extend(found.cloned());
    extra
}

/// Returns the program that `#!/usr/bin/env program` looks up in PATH.
fn looked_up_interpreter(beginning: &str) -> Option<String> {
    let line = beginning.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let is_env = Path::new(words.next()?).file_name().is_some_and(|name| name == "env");
    let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    (is_env && !program.contains('/')).then(|| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::looked_up_interpreter;

    #[test]
    fn only_env_looks_up_in_path() {
        let interpreter = |text| looked_up_interpreter(text);
        assert_eq!(interpreter("#!/usr/bin/env node\nx").as_deref(), Some("node"));
        assert_eq!(interpreter("#! /usr/bin/env -S A=1 bun run").as_deref(), Some("bun"));
        assert_eq!(interpreter("#!/usr/bin/python3\n"), None);
        assert_eq!(interpreter("#!/usr/bin/env"), None);
        assert_eq!(interpreter("\x7fELF"), None);
    }
}

//! The agent under test: its command line, its environment and the files of its home folder. Starts
//! nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::adapter_client::base_env;
use crate::fake_cli::pattern::{Bindings, fill};
use crate::process;

/// The placeholder that enables the fake model.
const URL: &str = "{{url}}";

/// The agent under test.
#[derive(Debug, Clone)]
pub struct AgentCommand {
    /// Its program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables with placeholders.
    pub env: Vec<(String, String)>,
    /// A folder whose files are copied into each home folder, with placeholders.
    pub home: Option<PathBuf>,
    /// The parameter of `authenticate` before the first session.
    pub auth_method: Option<String>,
}

impl AgentCommand {
    /// Whether a variable or a file defines how the agent reaches the fake model.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn wants_model(&self) -> std::io::Result<bool> {
        let in_files = self.home_files()?.iter().any(|(_, text)| text.contains(URL));
        Ok(in_files || self.env.iter().any(|(_, text)| text.contains(URL)))
    }

    /// Writes the files into a home folder and returns the complete environment.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(super) fn prepare_home(
        &self,
        home: &Path,
        bindings: &Bindings,
    ) -> std::io::Result<BTreeMap<String, String>> {
        std::fs::create_dir_all(home.join("tmp"))?;
        for (name, text) in self.home_files()? {
            let file = home.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(home))?;
            std::fs::write(file, fill(&text, bindings))?;
        }
        let mut env = base_env(home, &process::own_search_path(&self.program));
        env.extend(self.env.iter().map(|(name, text)| (name.clone(), fill(text, bindings))));
        Ok(env)
    }

    fn home_files(&self) -> std::io::Result<Vec<(PathBuf, String)>> {
        let mut files = Vec::new();
        let Some(top) = &self.home else { return Ok(files) };
        let mut folders = vec![top.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(top).unwrap_or(&path).to_owned();
                    files.push((name, std::fs::read_to_string(&path)?));
                }
            }
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(env: &str, home: Option<PathBuf>) -> AgentCommand {
        AgentCommand {
            program: "agent".into(),
            arguments: Vec::new(),
            env: vec![("BASE".to_owned(), env.to_owned())],
            home,
            auth_method: None,
        }
    }

    #[test]
    fn url_placeholder_enables_the_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("seed/.agent");
        std::fs::create_dir_all(&below).expect("a folder");
        std::fs::write(below.join("settings.json"), "{\"url\": \"{{url}}/v1\"}").expect("a file");
        let seed = Some(folder.path().join("seed"));
        assert!(!command("fixed", None).wants_model().expect("read"));
        assert!(command("{{url}}/v1", None).wants_model().expect("read"));
        assert!(command("fixed", seed.clone()).wants_model().expect("read"));
        let home = folder.path().join("home");
        let bindings = crate::pack::real_placeholders("http://here", "s3");
        let env = command("{{secret}}", seed).prepare_home(&home, &bindings).expect("prepared");
        assert_eq!(env["BASE"], "s3");
        let text = std::fs::read_to_string(home.join(".agent/settings.json")).expect("a file");
        assert_eq!(text, "{\"url\": \"http://here/v1\"}");
    }
}

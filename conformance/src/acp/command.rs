//! What was typed about the agent: its command line, its environment, the files of its home folder.
//! Starting it is the bench's business.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::plugin::base_env;
use crate::real::{placeholders, search_path};
use crate::stand_in::pattern::{Bindings, fill};

/// The placeholder that turns the fake model on.
const URL: &str = "{{url}}";

/// The agent that is judged.
#[derive(Debug, Clone)]
pub struct AgentCommand {
    /// Its program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables with placeholders.
    pub env: Vec<(String, String)>,
    /// A folder whose files are laid into each home folder, with placeholders.
    pub home: Option<PathBuf>,
    /// What `authenticate` is called with before the first session.
    pub auth_method: Option<String>,
}

impl AgentCommand {
    /// Whether it says how the agent reaches the fake model.
    ///
    /// # Errors
    /// When the folder for the home cannot be read.
    pub fn wants_model(&self) -> std::io::Result<bool> {
        let in_files = self.home_files()?.iter().any(|(_, text)| text.contains(URL));
        Ok(in_files || self.env.iter().any(|(_, text)| text.contains(URL)))
    }

    /// Lays the files into a home folder and gives the whole environment.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(super) fn settle(
        &self,
        home: &Path,
        url: &str,
        secret: &str,
    ) -> std::io::Result<BTreeMap<String, String>> {
        let bindings: Bindings = placeholders(url, secret);
        std::fs::create_dir_all(home.join("tmp"))?;
        for (name, text) in self.home_files()? {
            let file = home.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(home))?;
            std::fs::write(file, fill(&text, &bindings))?;
        }
        let mut env = base_env(home, &search_path(&self.program));
        env.extend(self.env.iter().map(|(name, text)| (name.clone(), fill(text, &bindings))));
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
    fn the_url_in_a_variable_or_a_file_asks_for_the_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("seed/.agent");
        std::fs::create_dir_all(&below).expect("a folder");
        std::fs::write(below.join("settings.json"), "{\"url\": \"{{url}}/v1\"}").expect("a file");
        let seed = Some(folder.path().join("seed"));
        assert!(!command("fixed", None).wants_model().expect("read"));
        assert!(command("{{url}}/v1", None).wants_model().expect("read"));
        assert!(command("fixed", seed.clone()).wants_model().expect("read"));
        let home = folder.path().join("home");
        let env = command("{{secret}}", seed).settle(&home, "http://here", "s3").expect("laid");
        assert_eq!(env["BASE"], "s3");
        let text = std::fs::read_to_string(home.join(".agent/settings.json")).expect("a file");
        assert_eq!(text, "{\"url\": \"http://here/v1\"}");
    }
}

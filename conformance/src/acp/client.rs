//! Responses to the agent's requests: permissions according to a policy, files below the folder of
//! the process, and an error for everything else.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::agent::Agent;
use super::inbox::Line;
use crate::outcome::Finding;

const NOT_FOUND: i64 = -32002;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// How permission requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// Allow once.
    Allow,
    /// Reject once.
    Reject,
    /// The outcome `cancelled`.
    Cancelled,
    /// An option that was not offered.
    NotOffered,
    /// A JSON-RPC error.
    Error,
}

impl Agent {
    /// Answers the pending requests of the agent.
    ///
    /// # Errors
    /// A failure if no suitable option is offered.
    pub(super) fn serve(&mut self, policy: Policy) -> Result<(), Finding> {
        while let Some(line) = self.inbox.requests.get(self.handled).cloned() {
            self.handled += 1;
            self.serve_one(&line, policy)?;
        }
        Ok(())
    }

    fn serve_one(&mut self, line: &Line, policy: Policy) -> Result<(), Finding> {
        let params = &line.value["params"];
        let outcome = match line.value["method"].as_str().unwrap_or_default() {
            "session/request_permission" => self.permission(line, policy)?,
            "fs/read_text_file" => read_file(&self.folder, params),
            "fs/write_text_file" => write_file(&self.folder, params),
            method => Err((METHOD_NOT_FOUND, format!("this client does not support {method}"))),
        };
        let id = &line.value["id"];
        self.send(&match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => {
                let error = json!({"code": code, "message": message});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
        });
        Ok(())
    }

    fn permission(&self, line: &Line, policy: Policy) -> Result<Served, Finding> {
        let params = &line.value["params"];
        let kinds = match policy {
            Policy::Allow => ["allow_once", "allow_always"],
            Policy::Reject => ["reject_once", "reject_always"],
            Policy::Cancelled => return Ok(Ok(json!({"outcome": {"outcome": "cancelled"}}))),
            Policy::NotOffered => return Ok(Ok(selected("conformance-never-offered"))),
            Policy::Error => {
                return Ok(Err((
                    INVALID_PARAMS,
                    "the client cannot display this permission request".to_owned(),
                )));
            }
        };
        match option(params, kinds) {
            Some(id) => Ok(Ok(selected(id))),
            None => {
                let expected = format!("an option of kind {}", kinds.join(" or "));
                Err(self.failure(expected, params["options"].to_string(), "a tool call"))
            }
        }
    }
}

type Served = Result<Value, (i64, String)>;

fn selected(id: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": id}})
}

/// Returns the first option of the first kind that is offered.
fn option<'a>(params: &'a Value, kinds: [&str; 2]) -> Option<&'a str> {
    let options = params["options"].as_array()?;
    let of_kind = |kind: &&str| options.iter().find(|option| option["kind"] == **kind);
    kinds.iter().find_map(of_kind)?["optionId"].as_str()
}

fn read_file(folder: &Path, params: &Value) -> Served {
    let path = allowed(folder, params)?;
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(json!({"content": text})),
        Err(error) => Err((NOT_FOUND, format!("Resource not found: {} ({error})", path.display()))),
    }
}

fn write_file(folder: &Path, params: &Value) -> Served {
    let path = allowed(folder, params)?;
    let text = params["content"].as_str().unwrap_or_default();
    let written = std::fs::create_dir_all(path.parent().unwrap_or(folder))
        .and_then(|()| std::fs::write(&path, text));
    written.map(|()| Value::Null).map_err(|error| (INVALID_PARAMS, error.to_string()))
}

/// Only paths below the folder are allowed, because the agent is not trusted.
fn allowed(folder: &Path, params: &Value) -> Result<PathBuf, (i64, String)> {
    let path = PathBuf::from(params["path"].as_str().unwrap_or_default());
    let climbs = path.components().any(|part| part == Component::ParentDir);
    if path.starts_with(folder) && !climbs {
        return Ok(path);
    }
    Err((INVALID_PARAMS, format!("{} is outside of the session", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_below_folder_are_served() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path().join("a/b.txt");
        let params = |path: &Path| json!({"path": path, "content": "text"});
        assert!(write_file(folder.path(), &params(&inside)).is_ok());
        assert_eq!(read_file(folder.path(), &params(&inside)), Ok(json!({"content": "text"})));
        let outside = folder.path().join("../outside.txt");
        assert!(write_file(folder.path(), &params(&outside)).is_err());
        assert!(read_file(folder.path(), &params(Path::new("/etc/hostname"))).is_err());
    }

    #[test]
    fn option_is_selected_by_kind() {
        let options = json!({"options": [
            {"optionId": "always", "kind": "allow_always"},
            {"optionId": "once", "kind": "allow_once"},
        ]});
        assert_eq!(option(&options, ["allow_once", "allow_always"]), Some("once"));
        assert_eq!(option(&options, ["reject_once", "reject_always"]), None);
    }
}

//! The script: think, plan, list files, write a page, report. Keywords in the prompt change it
//! (`ask`, `fail`, `wait`, `error`); the README lists them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use od_protocol::Effort;
use serde_json::{Value, json};

use super::Options;
use super::page;
use super::sessions::Session;
use super::stdio::{AgentStdio, Answer, Stopped, WORD_DELAY};
use crate::native::{FromAgent, Reason};

/// How long the keyword `wait` waits.
const WAIT_SECONDS: u64 = 60;

/// One run of the script.
struct Script {
    stdio: AgentStdio,
    session: Session,
    cwd: PathBuf,
    effort: Effort,
    has_system: bool,
    turn: u32,
    calls: u32,
    input_words: u64,
}

/// Runs the script for every prompt.
pub(super) fn run(options: &Options) -> ExitCode {
    let is_slow = options.model == crate::adapter::MODELS[0].0;
    let mut stdio = AgentStdio::new(if is_slow { WORD_DELAY } else { Duration::ZERO });
    let Some(first_prompt) = stdio.first_prompt() else { return ExitCode::SUCCESS };
    let session = match open_session(options) {
        Ok(session) => session,
        Err(text) => return fail(&mut stdio, "session_unknown", &text),
    };
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd,
        Err(error) => return fail(&mut stdio, "permission_denied", &error.to_string()),
    };
    let effort = options.effort.unwrap_or(Effort::Medium);
    let has_system = options.system.is_some();
    let mut script =
        Script { stdio, session, cwd, effort, has_system, turn: 0, calls: 0, input_words: 0 };
    let reason = match script.answer_prompts(options, first_prompt) {
        Ok(reason) => reason,
        Err(Stopped) => Reason::Stopped,
    };
    // When stdout is closed, the reason cannot be reported.
    script.stdio.write(&FromAgent::Bye { reason }).ok();
    match reason {
        Reason::Failed => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

fn open_session(options: &Options) -> Result<Session, String> {
    let load = |id: &String| {
        Session::load(id).map_err(|error| format!("unknown demo session {id:?}: {error}"))
    };
    match (&options.resume, &options.fork) {
        (Some(id), _) => load(id),
        (None, Some(id)) => load(id).map(Session::fork),
        (None, None) => Ok(Session::new(options.session.clone())),
    }
}

fn fail(stdio: &mut AgentStdio, kind: &str, message: &str) -> ExitCode {
    let problem = FromAgent::Problem {
        kind: kind.to_owned(),
        message: message.to_owned(),
        hint: Some("start a new session: omit --resume and --fork".to_owned()),
    };
    let written = stdio
        .write(&problem)
        .and_then(|()| stdio.write(&FromAgent::Bye { reason: Reason::Failed }));
    match written {
        Ok(()) | Err(Stopped) => ExitCode::FAILURE,
    }
}

impl Script {
    fn answer_prompts(
        &mut self,
        options: &Options,
        first_prompt: String,
    ) -> Result<Reason, Stopped> {
        self.stdio.write(&FromAgent::Hello {
            session: self.session.id.clone(),
            model: options.model.clone(),
            cwd: self.cwd.to_string_lossy().into_owned(),
            tools: ["list_files", "write_file", "run_command"].map(str::to_owned).to_vec(),
        })?;
        let mut prompt = Some(first_prompt);
        while let Some(text) = prompt {
            if self.run_turn(&text)? == Reason::Failed {
                return Ok(Reason::Failed);
            }
            self.session.append(&text);
            prompt = self.stdio.next_prompt()?;
        }
        Ok(Reason::Done)
    }

    fn run_turn(&mut self, prompt: &str) -> Result<Reason, Stopped> {
        self.turn += 1;
        let turn = format!("turn-{}", self.turn);
        self.input_words += prompt.split_whitespace().count() as u64;
        self.stdio.write(&FromAgent::Turn { turn: turn.clone() })?;
        let thought = self.thought(prompt);
        self.stdio.write_thought(&format!("thought-{}", self.turn), &thought)?;
        if has_word(prompt, "error") {
            self.problem()?;
            return Ok(Reason::Failed);
        }
        self.plan(0)?;
        self.list_files()?;
        self.plan(1)?;
        if has_word(prompt, "fail") {
            self.run_failing_command()?;
        }
        if has_word(prompt, "wait") {
            self.run_waiting_command()?;
        }
        let written = self.write_page(prompt)?;
        self.plan(2)?;
        let report = self.report(written.as_deref());
        self.stdio.write_text(&format!("message-{}", self.turn), &report)?;
        self.plan(3)?;
        let usage = FromAgent::Usage {
            input: self.input_words,
            output: self.stdio.words_written(),
            cache_read: 0,
            cache_write: 0,
            cost: Some(0.0),
        };
        self.stdio.write(&usage)?;
        self.stdio.write(&FromAgent::TurnEnd { turn })?;
        Ok(Reason::Done)
    }

    fn thought(&self, prompt: &str) -> String {
        let words = prompt.split_whitespace().count();
        let mut thought = format!("The prompt has {words} words. ");
        if let Some(last) = self.session.prompts.last() {
            let last: String = last.chars().take(60).collect();
            thought.push_str(&format!("The previous prompt of this session was \"{last}\". "));
        }
        if self.has_system {
            thought.push_str("There is a system prompt; I follow it. ");
        }
        thought.push_str("I can write a page with a flower. First I list the files here. ");
        let more = match self.effort {
            Effort::Low => "",
            Effort::High => {
                "Should the flower turn? Slowly, and not for people who dislike motion. "
            }
            Effort::Max => {
                "Should the flower turn? Slowly, and not for people who dislike motion. Twelve petals fit the circle evenly: one every 30 degrees. "
            }
            _ => "Twelve petals are enough. ",
        };
        thought.push_str(more);
        thought
    }

    fn plan(&mut self, done: usize) -> Result<(), Stopped> {
        let steps = ["List the files", "Write a page with a flower", "Report"];
        let steps =
            steps.iter().enumerate().map(|(index, step)| ((*step).to_owned(), index < done));
        let plan = FromAgent::Plan { steps: steps.collect() };
        self.stdio.write(&plan)
    }

    fn call(&mut self, name: &str, title: &str, input: Value) -> Result<String, Stopped> {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let (name, title) = (name.to_owned(), title.to_owned());
        self.stdio.write(&FromAgent::Tool { id: id.clone(), name, title, input })?;
        self.stdio.sleep(Duration::from_millis(120))?;
        Ok(id)
    }

    fn result(
        &mut self,
        id: String,
        ok: bool,
        output: Value,
        exit: Option<i32>,
    ) -> Result<(), Stopped> {
        self.stdio.write(&FromAgent::Result { id, ok, output, exit })
    }

    fn list_files(&mut self) -> Result<(), Stopped> {
        let cwd = self.cwd.to_string_lossy().into_owned();
        let id = self.call("list_files", "list files", json!({ "path": cwd }))?;
        let mut names: Vec<String> = fs::read_dir(&self.cwd)
            .into_iter()
            .flatten()
            .flatten()
            .take(50)
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let text = match names.len() {
            0 => "(empty folder)".to_owned(),
            _ => names.join("\n"),
        };
        self.result(id, true, text.into(), None)
    }

    fn run_failing_command(&mut self) -> Result<(), Stopped> {
        let id =
            self.call("run_command", "read a missing file", json!({ "command": "cat /missing" }))?;
        let text = "cat: /missing: No such file or directory";
        self.stdio.write(&FromAgent::Output { id: id.clone(), text: format!("{text}\n") })?;
        self.result(id, false, text.into(), Some(1))
    }

    /// Starts a real child process, so that cancelling a run ends a process tree.
    fn run_waiting_command(&mut self) -> Result<(), Stopped> {
        let command = format!("sleep {WAIT_SECONDS}");
        let id = self.call("run_command", &command, json!({ "command": command }))?;
        let child =
            Command::new("sleep").arg(WAIT_SECONDS.to_string()).stdout(Stdio::null()).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return self.result(id, false, error.to_string().into(), None),
        };
        let outcome = self.stdio.sleep(Duration::from_secs(WAIT_SECONDS));
        // The child has exited, or a stop command arrived.
        child.kill().ok();
        child.wait().ok();
        outcome?;
        self.result(id, true, "waited".into(), Some(0))
    }

    /// Writes the page, after an approval if the prompt asks for one; `None` when it was denied.
    fn write_page(&mut self, prompt: &str) -> Result<Option<PathBuf>, Stopped> {
        let mut path = self.cwd.join(page::file_name(prompt));
        let mut content = page::html(prompt);
        let input = |path: &Path, content: &str| json!({ "path": path, "content": content });
        let title = format!("write {}", path.file_name().unwrap_or_default().to_string_lossy());
        let id = self.call("write_file", &title, input(&path, &content))?;
        if has_word(prompt, "ask") || has_word(prompt, "approve") {
            let ask = format!("ask-{}", self.calls);
            let request = FromAgent::Ask {
                ask: ask.clone(),
                tool: id.clone(),
                summary: format!("write {} ({} bytes)", path.display(), content.len()),
                input: input(&path, &content),
            };
            match self.stdio.request_approval(&request, &ask)? {
                Answer { allow: false, message, .. } => {
                    let text = message.unwrap_or_else(|| "not allowed".to_owned());
                    self.result(id, false, text.into(), None)?;
                    return Ok(None);
                }
                Answer { input: Some(edited), .. } => {
                    let text = |name: &str| edited.get(name).and_then(Value::as_str);
                    path = text("path").map_or(path, |edited| self.cwd.join(edited));
                    content = text("content").map_or(content, str::to_owned);
                }
                Answer { .. } => {}
            }
        }
        let new = !path.exists();
        if let Err(error) = fs::write(&path, &content) {
            let text = format!("{}: {error}", path.display());
            self.result(id, false, text.into(), None)?;
            return Ok(None);
        }
        let shown = path.to_string_lossy().into_owned();
        self.stdio.write(&FromAgent::Wrote { path: shown, new, tool: id.clone() })?;
        self.result(id, true, format!("{} bytes", content.len()).into(), None)?;
        Ok(Some(path))
    }

    fn report(&self, written: Option<&Path>) -> String {
        match written {
            Some(path) => format!(
                "Done. I wrote a page with a flower drawn from your prompt: {} - open it in a browser. \
                 Another prompt draws another flower.",
                path.display()
            ),
            None => "I did not write the page, because the approval was denied.".to_owned(),
        }
    }

    fn problem(&mut self) -> Result<(), Stopped> {
        self.stdio.write(&FromAgent::Problem {
            kind: "network_unreachable".to_owned(),
            message: "the prompt contains the keyword \"error\", so the demo agent fails"
                .to_owned(),
            hint: Some("remove the word \"error\" from the prompt".to_owned()),
        })
    }
}

/// Whether the prompt contains this whole word, ignoring case.
fn has_word(prompt: &str, word: &str) -> bool {
    prompt
        .split(|character: char| !character.is_alphanumeric())
        .any(|found| found.eq_ignore_ascii_case(word))
}

//! What the agent does with a prompt: thinks, plans, looks around, writes a page, tells about it.
//! A few words in the prompt change the play (`ask`, `fail`, `wait`, `error`); the README lists
//! them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use od_protocol::Effort;
use serde_json::{Value, json};

use super::Options;
use super::page;
use super::sessions::Session;
use super::voice::{Answer, Stopped, Voice};
use crate::native::{FromAgent, Reason};

/// How long the `wait` play waits.
const WAIT_SECONDS: u64 = 60;

/// One performance.
struct Stage {
    voice: Voice,
    session: Session,
    cwd: PathBuf,
    effort: Effort,
    has_system: bool,
    turn: u32,
    calls: u32,
    input_words: u64,
}

/// Plays until nothing is left to do.
pub(super) fn play(options: &Options) -> ExitCode {
    let mut voice = Voice::new(options.model == crate::adapter::MODELS[0].0);
    let Some(first_prompt) = voice.first_prompt() else { return ExitCode::SUCCESS };
    let session = match open_session(options) {
        Ok(session) => session,
        Err(text) => return give_up(&mut voice, "session_unknown", &text),
    };
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd,
        Err(error) => return give_up(&mut voice, "permission_denied", &error.to_string()),
    };
    let effort = options.effort.unwrap_or(Effort::Medium);
    let has_system = options.system.is_some();
    let mut stage =
        Stage { voice, session, cwd, effort, has_system, turn: 0, calls: 0, input_words: 0 };
    let reason = match stage.perform(options, first_prompt) {
        Ok(reason) => reason,
        Err(Stopped) => Reason::Stopped,
    };
    // Nobody may be listening any more; then there is nobody to tell.
    stage.voice.say(&FromAgent::Bye { reason }).ok();
    match reason {
        Reason::Failed => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

fn open_session(options: &Options) -> Result<Session, String> {
    let load = |id: &String| {
        Session::load(id).map_err(|error| format!("there is no demo session {id:?}: {error}"))
    };
    match (&options.resume, &options.fork) {
        (Some(id), _) => load(id),
        (None, Some(id)) => load(id).map(Session::fork),
        (None, None) => Ok(Session::new(options.session.clone())),
    }
}

fn give_up(voice: &mut Voice, kind: &str, message: &str) -> ExitCode {
    let problem = FromAgent::Problem {
        kind: kind.to_owned(),
        message: message.to_owned(),
        hint: Some("start a new session: leave --resume and --fork out".to_owned()),
    };
    let said =
        voice.say(&problem).and_then(|()| voice.say(&FromAgent::Bye { reason: Reason::Failed }));
    match said {
        Ok(()) | Err(Stopped) => ExitCode::FAILURE,
    }
}

impl Stage {
    fn perform(&mut self, options: &Options, first_prompt: String) -> Result<Reason, Stopped> {
        self.voice.say(&FromAgent::Hello {
            session: self.session.id.clone(),
            model: options.model.clone(),
            cwd: self.cwd.to_string_lossy().into_owned(),
            tools: ["list_files", "write_file", "run_command"].map(str::to_owned).to_vec(),
        })?;
        let mut prompt = Some(first_prompt);
        while let Some(text) = prompt {
            if self.play_turn(&text)? == Reason::Failed {
                return Ok(Reason::Failed);
            }
            self.session.remember(&text);
            prompt = self.voice.next_prompt()?;
        }
        Ok(Reason::Done)
    }

    fn play_turn(&mut self, prompt: &str) -> Result<Reason, Stopped> {
        self.turn += 1;
        let turn = format!("turn-{}", self.turn);
        self.input_words += prompt.split_whitespace().count() as u64;
        self.voice.say(&FromAgent::Turn { turn: turn.clone() })?;
        let thought = self.thought(prompt);
        self.voice.think(&format!("thought-{}", self.turn), &thought)?;
        if has_word(prompt, "error") {
            self.problem()?;
            return Ok(Reason::Failed);
        }
        self.plan(0)?;
        self.look_around()?;
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
        self.voice.speak(&format!("message-{}", self.turn), &report)?;
        self.plan(3)?;
        let usage = FromAgent::Usage {
            input: self.input_words,
            output: self.voice.words(),
            cache_read: 0,
            cache_write: 0,
            cost: Some(0.0),
        };
        self.voice.say(&usage)?;
        self.voice.say(&FromAgent::TurnEnd { turn })?;
        Ok(Reason::Done)
    }

    fn thought(&self, prompt: &str) -> String {
        let words = prompt.split_whitespace().count();
        let mut thought = format!("Somebody gave me {words} words. ");
        if let Some(last) = self.session.prompts.last() {
            let last: String = last.chars().take(60).collect();
            thought.push_str(&format!("I remember: last time it was \"{last}\". "));
        }
        if self.has_system {
            thought.push_str("There are instructions above the conversation; I keep to them. ");
        }
        thought.push_str("A page with a flower is what I can do, so I look around first. ");
        let more = match self.effort {
            Effort::Low => "",
            Effort::High => {
                "Should the flower turn? Slowly, and not for people who dislike motion. "
            }
            Effort::Max => {
                "Should the flower turn? Slowly, and not for people who dislike motion. Twelve petals, because a clock has twelve hours and this one is never late. "
            }
            _ => "Twelve petals will do. ",
        };
        thought.push_str(more);
        thought
    }

    fn plan(&mut self, done: usize) -> Result<(), Stopped> {
        let steps = ["Look around", "Grow a flower into a page", "Tell about it"];
        let steps =
            steps.iter().enumerate().map(|(index, step)| ((*step).to_owned(), index < done));
        let plan = FromAgent::Plan { steps: steps.collect() };
        self.voice.say(&plan)
    }

    fn call(&mut self, name: &str, title: &str, input: Value) -> Result<String, Stopped> {
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let (name, title) = (name.to_owned(), title.to_owned());
        self.voice.say(&FromAgent::Tool { id: id.clone(), name, title, input })?;
        self.voice.pause(Duration::from_millis(120))?;
        Ok(id)
    }

    fn result(
        &mut self,
        id: String,
        ok: bool,
        output: Value,
        exit: Option<i32>,
    ) -> Result<(), Stopped> {
        self.voice.say(&FromAgent::Result { id, ok, output, exit })
    }

    fn look_around(&mut self) -> Result<(), Stopped> {
        let cwd = self.cwd.to_string_lossy().into_owned();
        let id = self.call("list_files", "look around", json!({ "path": cwd }))?;
        let mut names: Vec<String> = fs::read_dir(&self.cwd)
            .into_iter()
            .flatten()
            .flatten()
            .take(50)
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        let text = match names.len() {
            0 => "an empty folder".to_owned(),
            _ => names.join("\n"),
        };
        self.result(id, true, text.into(), None)
    }

    fn run_failing_command(&mut self) -> Result<(), Stopped> {
        let id =
            self.call("run_command", "look into the void", json!({ "command": "cat /the/void" }))?;
        let text = "cat: /the/void: No such file or directory";
        self.voice.say(&FromAgent::Output { id: id.clone(), text: format!("{text}\n") })?;
        self.result(id, false, text.into(), Some(1))
    }

    /// A real child process, so that stopping a run can be tried for real.
    fn run_waiting_command(&mut self) -> Result<(), Stopped> {
        let command = format!("sleep {WAIT_SECONDS}");
        let id = self.call("run_command", &command, json!({ "command": command }))?;
        let child =
            Command::new("sleep").arg(WAIT_SECONDS.to_string()).stdout(Stdio::null()).spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return self.result(id, false, error.to_string().into(), None),
        };
        let outcome = self.voice.pause(Duration::from_secs(WAIT_SECONDS));
        // It has ended by itself, or we were told to stop.
        child.kill().ok();
        child.wait().ok();
        outcome?;
        self.result(id, true, "waited".into(), Some(0))
    }

    /// Writes the page, after asking where that is wanted; `None` when it was not allowed.
    fn write_page(&mut self, prompt: &str) -> Result<Option<PathBuf>, Stopped> {
        let mut path = self.cwd.join(page::file_name(prompt));
        let mut content = page::html(prompt);
        let input = |path: &Path, content: &str| json!({ "path": path, "content": content });
        let title = format!("write {}", path.file_name().unwrap_or_default().to_string_lossy());
        let id = self.call("write_file", &title, input(&path, &content))?;
        if has_word(prompt, "ask") || has_word(prompt, "approve") {
            let ask = format!("ask-{}", self.calls);
            let question = FromAgent::Ask {
                ask: ask.clone(),
                tool: id.clone(),
                summary: format!("write {} ({} bytes)", path.display(), content.len()),
                input: input(&path, &content),
            };
            match self.voice.ask(&question, &ask)? {
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
        self.voice.say(&FromAgent::Wrote { path: shown, new, tool: id.clone() })?;
        self.result(id, true, format!("{} bytes", content.len()).into(), None)?;
        Ok(Some(path))
    }

    fn report(&self, written: Option<&Path>) -> String {
        match written {
            Some(path) => format!(
                "Done! I grew a flower from your words and put it into a page: {} - open it in a browser. \
                 Other words grow other flowers.",
                path.display()
            ),
            None => "I left your folder as it was. Say the word and I will try again.".to_owned(),
        }
    }

    fn problem(&mut self) -> Result<(), Stopped> {
        self.voice.say(&FromAgent::Problem {
            kind: "network_unreachable".to_owned(),
            message: "the demo agent was asked for an error, and this is it".to_owned(),
            hint: Some("leave the word \"error\" out of the prompt".to_owned()),
        })
    }
}

/// Whether the prompt holds a word of its own, whatever its case.
fn has_word(prompt: &str, word: &str) -> bool {
    prompt
        .split(|character: char| !character.is_alphanumeric())
        .any(|found| found.eq_ignore_ascii_case(word))
}

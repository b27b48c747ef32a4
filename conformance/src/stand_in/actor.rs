//! The stand-in while it plays: its steps one after the other, its handlers at any moment. What
//! HTTP adds is in `answer.rs`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::act::{DETACHED, EXPECT_FAILED, HANG_LIMIT, exit_code};
use super::answer::Desk;
use super::ears::{Ears, Heard};
use super::http::in_pieces;
use super::notebook::Notebook;
use super::pattern::{Bindings, fill, fill_value, fit_line};
use super::script::{GATES_FOLDER, Outlet, Script, Step, When};
use super::seen::Entry;
use crate::process;

/// How long something expected is waited for.
pub(super) const EXPECT_LIMIT: Duration = Duration::from_secs(30);

/// How often it is looked whether something is so.
const POLL: Duration = Duration::from_millis(3);

/// A stand-in at work.
pub(super) struct Actor {
    pub(super) script: Script,
    pub(super) folder: PathBuf,
    pub(super) executable: PathBuf,
    pub(super) notebook: Notebook,
    pub(super) ears: Ears,
    pub(super) desk: Desk,
    pub(super) outlet: Outlet,
    waiting: Vec<String>,
    stdin_ended: bool,
    pub(super) bindings: Bindings,
}

/// A step is over, or the whole process is.
pub(super) type Outcome = std::io::Result<Option<ExitCode>>;

impl Actor {
    /// Nothing played yet.
    pub(super) fn new(
        script: Script,
        folder: PathBuf,
        executable: PathBuf,
        notebook: Notebook,
        ears: Ears,
    ) -> Self {
        Self {
            script,
            folder,
            executable,
            notebook,
            ears,
            desk: Desk::default(),
            outlet: Outlet::default(),
            waiting: Vec::new(),
            stdin_ended: false,
            bindings: Bindings::new(),
        }
    }

    /// Plays the whole script.
    pub(super) fn play(&mut self) -> Outcome {
        for step in self.script.steps.clone() {
            if let Some(code) = self.serve_handlers(Duration::ZERO)? {
                return Ok(Some(code));
            }
            if let Some(code) = self.step(&step)? {
                return Ok(Some(code));
            }
        }
        self.notebook.note(&Entry::Ended)?;
        self.linger()
    }

    fn step(&mut self, step: &Step) -> Outcome {
        match step {
            Step::Through { outlet } => self.outlet = outlet.clone(),
            Step::Out { text, end } => {
                let text = fill(text, &self.bindings);
                return self.say(&text, end);
            }
            Step::OutBytes { bytes } => return self.say_bytes(bytes),
            Step::Err { text } => {
                let text = fill(text, &self.bindings) + "\n";
                std::io::stderr().write_all(text.as_bytes())?;
            }
            Step::Flood { stderr, lines, text } => return self.flood(*stderr, *lines, text),
            Step::Expect { pattern } => return self.expect(pattern),
            Step::Listen { access } => return self.listen(access.as_ref()),
            Step::ExpectRequest { route } => return self.expect_request(route),
            Step::Reply { status, headers, body } => self.reply(*status, headers, body),
            Step::Stream { headers } => self.stream(headers),
            Step::ReadAll { bind } => return self.read_all(bind.as_deref()),
            Step::Sleep { ms } => return self.pass(Duration::from_millis(*ms), |_| false),
            Step::Hang => return self.pass(HANG_LIMIT, |_| false),
            Step::Gate { name } => {
                self.notebook.note(&Entry::AtGate { name: name.clone() })?;
                let gate = self.folder.join(GATES_FOLDER).join(name);
                return self.pass(HANG_LIMIT, |_| gate.exists());
            }
            Step::WriteFile { path, contents } => std::fs::write(path, contents)?,
            Step::Spawn => self.spawn_detached()?,
            Step::Exit { code } => {
                self.notebook.note(&Entry::Ended)?;
                return Ok(Some(exit_code(*code)));
            }
            Step::Die { signal } => process::die_by(signal),
        }
        Ok(None)
    }

    /// Prints to stdout, cut as the script says.
    pub(super) fn print(&self, bytes: &[u8]) -> std::io::Result<()> {
        if self.script.terminal {
            return self.print_raw(&with_returns(bytes));
        }
        self.print_raw(bytes)
    }

    fn print_raw(&self, bytes: &[u8]) -> std::io::Result<()> {
        let mut stdout = std::io::stdout().lock();
        in_pieces(bytes, &self.script.delivery, |piece| {
            stdout.write_all(piece)?;
            stdout.flush()
        })
    }

    fn flood(&mut self, stderr: bool, lines: u64, text: &str) -> Outcome {
        let block_lines = lines.min(256);
        let block = format!("{text}\n").repeat(usize::try_from(block_lines).unwrap_or(1));
        let mut printed = 0;
        while printed < lines {
            if stderr {
                std::io::stderr().write_all(block.as_bytes())?;
            } else if self.outlet == Outlet::Stdout && !self.script.terminal {
                std::io::stdout().write_all(block.as_bytes())?;
            } else if let Some(code) = self.say_bytes(block.as_bytes())? {
                return Ok(Some(code));
            }
            printed += block_lines;
        }
        std::io::stdout().flush()?;
        Ok(None)
    }

    fn expect(&mut self, pattern: &Value) -> Outcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        let mut pattern = pattern.clone();
        fill_value(&mut pattern, &self.bindings);
        self.note_waiting(Some(format!("a line on stdin that fits {pattern}")))?;
        loop {
            while !self.waiting.is_empty() {
                let line = self.waiting.remove(0);
                if let Some(bound) = fit_line(&pattern, &line) {
                    self.bind(bound)?;
                    return self.note_waiting(None).map(|()| None);
                }
                if let Some(code) = self.handle_line(&line)? {
                    return Ok(Some(code));
                }
            }
            if self.stdin_ended || Instant::now() >= deadline {
                return self.give_up(format!("no line on stdin fits {pattern}"));
            }
            if let Some(code) = self.handle_requests()? {
                return Ok(Some(code));
            }
            if let Some(code) = self.hear(deadline)? {
                return Ok(Some(code));
            }
        }
    }

    /// Writes down what is waited for, so that a run that does not end can be explained.
    pub(super) fn note_waiting(&self, thing: Option<String>) -> std::io::Result<()> {
        self.notebook.note(&Entry::Waits { thing })
    }

    /// Ends because the adapter did not do what the pack expects.
    pub(super) fn give_up(&self, reason: String) -> Outcome {
        eprintln!("the stand-in gives up: {reason}");
        self.notebook.note(&Entry::ExpectFailed { reason })?;
        Ok(Some(ExitCode::from(EXPECT_FAILED)))
    }

    fn read_all(&mut self, bind: Option<&str>) -> Outcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        while !self.stdin_ended && Instant::now() < deadline {
            if let Some(code) = self.handle_requests()? {
                return Ok(Some(code));
            }
            if let Some(code) = self.hear(deadline)? {
                return Ok(Some(code));
            }
        }
        self.waiting.clear();
        if let Some(name) = bind {
            let text = String::from_utf8_lossy(&self.notebook.stdin_so_far()).into_owned();
            self.bind(Bindings::from([(name.to_owned(), Value::String(text))]))?;
        }
        Ok(None)
    }

    pub(super) fn bind(&mut self, bound: Bindings) -> std::io::Result<()> {
        for (name, value) in bound {
            self.notebook.note(&Entry::Bound { name: name.clone(), value: value.clone() })?;
            self.bindings.insert(name, value);
        }
        Ok(())
    }

    /// Lets time pass, with handlers at work, until something is so.
    pub(super) fn pass(&mut self, time: Duration, is_so: impl Fn(&Self) -> bool) -> Outcome {
        let deadline = Instant::now() + time;
        while !is_so(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if let Some(code) = self.serve_handlers(left.min(POLL))? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    /// Takes in what was heard and lets the handlers see it.
    fn serve_handlers(&mut self, wait: Duration) -> Outcome {
        if let Some(code) = self.hear(Instant::now() + wait)? {
            return Ok(Some(code));
        }
        let handled = self.waiting.iter().position(|line| self.stdin_handler(line).is_some());
        if let Some(index) = handled {
            let line = self.waiting.remove(index);
            return self.handle_line(&line);
        }
        self.handle_requests()
    }

    /// Takes in one thing, or nothing when nothing comes in time.
    pub(super) fn hear(&mut self, deadline: Instant) -> Outcome {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.ears.heard.recv_timeout(left) {
            Ok(Heard::Line(line)) => self.waiting.push(line),
            Ok(Heard::StdinEnd) => self.stdin_ended = true,
            Ok(Heard::Signal(name)) => return self.on_signal(name),
            Ok(Heard::Request(asked)) => self.admit(asked)?,
            // The ears keep their own end of the channel, so this is always the time.
            Err(_) => {}
        }
        Ok(None)
    }

    fn on_signal(&mut self, name: &str) -> Outcome {
        if self.script.ignored_signals.iter().any(|ignored| ignored == name) {
            return Ok(None);
        }
        let handler = self.script.handlers.iter().find_map(|handler| match &handler.when {
            When::Signal(wanted) if wanted == name => Some(handler.steps.clone()),
            _ => None,
        });
        match handler {
            Some(steps) => self.play_handler(&steps),
            None => {
                process::die_by(name);
                Ok(Some(ExitCode::FAILURE))
            }
        }
    }

    fn stdin_handler(&self, line: &str) -> Option<(Bindings, Vec<Step>)> {
        self.script.handlers.iter().find_map(|handler| match &handler.when {
            When::Stdin(pattern) => Some((fit_line(pattern, line)?, handler.steps.clone())),
            When::Signal(_) | When::Request(_) => None,
        })
    }

    fn handle_line(&mut self, line: &str) -> Outcome {
        match self.stdin_handler(line) {
            Some((bound, steps)) => {
                self.bind(bound)?;
                self.play_handler(&steps)
            }
            None => Ok(None),
        }
    }

    /// Plays a handler; afterwards output goes where it went before.
    pub(super) fn play_handler(&mut self, steps: &[Step]) -> Outcome {
        let outlet = std::mem::take(&mut self.outlet);
        for step in steps {
            if let Some(code) = self.step(step)? {
                return Ok(Some(code));
            }
        }
        self.outlet = outlet;
        Ok(None)
    }

    fn spawn_detached(&self) -> std::io::Result<()> {
        let child = std::process::Command::new(&self.executable)
            .arg(DETACHED)
            .env_clear()
            .current_dir("/")
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()?;
        self.notebook.note(&Entry::Child { pid: child.id() })
    }
}

/// A terminal in raw mode goes to the start of the line only when it is told to.
fn with_returns(bytes: &[u8]) -> Vec<u8> {
    let mut returned = Vec::with_capacity(bytes.len() + 8);
    for &byte in bytes {
        if byte == b'\n' && returned.last() != Some(&b'\r') {
            returned.push(b'\r');
        }
        returned.push(byte);
    }
    returned
}

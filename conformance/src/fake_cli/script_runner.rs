//! Runs a script: its steps in order, its handlers at any time. HTTP is in `http_state.rs`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::call_recorder::CallRecorder;
use super::http::in_pieces;
use super::http_state::HttpState;
use super::input_channel::{Input, InputChannel};
use super::invocation::Entry;
use super::pattern::{Bindings, fill, fill_value, fit_line};
use super::script::{GATES_FOLDER, Outlet, Script, Step, When};
use super::startup::{DETACHED, EXPECT_FAILED_CODE, HANG_LIMIT, exit_code};
use crate::process;

/// How long an `expect` waits.
pub(super) const EXPECT_LIMIT: Duration = Duration::from_secs(30);

/// How often a condition is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// A fake CLI that runs its script.
pub(super) struct ScriptRunner {
    pub(super) script: Script,
    pub(super) folder: PathBuf,
    pub(super) executable: PathBuf,
    pub(super) recorder: CallRecorder,
    pub(super) inputs: InputChannel,
    pub(super) http_state: HttpState,
    pub(super) outlet: Outlet,
    pending_lines: Vec<String>,
    stdin_ended: bool,
    pub(super) bindings: Bindings,
}

/// An exit code ends the process; `None` continues with the next step.
pub(super) type StepOutcome = std::io::Result<Option<ExitCode>>;

impl ScriptRunner {
    /// A runner before its first step.
    pub(super) fn new(
        script: Script,
        folder: PathBuf,
        executable: PathBuf,
        recorder: CallRecorder,
        inputs: InputChannel,
    ) -> Self {
        Self {
            script,
            folder,
            executable,
            recorder,
            inputs,
            http_state: HttpState::default(),
            outlet: Outlet::default(),
            pending_lines: Vec::new(),
            stdin_ended: false,
            bindings: Bindings::new(),
        }
    }

    pub(super) fn run(&mut self) -> StepOutcome {
        for step in self.script.steps.clone() {
            if let Some(code) = self.run_handlers(Duration::ZERO)? {
                return Ok(Some(code));
            }
            if let Some(code) = self.step(&step)? {
                return Ok(Some(code));
            }
        }
        self.recorder.record(&Entry::Ended)?;
        self.serve_until_idle()
    }

    fn step(&mut self, step: &Step) -> StepOutcome {
        match step {
            Step::Through { outlet } => self.outlet = outlet.clone(),
            Step::Out { text, end } => {
                let text = fill(text, &self.bindings);
                return self.print_text(&text, end);
            }
            Step::OutBytes { bytes } => return self.print_bytes(bytes),
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
            Step::Sleep { ms } => return self.wait(Duration::from_millis(*ms), |_| false),
            Step::Hang => return self.wait(HANG_LIMIT, |_| false),
            Step::Gate { name } => {
                self.recorder.record(&Entry::AtGate { name: name.clone() })?;
                let gate = self.folder.join(GATES_FOLDER).join(name);
                return self.wait(HANG_LIMIT, |_| gate.exists());
            }
            Step::WriteFile { path, contents } => std::fs::write(path, contents)?,
            Step::Spawn => self.spawn_detached()?,
            Step::Exit { code } => {
                self.recorder.record(&Entry::Ended)?;
                return Ok(Some(exit_code(*code)));
            }
            Step::Die { signal } => process::die_by(signal),
        }
        Ok(None)
    }

    /// Prints to stdout in writes of the size that the script sets.
    pub(super) fn print(&self, bytes: &[u8]) -> std::io::Result<()> {
        if self.script.terminal {
            return self.print_raw(&with_carriage_returns(bytes));
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

    fn flood(&mut self, stderr: bool, lines: u64, text: &str) -> StepOutcome {
        let block_lines = lines.min(256);
        let block = format!("{text}\n").repeat(usize::try_from(block_lines).unwrap_or(1));
        let mut printed = 0;
        while printed < lines {
            if stderr {
                std::io::stderr().write_all(block.as_bytes())?;
            } else if self.outlet == Outlet::Stdout && !self.script.terminal {
                std::io::stdout().write_all(block.as_bytes())?;
            } else if let Some(code) = self.print_bytes(block.as_bytes())? {
                return Ok(Some(code));
            }
            printed += block_lines;
        }
        std::io::stdout().flush()?;
        Ok(None)
    }

    fn expect(&mut self, pattern: &Value) -> StepOutcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        let mut pattern = pattern.clone();
        fill_value(&mut pattern, &self.bindings);
        self.record_wait(Some(format!("a line on stdin that matches {pattern}")))?;
        loop {
            while !self.pending_lines.is_empty() {
                let line = self.pending_lines.remove(0);
                if let Some(bound) = fit_line(&pattern, &line) {
                    self.bind(bound)?;
                    return self.record_wait(None).map(|()| None);
                }
                if let Some(code) = self.handle_line(&line)? {
                    return Ok(Some(code));
                }
            }
            if self.stdin_ended || Instant::now() >= deadline {
                return self.fail(format!("no line on stdin matches {pattern}"));
            }
            if let Some(code) = self.handle_requests()? {
                return Ok(Some(code));
            }
            if let Some(code) = self.receive(deadline)? {
                return Ok(Some(code));
            }
        }
    }

    /// Records what the script waits for, to explain a run that does not end.
    pub(super) fn record_wait(&self, thing: Option<String>) -> std::io::Result<()> {
        self.recorder.record(&Entry::Waits { thing })
    }

    /// Exits because the adapter did not do what the pack expects.
    pub(super) fn fail(&self, reason: String) -> StepOutcome {
        eprintln!("the fake CLI stops: {reason}");
        self.recorder.record(&Entry::ExpectFailed { reason })?;
        Ok(Some(ExitCode::from(EXPECT_FAILED_CODE)))
    }

    fn read_all(&mut self, bind: Option<&str>) -> StepOutcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        while !self.stdin_ended && Instant::now() < deadline {
            if let Some(code) = self.handle_requests()? {
                return Ok(Some(code));
            }
            if let Some(code) = self.receive(deadline)? {
                return Ok(Some(code));
            }
        }
        self.pending_lines.clear();
        if let Some(name) = bind {
            let text = String::from_utf8_lossy(&self.recorder.read_stdin()).into_owned();
            self.bind(Bindings::from([(name.to_owned(), Value::String(text))]))?;
        }
        Ok(None)
    }

    pub(super) fn bind(&mut self, bound: Bindings) -> std::io::Result<()> {
        for (name, value) in bound {
            self.recorder.record(&Entry::Bound { name: name.clone(), value: value.clone() })?;
            self.bindings.insert(name, value);
        }
        Ok(())
    }

    /// Waits for a time or until a condition holds. Handlers still run.
    pub(super) fn wait(&mut self, time: Duration, is_done: impl Fn(&Self) -> bool) -> StepOutcome {
        let deadline = Instant::now() + time;
        while !is_done(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if let Some(code) = self.run_handlers(left.min(POLL_INTERVAL))? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    /// Receives input and runs the handlers that match it.
    fn run_handlers(&mut self, wait: Duration) -> StepOutcome {
        if let Some(code) = self.receive(Instant::now() + wait)? {
            return Ok(Some(code));
        }
        let handled = self.pending_lines.iter().position(|line| self.stdin_handler(line).is_some());
        if let Some(index) = handled {
            let line = self.pending_lines.remove(index);
            return self.handle_line(&line);
        }
        self.handle_requests()
    }

    /// Receives one input; returns without one at the deadline.
    pub(super) fn receive(&mut self, deadline: Instant) -> StepOutcome {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.inputs.receiver.recv_timeout(left) {
            Ok(Input::Line(line)) => self.pending_lines.push(line),
            Ok(Input::StdinEnd) => self.stdin_ended = true,
            Ok(Input::Signal(name)) => return self.on_signal(name),
            Ok(Input::Request(pending)) => self.accept_request(pending)?,
            // The channel keeps a sender of its own, so this is always the deadline.
            Err(_) => {}
        }
        Ok(None)
    }

    fn on_signal(&mut self, name: &str) -> StepOutcome {
        if self.script.ignored_signals.iter().any(|ignored| ignored == name) {
            return Ok(None);
        }
        let handler = self.script.handlers.iter().find_map(|handler| match &handler.when {
            When::Signal(wanted) if wanted == name => Some(handler.steps.clone()),
            _ => None,
        });
        match handler {
            Some(steps) => self.run_handler(&steps),
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

    fn handle_line(&mut self, line: &str) -> StepOutcome {
        match self.stdin_handler(line) {
            Some((bound, steps)) => {
                self.bind(bound)?;
                self.run_handler(&steps)
            }
            None => Ok(None),
        }
    }

    /// Runs a handler and restores the outlet afterwards.
    pub(super) fn run_handler(&mut self, steps: &[Step]) -> StepOutcome {
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
        self.recorder.record(&Entry::Child { pid: child.id() })
    }
}

/// A terminal in raw mode needs a carriage return to go to the start of the line.
fn with_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut returned = Vec::with_capacity(bytes.len() + 8);
    for &byte in bytes {
        if byte == b'\n' && returned.last() != Some(&b'\r') {
            returned.push(b'\r');
        }
        returned.push(byte);
    }
    returned
}

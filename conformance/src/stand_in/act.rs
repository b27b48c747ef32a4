//! The stand-in as a process: plays its script and writes down what it sees.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::listen::{self, Heard};
use super::notebook::Notebook;
use super::pattern::{Bindings, fill, fill_value, fit_line};
use super::script::{
    Delivery, GATES_FOLDER, ProbeMode, SCRIPT_FILE, Script, StdinMode, Step, When,
};
use super::seen::Entry;
use crate::process;

/// The argument that makes the stand-in a detached process that only lives.
pub const DETACHED: &str = "--conformance-detached";

/// How long a detached process lives when nobody ends it.
const DETACHED_LIFE: Duration = Duration::from_secs(180);

/// How long an expected line is waited for.
const EXPECT_LIMIT: Duration = Duration::from_secs(30);

/// How long a stand-in hangs when nobody ends it.
const HANG_LIMIT: Duration = Duration::from_secs(180);

/// The exit code of a stand-in whose expected line did not come.
const EXPECT_FAILED: u8 = 3;

/// Acts as the stand-in when a script lies beside the executable; `None` when there is none.
pub fn become_stand_in(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    let folder = executable.parent()?.to_owned();
    let script = std::fs::read(folder.join(SCRIPT_FILE)).ok()?;
    if arguments.first().is_some_and(|argument| argument == DETACHED) {
        return Some(live_detached());
    }
    let script: Script = serde_json::from_slice(&script).ok()?;
    Some(match act(folder, executable, arguments, script) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("the stand-in cannot go on: {error}");
            ExitCode::from(EXPECT_FAILED)
        }
    })
}

fn live_detached() -> ExitCode {
    process::leave_session();
    // Signals are noticed and nothing follows: only SIGKILL ends it early.
    let _unwatched = process::watch_signals(|_| {});
    std::thread::sleep(DETACHED_LIFE);
    ExitCode::SUCCESS
}

fn act(
    folder: PathBuf,
    executable: &Path,
    arguments: &[String],
    script: Script,
) -> std::io::Result<ExitCode> {
    let notebook = Notebook::open(&folder)?;
    notebook.note_start(arguments)?;
    if let Some(probe) = script.probes.iter().find(|probe| probe.args == arguments) {
        notebook.note(&Entry::Probe)?;
        let (stdout, stderr, exit) = (probe.stdout.clone(), probe.stderr.clone(), probe.exit);
        return answer_probe(script.probe_mode, &stdout, &stderr, exit);
    }
    if script.stdin == StdinMode::Refuse {
        process::refuse_stdin()?;
    }
    let heard = listen::start(notebook.clone())?;
    let mut actor = Actor {
        script,
        folder,
        executable: executable.to_owned(),
        notebook,
        heard,
        waiting: Vec::new(),
        stdin_ended: false,
        bindings: Bindings::new(),
    };
    let steps = actor.script.steps.clone();
    let code = actor.play(&steps)?;
    if code.is_none() {
        actor.notebook.note(&Entry::Ended)?;
    }
    Ok(code.unwrap_or(ExitCode::SUCCESS))
}

fn answer_probe(
    mode: ProbeMode,
    stdout: &str,
    stderr: &str,
    exit: i32,
) -> std::io::Result<ExitCode> {
    match mode {
        ProbeMode::Answer => {
            std::io::stdout().write_all(stdout.as_bytes())?;
            std::io::stderr().write_all(stderr.as_bytes())?;
            Ok(exit_code(exit))
        }
        ProbeMode::Fail => {
            eprintln!("cannot find module 'conformance'");
            Ok(ExitCode::FAILURE)
        }
        ProbeMode::Hang => {
            std::thread::sleep(HANG_LIMIT);
            Ok(ExitCode::SUCCESS)
        }
        ProbeMode::Flood => {
            let until = Instant::now() + HANG_LIMIT;
            let block = "0123456789abcdef\n".repeat(4096);
            while Instant::now() < until {
                std::io::stdout().write_all(block.as_bytes())?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

struct Actor {
    script: Script,
    folder: PathBuf,
    executable: PathBuf,
    notebook: Notebook,
    heard: Receiver<Heard>,
    waiting: Vec<String>,
    stdin_ended: bool,
    bindings: Bindings,
}

/// A step is over, or the whole process is.
type Outcome = std::io::Result<Option<ExitCode>>;

impl Actor {
    fn play(&mut self, steps: &[Step]) -> Outcome {
        for step in steps {
            if let Some(code) = self.serve_handlers(Duration::ZERO)? {
                return Ok(Some(code));
            }
            if let Some(code) = self.step(step)? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    fn step(&mut self, step: &Step) -> Outcome {
        match step {
            Step::Out { text, end } => {
                let text = fill(text, &self.bindings) + end;
                self.print(text.as_bytes())?;
            }
            Step::OutBytes { bytes } => self.print(bytes)?,
            Step::Err { text } => {
                let text = fill(text, &self.bindings) + "\n";
                std::io::stderr().write_all(text.as_bytes())?;
            }
            Step::Flood { stderr, lines, text } => flood(*stderr, *lines, text)?,
            Step::Expect { pattern } => return self.expect(pattern),
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

    fn print(&self, bytes: &[u8]) -> std::io::Result<()> {
        let Delivery { chunk_bytes, pause_micros } = &self.script.delivery;
        let mut stdout = std::io::stdout().lock();
        for chunk in bytes.chunks(chunk_bytes.unwrap_or(bytes.len()).max(1)) {
            stdout.write_all(chunk)?;
            stdout.flush()?;
            if *pause_micros > 0 {
                std::thread::sleep(Duration::from_micros(*pause_micros));
            }
        }
        Ok(())
    }

    fn expect(&mut self, pattern: &Value) -> Outcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        let mut pattern = pattern.clone();
        fill_value(&mut pattern, &self.bindings);
        loop {
            while !self.waiting.is_empty() {
                let line = self.waiting.remove(0);
                if let Some(bound) = fit_line(&pattern, &line) {
                    self.bind(bound)?;
                    return Ok(None);
                }
                if let Some(code) = self.handle_line(&line)? {
                    return Ok(Some(code));
                }
            }
            if self.stdin_ended || Instant::now() >= deadline {
                let reason = format!("no line on stdin fits {pattern}");
                self.notebook.note(&Entry::ExpectFailed { reason: reason.clone() })?;
                eprintln!("the stand-in gives up: {reason}");
                return Ok(Some(ExitCode::from(EXPECT_FAILED)));
            }
            if let Some(code) = self.hear(deadline)? {
                return Ok(Some(code));
            }
        }
    }

    fn read_all(&mut self, bind: Option<&str>) -> Outcome {
        let deadline = Instant::now() + EXPECT_LIMIT;
        while !self.stdin_ended && Instant::now() < deadline {
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

    fn bind(&mut self, bound: Bindings) -> std::io::Result<()> {
        for (name, value) in bound {
            self.notebook.note(&Entry::Bound { name: name.clone(), value: value.clone() })?;
            self.bindings.insert(name, value);
        }
        Ok(())
    }

    /// Lets time pass, with handlers at work, until something is so.
    fn pass(&mut self, time: Duration, is_so: impl Fn(&Self) -> bool) -> Outcome {
        let deadline = Instant::now() + time;
        while !is_so(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if let Some(code) = self.serve_handlers(left.min(Duration::from_millis(3)))? {
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
        match handled {
            Some(index) => {
                let line = self.waiting.remove(index);
                self.handle_line(&line)
            }
            None => Ok(None),
        }
    }

    fn hear(&mut self, deadline: Instant) -> Outcome {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.heard.recv_timeout(left) {
            Ok(Heard::Line(line)) => self.waiting.push(line),
            Ok(Heard::StdinEnd) => self.stdin_ended = true,
            Ok(Heard::Signal(name)) => return self.on_signal(name),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left),
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
            When::Signal(_) => None,
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

    fn play_handler(&mut self, steps: &[Step]) -> Outcome {
        for step in steps {
            if let Some(code) = self.step(step)? {
                return Ok(Some(code));
            }
        }
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

fn flood(stderr: bool, lines: u64, text: &str) -> std::io::Result<()> {
    let block_lines = lines.min(256);
    let block = format!("{text}\n").repeat(usize::try_from(block_lines).unwrap_or(1));
    let mut printed = 0;
    while printed < lines {
        if stderr {
            std::io::stderr().write_all(block.as_bytes())?;
        } else {
            std::io::stdout().write_all(block.as_bytes())?;
        }
        printed += block_lines;
    }
    std::io::stdout().flush()
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

//! The script of the fake CLI: the file beside its executable.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::route::{Access, Pairs, Route};

/// The file beside the executable that makes it a fake CLI.
pub const SCRIPT_FILE: &str = "conformance-script.json";

/// The folder beside the executable for its records.
pub const CALLS_FOLDER: &str = "seen";

/// The folder beside the fake CLI's executable whose files open gates.
pub const GATES_FOLDER: &str = "gates";

/// What the fake CLI does when it is started.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// Argument lists that are answered without running the steps (`--version`, `--help`, …).
    pub probes: Vec<Probe>,
    /// How probes are answered.
    pub probe_mode: ProbeMode,
    /// How stdout is cut into writes.
    pub delivery: Delivery,
    /// Whether stdin is read.
    pub stdin: StdinMode,
    /// It exits unless stdin and stdout are a terminal.
    #[serde(default)]
    pub terminal: bool,
    /// Signals that do nothing.
    pub ignored_signals: Vec<String>,
    /// What happens whenever a signal, a line or a request arrives.
    pub handlers: Vec<Handler>,
    /// What happens in order.
    pub steps: Vec<Step>,
}

impl Script {
    /// Removes every reaction to a request to stop. A server still opens streams and sends plain
    /// replies; without them the adapter could not use it.
    pub fn ignore_polite_stops(&mut self) {
        self.handlers.retain(|handler| {
            matches!(handler.when, When::Request(_)) && !handler.is_polite_stop()
        });
        self.ignored_signals = ["SIGINT", "SIGTERM", "SIGHUP"].map(str::to_owned).to_vec();
    }

    /// Makes a server exit after its last step instead of hanging, so that a run whose last message
    /// was damaged still ends.
    pub fn exit_after_last_step(&mut self) {
        let serves = self.steps.iter().any(|step| matches!(step, Step::Listen { .. }));
        if serves && self.steps.last() == Some(&Step::Hang) {
            self.steps.pop();
        }
    }
}

/// One argument list and its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The whole argument list.
    pub args: Vec<String>,
    /// What is printed.
    #[serde(default)]
    pub stdout: String,
    /// What is printed on stderr.
    #[serde(default)]
    pub stderr: String,
    /// The exit code.
    #[serde(default)]
    pub exit: i32,
}

/// How probes are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeMode {
    /// As written.
    #[default]
    Answer,
    /// Never.
    Hang,
    /// With output that does not end.
    Flood,
    /// With exit code 1 and an error message.
    Fail,
}

/// How stdout is cut into writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// At most this many bytes per write; absent means whole lines.
    pub chunk_bytes: Option<usize>,
    /// How long to wait between writes.
    pub pause_micros: u64,
}

/// Whether stdin is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinMode {
    /// It is read and recorded.
    #[default]
    Read,
    /// It is closed at once, so that writing to it fails.
    Refuse,
    /// It stays open and is not read, so that a writer blocks when the pipe is full.
    Ignore,
}

/// What happens when a signal or a line arrives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handler {
    /// What it waits for.
    pub when: When,
    /// What it does; afterwards the script continues.
    pub steps: Vec<Step>,
}

impl Handler {
    /// Whether it is a request that stops the agent CLI: the handler does more than reply, and opens
    /// no stream.
    pub(super) fn is_polite_stop(&self) -> bool {
        let says_more = |step: &Step| {
            matches!(
                step,
                Step::Out { .. } | Step::OutBytes { .. } | Step::Exit { .. } | Step::Die { .. }
            )
        };
        let streams = |step: &Step| matches!(step, Step::Stream { .. });
        matches!(self.when, When::Request(_))
            && self.steps.iter().any(says_more)
            && !self.steps.iter().any(streams)
    }
}

/// What a handler waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// A signal by name, such as `SIGINT`.
    Signal(String),
    /// A line on stdin that matches a pattern (see `pattern.rs`).
    Stdin(Value),
    /// A request.
    Request(Route),
}

/// One action. Placeholders of bound values are filled when it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Step {
    /// Sets where later output of this list of steps goes; stdout at first.
    Through {
        /// Where.
        outlet: Outlet,
    },
    /// Prints text and a line end.
    Out {
        /// The text.
        text: String,
        /// What follows it; usually one line feed.
        end: String,
    },
    /// Prints bytes that are not text.
    OutBytes {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Prints a line on stderr.
    Err {
        /// The text.
        text: String,
    },
    /// Prints the same line many times.
    Flood {
        /// On stderr instead of stdout.
        stderr: bool,
        /// How many lines.
        lines: u64,
        /// The line.
        text: String,
    },
    /// Waits for a line on stdin that matches a pattern; other lines are skipped.
    Expect {
        /// See `pattern.rs`.
        pattern: Value,
    },
    /// Serves HTTP on a port of loopback; binds `port` and `url`.
    Listen {
        /// Who is authorized; absent means every client.
        access: Option<Access>,
    },
    /// Waits for a request. A later step replies.
    ExpectRequest {
        /// Which one.
        route: Route,
    },
    /// Replies to the request that was accepted last and has no reply yet.
    Reply {
        /// The status.
        status: u16,
        /// Headers in addition to those of the body.
        headers: Pairs,
        /// The body.
        body: String,
    },
    /// Replies with an event stream that stays open.
    Stream {
        /// Headers in addition to those of a stream.
        headers: Pairs,
    },
    /// Reads stdin to its end.
    ReadAll {
        /// Binds what was read to a name.
        bind: Option<String>,
    },
    /// Waits.
    Sleep {
        /// So long.
        ms: u64,
    },
    /// Waits until the suite opens the gate (`FakeCli::open_gate`).
    Gate {
        /// Its name.
        name: String,
    },
    /// Waits without end; handlers still run.
    Hang,
    /// Writes a file.
    WriteFile {
        /// Where.
        path: String,
        /// What.
        contents: String,
    },
    /// Starts a process that leaves the session, keeps nothing of the environment or the folder,
    /// ignores polite signals and lives for minutes.
    Spawn,
    /// Exits.
    Exit {
        /// With this code.
        code: i32,
    },
    /// Dies by a signal.
    Die {
        /// Its name, such as `SIGKILL`.
        signal: String,
    },
}

/// Where output goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outlet {
    /// As lines on stdout.
    #[default]
    Stdout,
    /// As events on every open stream; waits for the first.
    Events {
        /// The name of the events.
        name: Option<String>,
    },
}

impl Step {
    /// A line on stdout.
    pub fn out(text: impl Into<String>) -> Self {
        Self::Out { text: text.into(), end: "\n".to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_request(steps: Vec<Step>) -> Handler {
        Handler { when: When::Request(Route::default()), steps }
    }

    fn reply() -> Step {
        Step::Reply { status: 200, headers: Pairs::new(), body: String::new() }
    }

    #[test]
    fn server_without_polite_stop_still_replies() {
        let stream = Step::Stream { headers: Pairs::new() };
        let opens = on_request(vec![stream, Step::out("{}")]);
        let health = on_request(vec![reply()]);
        let abort = on_request(vec![reply(), Step::out("{}")]);
        let signal = Handler { when: When::Signal("SIGINT".to_owned()), steps: Vec::new() };
        let handlers = vec![opens.clone(), health.clone(), abort, signal];
        let mut script = Script { handlers, ..Script::default() };
        script.ignore_polite_stops();
        assert_eq!(script.handlers, [opens, health]);
        assert_eq!(script.ignored_signals, ["SIGINT", "SIGTERM", "SIGHUP"]);
    }

    #[test]
    fn only_hanging_server_exits_after_last_step() {
        let listen = Step::Listen { access: None };
        let mut server = Script { steps: vec![listen.clone(), Step::Hang], ..Script::default() };
        server.exit_after_last_step();
        assert_eq!(server.steps, [listen]);
        let mut other = Script { steps: vec![Step::Hang], ..Script::default() };
        other.exit_after_last_step();
        assert_eq!(other.steps, [Step::Hang]);
    }
}

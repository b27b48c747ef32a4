//! What maps the output of one run: the [`Mapper`] trait.

use od_protocol::InputOutcome;
use od_protocol::adapter::RespondRunParams;

use crate::{Exit, Invocation, RunOutcome, RunOutput, http};

/// Turns the native lines of one run into events: a pure state machine. The runner calls it from
/// one thread at a time.
///
/// ```
/// use od_sdk::{Exit, Mapper, RunOutcome, RunOutput};
///
/// #[derive(Default)]
/// struct Lines {
///     has_ended: bool,
/// }
///
/// impl Mapper for Lines {
///     fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
///         match line {
///             b"END" => self.has_ended = true,
///             text => output.text_delta("answer", &String::from_utf8_lossy(text)),
///         }
///     }
///
///     fn on_exit(&mut self, exit: &Exit, _output: &mut RunOutput) -> Option<RunOutcome> {
///         (self.has_ended && exit.code == Some(0)).then_some(RunOutcome::COMPLETED)
///     }
/// }
/// ```
pub trait Mapper: Send {
    /// The run has begun. A run that is attached to a server connects to it here.
    fn on_begin(&mut self, _output: &mut RunOutput) {}

    /// The agent CLI was started with this invocation: for values that the invocation generated,
    /// such as the id of a session.
    fn on_started(&mut self, _invocation: &Invocation, _output: &mut RunOutput) {}

    /// Maps one line of the agent CLI's stdout, without its line end; blank lines are skipped. A
    /// line may contain anything: one that is not understood is noise or [`RunOutput::unmapped`],
    /// never a failure.
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput);

    /// Maps one line of the agent CLI's stderr, for CLIs that report some things only there.
    fn on_stderr_line(&mut self, _line: &[u8], _output: &mut RunOutput) {}

    /// Maps the reply to a [`RunOutput::request`].
    fn on_reply(&mut self, _reply: &http::Reply, _output: &mut RunOutput) {}

    /// Maps the data of one event of the stream that [`RunOutput::open_stream`] opened. It may
    /// contain anything, as a line may. When the stream ends, the run ends soon, with
    /// [`Mapper::on_exit`].
    fn on_stream_event(&mut self, _data: &[u8], _output: &mut RunOutput) {}

    /// The agent CLI was silent for as long as [`RunOutput::limit_silence`] allows: report why with
    /// [`RunOutput::fail`], or set another limit. By default the run continues.
    fn on_silence(&mut self, _output: &mut RunOutput) {}

    /// `run/input`: passes the text on to the agent CLI and returns what happens with it. Input for
    /// another turn is refused, see [`UserInput::is_for_other_turn`].
    fn on_input(&mut self, _input: UserInput<'_>, _output: &mut RunOutput) -> InputOutcome {
        InputOutcome::Refused
    }

    /// Passes a decision on an approval of this mapper on to the agent CLI. The runner has checked
    /// that the approval is open and emits `approval_resolved` itself. Denials by time-out and
    /// cancel arrive the same way.
    fn on_decision(&mut self, _respond_run_params: &RespondRunParams, _output: &mut RunOutput) {}

    /// The run is being cancelled: start the agent CLI's own way to stop, or name a signal.
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Interrupt
    }

    /// The process has ended: maps what it wrote into the file that [`Invocation::report`] names.
    /// Called before the end of the run is emitted, also after [`RunOutput::finish`].
    fn on_report(&mut self, _report: &[u8], _output: &mut RunOutput) {}

    /// The agent CLI ended before the mapper called [`RunOutput::finish`]. `None` means that its
    /// output does not explain the end: the runner then reports `cli_crashed` with the last lines
    /// of stderr.
    fn on_exit(&mut self, _exit: &Exit, _output: &mut RunOutput) -> Option<RunOutcome> {
        None
    }
}

/// Input of the user during a run.
///
/// ```
/// use od_sdk::UserInput;
///
/// assert!(!UserInput::from("hello").is_for_other_turn(None));
/// let input = UserInput { text: "hello", expected_turn: Some("turn-1") };
/// assert!(input.is_for_other_turn(Some("turn-2")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserInput<'a> {
    /// The text.
    pub text: &'a str,
    /// The turn that the client expects to be running; `None` accepts any.
    pub expected_turn: Option<&'a str>,
}

impl UserInput<'_> {
    /// Whether the client expects another turn than the current one.
    pub fn is_for_other_turn(&self, current: Option<&str>) -> bool {
        self.expected_turn.is_some() && self.expected_turn != current
    }
}

impl<'a> From<&'a str> for UserInput<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, expected_turn: None }
    }
}

/// How an agent CLI is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoliteStop {
    /// SIGINT to the CLI's process group. Windows has no such signal: there it is killed.
    Interrupt,
    /// SIGTERM to the CLI's process group.
    Terminate,
    /// The mapper has written a message to stdin, or sent a request, that makes the CLI stop.
    Written,
}

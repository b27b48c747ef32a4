//! The faults of the reference agent: each one is a single way to be wrong that real agents have
//! shown.

use crate::mutant::faults;

faults! {
    AgentFault;
    /// Says its version as text.
    TextVersion = "text_version",
    /// Claims to speak whatever version it is asked for.
    EchoesVersion = "echoes_version",
    /// Refuses members of `initialize` that it does not know.
    StrictInitialize = "strict_initialize",
    /// Does not say what it is.
    Anonymous = "anonymous",
    /// Declares a capability with a text.
    TextCapability = "text_capability",
    /// Does not answer a request it does not know.
    SilentUnknown = "silent_unknown",
    /// Answers notifications it does not know.
    AnswersNotifications = "answers_notifications",
    /// Calls a file method that the client did not declare.
    UndeclaredFiles = "undeclared_files",
    /// Takes any way to log in.
    AnyLogin = "any_login",
    /// Turns long numeric ids into text.
    TextIds = "text_ids",
    /// Prints a line for people before the protocol begins.
    Banner = "banner",
    /// Prints a line for developers in each turn.
    StrayPrint = "stray_print",
    /// Answers `session/new` twice.
    AnswersTwice = "answers_twice",
    /// Sends an update of a session that nobody opened.
    StraySession = "stray_session",
    /// Sends thoughts without a content block.
    BareChunk = "bare_chunk",
    /// Sends a kind of update of its own.
    OwnUpdateKind = "own_update_kind",
    /// Gives all sessions the same id.
    OneSessionId = "one_session_id",
    /// Works somewhere when it is told no folder.
    GuessesCwd = "guesses_cwd",
    /// Calls wrong parameters an internal error.
    UntypedParams = "untyped_params",
    /// Takes a prompt for a session that nobody opened.
    AnySession = "any_session",
    /// Refuses a mode that it offers.
    RefusesAMode = "refuses_a_mode",
    /// Tells the model only of the last prompt.
    Forgets = "forgets",
    /// Sends text under the id of another session that works.
    Crosstalk = "crosstalk",
    /// Replays nothing at `session/load`.
    SilentLoad = "silent_load",
    /// Replays after the answer to `session/load`.
    LateReplay = "late_replay",
    /// Loads sessions that are not there.
    LoadsAnything = "loads_anything",
    /// Sends every text twice.
    DupText = "dup_text",
    /// Sends the text when the model is done.
    BuffersText = "buffers_text",
    /// Sends thoughts as text.
    ThoughtsAsText = "thoughts_as_text",
    /// Drops characters of several bytes from the prompt.
    AsciiPrompt = "ascii_prompt",
    /// Sends text after the answer to the prompt.
    LateText = "late_text",
    /// Ends turns with a stop reason of its own.
    OddStopReason = "odd_stop_reason",
    /// Calls the token limit an end.
    HidesTokenLimit = "hides_token_limit",
    /// Tells of a refusal of the model as text.
    ErrorAsText = "error_as_text",
    /// Cuts a long prompt.
    CutsPrompt = "cuts_prompt",
    /// Takes the last block of a prompt only.
    LastBlockOnly = "last_block_only",
    /// Updates tool calls that it never announced.
    UpdateWithoutCall = "update_without_call",
    /// Leaves tool calls open.
    OpenTool = "open_tool",
    /// Tells of a failing command as done.
    FailureIsSuccess = "failure_is_success",
    /// Writes files where it was started.
    WrongFolder = "wrong_folder",
    /// Reads a file through the client before it writes a new one, and gives up.
    ReadsBeforeWriting = "reads_before_writing",
    /// Offers options without names.
    NamelessOptions = "nameless_options",
    /// Writes before the client has answered.
    ActsBeforeAnswer = "acts_before_answer",
    /// Does not do what was allowed.
    DropsAllowed = "drops_allowed",
    /// Takes no for yes.
    RejectIsYes = "reject_is_yes",
    /// Takes a cancelled question for yes.
    CancelledIsYes = "cancelled_is_yes",
    /// Takes an option that it never offered for yes.
    StrangerIsYes = "stranger_is_yes",
    /// Takes an error for yes.
    ErrorIsYes = "error_is_yes",
    /// Does not tell how a rejected call ended.
    SilentReject = "silent_reject",
    /// Goes on with its question when the turn is cancelled.
    QuestionSurvivesCancel = "question_survives_cancel",
    /// Passes over `session/cancel`.
    CancelNoop = "cancel_noop",
    /// Answers a cancelled prompt with an error.
    CancelIsError = "cancel_is_error",
    /// Leaves the command running when the turn is cancelled.
    CancelLeavesCommand = "cancel_leaves_command",
    /// Takes no prompt after a cancel.
    DeadAfterCancel = "dead_after_cancel",
    /// Answers a cancel of a session that does not work.
    AnswersIdleCancel = "answers_idle_cancel",
    /// Leaves the turn of a closed session open.
    CloseLeavesTurn = "close_leaves_turn",
    /// Exits at a line that is no JSON.
    DiesOnGarbage = "dies_on_garbage",
    /// Says nothing to a line that is no JSON.
    SilentGarbage = "silent_garbage",
    /// Takes what one read gives for whole lines.
    ChunkIsLine = "chunk_is_line",
    /// Decodes each read by itself, through the middle of a character.
    LossySplit = "lossy_split",
    /// Calls a blank line an error.
    BlankIsError = "blank_is_error",
    /// Exits at an answer to something it never asked.
    StrayAnswerDies = "stray_answer_dies",
    /// Exits at parameters of the wrong type.
    WrongTypesDie = "wrong_types_die",
    /// Refuses members of `session/new` that it does not know.
    StrictMembers = "strict_members",
    /// Passes over unknown requests while it works.
    DeafInTurn = "deaf_in_turn",
    /// Stays when stdin ends.
    IgnoresEof = "ignores_eof",
    /// Stays at SIGTERM.
    IgnoresTerm = "ignores_term",
    /// Goes when stdin ends and leaves the command running.
    EofLeavesCommand = "eof_leaves_command",
    /// Goes at SIGTERM and leaves the command running.
    TermLeavesCommand = "term_leaves_command",
}

/// What is wrong with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Behaviour(Option<AgentFault>);

impl Behaviour {
    /// Right in every respect.
    pub(super) const RIGHT: Self = Self(None);

    /// Wrong in one.
    pub(super) const fn with(fault: AgentFault) -> Self {
        Self(Some(fault))
    }

    /// Whether this is what is wrong.
    pub(super) fn has(self, fault: AgentFault) -> bool {
        self.0 == Some(fault)
    }
}

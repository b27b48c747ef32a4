//! The faults of the reference agent: each one is a single error that real agents have shown.

use crate::mutant::faults;

faults! {
    AgentFault;
    /// Reports its version as a string.
    TextVersion = "text_version",
    /// Claims to support any requested version.
    EchoesVersion = "echoes_version",
    /// Refuses unknown members of `initialize`.
    StrictInitialize = "strict_initialize",
    /// Does not report its name.
    Anonymous = "anonymous",
    /// Declares a capability as a string.
    TextCapability = "text_capability",
    /// Answers an unknown request with an internal error.
    UnknownIsInternal = "unknown_is_internal",
    /// Does not answer an unknown request.
    SilentUnknown = "silent_unknown",
    /// Answers unknown notifications.
    AnswersNotifications = "answers_notifications",
    /// Calls a file method that the client did not declare.
    UndeclaredFiles = "undeclared_files",
    /// Accepts any authentication method.
    AnyLogin = "any_login",
    /// Converts long numeric ids to strings.
    TextIds = "text_ids",
    /// Treats a request with an empty string as its id as a notification.
    EmptyIdIsNotification = "empty_id_is_notification",
    /// Prints a banner before the first message.
    Banner = "banner",
    /// Prints a debug line in each turn.
    StrayPrint = "stray_print",
    /// Answers `session/new` twice.
    AnswersTwice = "answers_twice",
    /// Sends an update of an unknown session.
    StraySession = "stray_session",
    /// Sends thoughts without a content block.
    BareChunk = "bare_chunk",
    /// Sends an unknown kind of update.
    OwnUpdateKind = "own_update_kind",
    /// Gives all sessions the same id.
    OneSessionId = "one_session_id",
    /// Selects a folder itself if none is given.
    GuessesCwd = "guesses_cwd",
    /// Reports invalid parameters as an internal error.
    UntypedParams = "untyped_params",
    /// Accepts a prompt for an unknown session.
    AnySession = "any_session",
    /// Refuses a mode that it offers.
    RefusesAMode = "refuses_a_mode",
    /// Sends only the last prompt to the model.
    Forgets = "forgets",
    /// Sends text with the id of another active session.
    Crosstalk = "crosstalk",
    /// Sends text with the id of the session whose prompt arrived last.
    LatestSession = "latest_session",
    /// Replays only the last turn at `session/load`.
    ReplaysLastTurn = "replays_last_turn",
    /// Replays a loaded session, but does not send it to the model.
    LoadForgets = "load_forgets",
    /// Replays nothing at `session/load`.
    SilentLoad = "silent_load",
    /// Replays after the response to `session/load`.
    LateReplay = "late_replay",
    /// Loads sessions that do not exist.
    LoadsAnything = "loads_anything",
    /// Sends every text twice.
    DupText = "dup_text",
    /// Sends the text only after the model has finished.
    BuffersText = "buffers_text",
    /// Sends thoughts as text.
    ThoughtsAsText = "thoughts_as_text",
    /// Drops multi-byte characters from the prompt.
    AsciiPrompt = "ascii_prompt",
    /// Sends text after the response to the prompt.
    LateText = "late_text",
    /// Ends turns with an unknown stop reason.
    OddStopReason = "odd_stop_reason",
    /// Reports the token limit as end_turn.
    HidesTokenLimit = "hides_token_limit",
    /// Reports a rejection by the model as text.
    ErrorAsText = "error_as_text",
    /// Truncates a long prompt.
    CutsPrompt = "cuts_prompt",
    /// Uses only the last block of a prompt.
    LastBlockOnly = "last_block_only",
    /// Drops carriage returns from the text.
    DropsCarriageReturns = "drops_carriage_returns",
    /// Drops U+FEFF from the text.
    DropsByteOrderMarks = "drops_byte_order_marks",
    /// Drops combining accents from the text.
    DropsAccents = "drops_accents",
    /// Converts CR LF in the prompt to LF.
    PromptLineEnds = "prompt_line_ends",
    /// Updates tool calls that it did not announce.
    UpdateWithoutCall = "update_without_call",
    /// Leaves tool calls open.
    OpenTool = "open_tool",
    /// Reports a failing command as completed.
    FailureIsSuccess = "failure_is_success",
    /// Writes files into its start folder.
    WrongFolder = "wrong_folder",
    /// Reads a file through the client before it writes a new one, and fails.
    ReadsBeforeWriting = "reads_before_writing",
    /// Reports the output of the previous tool call as that of the next one.
    StaleOutput = "stale_output",
    /// Reports a completed tool call as running again before it ends a second time.
    ReopensTool = "reopens_tool",
    /// Gives all tool calls the same id.
    OneToolId = "one_tool_id",
    /// Does not send the output of tools to the model.
    DropsToolOutput = "drops_tool_output",
    /// Reports a file that it could not write as completed.
    WriteErrorIsCompleted = "write_error_is_completed",
    /// Offers options without names.
    NamelessOptions = "nameless_options",
    /// Writes before the client has answered.
    ActsBeforeAnswer = "acts_before_answer",
    /// Does not perform an allowed action.
    DropsAllowed = "drops_allowed",
    /// Treats a rejection as an approval.
    RejectIsYes = "reject_is_yes",
    /// Treats a cancelled permission request as an approval.
    CancelledIsYes = "cancelled_is_yes",
    /// Treats an option that it did not offer as an approval.
    StrangerIsYes = "stranger_is_yes",
    /// Treats an error as an approval.
    ErrorIsYes = "error_is_yes",
    /// Does not report the end of a rejected call.
    SilentReject = "silent_reject",
    /// Keeps its permission request open when the turn is cancelled.
    QuestionSurvivesCancel = "question_survives_cancel",
    /// Ignores `session/cancel`.
    CancelNoop = "cancel_noop",
    /// Answers a cancelled prompt with an error.
    CancelIsError = "cancel_is_error",
    /// Leaves the command running when the turn is cancelled.
    CancelLeavesCommand = "cancel_leaves_command",
    /// Refuses prompts after a cancel.
    DeadAfterCancel = "dead_after_cancel",
    /// Answers a cancel of an idle session.
    AnswersIdleCancel = "answers_idle_cancel",
    /// Cancels the turns of all sessions.
    CancelStopsAll = "cancel_stops_all",
    /// Leaves the turn of a closed session open.
    CloseLeavesTurn = "close_leaves_turn",
    /// Exits after a line that is not JSON.
    DiesOnGarbage = "dies_on_garbage",
    /// Does not answer a line that is not JSON.
    SilentGarbage = "silent_garbage",
    /// Treats the bytes of one read as complete lines.
    ChunkIsLine = "chunk_is_line",
    /// Decodes each read separately, which splits characters.
    LossySplit = "lossy_split",
    /// Reports a blank line as an error.
    BlankIsError = "blank_is_error",
    /// Exits after a response that it did not request.
    StrayAnswerDies = "stray_answer_dies",
    /// Exits after parameters of the wrong type.
    WrongTypesDie = "wrong_types_die",
    /// Refuses unknown members of `session/new`.
    StrictMembers = "strict_members",
    /// Ignores unknown requests during a turn.
    DeafInTurn = "deaf_in_turn",
    /// Does not exit when stdin closes.
    IgnoresEof = "ignores_eof",
    /// Ignores SIGTERM.
    IgnoresTerm = "ignores_term",
    /// Exits when stdin closes and leaves the command running.
    EofLeavesCommand = "eof_leaves_command",
    /// Exits after SIGTERM and leaves the command running.
    TermLeavesCommand = "term_leaves_command",
}

/// The behaviour of the agent: correct, or with one fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Behaviour(Option<AgentFault>);

impl Behaviour {
    /// Correct behaviour.
    pub(super) const CORRECT: Self = Self(None);

    /// Behaviour with one fault.
    pub(super) const fn with(fault: AgentFault) -> Self {
        Self(Some(fault))
    }

    /// Whether the agent has this fault.
    pub(super) fn has(self, fault: AgentFault) -> bool {
        self.0 == Some(fault)
    }
}

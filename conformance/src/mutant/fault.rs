//! The faults: each is one mistake that real adapters have made.

use super::fault_record;

macro_rules! faults {
    ($enum:ident; $($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// One fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $enum {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $enum {
            /// All faults.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name for `--fault`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// A description.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)+ }
            }

            /// Parses the name for `--fault`.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|fault| fault.name() == name)
            }
        }
    };
}

pub(crate) use faults;

faults! {
    Fault;
    /// Prints a greeting before the manifest.
    ManifestBanner = "manifest_banner",
    /// Needs PATH to print its manifest.
    ManifestNeedsPath = "manifest_needs_path",
    /// Starts the agent CLI to print its manifest.
    ManifestSpawnsCli = "manifest_spawns_cli",
    /// Writes a file when it prints its manifest.
    ManifestWritesFile = "manifest_writes_file",
    /// Has another id than its file name.
    ManifestWrongId = "manifest_wrong_id",
    /// Declares a capability that `initialize` does not repeat.
    ManifestLies = "manifest_lies",
    /// Prints another manifest each time.
    ManifestVaries = "manifest_varies",
    /// Treats an unknown argument as `--manifest`.
    AcceptsAnyArgument = "accepts_any_argument",
    /// Prints a line before the first message.
    Banner = "banner",
    /// Answers the highest major of the host instead of the highest common one.
    EchoesMajor = "echoes_major",
    /// Refuses unknown fields.
    StrictFields = "strict_fields",
    /// Accepts a host of any major.
    AnyVersion = "any_version",
    /// Exits when it has refused a major.
    DiesAfterRefusal = "dies_after_refusal",
    /// Serves without `initialize`.
    NoInitializeGate = "no_initialize_gate",
    /// Accepts a second `initialize`.
    InitializesTwice = "initializes_twice",
    /// Does not answer an unknown method.
    SilentUnknown = "silent_unknown",
    /// Answers unknown notifications.
    AnswersNotifications = "answers_notifications",
    /// Exits at a line that is not JSON.
    DiesOnBadJson = "dies_on_bad_json",
    /// Turns long numeric ids into text.
    TextIds = "text_ids",
    /// Answers `shutdown` before its run has ended.
    ShutdownBeforeDone = "shutdown_before_done",
    /// Keeps running when stdin ends.
    IgnoreEof = "ignore_eof",
    /// Exits when stdin ends, but leaves the agent CLI running.
    EofLeavesCli = "eof_leaves_cli",
    /// Does not notice that the host has exited.
    IgnoresHostPid = "ignores_host_pid",
    /// Keeps running when its stdout is closed.
    IgnoresBrokenPipe = "ignores_broken_pipe",
    /// Does not report the version of the agent CLI.
    DetectNoVersion = "detect_no_version",
    /// Falls back to PATH when the configured agent CLI is missing.
    DetectPathFallback = "detect_path_fallback",
    /// Waits for `--version` without a limit.
    DetectHangs = "detect_hangs",
    /// Does not kill a probe that took too long.
    DetectLeavesProcess = "detect_leaves_process",
    /// Reports every login as valid.
    DetectSaysOk = "detect_says_ok",
    /// Reports the value of the key it found.
    DetectLeaksKey = "detect_leaks_key",
    /// Writes a file into the home folder during detection.
    DetectWritesFile = "detect_writes_file",
    /// Reports every version of the agent CLI as new enough.
    AnyCliVersion = "any_cli_version",
    /// Passes the prompt as an argument.
    PromptInArgv = "prompt_in_argv",
    /// Interprets the first character of a prompt as a command.
    PromptIsCommand = "prompt_is_command",
    /// Truncates a long prompt.
    CutsLongPrompt = "cuts_long_prompt",
    /// Fails the run when the agent CLI does not read its stdin.
    EpipeFailsRun = "epipe_fails_run",
    /// Passes its whole environment to the agent CLI.
    LeakEnv = "leak_env",
    /// Drops the variables of the run.
    DropsRunEnv = "drops_run_env",
    /// Drops the variable its own manifest declares.
    DropsAuthEnv = "drops_auth_env",
    /// Starts the agent CLI in the parent folder.
    WrongCwd = "wrong_cwd",
    /// Starts the agent CLI in another folder when the folder is missing.
    SpawnsWithoutCwd = "spawns_without_cwd",
    /// Answers `run/start` only after the first output of the agent CLI.
    AnswersAtFirstWord = "answers_at_first_word",
    /// Sends every text twice.
    DupText = "dup_text",
    /// Always sends the same text.
    HardcodedReply = "hardcoded_reply",
    /// Sends everything at the end.
    BuffersAll = "buffers_all",
    /// Never sends `done`.
    NoDone = "no_done",
    /// Sends `done` twice.
    TwoDone = "two_done",
    /// Skips a sequence number.
    SeqGap = "seq_gap",
    /// Omits `run_started`.
    NoRunStarted = "no_run_started",
    /// Sends an event of a run that was not started.
    StrayRunId = "stray_run_id",
    /// Never ends a thought.
    ThinkingLeftOpen = "thinking_left_open",
    /// Sends a tool's result before its call.
    ResultBeforeCall = "result_before_call",
    /// Sends a result with another id than its call.
    RenamesToolCalls = "renames_tool_calls",
    /// Reports a failed tool as successful.
    ToolErrorIsOk = "tool_error_is_ok",
    /// Leaves a tool open at the end.
    OpenToolLeft = "open_tool_left",
    /// Sends usage after `done`.
    UsageAfterDone = "usage_after_done",
    /// Sends the usage of the run twice.
    UsageTwice = "usage_twice",
    /// Reports an unknown price as zero.
    NullCostZero = "null_cost_zero",
    /// Fails without an error event.
    SilentFailure = "silent_failure",
    /// Treats the result of one read as complete lines.
    ChunkIsLine = "chunk_is_line",
    /// Decodes each read separately, also within a character.
    LossySplit = "lossy_split",
    /// Drops a line of more than a quarter of a mebibyte.
    SmallLineCap = "small_line_cap",
    /// Drops a last line without a line end.
    DropLastLine = "drop_last_line",
    /// Drops lines that end with a carriage return.
    CarriageReturnIsNoise = "carriage_return_is_noise",
    /// Splits lines at U+2028 too.
    UnicodeLines = "unicode_lines",
    /// Prints a stray line between its messages.
    StrayPrint = "stray_print",
    /// Prints bytes that are not UTF-8 at the end of a message.
    InvalidUtf8Output = "invalid_utf8_output",
    /// Leaves terminal colours in texts.
    AnsiInText = "ansi_in_text",
    /// Fails the run at a line that is not JSON.
    DieOnGarbage = "die_on_garbage",
    /// Fails the run at an unknown message.
    UnknownFatal = "unknown_fatal",
    /// Fails the run at a line that is not UTF-8.
    StrictUtf8 = "strict_utf8",
    /// Crashes when a field is missing.
    MissingFieldDies = "missing_field_dies",
    /// Crashes at a damaged message of its CLI.
    DamageDies = "damage_dies",
    /// Accepts an incomplete final message.
    TornEndIsEnd = "torn_end_is_end",
    /// Does not read stderr.
    StderrUndrained = "stderr_undrained",
    /// Accepts a cancel and does nothing.
    CancelNoop = "cancel_noop",
    /// Sends one SIGTERM and waits.
    TermOnly = "term_only",
    /// Kills without a polite signal first.
    KillsAtOnce = "kills_at_once",
    /// Kills the process group, but not processes that left it.
    OrphanChild = "orphan_child",
    /// Refuses a second cancel.
    SecondCancelErrors = "second_cancel_errors",
    /// Refuses a cancel of a run that has ended.
    LateCancelErrors = "late_cancel_errors",
    /// Loses `done` when a cancel arrives at the end.
    CancelLosesDone = "cancel_loses_done",
    /// Reports a crash as completed.
    CrashIsOk = "crash_is_ok",
    /// Reports exit code 0 as completed, without a final message.
    ExitZeroIsOk = "exit_zero_is_ok",
    /// Does not report why the agent CLI could not be started.
    UntypedSpawnFailure = "untyped_spawn_failure",
    /// Reports a refused login as a crash.
    AuthIsCrash = "auth_is_crash",
    /// Reports a full context as a crash.
    ContextIsCrash = "context_is_crash",
    /// Includes secrets from stderr in its errors.
    LeaksSecrets = "leaks_secrets",
    /// Sends a number as text.
    TextForNumber = "text_for_number",
    /// Takes half a minute to answer `adapter/health`.
    SlowHealth = "slow_health",
    /// Answers `ping` only while it sends nothing else.
    PingBehindEvents = "ping_behind_events",
    /// Sends no heartbeat while the agent CLI is silent.
    NoHeartbeat = "no_heartbeat",
    /// Ignores the limit of the whole run.
    IgnoresTotal = "ignores_total",
    /// Ignores the idle limit.
    IgnoresIdle = "ignores_idle",
    /// Counts the idle limit from the start.
    IdleNotReset = "idle_not_reset",
    /// Ignores the limit of the first output.
    IgnoresStart = "ignores_start",
    /// Accepts parallel runs, and the end of one ends the others.
    Crosstalk = "crosstalk",
    /// Does not refuse an id in use.
    UntypedRunIdInUse = "untyped_run_id_in_use",
    /// Does not refuse too many runs.
    UntypedTooManyRuns = "untyped_too_many_runs",
    /// Drops text after the host did not read for a while.
    StallsLoseEvents = "stalls_lose_events",
    /// Sends an additional event in every second run.
    Unsteady = "unsteady",
    /// Leaves a file open after each run.
    LeaksFd = "leaks_fd",
    /// Starts a process after each run and never waits for it.
    LeavesZombies = "leaves_zombies",
    /// Leaves a temporary file after each run.
    LeavesTempFiles = "leaves_temp_files",
    /// Leaks memory in each run.
    LeaksMemory = "leaks_memory",
    /// Uses the CPU while idle.
    BusyWaits = "busy_waits",
    /// Declares more in `adapter/detect` than in `initialize`.
    DetectWidens = "detect_widens",
    /// Silently drops unsupported options.
    DropsOptions = "drops_options",
    /// Answers a method whose capability it does not declare.
    AnswersUndeclared = "answers_undeclared",
    /// Declares thinking and never shows a thought.
    SilentThinking = "silent_thinking",
    /// Accepts images and does not pass them on.
    DropsImages = "drops_images",
    /// Accepts MCP servers and does not pass them on.
    DropsMcpServers = "drops_mcp_servers",
    /// Accepts every permission mode and passes none on.
    OneMode = "one_mode",
    /// Accepts every effort level and passes none on.
    OneEffort = "one_effort",
    /// Lists a model twice.
    DuplicateModels = "duplicate_models",
    /// Reports its static list of models as the answer of the agent CLI.
    AlwaysLiveModels = "always_live_models",
    /// Passes another model than requested.
    RenamesModel = "renames_model",
    /// Passes a model that looks like a switch.
    HostileModel = "hostile_model",
    /// Lets the agent CLI retry without end.
    NoRlKill = "no_rl_kill",
    /// Does not report the time until a retry.
    DropsRetryAfter = "drops_retry_after",
    /// Treats the text `rate limit` in an answer as a rate limit.
    RlByWord = "rl_by_word",
    /// Invents the id of the session.
    OwnSessionId = "own_session_id",
    /// Resumes the last session instead of the requested one.
    ResumesLast = "resumes_last",
    /// Reports a forked session under the old id.
    ForkKeepsId = "fork_keeps_id",
    /// Reports an unknown session as a crash.
    SessionIsCrash = "session_is_crash",
    /// Approves before a decision arrives.
    ApprovesItself = "approves_itself",
    /// Treats an unknown outcome as an approval.
    ApprovesUnknown = "approves_unknown",
    /// Approves pending requests when the run is cancelled.
    CancelApproves = "cancel_approves",
    /// Resolves each approval twice.
    ResolvesTwice = "resolves_twice",
    /// Joins the incomplete lines of concurrent runs.
    SharedLineBuffer = "shared_line_buffer",
    /// Stops every run when one is cancelled.
    CancelStopsAll = "cancel_stops_all",
    /// Cancels a run whose id begins with the given id.
    CancelByPrefix = "cancel_by_prefix",
    /// Stops every run when a limit of one passes.
    TimeoutStopsAll = "timeout_stops_all",
    /// Sends input to every open run.
    InputToAll = "input_to_all",
    /// Reports the session of the latest run for every run.
    LatestSession = "latest_session",
    /// Keeps the variables of a run for later runs.
    KeepsRunEnv = "keeps_run_env",
    /// Keeps the system prompt of a run for later runs.
    KeepsSystemPrompt = "keeps_system_prompt",
    /// Answers nothing while it detects the agent CLI.
    DetectBlocks = "detect_blocks",
    /// Kills the agent CLIs of open runs after a detection.
    DetectKillsRuns = "detect_kills_runs",
    /// Starts a session of the agent CLI to detect it.
    DetectStartsCli = "detect_starts_cli",
    /// Approves if the host answers no approvals.
    ApprovesWithoutHost = "approves_without_host",
    /// Waits for an answer of a host that answers no approvals.
    WaitsWithoutHost = "waits_without_host",
    /// Denies without an event if the host answers no approvals.
    HidesDenial = "hides_denial",
    /// Does not deny an approval at its deadline.
    IgnoresDeadline = "ignores_deadline",
    /// Approves at the deadline.
    DeadlineApproves = "deadline_approves",
    /// Denies an approval before its deadline.
    DeniesEarly = "denies_early",
    /// Approves an edited call with its original input.
    DropsUpdatedInput = "drops_updated_input",
    /// Treats a rejection with an edited input as an approval.
    EditApproves = "edit_approves",
    /// Accepts an answer with the id of another run.
    AnswersOtherRun = "answers_other_run",
    /// Accepts an answer with any approval id.
    AnyApprovalId = "any_approval_id",
    /// Reports every decision as one of the user.
    AlwaysByUser = "always_by_user",
    /// Reports a decision that was not offered.
    KeepsUnoffered = "keeps_unoffered",
    /// Denies what is always allowed if that was not offered.
    AlwaysIsDenied = "always_is_denied",
    /// Requests an approval without a summary.
    EmptySummary = "empty_summary",
    /// Offers no option to reject.
    OffersOnlyYes = "offers_only_yes",
    /// Requests an approval of a command as that of a read.
    CommandIsRead = "command_is_read",
    /// Requests an approval for a call that does not exist.
    ForeignToolCall = "foreign_tool_call",
    /// Trims input to a running run.
    TrimsInput = "trims_input",
    /// Passes only the first line of input on.
    FirstLineOfInput = "first_line_of_input",
    /// Passes input on twice.
    InputTwice = "input_twice",
    /// Lists the oldest session first.
    OldestSessionFirst = "oldest_session_first",
    /// Lists more sessions than requested.
    SessionsIgnoreLimit = "sessions_ignore_limit",
    /// Lists the sessions of every folder.
    SessionsIgnoreCwd = "sessions_ignore_cwd",
    /// Reports the times of sessions in seconds.
    SessionTimesInSeconds = "session_times_in_seconds",
    /// Writes an index when it lists sessions.
    SessionsWrite = "sessions_write",
    /// Reads any file as a session.
    ReadsAnyFile = "reads_any_file",
    /// Returns an empty session for an unknown id.
    InventsSessions = "invents_sessions",
    /// Omits what the user wrote when it reads a session.
    DropsUserMessages = "drops_user_messages",
    /// Passes a session id that looks like a switch.
    HostileSession = "hostile_session",
    /// Removes unusual characters from a session id.
    CleansSessionId = "cleans_session_id",
    /// Starts a new session when the id to resume is missing.
    ResumeNeedsNoId = "resume_needs_no_id",
    /// Reports every session as new.
    EverySessionIsNew = "every_session_is_new",
    /// Ignores the requested id of a new session.
    IgnoresNewId = "ignores_new_id",
    /// Reports an unknown model as a crash.
    ModelIsCrash = "model_is_crash",
    /// Reports errors without a hint.
    NoHints = "no_hints",
    /// Reports a rate limit as permanent.
    NothingRetryable = "nothing_retryable",
    /// Reports every failure as temporary.
    EverythingRetryable = "everything_retryable",
    /// Reports a rate limit as an exhausted quota.
    RateIsQuota = "rate_is_quota",
    /// Does not name the limit or the capability of an error.
    NoWhich = "no_which",
    /// Writes its messages as whole sentences.
    MessagesAreSentences = "messages_are_sentences",
    /// Discards the text of a run that crashes.
    DiscardsTextOnCrash = "discards_text_on_crash",
    /// Reports a failure after some text as completed.
    FailureAfterTextIsOk = "failure_after_text_is_ok",
    /// Reports the time until a retry in seconds.
    RetryAfterInSeconds = "retry_after_in_seconds",
    /// Reports the end of a limit in seconds.
    ResetsAtInSeconds = "resets_at_in_seconds",
    /// Counts retries from zero.
    RetriesFromZero = "retries_from_zero",
    /// Omits a model that the agent CLI lists.
    HidesModel = "hides_model",
    /// Lists every model as the default.
    ManyDefaults = "many_defaults",
    /// Returns another list of models each time.
    ListGrows = "list_grows",
    /// Ignores a model that is not in its list.
    DropsUnlistedModel = "drops_unlisted_model",
    /// Declares less in `adapter/detect` for the version that it was tested with.
    DetectForgets = "detect_forgets",
    /// Trims the system prompt.
    TrimsSystemPrompt = "trims_system_prompt",
    /// Passes the system prompt twice.
    SystemPromptTwice = "system_prompt_twice",
    /// Swaps the allowed and the denied tools.
    SwapsToolLists = "swaps_tool_lists",
    /// Passes every additional folder twice.
    DirsTwice = "dirs_twice",
    /// Drops the variables of MCP servers.
    DropsServerEnv = "drops_server_env",
    /// Removes a part of the output schema.
    CutsSchema = "cuts_schema",
    /// Drops the policy of a run.
    DropsPolicy = "drops_policy",
    /// Passes a denied command as allowed.
    AllowsDenied = "allows_denied",
    /// Ignores that the policy closes the network.
    OpenNetwork = "open_network",
    /// Accepts input and loses it.
    LosesInput = "loses_input",
    /// Accepts input for another turn.
    IgnoresExpectedTurn = "ignores_expected_turn",
    /// Accepts input for a run that has ended.
    InputToTheDead = "input_to_the_dead",
    /// Reports a file change under another path.
    WrongFilePath = "wrong_file_path",
    /// Reports no file outside the working folder.
    ForgetsOutside = "forgets_outside",
    /// Reports only the first three files.
    FewFiles = "few_files",
    /// Reports a deleted file as an edited one.
    DeleteIsEdit = "delete_is_edit",
    /// Reports a renamed file without its old path.
    ForgetsOldPath = "forgets_old_path",
}

/// The fault of an adapter, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Behaviour(Option<Fault>);

impl Behaviour {
    /// No fault.
    pub(super) const RIGHT: Self = Self(None);

    /// One fault.
    pub(super) const fn with(fault: Fault) -> Self {
        Self(Some(fault))
    }

    /// Whether this fault is active. Nothing else changes the behaviour, so an adapter that never calls
    /// this for a fault behaves like one without it.
    pub(super) fn has(self, fault: Fault) -> bool {
        fault_record::note(fault);
        self.0 == Some(fault)
    }
}

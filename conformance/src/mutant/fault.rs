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
    /// Refuses null parameters.
    RefusesNullParams = "refuses_null_params",
    /// Refuses absent and null parameters.
    RefusesAbsentParams = "refuses_absent_params",
    /// Takes a null option of a run for a requested one.
    RefusesNullMembers = "refuses_null_members",
    /// Exits at a batch.
    BatchDies = "batch_dies",
    /// Answers requests without a JSON-RPC version.
    AnyJsonRpcVersion = "any_json_rpc_version",
    /// Answers a line that is not a message with its id.
    InvalidRequestWithId = "invalid_request_with_id",
    /// Drops a line above the limit without a response.
    SwallowsLongLines = "swallows_long_lines",
    /// Refuses lines of the host above 64 KiB.
    SmallInputLines = "small_input_lines",
    /// Takes a pause of the host for the end of a line.
    PauseEndsLine = "pause_ends_line",
    /// Splits lines of the host at U+2028 and U+0085 too.
    UnicodeInputLines = "unicode_input_lines",
    /// Crashes at deeply nested JSON.
    DiesOnDeepJson = "dies_on_deep_json",
    /// Answers a response.
    AnswersResponses = "answers_responses",
    /// Crashes at a `$/cancelRequest` without an id.
    DiesOnBadNotification = "dies_on_bad_notification",
    /// Stops the run when a request is cancelled.
    CancelRequestStopsRun = "cancel_request_stops_run",
    /// Sends no response to a cancelled request.
    CancelledRequestSilent = "cancelled_request_silent",
    /// Turns long numeric ids into decimal numbers.
    FloatIds = "float_ids",
    /// Cuts ids at 256 characters.
    CutsLongIds = "cuts_long_ids",
    /// Does not answer a request whose id was used before.
    IgnoresReusedIds = "ignores_reused_ids",
    /// Cuts run ids at 64 characters.
    CutsRunId = "cuts_run_id",
    /// Writes run ids in lower case.
    LowercasesRunId = "lowercases_run_id",
    /// Leaves a file that is named after the run id.
    FileByRunId = "file_by_run_id",
    /// Repeats the first `run_started` in every run.
    StaleRunStarted = "stale_run_started",
    /// Reports its own process id in `run_started`.
    WrongPid = "wrong_pid",
    /// Shows the prompt in `run_started`.
    ArgvWithPrompt = "argv_with_prompt",
    /// Reports a permission mode that was not requested.
    WrongMode = "wrong_mode",
    /// Passes the variables of earlier runs too.
    KeepsRunEnv = "keeps_run_env",
    /// Keeps the system prompt for later runs.
    KeepsSystemPrompt = "keeps_system_prompt",
    /// Resumes the session of the previous run.
    ResumesPreviousRun = "resumes_previous_run",
    /// Waits without a limit for an agent CLI that does not exit.
    WaitsForExit = "waits_for_exit",
    /// Accepts `tracePath` and writes nothing.
    DropsTrace = "drops_trace",
    /// Cuts the lines of a trace.
    CutsTraceLines = "cuts_trace_lines",
    /// Deletes the trace of a run that did not complete.
    TraceOfCompleted = "trace_of_completed",
    /// Answers nothing else during a detection.
    DetectBlocksReader = "detect_blocks_reader",
    /// Answers nothing else while it lists models.
    ModelsBlockReader = "models_block_reader",
    /// Sends no event during a detection.
    DetectBlocksRuns = "detect_blocks_runs",
    /// Serves every method except `run/start` after `shutdown`.
    ServesAfterShutdown = "serves_after_shutdown",
    /// Accepts a run after `shutdown`.
    RunsAfterShutdown = "runs_after_shutdown",
    /// Refuses `ping` after `shutdown`.
    NoPingAfterShutdown = "no_ping_after_shutdown",
    /// Ignores the grace period of `shutdown`.
    FixedShutdownGrace = "fixed_shutdown_grace",
    /// Kills the agent CLI at once at `shutdown`.
    ShutdownWithoutGrace = "shutdown_without_grace",
    /// Does not name the side to upgrade.
    RefusalNamesNoSide = "refusal_names_no_side",
    /// Lists models before `initialize`.
    UngatedModels = "ungated_models",
    /// Reports an unknown type whenever it occurs.
    UnmappedEachTime = "unmapped_each_time",
    /// Does not report how often an unknown type occurred.
    UnmappedWithoutTotal = "unmapped_without_total",
    /// Counts all unknown types as one.
    UnmappedTogether = "unmapped_together",
    /// Shows secrets in the sample of an unknown message.
    UnmappedWithSecret = "unmapped_with_secret",
    /// Reads stderr as output.
    MergesStderr = "merges_stderr",
    /// Needs HOME to print its manifest.
    ManifestNeedsHome = "manifest_needs_home",
    /// Prints its usage to stdout for `--help`.
    HelpExitsZero = "help_exits_zero",
    /// Ignores further arguments.
    IgnoresExtraArguments = "ignores_extra_arguments",
    /// Lists a name of the agent CLI twice.
    DuplicateCliName = "duplicate_cli_name",
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
    /// Searches only the first folder of PATH.
    SearchesFirstFolder = "searches_first_folder",
    /// Searches relative and empty entries of PATH.
    SearchesRelativeFolders = "searches_relative_folders",
    /// Accepts a folder as the agent CLI.
    FolderIsCli = "folder_is_cli",
    /// Accepts a file that is not executable as the agent CLI.
    AnyFileIsCli = "any_file_is_cli",
    /// Compares versions as text.
    TextVersions = "text_versions",
    /// Reports the tested version as the installed one.
    FixedVersion = "fixed_version",
    /// Reports an unknown version as new enough.
    UnknownMeetsMin = "unknown_meets_min",
    /// Accepts an empty variable as a login.
    EmptyKeyIsLogin = "empty_key_is_login",
    /// Accepts a damaged file as a login.
    DamagedFileIsLogin = "damaged_file_is_login",
    /// Names a variable as the credential that is not set.
    NamesUnsetCredential = "names_unset_credential",
    /// Detects only once.
    DetectsOnce = "detects_once",
    /// Keeps the version of a path when the file is replaced.
    KeepsVersionOfPath = "keeps_version_of_path",
    /// Keeps the state of the login.
    KeepsLogin = "keeps_login",
    /// Passes its whole environment to `--version`.
    ProbeLeaksEnv = "probe_leaks_env",
    /// Starts `--version` with an empty environment.
    ProbeEmptyEnv = "probe_empty_env",
    /// Reads a login file of any kind.
    ReadsAnyFile = "reads_any_file",
    /// Exits at a login file that is not JSON.
    DiesOnBadLogin = "dies_on_bad_login",
    /// Treats every allowed name as a prefix.
    AllowsPrefixes = "allows_prefixes",
    /// Ignores the case of names of variables.
    IgnoresCase = "ignores_case",
    /// Passes proxies only by their names in capitals.
    DropsLowercaseProxies = "drops_lowercase_proxies",
    /// Drops variables that are set to an empty text.
    DropsEmptyVariables = "drops_empty_variables",
    /// Passes its own TERM to the agent CLI.
    KeepsTerm = "keeps_term",
    /// Sets USER if it is not set.
    SetsUser = "sets_user",
    /// Lets inherited variables replace those of the run.
    RunEnvLoses = "run_env_loses",
    /// Keeps the variables of a run for later runs.
    RunEnvStays = "run_env_stays",
    /// Accepts a relative working folder.
    RelativeCwd = "relative_cwd",
    /// Accepts a file as the working folder.
    FileIsCwd = "file_is_cwd",
    /// Treats a limit of 0 as no time.
    ZeroEndsAtOnce = "zero_ends_at_once",
    /// Treats a very large limit as no time.
    LargeLimitOverflows = "large_limit_overflows",
    /// Names another limit than the one that ended the run.
    WrongWhich = "wrong_which",
    /// Counts its own heartbeats as output.
    HeartbeatIsOutput = "heartbeat_is_output",
    /// Counts `run_started` as output.
    StartedIsOutput = "started_is_output",
    /// Counts only complete lines as output.
    IdleNeedsLines = "idle_needs_lines",
    /// Applies the idle limit while an approval is open.
    ApprovalIsIdle = "approval_is_idle",
    /// Pauses the limit of the whole run while an approval is open.
    ApprovalStopsTotal = "approval_stops_total",
    /// Always uses the default grace period.
    IgnoresGrace = "ignores_grace",
    /// Treats a grace period of 0 as absent.
    ZeroGraceWaits = "zero_grace_waits",
    /// Kills directly after SIGTERM.
    NoTerminationTime = "no_termination_time",
    /// Starts the grace period again at a second cancel.
    SecondCancelRestarts = "second_cancel_restarts",
    /// Reports open calls of a cancelled run as unknown.
    CancelledToolUnknown = "cancelled_tool_unknown",
    /// Ignores a cancel before the first output.
    EarlyCancelIgnored = "early_cancel_ignored",
    /// Reports no usage of a cancelled run.
    CancelDropsUsage = "cancel_drops_usage",
    /// Writes the whole prompt before it does anything else.
    WritesPromptFirst = "writes_prompt_first",
    /// Leaves a file in the working folder.
    LeavesPromptFile = "leaves_prompt_file",
    /// Writes a history into the home folder.
    WritesHistory = "writes_history",
    /// Leaves a temporary file after a cancelled run.
    CancelLeavesFile = "cancel_leaves_file",
    /// Leaves a file open after a cancelled run.
    CancelLeaksFd = "cancel_leaks_fd",
    /// Does not wait for a probe that it killed.
    LeavesZombieProbe = "leaves_zombie_probe",
    /// Removes spaces around a prompt.
    TrimsPrompt = "trims_prompt",
    /// Changes the line ends of a prompt.
    NormalizesLineEnds = "normalizes_line_ends",
    /// Removes U+FEFF at the start of a prompt.
    PromptWithoutByteOrderMark = "prompt_without_byte_order_mark",
    /// Accepts an empty prompt.
    AcceptsEmptyPrompt = "accepts_empty_prompt",
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
    /// Never stops a message.
    MessageLeftOpen = "message_left_open",
    /// Gives every message the same id.
    OneMessageId = "one_message_id",
    /// Sends deltas without starting their message.
    NoMessageStarted = "no_message_started",
    /// Sends results without the input of their call.
    NoToolInput = "no_tool_input",
    /// Refers to a tool call that does not exist.
    InventsCallOfFile = "invents_call_of_file",
    /// Uses the id of a turn twice.
    TurnIdTwice = "turn_id_twice",
    /// Omits cached tokens from the total.
    TotalWithoutCaches = "total_without_caches",
    /// Counts characters instead of bytes.
    TextBytesAreCharacters = "text_bytes_are_characters",
    /// Reports no tool calls in the totals.
    NoCallsInTotals = "no_calls_in_totals",
    /// Counts a file once per change.
    CountsFileEvents = "counts_file_events",
    /// Omits the cost from the totals.
    NoCostInTotals = "no_cost_in_totals",
    /// Names another session at the end.
    DoneOtherSession = "done_other_session",
    /// Reports the end of the turn as the stop reason of a cancelled run.
    CancelledEndsTurn = "cancelled_ends_turn",
    /// Names the exit code as the evidence of a completed run.
    CompletedByExitCode = "completed_by_exit_code",
    /// Sends times in seconds.
    SecondsTimestamp = "seconds_timestamp",
    /// Sends times of a clock that does not start in 1970.
    MonotonicTimestamp = "monotonic_timestamp",
    /// Shifts times by the local time zone.
    LocalTimestamp = "local_timestamp",
    /// Sends the time of the start with every event.
    StartTimestamp = "start_timestamp",
    /// Sends the duration in microseconds.
    MicrosecondDuration = "microsecond_duration",
    /// Reports a duration of zero.
    NoDuration = "no_duration",
    /// Sends every response twice.
    AnswersTwice = "answers_twice",
    /// Writes an integer with a fraction.
    FloatIntegers = "float_integers",
    /// Sends an enumerated value that the specification does not define.
    OwnStopReason = "own_stop_reason",
    /// Uses the same code for every error.
    OneErrorCode = "one_error_code",
    /// Sends the key of the login in a notice.
    KeyInNotice = "key_in_notice",
    /// Reports the key of the login as an argument.
    KeyInArguments = "key_in_arguments",
    /// Logs its environment on stderr.
    LogsEnvironment = "logs_environment",
    /// Normalizes text.
    ComposesAccents = "composes_accents",
    /// Turns CR LF inside a text into a line feed.
    CrLfIsLf = "cr_lf_is_lf",
    /// Drops U+FEFF.
    DropsByteOrderMark = "drops_byte_order_mark",
    /// Drops zero width joiners.
    DropsJoiners = "drops_joiners",
    /// Decodes HTML entities in a text.
    DecodesEntities = "decodes_entities",
    /// Removes colour codes that do not start with ESC.
    StripsBracketCodes = "strips_bracket_codes",
    /// Decodes a backslash sequence in a text.
    DecodesEscapes = "decodes_escapes",
    /// Removes tags of thoughts from a text.
    StripsThinkTags = "strips_think_tags",
    /// Removes the line end of each delta.
    TrimsDeltas = "trims_deltas",
    /// Removes white space around the output of a tool.
    TrimsToolOutput = "trims_tool_output",
    /// Collapses white space in the input of a tool.
    CollapsesCommand = "collapses_command",
    /// Removes white space around each piece of a thought.
    TrimsThoughts = "trims_thoughts",
    /// Treats a pause inside a line as its end.
    PauseIsLineEnd = "pause_is_line_end",
    /// Repeats thoughts as text.
    ThoughtsAreText = "thoughts_are_text",
    /// Repeats the output of a tool as text.
    ToolOutputIsText = "tool_output_is_text",
    /// Drops the text of the second message.
    LosesSecondMessage = "loses_second_message",
    /// Gives every tool the same name.
    OneToolName = "one_tool_name",
    /// Gives a result to another open call.
    SwapsResults = "swaps_results",
    /// Sends the input of a call as JSON in a text.
    TextInput = "text_input",
    /// Drops the output of a failed tool.
    ErrorWithoutOutput = "error_without_output",
    /// Reports a call without a result as failed.
    OpenCallFails = "open_call_fails",
    /// Sends input deltas that are not the JSON of the input.
    RestatesInput = "restates_input",
    /// Sends a call together with its result.
    HoldsCalls = "holds_calls",
    /// Sends results when the answer starts.
    HoldsResults = "holds_results",
    /// Sends thoughts when the answer starts.
    HoldsThoughts = "holds_thoughts",
    /// Sends changed files when the answer starts.
    HoldsFileChanges = "holds_file_changes",
    /// Sends the session when the answer starts.
    HoldsSession = "holds_session",
    /// Sends unknown messages when the answer starts.
    HoldsUnmapped = "holds_unmapped",
    /// Reports exit code 0 for every tool.
    ToolExitsZero = "tool_exits_zero",
    /// Reports exit code 1 for every failed tool.
    ToolExitsOne = "tool_exits_one",
    /// Ignores the host's limit of a line.
    IgnoresLineLimit = "ignores_line_limit",
    /// Shortens payloads without a mark.
    CutsSilently = "cuts_silently",
    /// Shortens payloads inside a character.
    CutsInsideCharacter = "cuts_inside_character",
    /// States the kept bytes instead of the removed ones.
    TruncatedIsKept = "truncated_is_kept",
    /// Keeps only the first kilobyte of a tool's output.
    ShortOutput = "short_output",
    /// Reports the usage of the previous run again.
    UsageOfLastRun = "usage_of_last_run",
    /// Adds the usage of earlier runs.
    AddsUsage = "adds_usage",
    /// Reports no usage of a cancelled run.
    CancelLosesUsage = "cancel_loses_usage",
    /// Reports no usage of a failed run.
    CrashLosesUsage = "crash_loses_usage",
    /// Reports a cost of zero as unknown.
    ZeroCostIsNull = "zero_cost_is_null",
    /// Reports exit code 0 for every run.
    ExitsWithZero = "exits_with_zero",
    /// Reports a signal as an exit code.
    SignalIsExitCode = "signal_is_exit_code",
    /// Names a final message as the evidence of a crash.
    CrashIsNativeResult = "crash_is_native_result",
    /// Reports the stop reason other for every answer.
    OtherStopReason = "other_stop_reason",
    /// Reports every changed file twice.
    FileTwice = "file_twice",
    /// Reports a new file as an edited one.
    CreateIsEdit = "create_is_edit",
    /// Sends a diff without the written text.
    EmptyDiff = "empty_diff",
    /// Reports a file change for a command that changes nothing.
    CommandIsFileChange = "command_is_file_change",
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
    ReadsForeignSession = "reads_foreign_session",
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

//! The faults: each one is a single way to be wrong that real adapters have shown.

use super::reach;

macro_rules! faults {
    ($enum:ident; $($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// One way to be wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $enum {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $enum {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// What `--fault` takes.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What is done wrong.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)+ }
            }

            /// Reads what `--fault` takes.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|fault| fault.name() == name)
            }
        }
    };
}

pub(crate) use faults;

faults! {
    Fault;
    /// Prints a line for people before the manifest.
    ManifestBanner = "manifest_banner",
    /// Needs PATH to print its manifest.
    ManifestNeedsPath = "manifest_needs_path",
    /// Starts the agent CLI to print its manifest.
    ManifestSpawnsCli = "manifest_spawns_cli",
    /// Writes a file when it prints its manifest.
    ManifestWritesFile = "manifest_writes_file",
    /// Calls itself other than its file.
    ManifestWrongId = "manifest_wrong_id",
    /// Declares a capability that `initialize` does not repeat.
    ManifestLies = "manifest_lies",
    /// Prints another manifest each time.
    ManifestVaries = "manifest_varies",
    /// Takes an argument it does not know for `--manifest`.
    AcceptsAnyArgument = "accepts_any_argument",
    /// Prints a line before the protocol begins.
    Banner = "banner",
    /// Answers the highest major of the host instead of the highest common one.
    EchoesMajor = "echoes_major",
    /// Refuses fields it does not know.
    StrictFields = "strict_fields",
    /// Accepts a host of any major.
    AnyVersion = "any_version",
    /// Exits when it has refused a major.
    DiesAfterRefusal = "dies_after_refusal",
    /// Serves without `initialize`.
    NoInitializeGate = "no_initialize_gate",
    /// Takes a second `initialize`.
    InitializesTwice = "initializes_twice",
    /// Does not answer a method it does not know.
    SilentUnknown = "silent_unknown",
    /// Answers notifications it does not know.
    AnswersNotifications = "answers_notifications",
    /// Exits at a line that is no JSON.
    DiesOnBadJson = "dies_on_bad_json",
    /// Turns long numeric ids into text.
    TextIds = "text_ids",
    /// Answers `shutdown` before its run has ended.
    ShutdownBeforeDone = "shutdown_before_done",
    /// Stays when stdin ends.
    IgnoreEof = "ignore_eof",
    /// Goes when stdin ends and leaves the agent CLI running.
    EofLeavesCli = "eof_leaves_cli",
    /// Does not watch the process of its host.
    IgnoresHostPid = "ignores_host_pid",
    /// Goes on when nobody reads its output.
    IgnoresBrokenPipe = "ignores_broken_pipe",
    /// Does not report the version of the agent CLI.
    DetectNoVersion = "detect_no_version",
    /// Looks on PATH when the configured agent CLI is not there.
    DetectPathFallback = "detect_path_fallback",
    /// Waits for ever for `--version`.
    DetectHangs = "detect_hangs",
    /// Leaves a probe that took too long running.
    DetectLeavesProcess = "detect_leaves_process",
    /// Says that every login is fine.
    DetectSaysOk = "detect_says_ok",
    /// Shows the key it found.
    DetectLeaksKey = "detect_leaks_key",
    /// Writes a file into the home folder when it detects.
    DetectWritesFile = "detect_writes_file",
    /// Says that every version of the agent CLI is new enough.
    AnyCliVersion = "any_cli_version",
    /// Hands the prompt over as an argument.
    PromptInArgv = "prompt_in_argv",
    /// Reads the first sign of a prompt as a command.
    PromptIsCommand = "prompt_is_command",
    /// Cuts a prompt that is long.
    CutsLongPrompt = "cuts_long_prompt",
    /// Fails the run when the agent CLI does not read its stdin.
    EpipeFailsRun = "epipe_fails_run",
    /// Hands its whole environment on.
    LeakEnv = "leak_env",
    /// Drops the variables of the run.
    DropsRunEnv = "drops_run_env",
    /// Drops the variable its own manifest declares.
    DropsAuthEnv = "drops_auth_env",
    /// Starts the agent CLI in the folder above.
    WrongCwd = "wrong_cwd",
    /// Starts the agent CLI elsewhere when the folder is not there.
    SpawnsWithoutCwd = "spawns_without_cwd",
    /// Answers `run/start` when the agent CLI first speaks.
    AnswersAtFirstWord = "answers_at_first_word",
    /// Sends every text twice.
    DupText = "dup_text",
    /// Always says the same.
    HardcodedReply = "hardcoded_reply",
    /// Sends everything at the end.
    BuffersAll = "buffers_all",
    /// Never sends `done`.
    NoDone = "no_done",
    /// Sends `done` twice.
    TwoDone = "two_done",
    /// Leaves a number out.
    SeqGap = "seq_gap",
    /// Leaves `run_started` out.
    NoRunStarted = "no_run_started",
    /// Sends an event of a run that nobody started.
    StrayRunId = "stray_run_id",
    /// Never ends a thought.
    ThinkingLeftOpen = "thinking_left_open",
    /// Sends a tool's result before its call.
    ResultBeforeCall = "result_before_call",
    /// Gives a result another id than its call.
    RenamesToolCalls = "renames_tool_calls",
    /// Reports a failing tool as fine.
    ToolErrorIsOk = "tool_error_is_ok",
    /// Leaves a tool open at the end.
    OpenToolLeft = "open_tool_left",
    /// Sends usage after `done`.
    UsageAfterDone = "usage_after_done",
    /// Sends the usage of the run twice.
    UsageTwice = "usage_twice",
    /// Turns a price that nobody stated into zero.
    NullCostZero = "null_cost_zero",
    /// Fails without saying why.
    SilentFailure = "silent_failure",
    /// Takes what one read gives for whole lines.
    ChunkIsLine = "chunk_is_line",
    /// Decodes each read by itself, through the middle of a character.
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
    /// Prints bytes that are no UTF-8 at the end of a message.
    InvalidUtf8Output = "invalid_utf8_output",
    /// Leaves terminal colours in texts.
    AnsiInText = "ansi_in_text",
    /// Fails the run at a line that is no JSON.
    DieOnGarbage = "die_on_garbage",
    /// Fails the run at a message it does not know.
    UnknownFatal = "unknown_fatal",
    /// Fails the run at a line that is no UTF-8.
    StrictUtf8 = "strict_utf8",
    /// Crashes when a field is missing.
    MissingFieldDies = "missing_field_dies",
    /// Crashes at a message of its own CLI that is damaged.
    DamageDies = "damage_dies",
    /// Takes a torn last word for a whole one.
    TornEndIsEnd = "torn_end_is_end",
    /// Does not read stderr.
    StderrUndrained = "stderr_undrained",
    /// Accepts a cancel and does nothing.
    CancelNoop = "cancel_noop",
    /// Sends one SIGTERM and waits.
    TermOnly = "term_only",
    /// Kills without asking first.
    KillsAtOnce = "kills_at_once",
    /// Kills the group and forgets who left it.
    OrphanChild = "orphan_child",
    /// Refuses a second cancel.
    SecondCancelErrors = "second_cancel_errors",
    /// Refuses a cancel of a run that has ended.
    LateCancelErrors = "late_cancel_errors",
    /// Loses `done` when a cancel meets the end.
    CancelLosesDone = "cancel_loses_done",
    /// Calls a crash completed.
    CrashIsOk = "crash_is_ok",
    /// Calls exit code 0 completed, whatever was said.
    ExitZeroIsOk = "exit_zero_is_ok",
    /// Does not say why the agent CLI could not be started.
    UntypedSpawnFailure = "untyped_spawn_failure",
    /// Calls a refused login a crash.
    AuthIsCrash = "auth_is_crash",
    /// Calls a full context a crash.
    ContextIsCrash = "context_is_crash",
    /// Shows the secrets of stderr in its errors.
    LeaksSecrets = "leaks_secrets",
    /// Sends a number as text.
    TextForNumber = "text_for_number",
    /// Takes half a minute to say how it is.
    SlowHealth = "slow_health",
    /// Answers `ping` when there is nothing else to say.
    PingBehindEvents = "ping_behind_events",
    /// Says nothing while the agent CLI is silent.
    NoHeartbeat = "no_heartbeat",
    /// Ignores the limit on a whole run.
    IgnoresTotal = "ignores_total",
    /// Ignores the limit on silence.
    IgnoresIdle = "ignores_idle",
    /// Counts the limit on silence from the start.
    IdleNotReset = "idle_not_reset",
    /// Ignores the limit on the first output.
    IgnoresStart = "ignores_start",
    /// Takes several runs at once, and the end of one ends the others.
    Crosstalk = "crosstalk",
    /// Does not say that an id is in use.
    UntypedRunIdInUse = "untyped_run_id_in_use",
    /// Does not say that there are too many runs.
    UntypedTooManyRuns = "untyped_too_many_runs",
    /// Drops words after its host did not read for a while.
    StallsLoseEvents = "stalls_lose_events",
    /// Says more in every second run.
    Unsteady = "unsteady",
    /// Leaves a file open after each run.
    LeaksFd = "leaks_fd",
    /// Starts a process after each run and never waits for it.
    LeavesZombies = "leaves_zombies",
    /// Leaves a temporary file after each run.
    LeavesTempFiles = "leaves_temp_files",
    /// Keeps some memory of each run.
    LeaksMemory = "leaks_memory",
    /// Works while there is nothing to do.
    BusyWaits = "busy_waits",
    /// Says more in `adapter/detect` than in `initialize`.
    DetectWidens = "detect_widens",
    /// Drops options that it does not support in silence.
    DropsOptions = "drops_options",
    /// Answers a method whose capability it does not declare.
    AnswersUndeclared = "answers_undeclared",
    /// Declares thinking and never shows a thought.
    SilentThinking = "silent_thinking",
    /// Takes pictures and does not pass them on.
    DropsImages = "drops_images",
    /// Takes MCP servers and does not pass them on.
    DropsMcpServers = "drops_mcp_servers",
    /// Takes every permission mode and passes none on.
    OneMode = "one_mode",
    /// Takes every level of effort and passes none on.
    OneEffort = "one_effort",
    /// Lists a model twice.
    DuplicateModels = "duplicate_models",
    /// Calls its own list of models an answer of the agent CLI.
    AlwaysLiveModels = "always_live_models",
    /// Hands another model on than it was asked for.
    RenamesModel = "renames_model",
    /// Hands a model on that reads like a switch.
    HostileModel = "hostile_model",
    /// Lets the agent CLI retry for ever.
    NoRlKill = "no_rl_kill",
    /// Does not pass on how long to wait.
    DropsRetryAfter = "drops_retry_after",
    /// Takes the words `rate limit` in an answer for one.
    RlByWord = "rl_by_word",
    /// Makes up the id of the session.
    OwnSessionId = "own_session_id",
    /// Resumes the last session, whichever was asked for.
    ResumesLast = "resumes_last",
    /// Reports a copy of a session under the old id.
    ForkKeepsId = "fork_keeps_id",
    /// Calls a session that is not there a crash.
    SessionIsCrash = "session_is_crash",
    /// Approves before anybody has answered.
    ApprovesItself = "approves_itself",
    /// Takes an answer that it does not know for approval.
    ApprovesUnknown = "approves_unknown",
    /// Approves what is open when the run is cancelled.
    CancelApproves = "cancel_approves",
    /// Resolves each approval twice.
    ResolvesTwice = "resolves_twice",
    /// Drops the policy of a run.
    DropsPolicy = "drops_policy",
    /// Names a command as allowed that the policy denies.
    AllowsDenied = "allows_denied",
    /// Leaves the network open that the policy closes.
    OpenNetwork = "open_network",
    /// Accepts input and loses it.
    LosesInput = "loses_input",
    /// Accepts input that was meant for another turn.
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

/// The fault an adapter was started with, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Behaviour(Option<Fault>);

impl Behaviour {
    /// Right in every respect.
    pub(super) const RIGHT: Self = Self(None);

    /// Wrong in one.
    pub(super) const fn with(fault: Fault) -> Self {
        Self(Some(fault))
    }

    /// Whether this is what is wrong. Nothing else makes an adapter behave otherwise, so that one
    /// that never asks cannot be told from one without the fault.
    pub(super) fn has(self, fault: Fault) -> bool {
        reach::note(fault);
        self.0 == Some(fault)
    }
}

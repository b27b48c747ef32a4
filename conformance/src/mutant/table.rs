//! The checks that each fault must fail, and those that it may fail. A check that no fault must fail
//! is unproven.

use super::fault::Fault;

/// A fault with its expected results.
#[derive(Debug, Clone, Copy)]
pub struct Mutant<F = Fault> {
    /// The fault.
    pub fault: F,
    /// Checks that must fail.
    pub must_fail: &'static [&'static str],
    /// Checks that may fail too; a chapter means all of its checks.
    pub may_fail: &'static [&'static str],
}

impl<F: Copy> Mutant<F> {
    /// Whether this check may fail.
    pub fn allows(&self, check: &str) -> bool {
        let chapter = check.rsplit_once('-').map_or(check, |(chapter, _)| chapter);
        let mut patterns = self.must_fail.iter().chain(self.may_fail);
        patterns.any(|pattern| *pattern == check || *pattern == chapter)
    }

    /// Adds checks that may fail too.
    pub(crate) const fn may(self, may_fail: &'static [&'static str]) -> Self {
        Self { may_fail, ..self }
    }
}

/// Creates a mutant that must fail these checks.
pub(crate) const fn mutant<F>(fault: F, must_fail: &'static [&'static str]) -> Mutant<F> {
    Mutant { fault, must_fail, may_fail: &[] }
}

/// Every chapter that starts runs: a fault during a run may affect any of them.
const RUNS: &[&str] = &[
    "SHU", "PRM", "ENV", "RUN", "ORD", "ENC", "ROB", "CAN", "ERR", "LIV", "TMO", "CON", "FLW",
    "DTM", "RES", "CAP", "MOD", "RL", "SES", "APR", "INP", "FIL",
];

/// All mutants, in the order of the chapters.
pub const MUTANTS: &[Mutant] = &[
    mutant(Fault::ManifestBanner, &["MAN-01"]).may(&["MAN"]),
    mutant(Fault::ManifestNeedsPath, &["MAN-02"]).may(&["MAN-06"]),
    mutant(Fault::ManifestSpawnsCli, &["MAN-03"]),
    mutant(Fault::ManifestWritesFile, &["MAN-03"]),
    mutant(Fault::ManifestWrongId, &["MAN-04"]).may(&["MAN-05"]),
    mutant(Fault::ManifestLies, &["MAN-05"]).may(&["CAP-04"]),
    mutant(Fault::ManifestVaries, &["MAN-06"]),
    mutant(Fault::AcceptsAnyArgument, &["MAN-06"]),
    mutant(Fault::Banner, &["HS-01"]).may(&["HS-07", "ENC-05"]),
    mutant(Fault::EchoesMajor, &["HS-02"]),
    mutant(Fault::StrictFields, &["HS-03"]),
    mutant(Fault::AnyVersion, &["HS-04"]).may(&["HS-05"]),
    mutant(Fault::DiesAfterRefusal, &["HS-05"]).may(&["HS-04"]),
    mutant(Fault::NoInitializeGate, &["HS-06"]),
    mutant(Fault::InitializesTwice, &["HS-06"]),
    mutant(Fault::SilentUnknown, &["HS-07"]).may(&["CAP-02", "ERR"]),
    mutant(Fault::AnswersNotifications, &["HS-07"]),
    mutant(Fault::DiesOnBadJson, &["HS-08"]),
    mutant(Fault::TextIds, &["HS-08"]),
    mutant(Fault::ShutdownBeforeDone, &["SHU-01"]),
    mutant(Fault::IgnoreEof, &["SHU-02", "SHU-03"]).may(&["SHU"]),
    mutant(Fault::EofLeavesCli, &["SHU-03"]).may(&["SHU"]),
    mutant(Fault::IgnoresHostPid, &["SHU-04"]),
    mutant(Fault::IgnoresBrokenPipe, &["SHU-05"]),
    mutant(Fault::DetectNoVersion, &["DET-01"]).may(&["DET-07"]),
    mutant(Fault::DetectPathFallback, &["DET-02"]).may(&["ERR-03"]),
    mutant(Fault::DetectHangs, &["DET-03"]).may(&["DET-04", "CON-06"]),
    mutant(Fault::DetectLeavesProcess, &["DET-04"]).may(&["DET-03", "CON-06"]),
    mutant(Fault::DetectSaysOk, &["DET-05"]),
    mutant(Fault::DetectLeaksKey, &["DET-06"]),
    mutant(Fault::DetectWritesFile, &["DET-06"]),
    mutant(Fault::AnyCliVersion, &["DET-07"]),
    mutant(Fault::PromptInArgv, &["PRM-01"]).may(&["PRM"]),
    mutant(Fault::PromptIsCommand, &["PRM-02"]),
    mutant(Fault::CutsLongPrompt, &["PRM-03"]),
    mutant(Fault::EpipeFailsRun, &["PRM-04"]),
    mutant(Fault::LeakEnv, &["ENV-01"]),
    mutant(Fault::DropsRunEnv, &["ENV-02"]).may(&["CON-05"]),
    mutant(Fault::DropsAuthEnv, &["ENV-02"]),
    mutant(Fault::WrongCwd, &["ENV-03"]).may(&["CON-05"]),
    mutant(Fault::SpawnsWithoutCwd, &["ENV-03"]),
    mutant(Fault::AnswersAtFirstWord, &["RUN-01"]).may(&["CON", "TMO", "APR", "SES", "ERR"]),
    mutant(Fault::DupText, &["RUN-02"])
        .may(&["PRM", "RUN", "ENC", "ROB", "CAN-02", "CON", "FLW", "ERR"]),
    mutant(Fault::HardcodedReply, &["RUN-02"]).may(RUNS),
    mutant(Fault::BuffersAll, &["RUN-03"]).may(RUNS),
    mutant(Fault::NoDone, &["ORD-01"]).may(RUNS),
    mutant(Fault::TwoDone, &["ORD-01"]),
    mutant(Fault::SeqGap, &["ORD-02"]),
    mutant(Fault::NoRunStarted, &["ORD-02"]).may(&["SHU"]),
    mutant(Fault::StrayRunId, &["ORD-03"]),
    mutant(Fault::ThinkingLeftOpen, &["ORD-04"]),
    mutant(Fault::ResultBeforeCall, &["ORD-05"]).may(&["ORD-06", "ORD-07", "APR"]),
    mutant(Fault::RenamesToolCalls, &["ORD-05"]).may(&["ORD-06", "ORD-07"]),
    mutant(Fault::ToolErrorIsOk, &["ORD-06"]),
    mutant(Fault::OpenToolLeft, &["ORD-07"]),
    mutant(Fault::UsageAfterDone, &["ORD-08"]).may(&["ORD-01", "CAP-03"]),
    mutant(Fault::UsageTwice, &["ORD-08"]),
    mutant(Fault::NullCostZero, &["ORD-08"]),
    mutant(Fault::SilentFailure, &["ORD-09"]).may(&["ERR"]),
    mutant(Fault::ChunkIsLine, &["ENC-01"]).may(&[
        "RUN", "ENC", "ROB", "CAN-02", "LIV", "TMO", "CON", "FLW", "DTM", "RES", "ERR", "INP",
    ]),
    mutant(Fault::LossySplit, &["ENC-02"]).may(&["ENC", "CON-03"]),
    mutant(Fault::SmallLineCap, &["ENC-03"]),
    mutant(Fault::DropLastLine, &["ENC-04"]),
    mutant(Fault::CarriageReturnIsNoise, &["ENC-04"]),
    mutant(Fault::UnicodeLines, &["ENC-04"]),
    mutant(Fault::StrayPrint, &["ENC-05"]),
    mutant(Fault::InvalidUtf8Output, &["ENC-05"]).may(&["ORD-02", "MSG-01", "ERR-09"]),
    mutant(Fault::AnsiInText, &["ENC-06"]),
    mutant(Fault::DieOnGarbage, &["ROB-01"]).may(&["ROB"]),
    mutant(Fault::UnknownFatal, &["ROB-02"]).may(&["ROB"]),
    mutant(Fault::StrictUtf8, &["ROB-03"]).may(&["ROB"]),
    mutant(Fault::MissingFieldDies, &["ROB-04"]).may(&["ROB-05", "ORD-01"]),
    mutant(Fault::DamageDies, &["ROB-05"]).may(&["ORD-01", "ROB-07"]),
    mutant(Fault::StderrUndrained, &["ROB-06"]).may(&["RES-01"]),
    mutant(Fault::TornEndIsEnd, &["ROB-07"]),
    mutant(Fault::CancelNoop, &["CAN-01"]).may(&["CAN", "SHU", "CON", "FLW", "APR", "INP"]),
    mutant(Fault::TermOnly, &["CAN-01"]).may(&["CAN", "SHU", "TMO", "CON", "FLW", "APR", "INP"]),
    mutant(Fault::KillsAtOnce, &["CAN-02"]),
    mutant(Fault::OrphanChild, &["CAN-03"]).may(&["SHU"]),
    mutant(Fault::SecondCancelErrors, &["CAN-04"]),
    mutant(Fault::LateCancelErrors, &["CAN-04"]).may(&["CAN-05", "CON-04"]),
    mutant(Fault::CancelLosesDone, &["CAN-05"]).may(&["ORD-01", "CAN", "CON", "APR", "INP"]),
    mutant(Fault::CrashIsOk, &["ERR-01"]).may(&["ROB-05", "ERR", "CON-04", "DON-02"]),
    mutant(Fault::ExitZeroIsOk, &["ERR-02"]).may(&["ROB-05"]),
    mutant(Fault::UntypedSpawnFailure, &["ERR-03"]),
    mutant(Fault::AuthIsCrash, &["ERR-04"]),
    mutant(Fault::ContextIsCrash, &["ERR-05"]),
    mutant(Fault::LeaksSecrets, &["ERR-06"]),
    mutant(Fault::TextForNumber, &["SCH-01"]),
    mutant(Fault::SlowHealth, &["LIV-01"]).may(&["HS-03", "DET-06", "CON-06"]),
    mutant(Fault::PingBehindEvents, &["LIV-02"]).may(&["HS", "CON-06"]),
    mutant(Fault::NoHeartbeat, &["LIV-03"]),
    mutant(Fault::IgnoresTotal, &["TMO-01"]).may(&["APR-02", "CON-04", "ERR-08"]),
    mutant(Fault::IgnoresIdle, &["TMO-02"]),
    mutant(Fault::IdleNotReset, &["TMO-02"]).may(&["APR-06"]),
    mutant(Fault::IgnoresStart, &["TMO-03"]),
    mutant(Fault::Crosstalk, &["CON-01"]).may(&["CON", "APR-08"]),
    mutant(Fault::UntypedRunIdInUse, &["CON-02"]),
    mutant(Fault::UntypedTooManyRuns, &["CON-02"]).may(&["CON", "APR-08"]),
    mutant(Fault::StallsLoseEvents, &["FLW-01"]),
    mutant(Fault::Unsteady, &["DTM-01"]),
    mutant(Fault::LeaksFd, &["RES-01"]),
    mutant(Fault::LeavesZombies, &["RES-01"]),
    mutant(Fault::LeavesTempFiles, &["RES-01"]),
    mutant(Fault::LeaksMemory, &["RES-02"]),
    mutant(Fault::BusyWaits, &["RES-02"]),
    mutant(Fault::DetectWidens, &["CAP-01"]).may(&["CAP-05"]),
    mutant(Fault::DropsOptions, &["CAP-02"]),
    mutant(Fault::AnswersUndeclared, &["CAP-02"]),
    mutant(Fault::SilentThinking, &["CAP-03"]).may(&["ORD-04"]),
    mutant(Fault::DropsImages, &["CAP-04"]),
    mutant(Fault::DropsMcpServers, &["CAP-04"]).may(&["CAP-05"]),
    mutant(Fault::OneMode, &["CAP-04"]),
    mutant(Fault::OneEffort, &["CAP-04"]),
    mutant(Fault::DuplicateModels, &["MOD-01"]),
    mutant(Fault::AlwaysLiveModels, &["MOD-02"]).may(&["MOD-01"]),
    mutant(Fault::RenamesModel, &["MOD-03"]).may(&["MOD"]),
    mutant(Fault::HostileModel, &["MOD-03"]),
    mutant(Fault::NoRlKill, &["RL-01"]),
    mutant(Fault::DropsRetryAfter, &["RL-02"]),
    mutant(Fault::RlByWord, &["RL-03"]),
    mutant(Fault::OwnSessionId, &["SES-01"]).may(&["SES", "CON"]),
    mutant(Fault::ResumesLast, &["SES-02"]).may(&["SES"]),
    mutant(Fault::ForkKeepsId, &["SES-03"]).may(&["SES"]),
    mutant(Fault::SessionIsCrash, &["SES-04"]),
    mutant(Fault::ApprovesItself, &["APR-01"]).may(&["APR", "CON-04"]),
    mutant(Fault::ApprovesUnknown, &["APR-02"]).may(&["APR"]),
    mutant(Fault::CancelApproves, &["APR-02"]).may(&["APR"]),
    mutant(Fault::ResolvesTwice, &["APR-02"]).may(&["APR"]),
    mutant(Fault::SharedLineBuffer, &["CON-03"]).may(&[
        "RUN", "ORD", "ENC", "ROB", "CAN", "ERR", "CON", "CAP", "INP", "APR", "SES", "TMO", "FLW",
    ]),
    mutant(Fault::CancelStopsAll, &["CON-04"]).may(&["CAN"]),
    mutant(Fault::CancelByPrefix, &["CON-04"]),
    mutant(Fault::TimeoutStopsAll, &["CON-04"]),
    mutant(Fault::InputToAll, &["CON-04"]),
    mutant(Fault::LatestSession, &["CON-05"]).may(&["SES", "CON", "DON-01"]),
    mutant(Fault::KeepsRunEnv, &["CON-05"]).may(&["ENV"]),
    mutant(Fault::KeepsSystemPrompt, &["CON-05"]).may(&["CAP"]),
    mutant(Fault::DetectBlocks, &["CON-06"]).may(&["LIV", "DET"]),
    mutant(Fault::DetectKillsRuns, &["CON-06"]).may(&["DET"]),
    mutant(Fault::DetectStartsCli, &["CON-06"]).may(&["DET", "CAP-01", "LIV", "MOD"]),
    mutant(Fault::ApprovesWithoutHost, &["APR-05"]),
    mutant(Fault::WaitsWithoutHost, &["APR-05"]),
    mutant(Fault::HidesDenial, &["APR-05"]),
    mutant(Fault::IgnoresDeadline, &["APR-06"]),
    mutant(Fault::DeadlineApproves, &["APR-06"]),
    mutant(Fault::DeniesEarly, &["APR-06"]).may(&["APR"]),
    mutant(Fault::DropsUpdatedInput, &["APR-07"]),
    mutant(Fault::EditApproves, &["APR-07"]),
    mutant(Fault::AnswersOtherRun, &["APR-08"]).may(&["APR-02", "CON-04"]),
    mutant(Fault::AnyApprovalId, &["APR-08"]).may(&["APR-02", "CON-04"]),
    mutant(Fault::AlwaysByUser, &["APR-09"]),
    mutant(Fault::KeepsUnoffered, &["APR-09"]).may(&["APR-02"]),
    mutant(Fault::AlwaysIsDenied, &["APR-09"]),
    mutant(Fault::EmptySummary, &["APR-10"]),
    mutant(Fault::OffersOnlyYes, &["APR-10"]),
    mutant(Fault::CommandIsRead, &["APR-10"]),
    mutant(Fault::ForeignToolCall, &["APR-10"]).may(&["ORD"]),
    mutant(Fault::TrimsInput, &["INP-03"]).may(&["INP-01"]),
    mutant(Fault::FirstLineOfInput, &["INP-03"]).may(&["INP"]),
    mutant(Fault::InputTwice, &["INP-03"]).may(&["INP", "CON-04"]),
    mutant(Fault::OldestSessionFirst, &["SES-05"]),
    mutant(Fault::SessionsIgnoreLimit, &["SES-05"]),
    mutant(Fault::SessionsIgnoreCwd, &["SES-05"]),
    mutant(Fault::SessionTimesInSeconds, &["SES-05"]),
    mutant(Fault::SessionsWrite, &["SES-05"]).may(&["CAP"]),
    mutant(Fault::ReadsAnyFile, &["SES-05"]),
    mutant(Fault::InventsSessions, &["SES-05"]),
    mutant(Fault::DropsUserMessages, &["SES-05"]),
    mutant(Fault::HostileSession, &["SES-06"]),
    mutant(Fault::CleansSessionId, &["SES-06"]),
    mutant(Fault::ResumeNeedsNoId, &["SES-06"]),
    mutant(Fault::EverySessionIsNew, &["SES-07"]).may(&["SES"]),
    mutant(Fault::IgnoresNewId, &["SES-07"]),
    mutant(Fault::ModelIsCrash, &["ERR-07"]).may(&["ERR-08"]),
    mutant(Fault::NoHints, &["ERR-08"]),
    mutant(Fault::NothingRetryable, &["ERR-08"]),
    mutant(Fault::EverythingRetryable, &["ERR-08"]),
    mutant(Fault::RateIsQuota, &["ERR-08"]),
    mutant(Fault::NoWhich, &["ERR-08"]).may(&["CAP-02", "TMO"]),
    mutant(Fault::MessagesAreSentences, &["ERR-11"]),
    mutant(Fault::DiscardsTextOnCrash, &["ERR-09"]).may(&["TMO", "DON-01"]),
    mutant(Fault::FailureAfterTextIsOk, &["ERR-09"]),
    mutant(Fault::RetryAfterInSeconds, &["RL-04"]).may(&["RL-02"]),
    mutant(Fault::ResetsAtInSeconds, &["RL-04"]).may(&["RL-02"]),
    mutant(Fault::RetriesFromZero, &["RL-04"]),
    mutant(Fault::HidesModel, &["MOD-04"]),
    mutant(Fault::ManyDefaults, &["MOD-04"]),
    mutant(Fault::ListGrows, &["MOD-04"]).may(&["MOD-01"]),
    mutant(Fault::DropsUnlistedModel, &["MOD-04"]).may(&["ERR-07", "CON-05"]),
    mutant(Fault::DetectForgets, &["CAP-05"]),
    mutant(Fault::TrimsSystemPrompt, &["CAP-05"]),
    mutant(Fault::SystemPromptTwice, &["CAP-05"]).may(&["CON-05"]),
    mutant(Fault::SwapsToolLists, &["CAP-05"]),
    mutant(Fault::DirsTwice, &["CAP-05"]),
    mutant(Fault::DropsServerEnv, &["CAP-05"]),
    mutant(Fault::CutsSchema, &["CAP-05"]),
    mutant(Fault::DropsPolicy, &["APR-03"]).may(&["APR-04"]),
    mutant(Fault::AllowsDenied, &["APR-04"]),
    mutant(Fault::OpenNetwork, &["APR-04"]),
    mutant(Fault::LosesInput, &["INP-01"]).may(&["CON-04", "INP"]),
    mutant(Fault::IgnoresExpectedTurn, &["INP-02"]),
    mutant(Fault::InputToTheDead, &["INP-02"]),
    mutant(Fault::WrongFilePath, &["FIL-01"]).may(&["FIL-02", "FIL-03"]),
    mutant(Fault::ForgetsOutside, &["FIL-02"]),
    mutant(Fault::FewFiles, &["FIL-02"]),
    mutant(Fault::DeleteIsEdit, &["FIL-03"]),
    mutant(Fault::ForgetsOldPath, &["FIL-03"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_listed_once() {
        for fault in Fault::ALL {
            let entries = MUTANTS.iter().filter(|mutant| mutant.fault == *fault).count();
            assert_eq!(entries, 1, "{} has {entries} entries", fault.name());
        }
    }

    #[test]
    fn listed_checks_exist() {
        let checks = crate::checks::all();
        for mutant in MUTANTS {
            let name = mutant.fault.name();
            for id in mutant.must_fail {
                assert!(checks.iter().any(|check| check.id == *id), "{name}: there is no {id}");
            }
            for pattern in mutant.may_fail {
                let is_known = |check: &crate::check::Check| {
                    check.id == *pattern || check.chapter() == *pattern
                };
                assert!(checks.iter().any(is_known), "{name}: there is no {pattern}");
            }
        }
    }
}

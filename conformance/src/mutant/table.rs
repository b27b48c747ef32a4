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
    "DTM", "RES", "CAP", "MOD", "RL", "SES", "APR", "INP", "FIL", "DET",
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
    mutant(Fault::SilentUnknown, &["HS-07"]).may(&["CAP-02"]),
    mutant(Fault::AnswersNotifications, &["HS-07"]),
    mutant(Fault::DiesOnBadJson, &["HS-08"]),
    mutant(Fault::TextIds, &["HS-08"]),
    mutant(Fault::ShutdownBeforeDone, &["SHU-01"]),
    mutant(Fault::IgnoreEof, &["SHU-02", "SHU-03"]).may(&["SHU", "DET-14"]),
    mutant(Fault::EofLeavesCli, &["SHU-03"]).may(&["SHU"]),
    mutant(Fault::IgnoresHostPid, &["SHU-04"]),
    mutant(Fault::IgnoresBrokenPipe, &["SHU-05"]),
    mutant(Fault::DetectNoVersion, &["DET-01"]).may(&["DET-07", "DET-10", "DET-12"]),
    mutant(Fault::DetectPathFallback, &["DET-02"]).may(&["ERR-03", "DET-09", "DET-12"]),
    mutant(Fault::DetectHangs, &["DET-03"]).may(&["DET-04", "DET-12", "RES-03"]),
    mutant(Fault::DetectLeavesProcess, &["DET-04"]).may(&["DET-03", "DET-12", "RES-03"]),
    mutant(Fault::DetectSaysOk, &["DET-05"]).may(&["DET-11", "DET-12"]),
    mutant(Fault::DetectLeaksKey, &["DET-06"]),
    mutant(Fault::DetectWritesFile, &["DET-06"]).may(&["DET-14"]),
    mutant(Fault::AnyCliVersion, &["DET-07"]).may(&["DET-10"]),
    mutant(Fault::SearchesFirstFolder, &["DET-08"]),
    mutant(Fault::SearchesRelativeFolders, &["DET-08"]),
    mutant(Fault::FolderIsCli, &["DET-08", "DET-09"]),
    mutant(Fault::AnyFileIsCli, &["DET-08", "DET-09"]),
    mutant(Fault::TextVersions, &["DET-10"]),
    mutant(Fault::FixedVersion, &["DET-10"]).may(&["DET-07", "DET-12"]),
    mutant(Fault::UnknownMeetsMin, &["DET-10"]),
    mutant(Fault::EmptyKeyIsLogin, &["DET-11"]),
    mutant(Fault::DamagedFileIsLogin, &["DET-11"]),
    mutant(Fault::NamesUnsetCredential, &["DET-11"]),
    mutant(Fault::DetectsOnce, &["DET-12"]),
    mutant(Fault::KeepsVersionOfPath, &["DET-12"]),
    mutant(Fault::KeepsLogin, &["DET-12"]),
    mutant(Fault::ProbeLeaksEnv, &["DET-13"]),
    mutant(Fault::ProbeEmptyEnv, &["DET-13"]),
    mutant(Fault::ReadsAnyFile, &["DET-14"]),
    mutant(Fault::DiesOnBadLogin, &["DET-14"]).may(&["DET-11", "ORD-01"]),
    mutant(Fault::AllowsPrefixes, &["ENV-04"]).may(&["DET-13"]),
    mutant(Fault::IgnoresCase, &["ENV-04"]).may(&["DET-13"]),
    mutant(Fault::DropsLowercaseProxies, &["ENV-05"]),
    mutant(Fault::DropsEmptyVariables, &["ENV-05"]),
    mutant(Fault::KeepsTerm, &["ENV-05"]).may(&["DET-13"]),
    mutant(Fault::SetsUser, &["ENV-05"]),
    mutant(Fault::RunEnvLoses, &["ENV-06"]),
    mutant(Fault::RunEnvStays, &["ENV-06"]),
    mutant(Fault::RelativeCwd, &["ENV-07"]),
    mutant(Fault::FileIsCwd, &["ENV-07"]),
    mutant(Fault::ZeroEndsAtOnce, &["TMO-04"]),
    mutant(Fault::LargeLimitOverflows, &["TMO-04"]),
    mutant(Fault::WrongWhich, &["TMO-04"]),
    mutant(Fault::HeartbeatIsOutput, &["TMO-05"]),
    mutant(Fault::StartedIsOutput, &["TMO-05"]).may(&["TMO-03", "TMO-04"]),
    mutant(Fault::IdleNeedsLines, &["TMO-05"]),
    mutant(Fault::ApprovalIsIdle, &["TMO-06"]),
    mutant(Fault::ApprovalStopsTotal, &["TMO-06"]).may(&["APR-02"]),
    mutant(Fault::IgnoresGrace, &["CAN-06"]),
    mutant(Fault::ZeroGraceWaits, &["CAN-06"]),
    mutant(Fault::NoTerminationTime, &["CAN-06"]),
    mutant(Fault::SecondCancelRestarts, &["CAN-06"]),
    mutant(Fault::CancelledToolUnknown, &["CAN-07"]),
    mutant(Fault::EarlyCancelIgnored, &["CAN-07"]),
    mutant(Fault::CancelDropsUsage, &["CAN-07"]),
    mutant(Fault::WritesPromptFirst, &["CAN-07"]),
    mutant(Fault::LeavesPromptFile, &["FIL-04"]),
    mutant(Fault::WritesHistory, &["FIL-04"]).may(&["DET-14"]),
    mutant(Fault::CancelLeavesFile, &["FIL-04"]),
    mutant(Fault::CancelLeaksFd, &["RES-03"]),
    mutant(Fault::LeavesZombieProbe, &["RES-03"]),
    mutant(Fault::TrimsPrompt, &["PRM-05"]).may(&["PRM"]),
    mutant(Fault::NormalizesLineEnds, &["PRM-05"]).may(&["PRM"]),
    mutant(Fault::DropsByteOrderMark, &["PRM-05"]),
    mutant(Fault::AcceptsEmptyPrompt, &["PRM-05"]),
    mutant(Fault::PromptInArgv, &["PRM-01"]).may(&["PRM", "CAN-07"]),
    mutant(Fault::PromptIsCommand, &["PRM-02"]),
    mutant(Fault::CutsLongPrompt, &["PRM-03"]),
    mutant(Fault::EpipeFailsRun, &["PRM-04"]).may(&["CAN-07"]),
    mutant(Fault::LeakEnv, &["ENV-01"]).may(&["ENV-04"]),
    mutant(Fault::DropsRunEnv, &["ENV-02"]).may(&["ENV-06"]),
    mutant(Fault::DropsAuthEnv, &["ENV-02"]).may(&["ENV-06"]),
    mutant(Fault::WrongCwd, &["ENV-03"]).may(&["ENV-07"]),
    mutant(Fault::SpawnsWithoutCwd, &["ENV-03"]).may(&["ENV-07"]),
    mutant(Fault::AnswersAtFirstWord, &["RUN-01"]).may(&["CON", "TMO", "CAN-07"]),
    mutant(Fault::DupText, &["RUN-02"])
        .may(&["PRM", "RUN", "ENC", "ROB", "CAN", "ERR-01", "CON", "FLW", "DET", "TMO"]),
    mutant(Fault::HardcodedReply, &["RUN-02"]).may(RUNS),
    mutant(Fault::BuffersAll, &["RUN-03"]).may(RUNS),
    mutant(Fault::NoDone, &["ORD-01"]).may(RUNS),
    mutant(Fault::TwoDone, &["ORD-01"]),
    mutant(Fault::SeqGap, &["ORD-02"]),
    mutant(Fault::NoRunStarted, &["ORD-02"]).may(&["SHU", "CAN-07"]),
    mutant(Fault::StrayRunId, &["ORD-03"]),
    mutant(Fault::ThinkingLeftOpen, &["ORD-04"]).may(&["CAN-07"]),
    mutant(Fault::ResultBeforeCall, &["ORD-05"]).may(&["ORD-06", "ORD-07", "APR", "CAN-07"]),
    mutant(Fault::RenamesToolCalls, &["ORD-05"]).may(&["ORD-06", "ORD-07", "CAN-07"]),
    mutant(Fault::ToolErrorIsOk, &["ORD-06"]),
    mutant(Fault::OpenToolLeft, &["ORD-07"]).may(&["CAN-07"]),
    mutant(Fault::UsageAfterDone, &["ORD-08"]).may(&["ORD-01", "CAP-03", "CAN-07"]),
    mutant(Fault::UsageTwice, &["ORD-08"]),
    mutant(Fault::NullCostZero, &["ORD-08"]),
    mutant(Fault::SilentFailure, &["ORD-09"]).may(&["ERR", "TMO-04"]),
    mutant(Fault::ChunkIsLine, &["ENC-01"])
        .may(&["RUN", "ENC", "ROB", "CAN", "LIV", "TMO", "CON", "FLW", "DTM", "RES", "DET"]),
    mutant(Fault::LossySplit, &["ENC-02"]).may(&["ENC"]),
    mutant(Fault::SmallLineCap, &["ENC-03"]),
    mutant(Fault::DropLastLine, &["ENC-04"]),
    mutant(Fault::CarriageReturnIsNoise, &["ENC-04"]),
    mutant(Fault::UnicodeLines, &["ENC-04"]),
    mutant(Fault::StrayPrint, &["ENC-05"]),
    mutant(Fault::InvalidUtf8Output, &["ENC-05"]).may(&["ORD-02", "CAN-07"]),
    mutant(Fault::AnsiInText, &["ENC-06"]),
    mutant(Fault::DieOnGarbage, &["ROB-01"]).may(&["ROB"]),
    mutant(Fault::UnknownFatal, &["ROB-02"]).may(&["ROB"]),
    mutant(Fault::StrictUtf8, &["ROB-03"]).may(&["ROB"]),
    mutant(Fault::MissingFieldDies, &["ROB-04"]).may(&["ROB-05", "ORD-01"]),
    mutant(Fault::DamageDies, &["ROB-05"]).may(&["ORD-01", "ROB-07"]),
    mutant(Fault::StderrUndrained, &["ROB-06"]).may(&["RES-01", "RES-03"]),
    mutant(Fault::TornEndIsEnd, &["ROB-07"]),
    mutant(Fault::CancelNoop, &["CAN-01"])
        .may(&["CAN", "SHU", "CON", "FLW", "APR-02", "FIL-04", "RES-03"]),
    mutant(Fault::TermOnly, &["CAN-01"])
        .may(&["CAN", "SHU", "TMO", "CON", "FLW", "APR-02", "FIL-04", "RES-03"]),
    mutant(Fault::KillsAtOnce, &["CAN-02"]).may(&["CAN-06"]),
    mutant(Fault::OrphanChild, &["CAN-03"]).may(&["SHU"]),
    mutant(Fault::SecondCancelErrors, &["CAN-04"]).may(&["CAN-06"]),
    mutant(Fault::LateCancelErrors, &["CAN-04"]).may(&["CAN-05"]),
    mutant(Fault::CancelLosesDone, &["CAN-05"]).may(&["ORD-01", "CAN", "TMO"]),
    mutant(Fault::CrashIsOk, &["ERR-01"]).may(&["ERR-02", "ERR-06", "ROB-05"]),
    mutant(Fault::ExitZeroIsOk, &["ERR-02"]).may(&["ROB-05"]),
    mutant(Fault::UntypedSpawnFailure, &["ERR-03"]).may(&["DET-09"]),
    mutant(Fault::AuthIsCrash, &["ERR-04"]),
    mutant(Fault::ContextIsCrash, &["ERR-05"]),
    mutant(Fault::LeaksSecrets, &["ERR-06"]),
    mutant(Fault::TextForNumber, &["SCH-01"]),
    mutant(Fault::SlowHealth, &["LIV-01"]).may(&["HS-03", "DET-06", "DET-13"]),
    mutant(Fault::PingBehindEvents, &["LIV-02"]).may(&["HS"]),
    mutant(Fault::NoHeartbeat, &["LIV-03"]),
    mutant(Fault::IgnoresTotal, &["TMO-01"]).may(&["TMO", "APR-02", "RES-03"]),
    mutant(Fault::IgnoresIdle, &["TMO-02"]).may(&["TMO"]),
    mutant(Fault::IdleNotReset, &["TMO-02"]).may(&["TMO"]),
    mutant(Fault::IgnoresStart, &["TMO-03"]).may(&["TMO"]),
    mutant(Fault::Crosstalk, &["CON-01"]).may(&["CON-02"]),
    mutant(Fault::UntypedRunIdInUse, &["CON-02"]),
    mutant(Fault::UntypedTooManyRuns, &["CON-02"]).may(&["CON-01"]),
    mutant(Fault::StallsLoseEvents, &["FLW-01"]),
    mutant(Fault::Unsteady, &["DTM-01"]),
    mutant(Fault::LeaksFd, &["RES-01"]).may(&["RES-03"]),
    mutant(Fault::LeavesZombies, &["RES-01"]).may(&["RES-03"]),
    mutant(Fault::LeavesTempFiles, &["RES-01"]).may(&["FIL-04"]),
    mutant(Fault::LeaksMemory, &["RES-02"]),
    mutant(Fault::BusyWaits, &["RES-02"]),
    mutant(Fault::DetectWidens, &["CAP-01"]),
    mutant(Fault::DropsOptions, &["CAP-02"]),
    mutant(Fault::AnswersUndeclared, &["CAP-02"]),
    mutant(Fault::SilentThinking, &["CAP-03"]).may(&["ORD-04"]),
    mutant(Fault::DropsImages, &["CAP-04"]),
    mutant(Fault::DropsMcpServers, &["CAP-04"]),
    mutant(Fault::OneMode, &["CAP-04"]),
    mutant(Fault::OneEffort, &["CAP-04"]),
    mutant(Fault::DuplicateModels, &["MOD-01"]),
    mutant(Fault::AlwaysLiveModels, &["MOD-02"]).may(&["MOD-01"]),
    mutant(Fault::RenamesModel, &["MOD-03"]),
    mutant(Fault::HostileModel, &["MOD-03"]),
    mutant(Fault::NoRlKill, &["RL-01"]),
    mutant(Fault::DropsRetryAfter, &["RL-02"]),
    mutant(Fault::RlByWord, &["RL-03"]),
    mutant(Fault::OwnSessionId, &["SES-01"]).may(&["SES"]),
    mutant(Fault::ResumesLast, &["SES-02"]),
    mutant(Fault::ForkKeepsId, &["SES-03"]),
    mutant(Fault::SessionIsCrash, &["SES-04"]),
    mutant(Fault::ApprovesItself, &["APR-01"]).may(&["APR-02", "TMO-06"]),
    mutant(Fault::ApprovesUnknown, &["APR-02"]),
    mutant(Fault::CancelApproves, &["APR-02"]),
    mutant(Fault::ResolvesTwice, &["APR-02"]).may(&["APR-01", "TMO-06"]),
    mutant(Fault::DropsPolicy, &["APR-03"]).may(&["APR-04"]),
    mutant(Fault::AllowsDenied, &["APR-04"]),
    mutant(Fault::OpenNetwork, &["APR-04"]),
    mutant(Fault::LosesInput, &["INP-01"]).may(&["INP-02"]),
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

//! The checks that each fault of the reference agent must fail, and those that may fail.

use super::fault::AgentFault as Fault;
use crate::mutant::{Mutant, mutant};

/// A fault of the reference agent with its expected results.
pub type AgentMutant = Mutant<Fault>;

/// Every chapter that runs turns.
const TURNS: &[&str] = &["ACP-SES", "ACP-TXT", "ACP-TOOL", "ACP-PRM", "ACP-CAN", "ACP-ROB"];

/// Every chapter that uses an unknown method to test whether the agent responds.
const PROBES: &[&str] = &["ACP-HS", "ACP-CAN", "ACP-ROB", "ACP-SHU"];

/// All mutants, in the order of the chapters.
pub const AGENT_MUTANTS: &[AgentMutant] = &[
    mutant(Fault::TextVersion, &["ACP-HS-01"]).may(&["ACP-HS"]),
    mutant(Fault::EchoesVersion, &["ACP-HS-02"]),
    mutant(Fault::StrictInitialize, &["ACP-HS-03"]),
    mutant(Fault::Anonymous, &["ACP-HS-04"]),
    mutant(Fault::TextCapability, &["ACP-HS-05"]),
    mutant(Fault::UnknownIsInternal, &["ACP-HS-06"]),
    mutant(Fault::SilentUnknown, &["ACP-HS-06", "ACP-HS-11"]).may(PROBES),
    mutant(Fault::AnswersNotifications, &["ACP-HS-07"]),
    mutant(Fault::UndeclaredFiles, &["ACP-HS-08"]),
    mutant(Fault::AnyLogin, &["ACP-HS-09"]),
    mutant(Fault::TextIds, &["ACP-HS-10"]).may(&["ACP-WIRE-02"]),
    mutant(Fault::EmptyIdIsNotification, &["ACP-HS-12"]),
    mutant(Fault::Banner, &["ACP-WIRE-01"]).may(&["ACP-ROB-05"]),
    mutant(Fault::StrayPrint, &["ACP-WIRE-01"]),
    mutant(Fault::AnswersTwice, &["ACP-WIRE-02"]),
    mutant(Fault::StraySession, &["ACP-WIRE-03"]),
    mutant(Fault::BareChunk, &["ACP-WIRE-04"]),
    mutant(Fault::OwnUpdateKind, &["ACP-WIRE-05"]),
    mutant(Fault::OneSessionId, &["ACP-SES-01"]).may(TURNS),
    mutant(Fault::GuessesCwd, &["ACP-SES-02", "ACP-SES-03"]),
    mutant(Fault::UntypedParams, &["ACP-SES-03"]),
    mutant(Fault::AnySession, &["ACP-SES-04"]).may(&["ACP-WIRE-03"]),
    mutant(Fault::RefusesAMode, &["ACP-SES-05"]),
    mutant(Fault::Forgets, &["ACP-SES-06"]).may(&["ACP-SES-12"]),
    mutant(Fault::Crosstalk, &["ACP-SES-07"]).may(TURNS),
    mutant(Fault::LatestSession, &["ACP-SES-10"]).may(&["ACP-SES-07", "ACP-CAN-06"]),
    mutant(Fault::SilentLoad, &["ACP-SES-08", "ACP-SES-11"]),
    mutant(Fault::LateReplay, &["ACP-SES-08", "ACP-SES-11"]).may(&["ACP-TXT-05"]),
    mutant(Fault::ReplaysLastTurn, &["ACP-SES-11"]),
    mutant(Fault::LoadForgets, &["ACP-SES-12"]),
    mutant(Fault::LoadsAnything, &["ACP-SES-09"]),
    mutant(Fault::DupText, &["ACP-TXT-01"]).may(TURNS),
    mutant(Fault::BuffersText, &["ACP-TXT-02"]),
    mutant(Fault::ThoughtsAsText, &["ACP-TXT-03"]),
    mutant(Fault::AsciiPrompt, &["ACP-TXT-04"]).may(&["ACP-TXT-09", "ACP-TXT-12", "ACP-ROB-04"]),
    mutant(Fault::LateText, &["ACP-TXT-05"]).may(TURNS),
    mutant(Fault::OddStopReason, &["ACP-TXT-06"]).may(TURNS),
    mutant(Fault::HidesTokenLimit, &["ACP-TXT-07"]),
    mutant(Fault::ErrorAsText, &["ACP-TXT-08"]),
    mutant(Fault::CutsPrompt, &["ACP-TXT-09"]),
    mutant(Fault::LastBlockOnly, &["ACP-TXT-10"]),
    mutant(Fault::DropsCarriageReturns, &["ACP-TXT-11"]),
    mutant(Fault::DropsByteOrderMarks, &["ACP-TXT-11"]),
    mutant(Fault::DropsAccents, &["ACP-TXT-11"]),
    mutant(Fault::PromptLineEnds, &["ACP-TXT-12"]),
    mutant(Fault::UpdateWithoutCall, &["ACP-TOOL-01"]),
    mutant(Fault::OpenTool, &["ACP-TOOL-02"]),
    mutant(Fault::FailureIsSuccess, &["ACP-TOOL-03"]).may(&["ACP-TOOL-10", "ACP-PRM-07"]),
    mutant(Fault::WrongFolder, &["ACP-TOOL-04"]).may(&["ACP-TOOL-05", "ACP-TOOL-10", "ACP-PRM-03"]),
    mutant(Fault::ReadsBeforeWriting, &["ACP-TOOL-05"]),
    mutant(Fault::StaleOutput, &["ACP-TOOL-06"]),
    mutant(Fault::ReopensTool, &["ACP-TOOL-07"]),
    mutant(Fault::OneToolId, &["ACP-TOOL-08"]).may(&["ACP-TOOL-06", "ACP-TOOL-07"]),
    mutant(Fault::DropsToolOutput, &["ACP-TOOL-09"]),
    mutant(Fault::WriteErrorIsCompleted, &["ACP-TOOL-10"]),
    mutant(Fault::NamelessOptions, &["ACP-PRM-01"]),
    mutant(Fault::ActsBeforeAnswer, &["ACP-PRM-02"]).may(&["ACP-PRM"]),
    mutant(Fault::DropsAllowed, &["ACP-PRM-03"]).may(&[
        "ACP-TOOL-04",
        "ACP-TOOL-05",
        "ACP-TOOL-10",
    ]),
    mutant(Fault::RejectIsYes, &["ACP-PRM-04"]).may(&["ACP-PRM-07"]),
    mutant(Fault::CancelledIsYes, &["ACP-PRM-05"]).may(&["ACP-PRM-08"]),
    mutant(Fault::StrangerIsYes, &["ACP-PRM-06"]),
    mutant(Fault::ErrorIsYes, &["ACP-PRM-06"]),
    mutant(Fault::SilentReject, &["ACP-PRM-07"]),
    mutant(Fault::QuestionSurvivesCancel, &["ACP-PRM-08"]),
    mutant(Fault::CancelNoop, &["ACP-CAN-01"]).may(&[
        "ACP-CAN",
        "ACP-SES-07",
        "ACP-PRM-08",
        "ACP-SHU-01",
    ]),
    mutant(Fault::CancelIsError, &["ACP-CAN-01"]).may(&["ACP-CAN", "ACP-PRM-08"]),
    mutant(Fault::CancelLeavesCommand, &["ACP-CAN-02"]),
    mutant(Fault::DeadAfterCancel, &["ACP-CAN-03"]),
    mutant(Fault::AnswersIdleCancel, &["ACP-CAN-04"]),
    mutant(Fault::CancelStopsAll, &["ACP-CAN-06"]),
    mutant(Fault::CloseLeavesTurn, &["ACP-CAN-05"]),
    mutant(Fault::DiesOnGarbage, &["ACP-ROB-01"]).may(&["ACP-ROB"]),
    mutant(Fault::SilentGarbage, &["ACP-ROB-02"]),
    mutant(Fault::ChunkIsLine, &["ACP-ROB-03"]).may(TURNS),
    mutant(Fault::LossySplit, &["ACP-ROB-04"]).may(&["ACP-TXT"]),
    mutant(Fault::BlankIsError, &["ACP-ROB-05"]),
    mutant(Fault::StrayAnswerDies, &["ACP-ROB-06"]).may(&["ACP-PRM-08"]),
    mutant(Fault::WrongTypesDie, &["ACP-ROB-07"]),
    mutant(Fault::StrictMembers, &["ACP-ROB-08"]),
    mutant(Fault::DeafInTurn, &["ACP-SHU-01"]),
    mutant(Fault::IgnoresEof, &["ACP-SHU-02"]).may(&["ACP-SHU-04"]),
    mutant(Fault::IgnoresTerm, &["ACP-SHU-03"]).may(&["ACP-SHU-05"]),
    mutant(Fault::EofLeavesCommand, &["ACP-SHU-04"]),
    mutant(Fault::TermLeavesCommand, &["ACP-SHU-05"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_and_check_has_a_mutant() {
        for fault in Fault::ALL {
            let is_listed = AGENT_MUTANTS.iter().any(|mutant| mutant.fault == *fault);
            assert!(is_listed, "{} is not a mutant", fault.name());
        }
        let checks = crate::acp::checks();
        for check in &checks {
            let is_proven = AGENT_MUTANTS.iter().any(|it| it.must_fail.contains(&check.id));
            assert!(is_proven, "no mutant must fail {}", check.id);
        }
        let is_known = |pattern: &str| {
            checks.iter().any(|check| check.id == pattern || check.chapter() == pattern)
        };
        for mutant in AGENT_MUTANTS {
            let patterns = mutant.must_fail.iter().chain(mutant.may_fail);
            patterns.for_each(|pattern| assert!(is_known(pattern), "{pattern} is not a check"));
        }
    }
}

//! The checks of an agent, one file per chapter. Rules over every line have only their sentences
//! here; `watch` looks after them.

mod can;
mod evidence;
mod hs;
mod prm;
mod rob;
mod ses;
mod shu;
mod tool;
mod txt;
mod wire;

use super::bench::AgentBench;
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::verdict::Verdict;

type Run = fn(&mut AgentBench) -> Verdict;

/// Every check of an agent, in the order of the chapters.
pub fn checks() -> Vec<Check> {
    let chapters = [
        hs::CHECKS,
        wire::CHECKS,
        ses::CHECKS,
        txt::CHECKS,
        tool::CHECKS,
        prm::CHECKS,
        can::CHECKS,
        rob::CHECKS,
        shu::CHECKS,
    ];
    chapters.concat()
}

const fn must(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    gate: Gate,
    run: Run,
) -> Check {
    let body = Body::Agent(run);
    Check { id, level: Level::Must, sentence, why, gate, tier: Tier::Fast, body }
}

const fn should(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    gate: Gate,
    run: Run,
) -> Check {
    Check { level: Level::Should, ..must(id, sentence, why, gate, run) }
}

const fn rule(
    id: &'static str,
    level: Level,
    sentence: &'static str,
    why: &'static str,
    gate: Gate,
) -> Check {
    Check { id, level, sentence, why, gate, tier: Tier::Fast, body: Body::Invariant }
}

//! What earlier runs of a session had used, from the ledger.

use super::fold::Reached;
use super::ledger::{self, Period};
use super::spent::Spent;
use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::RunRecord;

/// Knows what earlier runs had used of the sessions that a run takes up.
pub(crate) fn past<'a>(
    home: &'a OdHome,
    record: &'a RunRecord,
) -> impl Fn(Option<&str>, &str) -> Option<Spent> + 'a {
    move |agent, session| {
        let agent = agent.unwrap_or(&record.agent);
        read(home, record, agent, session).unwrap_or_else(|error| {
            tracing::warn!(run = record.run_id, %error, "what a session had used is not known");
            None
        })
    }
}

fn read(
    home: &OdHome,
    record: &RunRecord,
    agent: &str,
    session: &str,
) -> Result<Option<Spent>, HostError> {
    // Whoever looks later must not take runs of the same session for earlier ones that came after this one.
    let until = record.ended_at.map_or(u64::MAX, |ended_at| ended_at.saturating_add(1));
    let mut reached = Reached::default();
    ledger::read(home, Period { until, ..Period::ALL }, &mut |row| {
        let is_of_session = row.agent == agent && row.session_id.as_deref() == Some(session);
        // An entry of this very run says nothing of earlier ones.
        row.run_id == record.run_id
            || !is_of_session
            || reached.take(row.session_reached.as_ref(), &row.spent)
    })?;
    Ok(reached.sum)
}

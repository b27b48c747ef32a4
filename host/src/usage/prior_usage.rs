//! The usage of a session before a run, from the ledger.

use super::ledger::{self, Period};
use super::run_usage::SessionTotal;
use super::token_usage::TokenUsage;
use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::RunRecord;

/// Returns a function that looks up the usage of a session by all runs before this one.
pub(crate) fn prior_usage<'a>(
    home: &'a OdHome,
    record: &'a RunRecord,
) -> impl Fn(Option<&str>, &str) -> Option<TokenUsage> + 'a {
    move |agent, session| {
        let agent = agent.unwrap_or(&record.agent);
        read(home, record, agent, session).unwrap_or_else(|error| {
            tracing::warn!(run = record.run_id, %error, "cannot read the earlier usage of a session");
            None
        })
    }
}

fn read(
    home: &OdHome,
    record: &RunRecord,
    agent: &str,
    session: &str,
) -> Result<Option<TokenUsage>, HostError> {
    // Runs of the same session that ended after this one do not count.
    let until = record.ended_at.map_or(u64::MAX, |ended_at| ended_at.saturating_add(1));
    let mut total = SessionTotal::default();
    ledger::read(home, Period { until, ..Period::ALL }, &mut |row| {
        let is_of_session = row.agent == agent && row.session_id.as_deref() == Some(session);
        // Rows of this run itself do not count.
        row.run_id == record.run_id
            || !is_of_session
            || total.push(row.session_reached.as_ref(), &row.tokens)
    })?;
    Ok(total.sum)
}

//! Entering a run that is over: its journal is folded once, and its rows are appended. A run that is entered
//! twice counts once, so a host that dies between the rows and the run's record does no harm.

use std::borrow::Cow;

use super::fold::{Attempt, Fold};
use super::ledger;
use super::past::past;
use super::provider::provider;
use super::row::{FORMAT, LedgerRow};
use super::share::{self, Share};
use super::spent::Spent;
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, Source};

/// What one attempt of a run that is over used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Used {
    /// The agent that used it.
    pub(crate) agent: String,
    /// The native session it was in.
    pub(crate) session_id: Option<String>,
    /// All its models together.
    pub(crate) spent: Spent,
}

/// Enters a run of this process beside the others; says what each attempt used when it is entered.
pub(crate) async fn enter(folder: &RunFolder, record: &RunRecord) -> Vec<Used> {
    let (folder, record) = (folder.clone(), record.clone());
    let entry = tokio::task::spawn_blocking(move || enter_now(&folder, &record));
    entry.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "a run is missing in the usage ledger");
        Vec::new()
    })
}

/// Enters a run whose record says how it ended; says what each attempt used. A ledger that cannot be written fails
/// no run.
pub(crate) fn enter_now(folder: &RunFolder, record: &RunRecord) -> Vec<Used> {
    if record.attempts == 0 {
        return Vec::new(); // Its turn never came: no agent was asked.
    }
    let home = folder.home();
    let missing = |error: HostError| {
        tracing::warn!(run = record.run_id, %error, "a run is missing in the usage ledger");
    };
    let fold = match fold(folder) {
        Ok(fold) => fold,
        Err(error) => {
            missing(error);
            return Vec::new();
        }
    };
    let shares = fold.shares(&past(home, record));
    let attempts = fold.attempts();
    let used = attempts.iter().zip(&shares).map(|(attempt, shares)| Used {
        agent: agent_of(attempt, record).to_owned(),
        session_id: attempt.session.as_ref().map(|session| session.id.clone()),
        spent: share::sum(shares),
    });
    let used = used.collect();
    let rows: Vec<LedgerRow<'static>> = (1..)
        .zip(attempts.iter().zip(shares))
        .flat_map(|(number, (attempt, shares))| rows_of(record, attempt, number, shares))
        .collect();
    if let Err(error) = ledger::append(home, &rows) {
        let tried = format!("cannot write the usage ledger in {}", home.usage().display());
        missing(HostError::storage(tried, &error));
    }
    used
}

fn fold(folder: &RunFolder) -> Result<Fold, HostError> {
    let mut reader = EventReader::open(folder.clone(), 0, Source::Nobody)?;
    let mut fold = Fold::default();
    while let Some(event) = reader.next_ready()? {
        if !Fold::wants(event.type_name) {
            continue;
        }
        match event.parse() {
            Ok(params) => fold.take(params.ts, &params.event),
            Err(error) => tracing::debug!(seq = event.seq, %error, "an event is not counted"),
        }
    }
    Ok(fold)
}

fn agent_of<'a>(attempt: &'a Attempt, record: &'a RunRecord) -> &'a str {
    attempt.agent.as_deref().unwrap_or(&record.agent)
}

/// The rows of one attempt, at least one: that it was made is worth knowing even if nothing was told of its use.
fn rows_of(
    record: &RunRecord,
    attempt: &Attempt,
    number: u32,
    shares: Vec<Share>,
) -> Vec<LedgerRow<'static>> {
    let agent = agent_of(attempt, record);
    let row = |model: Option<&str>, spent, source| {
        let model = model.or(attempt.model.as_deref()).or(record.asked_model(agent));
        let model = model.unwrap_or_default().to_owned();
        let session = attempt.session.as_ref().map(|session| session.id.clone());
        LedgerRow {
            format: FORMAT,
            run_id: Cow::Owned(record.run_id.clone()),
            attempt: number,
            agent: Cow::Owned(agent.to_owned()),
            provider: Cow::Owned(provider(&model, attempt.credential.as_ref())),
            model: Cow::Owned(model),
            credential: attempt.credential.clone(),
            session_id: session,
            ended_at: record.ended_at.unwrap_or(record.started_at),
            spent,
            source,
            duration_ms: attempt.ended_at - attempt.started_at,
            status: attempt.status,
            session_reached: None,
        }
    };
    let used = |share: &Share| row(share.model.as_deref(), share.spent, Some(share.source));
    let mut rows: Vec<LedgerRow<'static>> = shares.iter().map(used).collect();
    if rows.is_empty() {
        rows.push(row(None, Spent::default(), None));
    }
    if let Some(last) = rows.last_mut() {
        last.session_reached = attempt.session_reached();
    }
    rows
}

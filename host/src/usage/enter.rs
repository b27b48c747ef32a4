//! Entering a run that is over: its journal is folded once, and its rows are appended. A run that is entered
//! twice counts once, so a host that dies between the rows and the run's record does no harm.

use std::borrow::Cow;

use super::fold::{Attempt, Fold, Share};
use super::ledger::{self, Period};
use super::provider::provider;
use super::row::{FORMAT, LedgerRow};
use super::spent::Spent;
use crate::error::HostError;
use crate::home::OdHome;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, Source};

/// Enters a run of this process beside the others, and returns when it is entered.
pub(crate) async fn enter(folder: &RunFolder, record: &RunRecord) {
    let (folder, record) = (folder.clone(), record.clone());
    let entry = tokio::task::spawn_blocking(move || enter_now(&folder, &record));
    if let Err(error) = entry.await {
        tracing::warn!(%error, "a run is missing in the usage ledger");
    }
}

/// Enters a run whose record says how it ended. A ledger that cannot be written fails no run.
pub(crate) fn enter_now(folder: &RunFolder, record: &RunRecord) {
    if record.attempts == 0 {
        return; // Its turn never came: no agent was asked.
    }
    let home = folder.home();
    let outcome = attempts(folder).and_then(|attempts| {
        let rows = rows(home, record, &attempts);
        ledger::append(home, &rows).map_err(|error| {
            let tried = format!("cannot write the usage ledger in {}", home.usage().display());
            HostError::storage(tried, &error)
        })
    });
    if let Err(error) = outcome {
        tracing::warn!(run = record.run_id, %error, "a run is missing in the usage ledger");
    }
}

fn attempts(folder: &RunFolder) -> Result<Vec<Attempt>, HostError> {
    let mut reader = EventReader::open(folder.clone(), 0, Source::Nobody)?;
    let mut fold = Fold::default();
    while let Some(event) = reader.next_ready()? {
        if !Fold::wants(event.type_name) {
            continue;
        }
        match event.parse() {
            Ok(params) => fold.take(params.ts, params.event),
            Err(error) => tracing::debug!(seq = event.seq, %error, "an event is not counted"),
        }
    }
    Ok(fold.finish())
}

fn rows(home: &OdHome, record: &RunRecord, attempts: &[Attempt]) -> Vec<LedgerRow<'static>> {
    let mut rows: Vec<LedgerRow<'static>> = Vec::new();
    for (number, attempt) in (1..).zip(attempts) {
        let agent = attempt.agent.as_deref().unwrap_or(&record.agent);
        let reached = |session: &str| {
            let reached = Reached::new(agent, session).read(home, record, &rows);
            reached.unwrap_or_else(|error| {
                tracing::warn!(run = record.run_id, %error, "what a session had used is not known");
                None
            })
        };
        let shares = attempt.shares(reached);
        rows.extend(rows_of(record, attempt, number, shares));
    }
    rows
}

/// The rows of one attempt, at least one: that it was made is worth knowing even if nothing was told of its use.
fn rows_of(
    record: &RunRecord,
    attempt: &Attempt,
    number: u32,
    shares: Vec<Share>,
) -> Vec<LedgerRow<'static>> {
    let agent = attempt.agent.as_deref().unwrap_or(&record.agent);
    let asked = record.model.as_deref().filter(|_| agent == record.agent);
    let row = |model: Option<&str>, spent, source| {
        let model = model.or(attempt.model()).or(asked).unwrap_or_default().to_owned();
        let session = attempt.session.as_ref().map(|session| session.session_id.clone());
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

/// What the earlier runs of one session had used: where its counter stood, and what came after that.
struct Reached<'a> {
    agent: &'a str,
    session: &'a str,
    sum: Option<Spent>,
}

impl<'a> Reached<'a> {
    fn new(agent: &'a str, session: &'a str) -> Self {
        Self { agent, session, sum: None }
    }

    /// Looks at the attempts of this run, then at the ledger, each from the newest on.
    fn read(
        mut self,
        home: &OdHome,
        record: &RunRecord,
        rows: &[LedgerRow<'_>],
    ) -> Result<Option<Spent>, HostError> {
        if rows.iter().rev().all(|row| self.take(row)) {
            ledger::read(home, Period::ALL, &mut |row| {
                // An earlier entry of this very run is about to be replaced.
                row.run_id == record.run_id || self.take(row)
            })?;
        }
        Ok(self.sum)
    }

    /// Takes the next older row; says whether older ones matter.
    fn take(&mut self, row: &LedgerRow<'_>) -> bool {
        if row.agent != self.agent || row.session_id.as_deref() != Some(self.session) {
            return true;
        }
        let sum = self.sum.get_or_insert_default();
        sum.add(row.session_reached.as_ref().unwrap_or(&row.spent));
        row.session_reached.is_none()
    }
}

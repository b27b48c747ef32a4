//! Records a finished run: reads its journal once and appends its rows. A run that is recorded twice counts once, so a
//! host that dies between the rows and the run's record does no harm.

use std::borrow::Cow;

use od_protocol::CredentialKind;

use super::ledger;
use super::model_usage::{self, ModelUsage};
use super::prior_usage::prior_usage;
use super::row::{FORMAT, LedgerRow};
use super::run_usage::{Attempt, RunUsage};
use super::token_usage::TokenUsage;
use crate::error::HostError;
use crate::journal::folder::RunFolder;
use crate::journal::{EventReader, RunRecord, Source};

/// The usage of one attempt of a finished run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttemptUsage {
    /// The agent of the attempt.
    pub(crate) agent: String,
    /// Its native session.
    pub(crate) session_id: Option<String>,
    /// The sum over all its models.
    pub(crate) tokens: TokenUsage,
}

/// Records a run without blocking the runtime; returns the usage of each attempt.
pub(crate) async fn record_run(folder: &RunFolder, record: &RunRecord) -> Vec<AttemptUsage> {
    let (folder, record) = (folder.clone(), record.clone());
    let entry = tokio::task::spawn_blocking(move || record_run_blocking(&folder, &record));
    entry.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "a run is missing from the usage ledger");
        Vec::new()
    })
}

/// Records a run whose record has its end; returns the usage of each attempt. A ledger that cannot be written is
/// logged and does not fail the run.
pub(crate) fn record_run_blocking(folder: &RunFolder, record: &RunRecord) -> Vec<AttemptUsage> {
    if record.attempts == 0 {
        return Vec::new(); // The run never left the queue.
    }
    let home = folder.home();
    let log_missing = |error: HostError| {
        tracing::warn!(run = record.run_id, %error, "a run is missing from the usage ledger");
    };
    let usage = match read_usage(folder) {
        Ok(usage) => usage,
        Err(error) => {
            log_missing(error);
            return Vec::new();
        }
    };
    let by_model = usage.by_model(&prior_usage(home, record));
    let attempts = usage.attempts();
    let used = attempts.iter().zip(&by_model).map(|(attempt, models)| AttemptUsage {
        agent: agent_of(attempt, record).to_owned(),
        session_id: attempt.session.as_ref().map(|session| session.id.clone()),
        tokens: model_usage::sum(models),
    });
    let used = used.collect();
    let rows: Vec<LedgerRow<'static>> = (1..)
        .zip(attempts.iter().zip(by_model))
        .flat_map(|(number, (attempt, models))| rows_of(record, attempt, number, &models))
        .collect();
    if let Err(error) = ledger::append(home, &rows) {
        log_missing(HostError::file("write the usage ledger in", &home.usage(), &error));
    }
    used
}

fn read_usage(folder: &RunFolder) -> Result<RunUsage, HostError> {
    let mut reader = EventReader::open(folder.clone(), 0, Source::Finished)?;
    let mut usage = RunUsage::default();
    while let Some(event) = reader.next_ready()? {
        if !RunUsage::wants(event.type_name) {
            continue;
        }
        match event.parse() {
            Ok(params) => usage.push(params.ts, &params.event),
            Err(error) => tracing::debug!(seq = event.seq, %error, "an event is not counted"),
        }
    }
    Ok(usage)
}

fn agent_of<'a>(attempt: &'a Attempt, record: &'a RunRecord) -> &'a str {
    attempt.agent.as_deref().unwrap_or(&record.agent)
}

/// The rows of one attempt, at least one: an attempt without usage is recorded too.
fn rows_of(
    record: &RunRecord,
    attempt: &Attempt,
    number: u32,
    models: &[ModelUsage],
) -> Vec<LedgerRow<'static>> {
    let agent = agent_of(attempt, record);
    let kind = attempt.credential.as_ref().map(|credential| credential.kind);
    let is_free = kind == Some(CredentialKind::None);
    let no_provider = if is_free { "none" } else { "" };
    let row = |model: Option<&str>, provider: Option<&str>, tokens, source| {
        let model = model.or(attempt.model.as_deref()).or(record.requested_model(agent));
        let model = model.unwrap_or_default().to_owned();
        let session = attempt.session.as_ref().map(|session| session.id.clone());
        LedgerRow {
            format: FORMAT,
            run_id: Cow::Owned(record.run_id.clone()),
            attempt: number,
            agent: Cow::Owned(agent.to_owned()),
            provider: Cow::Owned(provider.unwrap_or(no_provider).to_owned()),
            model: Cow::Owned(model),
            credential: attempt.credential.clone(),
            session_id: session,
            ended_at: record.ended_at.unwrap_or(record.started_at),
            tokens,
            source,
            duration_ms: attempt.ended_at - attempt.started_at,
            status: attempt.status,
            session_reached: None,
        }
    };
    let used = |usage: &ModelUsage| {
        let (model, provider) = (usage.model.as_deref(), usage.provider.as_deref());
        row(model, provider, usage.tokens, Some(usage.source))
    };
    let mut rows: Vec<LedgerRow<'static>> = models.iter().map(used).collect();
    if rows.is_empty() {
        rows.push(row(None, None, TokenUsage::default(), None));
    }
    if let Some(last) = rows.last_mut() {
        last.session_reached = attempt.session_reached();
    }
    rows
}

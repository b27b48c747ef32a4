//! The result of a run, composed from its events in one pass.

use std::collections::{BTreeMap, BTreeSet};

use od_protocol::api::{ChangedFile, RunAttempt, RunResult, RunVerdict};
use od_protocol::{Done, ErrorEvent, ErrorKind, Event, FileChange, FileOp, RunEventParams};

use super::final_text::FinalText;
use crate::error::HostError;
use crate::journal::{EventReader, RunRecord};
use crate::usage::{PriorUsage, RunUsage};

/// The part of the final message that fits into a response.
const MAX_CONTENT_BYTES: usize = 8 * 1024 * 1024;

/// Composes the result of a run that has ended.
pub(crate) fn compose(
    record: &RunRecord,
    reader: &mut EventReader,
    prior: &PriorUsage<'_>,
) -> Result<RunResult, HostError> {
    let mut composer = Composer::default();
    while let Some(event) = reader.next_ready()? {
        composer.last_seq = event.seq;
        if is_relevant(event.type_name)
            && let Ok(RunEventParams { event, ts, .. }) = event.parse()
        {
            composer.apply(ts, event);
        }
    }
    composer.finish(record, prior)
}

#[derive(Debug)]
struct Composer {
    text: FinalText,
    files: Files,
    usage: RunUsage,
    /// Why each attempt but the last failed.
    failures: Vec<Option<ErrorKind>>,
    /// The last error of the attempt.
    error: Option<ErrorEvent>,
    session_id: Option<String>,
    done: Option<Done>,
    last_seq: u64,
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            text: FinalText::limited(MAX_CONTENT_BYTES),
            files: Files::default(),
            usage: RunUsage::default(),
            failures: Vec::new(),
            error: None,
            session_id: None,
            done: None,
            last_seq: 0,
        }
    }
}

impl Composer {
    fn apply(&mut self, ts: u64, event: Event) {
        self.text.on_event(&event);
        if matches!(event, Event::RunStarted(_)) && !self.usage.attempts().is_empty() {
            self.failures.push(self.error.take().map(|error| error.kind));
        }
        self.usage.push(ts, &event);
        match event {
            Event::AgentSwitched(_) => self.session_id = None,
            Event::SessionStarted(session) => self.session_id = Some(session.session_id),
            Event::FileChange(change) => self.files.apply(change),
            Event::Error(error) => self.error = Some(error),
            Event::Done(done) => self.done = Some(done),
            _ => {}
        }
    }

    fn finish(self, record: &RunRecord, prior: &PriorUsage<'_>) -> Result<RunResult, HostError> {
        let attempts = self.attempts(record, prior);
        let Some(done) = self.done else {
            let text = format!("the journal of run {} has no end", record.run_id);
            let hint = format!("see its events: od-host replay {}", record.run_id);
            return Err(HostError::protocol(ErrorKind::Internal, text).with_hint(hint));
        };
        let usage = self.usage.total(prior);
        let fatal = self.error.filter(|error| error.fatal);
        Ok(RunResult {
            run_id: record.run_id.clone(),
            agent: record.agent.clone(),
            content: self.text.text().to_owned(),
            cost_usd: usage.as_ref().map_or(done.totals.cost_usd, |usage| usage.cost_usd),
            duration_ms: done.duration_ms,
            usage,
            files: self.files.list(),
            verdict: RunVerdict {
                status: done.status,
                stop_reason: done.stop_reason,
                evidence: done.evidence,
                error_kind: done.error_kind,
                message: fatal.as_ref().map(|error| error.message.clone()),
                hint: fatal.and_then(|error| error.hint),
            },
            session_id: done.session_id.or(self.session_id),
            last_seq: self.last_seq,
            attempts,
        })
    }

    fn attempts(&self, record: &RunRecord, prior: &PriorUsage<'_>) -> Vec<RunAttempt> {
        let failures = self.failures.iter().cloned().chain([None]);
        let used = self.usage.attempts().iter().zip(self.usage.per_attempt(prior));
        used.zip(failures)
            .map(|((attempt, usage), error_kind)| RunAttempt {
                agent: attempt.agent.as_ref().unwrap_or(&record.agent).clone(),
                model: attempt.last_model.clone(),
                credential: attempt.credential.as_ref().map(|credential| credential.kind),
                usage,
                error_kind,
            })
            .collect()
    }
}

/// The files that a run changed, each with its last change. A file that the run created and deleted is omitted.
#[derive(Debug, Default)]
struct Files {
    changed: BTreeMap<String, ChangedFile>,
    created: BTreeSet<String>,
}

impl Files {
    fn apply(&mut self, change: FileChange) {
        let FileChange { path, op, from, .. } = change;
        match op {
            FileOp::Create => {
                // A file that existed before the run, was deleted and created again, counts as edited.
                if self.changed.contains_key(&path) {
                    return self.put(path, FileOp::Edit, None);
                }
                self.created.insert(path.clone());
            }
            FileOp::Delete if self.created.remove(&path) => {
                self.changed.remove(&path);
                return;
            }
            FileOp::Rename => {
                if let Some(from) = &from {
                    self.changed.remove(from);
                    if self.created.remove(from) {
                        self.created.insert(path.clone());
                        return self.put(path, FileOp::Create, None);
                    }
                }
            }
            _ => {}
        }
        self.put(path, op, from);
    }

    fn put(&mut self, path: String, op: FileOp, from: Option<String>) {
        self.changed.insert(path.clone(), ChangedFile { path, op, from });
    }

    fn list(self) -> Vec<ChangedFile> {
        self.changed.into_values().collect()
    }
}

/// Frequent events that do not affect the result are not parsed.
fn is_relevant(type_name: &str) -> bool {
    !matches!(
        type_name,
        "thinking_started"
            | "thinking_delta"
            | "thinking_stopped"
            | "tool_call_started"
            | "tool_input_delta"
            | "tool_call_ready"
            | "tool_output_delta"
            | "tool_result"
            | "heartbeat"
            | "status"
            | "image"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(changes: &[(&str, &str, Option<&str>)]) -> Vec<(String, &'static str)> {
        let mut files = Files::default();
        for (op, path, from) in changes {
            let change =
                serde_json::json!({"path": path, "op": op, "from": from, "source": "native"});
            files.apply(serde_json::from_value(change).expect("a change"));
        }
        files.list().into_iter().map(|file| (file.path, file.op.as_str())).collect()
    }

    #[test]
    fn created_and_deleted_file_is_omitted() {
        let list = files(&[
            ("create", "/new", None),
            ("edit", "/new", None),
            ("create", "/gone", None),
            ("edit", "/gone", None),
            ("delete", "/gone", None),
            ("edit", "/old", None),
            ("delete", "/old", None),
        ]);
        assert_eq!(list, [("/new".to_owned(), "edit"), ("/old".to_owned(), "delete")]);
    }

    #[test]
    fn renamed_file_has_one_row() {
        let list = files(&[
            ("edit", "/a", None),
            ("rename", "/b", Some("/a")),
            ("create", "/draft", None),
            ("rename", "/final", Some("/draft")),
            ("create", "/tmp", None),
            ("rename", "/tmp2", Some("/tmp")),
            ("delete", "/tmp2", None),
        ]);
        assert_eq!(list, [("/b".to_owned(), "rename"), ("/final".to_owned(), "create")]);
    }
}

//! Subscribers of one run at the same and at different positions: who shares batches, and that all get every event.

use super::*;
use crate::home::OdHome;
use crate::journal::Source;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;
use crate::journal::writer::JournalWriter;
use crate::sync::block_on;
use crate::telemetry::metrics::Metrics;

/// Enough for many more batches than the cache keeps.
const EVENTS: u64 = 1000;

fn line(seq: u64, type_name: &str) -> String {
    let text = "x".repeat(1500);
    format!(
        "{{\"runId\":\"r\",\"seq\":{seq},\"ts\":0,\"event\":{{\"type\":\"{type_name}\",\"text\":\"{text}\"}}}}"
    )
}

fn folder() -> (tempfile::TempDir, RunFolder) {
    let (scratch, home) = OdHome::temporary();
    let folder = RunFolder::create(&home, "r").expect("a run's folder");
    (scratch, folder)
}

/// An ended run and the lines of its journal.
fn journal() -> (tempfile::TempDir, RunFolder, Vec<String>) {
    let (scratch, folder) = folder();
    let mut lines: Vec<String> = (0..EVENTS).map(|seq| line(seq, "text_delta")).collect();
    lines.push(line(EVENTS, "done"));
    std::fs::write(folder.events(), lines.join("\n") + "\n").expect("a journal");
    (scratch, folder, lines)
}

fn attach(
    folder: &RunFolder,
    cache: &Arc<BatchCache>,
    from: u64,
    source: Source,
) -> RunSubscription {
    let reader = EventReader::open(folder.clone(), from, source).expect("a reader");
    let gauge = Metrics::new(0).subscriber();
    RunSubscription { reader, cache: Arc::clone(cache), has_sent: false, lags: false, gauge }
}

async fn next(subscription: &mut RunSubscription) -> Option<Arc<JsonBatch>> {
    subscription.next_json().await.expect("a journal")
}

async fn all(mut subscription: RunSubscription) -> Vec<Arc<JsonBatch>> {
    let mut batches = Vec::new();
    while let Some(batch) = next(&mut subscription).await {
        batches.push(batch);
    }
    batches
}

/// The events of these lines, joined like [`text_of`].
fn joined(lines: &[String]) -> String {
    lines.join(",")
}

fn text_of(batches: &[Arc<JsonBatch>]) -> String {
    let events = batches.iter().map(|batch| {
        let text = batch.json().get().strip_prefix("{\"events\":[").expect("the beginning");
        text.strip_suffix("]}").expect("the end")
    });
    events.collect::<Vec<_>>().join(",")
}

#[test]
fn clients_at_same_position_share_batches() {
    let (_scratch, folder, lines) = journal();
    block_on(async {
        let cache = Arc::default();
        let mut one = attach(&folder, &cache, 0, Source::Finished);
        let mut other = attach(&folder, &cache, 0, Source::Finished);
        let mut batches = Vec::new();
        while let Some(item) = next(&mut one).await {
            let same = next(&mut other).await.expect("as many batches");
            assert!(Arc::ptr_eq(&item, &same), "batch {} was made twice", batches.len());
            batches.push(item);
        }
        assert!(next(&mut other).await.is_none());
        assert!(batches.len() > 20, "{} batches", batches.len());
        assert_eq!(text_of(&batches), joined(&lines));
    });
}

#[test]
fn late_client_gets_every_event() {
    let (_scratch, folder, lines) = journal();
    block_on(async {
        let cache = Arc::default();
        let first = all(attach(&folder, &cache, 0, Source::Finished)).await;
        let late = all(attach(&folder, &cache, 0, Source::Finished)).await;
        let middle = all(attach(&folder, &cache, 333, Source::Finished)).await;
        assert_eq!(text_of(&first), joined(&lines));
        assert_eq!(text_of(&late), joined(&lines));
        assert_eq!(text_of(&middle), joined(&lines[333..]));
        assert!(!Arc::ptr_eq(&first[0], &late[0]), "the start was evicted");
    });
}

#[test]
fn clients_with_different_starts_meet() {
    let (_scratch, folder, _) = journal();
    block_on(async {
        let cache = Arc::default();
        let mut one = attach(&folder, &cache, 0, Source::Finished);
        let mut other = attach(&folder, &cache, 333, Source::Finished);
        assert!(next(&mut other).await.is_some());
        while one.reader.shared_position() != other.reader.shared_position() {
            assert!(next(&mut one).await.is_some(), "they missed each other");
        }
        let (item, same) = (next(&mut one).await, next(&mut other).await);
        assert!(Arc::ptr_eq(&item.expect("a batch"), &same.expect("a batch")));
    });
}

#[test]
fn single_client_caches_nothing() {
    let (_scratch, folder, _) = journal();
    block_on(async {
        let cache = Arc::default();
        let mut one = attach(&folder, &cache, 0, Source::Finished);
        let other = attach(&folder, &cache, 0, Source::Finished);
        drop(cache);
        assert!(next(&mut one).await.is_some());
        assert!(one.cache.json.find(0).is_some(), "the other client may need it");
        drop(other);
        assert!(next(&mut one).await.is_some());
        assert!(one.cache.json.find(0).is_none());
    });
}

#[test]
fn active_run_is_read_once_for_all() {
    let (_scratch, folder) = folder();
    let mut writer = JournalWriter::create(&folder, "r").expect("a journal");
    block_on(async {
        let cache = Arc::default();
        let source = || Source::ThisProcess(writer.progress());
        let mut early = attach(&folder, &cache, 0, source());
        let mut late = attach(&folder, &cache, 0, source());
        let mut batches = Vec::new();
        for seq in 0..3 {
            let line = line(seq, "text_delta");
            writer
                .accept(&Envelope::read(line.as_bytes()).expect("an envelope"))
                .expect("in order");
            writer.flush();
            batches.push(next(&mut early).await.expect("an event"));
        }
        for item in &batches {
            let same = next(&mut late).await.expect("an event");
            assert!(Arc::ptr_eq(item, &same));
        }
        drop(writer);
        assert!(next(&mut early).await.is_none() && next(&mut late).await.is_none());
    });
}

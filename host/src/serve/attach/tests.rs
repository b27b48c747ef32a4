//! Clients of one run, in step and not: who shares, and that nobody misses anything.

use super::*;
use crate::home::OdHome;
use crate::journal::Source;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;
use crate::journal::sink::Sink;
use crate::telemetry::metrics::Metrics;

/// Long enough for many more batches than a shelf keeps.
const EVENTS: u64 = 1000;

fn line(seq: u64, type_name: &str) -> String {
    let text = "x".repeat(1500);
    format!(
        "{{\"runId\":\"r\",\"seq\":{seq},\"ts\":0,\"event\":{{\"type\":\"{type_name}\",\"text\":\"{text}\"}}}}"
    )
}

fn folder() -> (tempfile::TempDir, RunFolder) {
    let home = tempfile::tempdir().expect("a folder");
    let place = OdHome::at(home.path().to_owned()).expect("an absolute path");
    let folder = RunFolder::create(&place, "r").expect("a run's folder");
    (home, folder)
}

/// A run that is over, and the lines of its journal.
fn journal() -> (tempfile::TempDir, RunFolder, Vec<String>) {
    let (home, folder) = folder();
    let mut lines: Vec<String> = (0..EVENTS).map(|seq| line(seq, "text_delta")).collect();
    lines.push(line(EVENTS, "done"));
    std::fs::write(folder.events(), lines.join("\n") + "\n").expect("a journal");
    (home, folder, lines)
}

fn attach(folder: &RunFolder, shelf: &Arc<Shelf>, from: u64, source: Source) -> Attachment {
    let reader = EventReader::open(folder.clone(), from, source).expect("a reader");
    let present = Metrics::new(0).subscriber();
    Attachment { reader, shelf: Arc::clone(shelf), has_spoken: false, lags: false, present }
}

fn block_on(future: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(future);
}

async fn next(attachment: &mut Attachment) -> Option<Arc<Item>> {
    attachment.next_item().await.expect("a journal")
}

async fn all(mut attachment: Attachment) -> Vec<Arc<Item>> {
    let mut items = Vec::new();
    while let Some(item) = next(&mut attachment).await {
        items.push(item);
    }
    items
}

/// What a journal with these lines is as items that are put together.
fn joined(lines: &[String]) -> String {
    lines.join(",")
}

fn text_of(items: &[Arc<Item>]) -> String {
    let events = items.iter().map(|item| {
        let text = item.get().get().strip_prefix("{\"events\":[").expect("the beginning");
        text.strip_suffix("]}").expect("the end")
    });
    events.collect::<Vec<_>>().join(",")
}

#[test]
fn clients_in_step_get_the_very_same_batches() {
    let (_home, folder, lines) = journal();
    block_on(async {
        let shelf = Arc::default();
        let mut one = attach(&folder, &shelf, 0, Source::Nobody);
        let mut other = attach(&folder, &shelf, 0, Source::Nobody);
        let mut items = Vec::new();
        while let Some(item) = next(&mut one).await {
            let same = next(&mut other).await.expect("as many batches");
            assert!(Arc::ptr_eq(&item, &same), "batch {} was made twice", items.len());
            items.push(item);
        }
        assert!(next(&mut other).await.is_none());
        assert!(items.len() > 20, "{} batches", items.len());
        assert_eq!(text_of(&items), joined(&lines));
    });
}

#[test]
fn one_that_begins_late_or_in_the_middle_gets_every_event() {
    let (_home, folder, lines) = journal();
    block_on(async {
        let shelf = Arc::default();
        let first = all(attach(&folder, &shelf, 0, Source::Nobody)).await;
        let late = all(attach(&folder, &shelf, 0, Source::Nobody)).await;
        let middle = all(attach(&folder, &shelf, 333, Source::Nobody)).await;
        assert_eq!(text_of(&first), joined(&lines));
        assert_eq!(text_of(&late), joined(&lines));
        assert_eq!(text_of(&middle), joined(&lines[333..]));
        assert!(!Arc::ptr_eq(&first[0], &late[0]), "the beginning was no longer there");
    });
}

#[test]
fn clients_that_began_at_different_places_meet() {
    let (_home, folder, _) = journal();
    block_on(async {
        let shelf = Arc::default();
        let mut one = attach(&folder, &shelf, 0, Source::Nobody);
        let mut other = attach(&folder, &shelf, 333, Source::Nobody);
        assert!(next(&mut other).await.is_some());
        while one.reader.place() != other.reader.place() {
            assert!(next(&mut one).await.is_some(), "they have passed each other");
        }
        let (item, same) = (next(&mut one).await, next(&mut other).await);
        assert!(Arc::ptr_eq(&item.expect("a batch"), &same.expect("a batch")));
    });
}

#[test]
fn for_one_client_alone_nothing_is_kept() {
    let (_home, folder, _) = journal();
    block_on(async {
        let shelf = Arc::default();
        let mut one = attach(&folder, &shelf, 0, Source::Nobody);
        let other = attach(&folder, &shelf, 0, Source::Nobody);
        drop(shelf);
        assert!(next(&mut one).await.is_some());
        assert!(one.shelf.items.at(0).is_some(), "the other one may want it");
        drop(other);
        assert!(next(&mut one).await.is_some());
        assert!(one.shelf.items.at(0).is_none());
    });
}

#[test]
fn each_event_of_a_run_that_goes_on_is_read_once_for_all() {
    let (_home, folder) = folder();
    let mut sink = Sink::create(&folder, "r").expect("a journal");
    block_on(async {
        let shelf = Arc::default();
        let source = || Source::Here(sink.progress());
        let mut prompt = attach(&folder, &shelf, 0, source());
        let mut tardy = attach(&folder, &shelf, 0, source());
        let mut items = Vec::new();
        for seq in 0..3 {
            let line = line(seq, "text_delta");
            sink.accept(&Envelope::read(line.as_bytes()).expect("an envelope")).expect("in order");
            sink.flush();
            items.push(next(&mut prompt).await.expect("an event"));
        }
        for item in &items {
            let same = next(&mut tardy).await.expect("an event");
            assert!(Arc::ptr_eq(item, &same));
        }
        drop(sink);
        assert!(next(&mut prompt).await.is_none() && next(&mut tardy).await.is_none());
    });
}

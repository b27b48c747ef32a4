//! Readers that go on where another one has come to.

use super::*;
use crate::home::OdHome;

fn line(seq: u64, type_name: &str) -> String {
    format!("{{\"runId\":\"r\",\"seq\":{seq},\"ts\":0,\"event\":{{\"type\":\"{type_name}\"}}}}\n")
}

/// A run whose journal has five events, the last one `done`.
fn journal() -> (tempfile::TempDir, RunFolder) {
    let home = tempfile::tempdir().expect("a folder");
    let place = OdHome::at(home.path().to_owned()).expect("an absolute path");
    let folder = RunFolder::create(&place, "r").expect("a run's folder");
    let mut text: String = (0..4).map(|seq| line(seq, "heartbeat")).collect();
    text.push_str(&line(4, "done"));
    std::fs::write(folder.events(), text).expect("a journal");
    (home, folder)
}

fn open(folder: &RunFolder, from: u64, source: Source) -> EventReader {
    EventReader::open(folder.clone(), from, source).expect("a reader")
}

fn next(reader: &mut EventReader) -> Option<u64> {
    reader.next_ready().expect("a journal").map(|event| event.seq)
}

#[test]
fn a_reader_goes_on_where_another_one_is() {
    let (_home, folder) = journal();
    let mut ahead = open(&folder, 0, Source::Nobody);
    let mut unread = open(&folder, 0, Source::Nobody);
    let mut buffered = open(&folder, 0, Source::Nobody);
    assert_eq!(next(&mut buffered), Some(0));
    assert_eq!([0; 3].map(|_| next(&mut ahead)), [Some(0), Some(1), Some(2)]);
    let place = ahead.place().expect("a place");
    for reader in [&mut unread, &mut buffered] {
        assert!(reader.go_to(place));
        assert_eq!((reader.offset(), next(reader), next(reader)), (place.offset, Some(3), Some(4)));
        assert_eq!(next(reader), None);
    }
    let mut last = open(&folder, 0, Source::Nobody);
    assert!(last.go_to(unread.place().expect("a place")));
    assert!(last.has_ended(), "`done` lies before it");
    assert_eq!(next(&mut last), None);
}

#[test]
fn the_way_to_the_first_event_is_no_place() {
    let (_home, folder) = journal();
    let mut reader = open(&folder, 2, Source::Nobody);
    assert_eq!(reader.place(), None);
    assert_eq!(next(&mut reader), Some(2));
    let mut other = open(&folder, 0, Source::Nobody);
    assert!(other.go_to(reader.place().expect("a place")));
    assert_eq!(next(&mut other), Some(3));
}

#[test]
fn what_is_not_published_is_not_gone_to() {
    let (_home, folder) = journal();
    let mut ahead = open(&folder, 0, Source::Nobody);
    assert_eq!([next(&mut ahead), next(&mut ahead)], [Some(0), Some(1)]);
    let place = ahead.place().expect("a place");
    let length = line(0, "heartbeat").len() as u64;
    let sender = watch::Sender::new(Progress { length, ..Progress::default() });
    let mut here = open(&folder, 0, Source::Here(sender.subscribe()));
    assert!(!here.go_to(place));
    assert_eq!((next(&mut here), next(&mut here)), (Some(0), None));
    sender.send_replace(Progress { length: place.offset, ..Progress::default() });
    assert!(here.go_to(place));
}

#[test]
fn events_that_are_only_in_memory_have_no_place_and_come_once() {
    let (_home, folder) = journal();
    let length = line(0, "heartbeat").len() as u64;
    let tail = Some(line(1, "done").into_bytes().into());
    let progress = Progress { length, tail, phase: Phase::Ended, ..Progress::default() };
    let sender = watch::Sender::new(progress);
    let mut reader = open(&folder, 0, Source::Here(sender.subscribe()));
    assert_eq!([0; 3].map(|_| next(&mut reader)), [Some(0), Some(1), None]);
    assert_eq!(reader.place(), None);
}

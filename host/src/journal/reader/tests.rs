//! Readers that go on where another one has come to, and readers of a journal that another process writes.

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

fn text_line(seq: u64, text: &str) -> String {
    line(seq, "text_delta").replace("}}\n", &format!(",\"text\":\"{text}\"}}}}\n"))
}

/// The numbers of the events that are there now.
fn ready(reader: &mut EventReader) -> Vec<u64> {
    std::iter::from_fn(|| next(reader)).collect()
}

#[test]
fn half_a_line_that_another_process_takes_back_is_forgotten() {
    let (_home, folder) = journal();
    let (first, half) = (line(0, "heartbeat"), text_line(1, &"half ".repeat(20)));
    std::fs::write(folder.events(), format!("{first}{}", &half[..80])).expect("a journal");
    let mut reader = open(&folder, 0, Source::Elsewhere(None));
    assert_eq!(ready(&mut reader), [0]);
    // Its owner is gone: the half is taken back, and longer lines stand in its place.
    let closing = format!("{first}{}{}", text_line(1, &"closed ".repeat(20)), line(2, "done"));
    std::fs::write(folder.events(), closing).expect("a journal");
    assert_eq!((ready(&mut reader), reader.damaged_lines()), (vec![1, 2], 0));
}

#[test]
fn a_line_that_comes_in_pieces_is_whole_at_last() {
    let (_home, folder) = journal();
    let long = text_line(0, &"x".repeat(3 * CHUNK));
    let journal = format!("{long}{}", line(1, "heartbeat"));
    std::fs::write(folder.events(), &journal[..CHUNK + 7]).expect("a journal");
    let mut reader = open(&folder, 0, Source::Elsewhere(None));
    assert!(ready(&mut reader).is_empty());
    std::fs::write(folder.events(), &journal).expect("a journal");
    assert_eq!((ready(&mut reader), reader.damaged_lines()), (vec![0, 1], 0));
}

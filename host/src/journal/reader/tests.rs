//! Readers that skip to the position of another reader, and readers of a journal of another process.

use super::*;
use crate::home::OdHome;
use crate::run::recover;

fn line(seq: u64, type_name: &str) -> String {
    format!("{{\"runId\":\"r\",\"seq\":{seq},\"ts\":0,\"event\":{{\"type\":\"{type_name}\"}}}}\n")
}

/// A run whose journal has five events, the last one `done`.
fn journal() -> (tempfile::TempDir, RunFolder) {
    let (scratch, home) = OdHome::temporary();
    let folder = RunFolder::create(&home, "r").expect("a run's folder");
    let mut text: String = (0..4).map(|seq| line(seq, "heartbeat")).collect();
    text.push_str(&line(4, "done"));
    std::fs::write(folder.events(), text).expect("a journal");
    (scratch, folder)
}

fn open(folder: &RunFolder, from: u64, source: Source) -> EventReader {
    EventReader::open(folder.clone(), from, source).expect("a reader")
}

fn next(reader: &mut EventReader) -> Option<u64> {
    reader.next_ready().expect("a journal").map(|event| event.seq)
}

#[test]
fn reader_skips_to_position_of_another() {
    let (_scratch, folder) = journal();
    let mut ahead = open(&folder, 0, Source::Finished);
    let mut unread = open(&folder, 0, Source::Finished);
    let mut buffered = open(&folder, 0, Source::Finished);
    assert_eq!(next(&mut buffered), Some(0));
    assert_eq!([0; 3].map(|_| next(&mut ahead)), [Some(0), Some(1), Some(2)]);
    let position = ahead.shared_position().expect("a position");
    for reader in [&mut unread, &mut buffered] {
        assert!(reader.skip_to(position));
        assert_eq!(
            (reader.offset(), next(reader), next(reader)),
            (position.offset, Some(3), Some(4))
        );
        assert_eq!(next(reader), None);
    }
    let mut last = open(&folder, 0, Source::Finished);
    assert!(last.skip_to(unread.shared_position().expect("a position")));
    assert!(last.has_ended(), "`done` is before it");
    assert_eq!(next(&mut last), None);
}

#[test]
fn position_before_first_event_is_not_shared() {
    let (_scratch, folder) = journal();
    let mut reader = open(&folder, 2, Source::Finished);
    assert_eq!(reader.shared_position(), None);
    assert_eq!(next(&mut reader), Some(2));
    let mut other = open(&folder, 0, Source::Finished);
    assert!(other.skip_to(reader.shared_position().expect("a position")));
    assert_eq!(next(&mut other), Some(3));
}

#[test]
fn reader_does_not_skip_to_unpublished_position() {
    let (_scratch, folder) = journal();
    let mut ahead = open(&folder, 0, Source::Finished);
    assert_eq!([next(&mut ahead), next(&mut ahead)], [Some(0), Some(1)]);
    let position = ahead.shared_position().expect("a position");
    let length = line(0, "heartbeat").len() as u64;
    let sender = watch::Sender::new(Progress { length, ..Progress::default() });
    let mut here = open(&folder, 0, Source::ThisProcess(sender.subscribe()));
    assert!(!here.skip_to(position));
    assert_eq!((next(&mut here), next(&mut here)), (Some(0), None));
    sender.send_replace(Progress { length: position.offset, ..Progress::default() });
    assert!(here.skip_to(position));
}

#[test]
fn events_in_memory_are_read_once() {
    let (_scratch, folder) = journal();
    let length = line(0, "heartbeat").len() as u64;
    let tail = Some(line(1, "done").into_bytes().into());
    let progress = Progress { length, tail, phase: Phase::Ended, ..Progress::default() };
    let sender = watch::Sender::new(progress);
    let mut reader = open(&folder, 0, Source::ThisProcess(sender.subscribe()));
    assert_eq!([0; 3].map(|_| next(&mut reader)), [Some(0), Some(1), None]);
    assert_eq!(reader.shared_position(), None);
}

fn text_line(seq: u64, text: &str) -> String {
    line(seq, "text_delta").replace("}}\n", &format!(",\"text\":\"{text}\"}}}}\n"))
}

/// The numbers of the available events.
fn ready(reader: &mut EventReader) -> Vec<u64> {
    std::iter::from_fn(|| next(reader)).collect()
}

#[test]
fn removed_incomplete_line_is_discarded() {
    let (_scratch, folder) = journal();
    let (first, half) = (line(0, "heartbeat"), text_line(1, &"half ".repeat(20)));
    std::fs::write(folder.events(), format!("{first}{}", &half[..80])).expect("a journal");
    let mut reader =
        open(&folder, 0, Source::OtherProcess { checked_at: None, settle: recover::settle });
    assert_eq!(ready(&mut reader), [0]);
    // The owner died: its incomplete line is replaced by longer lines.
    let closing = format!("{first}{}{}", text_line(1, &"closed ".repeat(20)), line(2, "done"));
    std::fs::write(folder.events(), closing).expect("a journal");
    assert_eq!((ready(&mut reader), reader.damaged_lines()), (vec![1, 2], 0));
}

#[test]
fn line_in_several_parts_is_read() {
    let (_scratch, folder) = journal();
    let long = text_line(0, &"x".repeat(3 * CHUNK_BYTES));
    let journal = format!("{long}{}", line(1, "heartbeat"));
    std::fs::write(folder.events(), &journal[..CHUNK_BYTES + 7]).expect("a journal");
    let mut reader =
        open(&folder, 0, Source::OtherProcess { checked_at: None, settle: recover::settle });
    assert!(ready(&mut reader).is_empty());
    std::fs::write(folder.events(), &journal).expect("a journal");
    assert_eq!((ready(&mut reader), reader.damaged_lines()), (vec![0, 1], 0));
}

//! Batches that are ready to be sent, kept for a moment: whoever watches the same run comes to the same place soon and
//! takes them from here instead of reading and checking the journal again. A reader that is too late for that goes
//! back to the journal, so nothing depends on what is still here.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hyper::body::Bytes;

use super::wording::Item;
use crate::journal::{EventReader, Place};

/// How many batches of one run are kept, about 64 KiB each: one for each client, because that far they may be apart,
/// within these bounds.
const FEWEST: usize = 8;
const MOST: usize = 64;

/// The shelves of all runs that are watched.
#[derive(Debug, Default)]
pub(super) struct Shelves {
    by_run: Mutex<HashMap<PathBuf, Weak<Shelf>>>,
}

impl Shelves {
    /// The shelf of a reader's run; it lives as long as somebody watches the run.
    pub(super) fn of(&self, reader: &EventReader) -> Arc<Shelf> {
        let mut by_run = lock(&self.by_run);
        by_run.retain(|_, shelf| shelf.strong_count() > 0);
        if let Some(shelf) = by_run.get(reader.run_folder()).and_then(Weak::upgrade) {
            return shelf;
        }
        let shelf = Arc::new(Shelf::default());
        by_run.insert(reader.run_folder().to_owned(), Arc::downgrade(&shelf));
        shelf
    }
}

/// What is kept of one run, for each way of wording it.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pub(super) items: Row<Option<Arc<Item>>>,
    pub(super) streams: Row<Bytes>,
}

/// Some events in a row, in words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Batch<T> {
    /// Where in the journal its first event begins.
    pub(super) start: u64,
    pub(super) end: Place,
    /// It ends because it is long enough; more may be there.
    pub(super) is_full: bool,
    pub(super) content: T,
}

/// The newest batches in one wording.
#[derive(Debug)]
pub(super) struct Row<T> {
    batches: Mutex<VecDeque<Batch<T>>>,
}

impl<T: Clone> Row<T> {
    /// The batch that begins at this place of the journal.
    pub(super) fn at(&self, start: u64) -> Option<Batch<T>> {
        let batches = lock(&self.batches);
        batches.iter().rev().find(|batch| batch.start == start).cloned()
    }

    /// Keeps a batch for so many clients, unless another one was faster.
    pub(super) fn put(&self, batch: Batch<T>, clients: usize) {
        let mut batches = lock(&self.batches);
        if batches.iter().any(|kept| kept.start == batch.start) {
            return;
        }
        batches.push_back(batch);
        let surplus = batches.len().saturating_sub(clients.clamp(FEWEST, MOST));
        batches.drain(..surplus);
    }

    /// Keeps nothing: only one reader is left.
    pub(super) fn clear(&self) {
        lock(&self.batches).clear();
    }
}

impl<T> Default for Row<T> {
    fn default() -> Self {
        Self { batches: Mutex::default() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(start: u64, content: &str) -> Batch<String> {
        let end = Place { offset: start + 10, ended: false };
        Batch { start, end, is_full: false, content: content.to_owned() }
    }

    #[test]
    fn the_newest_batches_are_kept_and_each_place_once() {
        let row = Row::default();
        row.put(batch(0, "first"), 2);
        row.put(batch(0, "the same place again"), 2);
        assert_eq!(row.at(0), Some(batch(0, "first")));
        assert_eq!(row.at(5), None, "not in the middle of one");
        for start in 1..=FEWEST as u64 {
            row.put(batch(start * 10, "more"), 2);
        }
        assert_eq!(row.at(0), None, "the oldest has made room");
        assert!((1..=FEWEST as u64).all(|start| row.at(start * 10).is_some()));
        row.clear();
        assert_eq!(row.at(10), None);
    }

    #[test]
    fn more_clients_have_more_kept_up_to_a_bound() {
        for (clients, kept) in [(2, FEWEST), (20, 20), (1000, MOST)] {
            let row = Row::default();
            (0..200).for_each(|start| row.put(batch(start, "some"), clients));
            let found = (0..200).filter(|start| row.at(*start).is_some());
            assert_eq!(found.collect::<Vec<_>>(), (200 - kept as u64..200).collect::<Vec<_>>());
        }
    }
}

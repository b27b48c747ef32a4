//! The newest batches of each run that has subscribers. Subscribers of one run reach the same offset at nearly the
//! same time and take the batch from here instead of reading and checking the journal again. A late reader reads
//! the journal, so nothing depends on the cache.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};

use hyper::body::Bytes;

use super::batch_format::JsonBatch;
use crate::journal::{EventReader, Position};
use crate::sync::lock;

/// How many batches of one run are cached, about 64 KiB each: one per client, because clients may be that far
/// apart, within these bounds.
const MIN_BATCHES: usize = 8;
const MAX_BATCHES: usize = 64;

/// The caches of all runs that have subscribers.
#[derive(Debug, Default)]
pub(super) struct BatchCaches {
    by_run: Mutex<HashMap<PathBuf, Weak<BatchCache>>>,
}

impl BatchCaches {
    /// The cache of a reader's run; it lives as long as the run has subscribers.
    pub(super) fn of_run(&self, reader: &EventReader) -> Arc<BatchCache> {
        let mut by_run = lock(&self.by_run);
        by_run.retain(|_, cache| cache.strong_count() > 0);
        if let Some(cache) = by_run.get(reader.run_folder()).and_then(Weak::upgrade) {
            return cache;
        }
        let cache = Arc::new(BatchCache::default());
        by_run.insert(reader.run_folder().to_owned(), Arc::downgrade(&cache));
        cache
    }
}

/// The cached batches of one run, per format.
#[derive(Debug, Default)]
pub(super) struct BatchCache {
    pub(super) json: CachedBatches<Option<Arc<JsonBatch>>>,
    pub(super) sse: CachedBatches<Bytes>,
}

/// Consecutive events in one format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Batch<T> {
    /// The offset of its first event in the journal.
    pub(super) start: u64,
    pub(super) end: Position,
    /// It ends because it is long enough; more events may be available.
    pub(super) is_full: bool,
    pub(super) content: T,
}

/// The newest batches in one format.
#[derive(Debug)]
pub(super) struct CachedBatches<T> {
    batches: Mutex<VecDeque<Batch<T>>>,
}

impl<T: Clone> CachedBatches<T> {
    /// The batch that starts at this offset of the journal.
    pub(super) fn find(&self, start: u64) -> Option<Batch<T>> {
        let batches = lock(&self.batches);
        batches.iter().rev().find(|batch| batch.start == start).cloned()
    }

    /// Caches a batch for this many clients, unless one with the same start exists.
    pub(super) fn insert(&self, batch: Batch<T>, clients: usize) {
        let mut batches = lock(&self.batches);
        if batches.iter().any(|cached| cached.start == batch.start) {
            return;
        }
        batches.push_back(batch);
        let surplus = batches.len().saturating_sub(clients.clamp(MIN_BATCHES, MAX_BATCHES));
        batches.drain(..surplus);
    }

    /// Removes everything, when only one reader is left.
    pub(super) fn clear(&self) {
        lock(&self.batches).clear();
    }
}

impl<T> Default for CachedBatches<T> {
    fn default() -> Self {
        Self { batches: Mutex::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(start: u64, content: &str) -> Batch<String> {
        let end = Position { offset: start + 10, has_ended: false };
        Batch { start, end, is_full: false, content: content.to_owned() }
    }

    #[test]
    fn newest_batches_stay_each_offset_once() {
        let cached = CachedBatches::default();
        cached.insert(batch(0, "first"), 2);
        cached.insert(batch(0, "same offset"), 2);
        assert_eq!(cached.find(0), Some(batch(0, "first")));
        assert_eq!(cached.find(5), None, "inside of a batch");
        for start in 1..=MIN_BATCHES as u64 {
            cached.insert(batch(start * 10, "more"), 2);
        }
        assert_eq!(cached.find(0), None, "the oldest is evicted");
        assert!((1..=MIN_BATCHES as u64).all(|start| cached.find(start * 10).is_some()));
        cached.clear();
        assert_eq!(cached.find(10), None);
    }

    #[test]
    fn capacity_grows_with_clients_within_bounds() {
        for (clients, kept) in [(2, MIN_BATCHES), (20, 20), (1000, MAX_BATCHES)] {
            let cached = CachedBatches::default();
            (0..200).for_each(|start| cached.insert(batch(start, "some"), clients));
            let found = (0..200).filter(|start| cached.find(*start).is_some());
            assert_eq!(found.collect::<Vec<_>>(), (200 - kept as u64..200).collect::<Vec<_>>());
        }
    }
}

//! Runs a function on many items in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Runs `act` on each item with this many threads; `show` receives each result when it is ready.
/// The results are in the order of the items.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    act: impl Fn(&T) -> R + Sync,
    show: &mut dyn FnMut(&R),
) -> Vec<R> {
    each_with(items, jobs, |_| (), |(), item| act(item), show)
}

/// Runs `act` like [`each`]; every thread creates its own state from its number.
pub(crate) fn each_with<T: Sync, S, R: Send>(
    items: &[T],
    jobs: usize,
    new_state: impl Fn(usize) -> S + Sync,
    act: impl Fn(&mut S, &T) -> R + Sync,
    show: &mut dyn FnMut(&R),
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut results: Vec<(usize, R)> = Vec::with_capacity(items.len());
    std::thread::scope(|scope| {
        for worker in 0..jobs.clamp(1, items.len().max(1)) {
            let (next, new_state, act, sender) = (&next, &new_state, &act, sender.clone());
            scope.spawn(move || {
                let mut state = new_state(worker);
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    if sender.send((index, act(&mut state, item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (index, result) in receiver {
            show(&result);
            results.push((index, result));
        }
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_order_of_items() {
        let items: Vec<usize> = (0..50).collect();
        let mut shown = 0;
        let doubled = each(&items, 4, |item| item * 2, &mut |_| shown += 1);
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert_eq!(shown, 50);
        assert!(each(&Vec::<usize>::new(), 4, |item| *item, &mut |_| {}).is_empty());
    }
}

//! Minimizes a failing input: delta debugging with bounded effort. The caller defines what an input
//! is and when it fails.

use std::time::{Duration, Instant};

/// The budget of a minimization.
#[derive(Debug, Clone)]
pub struct ShrinkBudget {
    max_attempts: usize,
    deadline: Instant,
    attempts: usize,
}

impl ShrinkBudget {
    /// Allows this many attempts within this time.
    pub fn new(max_attempts: usize, time: Duration) -> Self {
        Self { max_attempts, deadline: Instant::now() + time, attempts: 0 }
    }

    /// Returns the number of attempts made.
    pub const fn attempts(&self) -> usize {
        self.attempts
    }

    fn take(&mut self) -> bool {
        let is_left = self.attempts < self.max_attempts && Instant::now() < self.deadline;
        self.attempts += usize::from(is_left);
        is_left
    }
}

/// Returns the shortest sublist of a failing list that still fails. It is minimal (no single item
/// can be removed) unless the budget is exhausted first.
pub fn smallest<T: Clone>(
    whole: &[T],
    budget: &mut ShrinkBudget,
    mut fails: impl FnMut(&[T]) -> bool,
) -> Vec<T> {
    let mut best = whole.to_vec();
    let mut size = best.len();
    while size > 0 && !best.is_empty() {
        let before = best.len();
        let mut at = 0;
        while at < best.len() {
            let end = (at + size).min(best.len());
            let rest = [&best[..at], &best[end..]].concat();
            if !budget.take() {
                return best;
            }
            match fails(&rest) {
                true => best = rest,
                false => at = end,
            }
        }
        // An item that was needed may become removable after a later one is removed.
        size = if size == 1 && best.len() < before { 1 } else { size / 2 };
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(max_attempts: usize) -> ShrinkBudget {
        ShrinkBudget::new(max_attempts, Duration::from_secs(60))
    }

    fn has_all(list: &[u8], wanted: &[u8]) -> bool {
        wanted.iter().all(|item| list.contains(item))
    }

    #[test]
    fn needed_items_remain() {
        let whole: Vec<u8> = (0..100).collect();
        let found = smallest(&whole, &mut budget(1000), |list| has_all(list, &[3, 50, 98]));
        assert_eq!(found, [3, 50, 98]);
    }

    #[test]
    fn constant_failure_shrinks_to_empty_list() {
        let mut budget = budget(1000);
        assert!(smallest(&[1, 2, 3], &mut budget, |_| true).is_empty());
        assert_eq!(budget.attempts(), 1);
    }

    #[test]
    fn dependent_item_is_removed() {
        // Fails only with 7, and with 1 if 2 is present.
        let fails = |list: &[u8]| list.contains(&7) && (!list.contains(&2) || list.contains(&1));
        assert_eq!(smallest(&[1, 2, 7], &mut budget(1000), fails), [7]);
    }

    #[test]
    fn exhausted_budget_returns_failing_list() {
        let whole: Vec<u8> = (0..200).collect();
        let mut budget = budget(9);
        let found = smallest(&whole, &mut budget, |list| has_all(list, &[3, 150]));
        assert_eq!(budget.attempts(), 9);
        assert!(has_all(&found, &[3, 150]) && found.len() < whole.len());
    }
}

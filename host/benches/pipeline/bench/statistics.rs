//! Medians and percentiles.

use std::time::Duration;

/// The value below which this share of the samples is; 0 without samples.
pub(super) fn percentile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let index = (last as f64 * share).round() as usize;
    sorted.get(index).copied().unwrap_or_default()
}

/// The median of the samples.
pub(super) fn median(samples: &[f64]) -> f64 {
    percentile(samples, 0.5)
}

pub(super) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

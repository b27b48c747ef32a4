//! How patient a run is with an agent CLI that tries a failed request again by itself: a person is
//! to be told soon, not after minutes.

/// How often it may try again, unless the run says otherwise.
pub const DEFAULT_MAX_RETRIES: u32 = 2;
/// How long its waits may be in all: long enough for a retry, short enough that a person is told
/// within three seconds.
pub const DEFAULT_MAX_RETRY_WAIT_MS: u64 = 2_500;
/// The same, when the run asks for more retries and thereby for patience.
const PATIENT_MAX_RETRY_WAIT_MS: u64 = 600_000;

/// The part of `adapterOptions` that is about retries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetryOptions {
    /// How often it may try again.
    pub max_retries: Option<u32>,
    /// How long its waits may be in all.
    pub max_retry_wait_ms: Option<u64>,
}

impl RetryOptions {
    /// How often it may try again.
    pub fn max_retries(self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }

    /// How long its waits may be in all.
    pub fn max_wait_ms(self) -> u64 {
        let default = match self.max_retries {
            Some(_) => PATIENT_MAX_RETRY_WAIT_MS,
            None => DEFAULT_MAX_RETRY_WAIT_MS,
        };
        self.max_retry_wait_ms.unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_retries_asks_for_patience() {
        let impatient = RetryOptions::default();
        assert_eq!((impatient.max_retries(), impatient.max_wait_ms()), (2, 2_500));
        let patient = RetryOptions { max_retries: Some(7), max_retry_wait_ms: None };
        assert_eq!((patient.max_retries(), patient.max_wait_ms()), (7, 600_000));
        let exact = RetryOptions { max_retries: Some(7), max_retry_wait_ms: Some(1) };
        assert_eq!(exact.max_wait_ms(), 1);
    }
}

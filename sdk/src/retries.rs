//! Limits for agent CLIs that retry failed requests by themselves: the user should see a failure
//! within seconds, not after minutes.

/// The default number of retries.
pub const DEFAULT_MAX_RETRIES: u32 = 2;
/// The default total wait: long enough for one retry, short enough to report within three seconds.
pub const DEFAULT_MAX_RETRY_WAIT_MS: u64 = 2_500;
/// The total wait if the run sets `maxRetries`.
const LONG_MAX_RETRY_WAIT_MS: u64 = 600_000;

/// The retry options in `adapterOptions`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetryOptions {
    /// The number of retries.
    pub max_retries: Option<u32>,
    /// The total wait in milliseconds.
    pub max_retry_wait_ms: Option<u64>,
}

impl RetryOptions {
    /// The number of retries.
    pub fn max_retries(self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }

    /// The total wait in milliseconds.
    pub fn max_wait_ms(self) -> u64 {
        let default = match self.max_retries {
            Some(_) => LONG_MAX_RETRY_WAIT_MS,
            None => DEFAULT_MAX_RETRY_WAIT_MS,
        };
        self.max_retry_wait_ms.unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_retries_allow_longer_wait() {
        let default = RetryOptions::default();
        assert_eq!((default.max_retries(), default.max_wait_ms()), (2, 2_500));
        let with_retries = RetryOptions { max_retries: Some(7), max_retry_wait_ms: None };
        assert_eq!((with_retries.max_retries(), with_retries.max_wait_ms()), (7, 600_000));
        let exact = RetryOptions { max_retries: Some(7), max_retry_wait_ms: Some(1) };
        assert_eq!(exact.max_wait_ms(), 1);
    }
}

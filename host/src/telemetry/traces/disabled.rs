//! Traces in a host that was built without the feature `otlp`: an endpoint is reported as an error.

use std::convert::Infallible;
use std::time::Duration;

use super::destination::Destination;
use crate::error::HostError;
use crate::journal::RunRecord;
use crate::journal::folder::RunFolder;

/// Never exists.
#[derive(Debug, Clone)]
pub(crate) struct Traces(Infallible);

impl Traces {
    /// # Errors
    /// Always: the feature is missing.
    pub(crate) fn start(_destination: Destination) -> Result<Self, HostError> {
        Err(HostError::missing_feature("OTLP traces", "otlp"))
    }

    pub(crate) fn send(&self, _folder: &RunFolder, _record: &RunRecord) {
        match self.0 {}
    }

    pub(crate) fn flush(&self, _limit: Duration) {
        match self.0 {}
    }
}

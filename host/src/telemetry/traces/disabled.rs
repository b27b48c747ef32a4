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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::TelemetrySettings;

    #[test]
    fn configured_endpoint_reports_missing_feature() {
        let settings =
            TelemetrySettings { otlp_endpoint: Some("http://localhost:4318".to_owned()) };
        let destination = Destination::of_process(&settings).expect("a destination");
        let error = Traces::start(destination).expect_err("the feature is missing");
        assert_eq!(error.which.as_deref(), Some("otlp"));
        assert!(error.hint.is_some_and(|hint| hint.contains("cargo build")));
    }
}

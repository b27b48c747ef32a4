//! Whether and where traces are sent: the standard variables of OpenTelemetry first, then the settings.

use std::path::PathBuf;

use crate::settings::TelemetrySettings;

const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_CERTIFICATE: &str = "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE";
/// Names the file with the certificate authority of the collector.
pub(super) const CERTIFICATE: &str = "OTEL_EXPORTER_OTLP_CERTIFICATE";
const DISABLED: &str = "OTEL_SDK_DISABLED";
const EXPORTER: &str = "OTEL_TRACES_EXPORTER";
const CAPTURE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
/// The path that the specification appends to an endpoint for all signals.
const TRACES_PATH: &str = "v1/traces";

/// The collector of the traces. The exporter itself reads the variables for headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    /// The complete URL.
    pub(super) endpoint: String,
    /// The file with the certificates to trust instead of the system's; only with TLS.
    pub(super) certificate: Option<PathBuf>,
    pub(super) content: Content,
}

/// Whether prompts, messages and tool output may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// They are left out, the default.
    Excluded,
    /// They are sent: the user enabled it.
    Included,
}

impl Destination {
    /// The destination of this process; `None`, the default, sends nothing.
    pub(crate) fn of_process(settings: &TelemetrySettings) -> Option<Self> {
        Self::decide(settings, |name| std::env::var(name).ok())
    }

    fn decide(
        settings: &TelemetrySettings,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let is = |name: &str, expected: &str| {
            variable(name).is_some_and(|value| value.trim().eq_ignore_ascii_case(expected))
        };
        if is(DISABLED, "true") || is(EXPORTER, "none") {
            return None;
        }
        let for_all = || variable(ENDPOINT).or(settings.otlp_endpoint.clone());
        let endpoint = match variable(TRACES_ENDPOINT) {
            Some(endpoint) => endpoint.trim().to_owned(),
            None => format!("{}/{TRACES_PATH}", for_all()?.trim().trim_end_matches('/')),
        };
        let named = variable(TRACES_CERTIFICATE).or_else(|| variable(CERTIFICATE));
        let certificate = named.filter(|_| is_secure(&endpoint)).map(PathBuf::from);
        let content = if is(CAPTURE, "true") { Content::Included } else { Content::Excluded };
        Some(Self { endpoint, certificate, content })
    }
}

fn is_secure(endpoint: &str) -> bool {
    endpoint.split_once("://").is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(setting: Option<&str>, variables: &[(&str, &str)]) -> Option<Destination> {
        let settings = TelemetrySettings { otlp_endpoint: setting.map(str::to_owned) };
        Destination::decide(&settings, |name| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[track_caller]
    fn check_endpoint(setting: Option<&str>, variables: &[(&str, &str)], expected: Option<&str>) {
        let endpoint = decide(setting, variables).map(|destination| destination.endpoint);
        assert_eq!(endpoint.as_deref(), expected);
    }

    #[test]
    fn traces_are_off_by_default() {
        check_endpoint(None, &[], None);
        check_endpoint(None, &[(ENDPOINT, "")], None);
        check_endpoint(None, &[(ENDPOINT, "http://c:4318"), (DISABLED, "true")], None);
        check_endpoint(Some("http://c:4318"), &[(EXPORTER, "none")], None);
    }

    #[test]
    fn variable_overrides_settings() {
        let traces = Some("http://c:4318/v1/traces");
        check_endpoint(Some("http://c:4318/"), &[], traces);
        check_endpoint(Some("http://other"), &[(ENDPOINT, "http://c:4318")], traces);
        check_endpoint(
            None,
            &[(ENDPOINT, "http://other"), (TRACES_ENDPOINT, "http://c/exactly")],
            Some("http://c/exactly"),
        );
    }

    #[test]
    fn traces_certificate_overrides_general_one() {
        let with = |endpoint, variables: &[(&str, &str)]| {
            decide(Some(endpoint), variables).and_then(|found| found.certificate)
        };
        let both = [(CERTIFICATE, "all.pem"), (TRACES_CERTIFICATE, "traces.pem")];
        assert_eq!(with("https://c", &both), Some(PathBuf::from("traces.pem")));
        assert_eq!(with("https://c", &both[..1]), Some(PathBuf::from("all.pem")));
        assert_eq!(with("https://c", &[(CERTIFICATE, "")]), None);
        assert_eq!(with("http://c", &both), None);
    }

    #[test]
    fn content_is_excluded_by_default() {
        let with = |value| decide(Some("http://c"), &[(CAPTURE, value)]).map(|found| found.content);
        assert_eq!(with("true"), Some(Content::Included));
        assert_eq!(with("no"), Some(Content::Excluded));
    }
}

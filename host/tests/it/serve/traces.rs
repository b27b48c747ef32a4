//! Traces over TLS to a trusted and an untrusted collector.

use super::server_process::ServeProcess;
use super::tls::file;
use crate::cli::collector::Collector;
use crate::cli::scratch::Scratch;

/// A collector with the certificate of these tests, and a host that trusts the certificate in this file.
fn collector_and_host(trusted: &str) -> (Collector, ServeProcess) {
    let collector = Collector::start_tls(&file("certificate.pem"), &file("key.pem"));
    let scratch = Scratch::with_adapter("x", "good")
        .with_variable("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint())
        .with_variable("OTEL_EXPORTER_OTLP_CERTIFICATE", file(trusted).display().to_string());
    (collector, ServeProcess::start(scratch, &[]))
}

fn run(host: &ServeProcess) {
    let run_id = host.start_run("go");
    assert_eq!(host.wait_for_end(&run_id)["state"], "completed");
}

#[test]
fn trusted_collector_gets_spans() {
    let (collector, host) = collector_and_host("certificate.pem");
    run(&host);
    let received = collector.next();
    assert_eq!(received.path, "/v1/traces");
    let spans = received.spans();
    assert!(spans.iter().any(|span| span.name == "invoke_agent x"), "{spans:#?}");
    assert!(!host.log().contains("cannot send traces"), "{}", host.log());
}

#[test]
fn untrusted_collector_is_reported_once() {
    let (collector, host) = collector_and_host("other.pem");
    for _ in 0..3 {
        run(&host);
    }
    // One thread exports the runs in order and tries each four times: this covers two runs.
    for _ in 0..6 {
        collector.wait_for_distrust();
    }
    let log = host.log();
    let reports: Vec<&str> =
        log.lines().filter(|line| line.contains("cannot send traces")).collect();
    assert_eq!(reports.len(), 1, "{log}");
    for expected in [
        &collector.endpoint(),
        "its certificate is not trusted",
        "set OTEL_EXPORTER_OTLP_CERTIFICATE",
    ] {
        assert!(reports[0].contains(expected), "{expected}: {}", reports[0]);
    }
}

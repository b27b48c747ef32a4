//! Traces over TLS: a collector that is trusted gets them; one that is not is told once, and runs go on.

use super::stage::ServeProcess;
use super::tls::file;
use crate::cli::collector::Collector;
use crate::cli::scratch::Scratch;

/// A collector with the certificate of these tests, and a host that trusts what a file names.
fn stage(trusted: &str) -> (Collector, ServeProcess) {
    let collector = Collector::start_secure(&file("certificate.pem"), &file("key.pem"));
    let scratch = Scratch::with_adapter("x", "good")
        .with_variable("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint())
        .with_variable("OTEL_EXPORTER_OTLP_CERTIFICATE", file(trusted).display().to_string());
    (collector, ServeProcess::start(scratch, &[]))
}

fn run(host: &ServeProcess) {
    let run_id = host.start_run("go");
    assert_eq!(host.end_of(&run_id)["state"], "completed");
}

#[test]
fn a_collector_with_the_named_certificate_gets_the_spans() {
    let (collector, host) = stage("certificate.pem");
    run(&host);
    let received = collector.next();
    assert_eq!(received.path, "/v1/traces");
    let spans = received.spans();
    assert!(spans.iter().any(|span| span.name == "invoke_agent x"), "{spans:#?}");
    assert!(!host.log().contains("cannot be sent"), "{}", host.log());
}

#[test]
fn a_collector_with_another_certificate_is_told_once_and_runs_go_on() {
    let (collector, host) = stage("other.pem");
    for _ in 0..3 {
        run(&host);
    }
    // One thread sends a run after the other and tries each four times: these are the tries of two runs.
    for _ in 0..6 {
        collector.wait_for_distrust();
    }
    let log = host.log();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("cannot be sent")).collect();
    assert_eq!(told.len(), 1, "{log}");
    for expected in [
        &collector.endpoint(),
        "its certificate is not trusted",
        "OTEL_EXPORTER_OTLP_CERTIFICATE may name the file",
    ] {
        assert!(told[0].contains(expected), "{expected}: {}", told[0]);
    }
}

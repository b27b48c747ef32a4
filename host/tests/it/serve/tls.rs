//! TLS, with a certificate for 127.0.0.1 that is good for these tests only.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::stage::ServeProcess;
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

/// A file of the folder beside this one.
pub(super) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/serve/tls").join(name)
}

fn connector() -> TlsConnector {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_file(file("certificate.pem")).expect("PEM");
    roots.add(certificate).expect("a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[test]
fn calls_are_answered_over_tls_and_not_without() {
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let (certificate, key) = (certificate.display().to_string(), key.display().to_string());
    let arguments = ["--tls-cert", &certificate, "--tls-key", &key];
    let host = ServeProcess::start(Scratch::with_adapter("x", "good"), &arguments);
    assert!(host.url().starts_with("https://127.0.0.1:"));
    let request = format!(
        "GET /metrics HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        host.address(),
        host.token
    );
    let answer = block_on(async {
        let stream = tokio::net::TcpStream::connect(host.address()).await.expect("it listens");
        let name = ServerName::try_from("127.0.0.1").expect("a name");
        let mut stream = connector().connect(name, stream).await.expect("a handshake");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut answer = Vec::new();
        // Without a farewell of TLS the end is an error; what came before counts.
        let ended = stream.read_to_end(&mut answer).await;
        (String::from_utf8_lossy(&answer).into_owned(), ended.is_ok())
    });
    assert!(answer.0.starts_with("HTTP/1.1 200 "), "{answer:?}");
    assert_eq!(host.raw(&request).find("HTTP/1.1 200"), None, "nothing in the clear");
}

#[test]
fn a_key_that_does_not_fit_is_explained() {
    let scratch = Scratch::new();
    let certificate = file("certificate.pem").display().to_string();
    let arguments = ["serve", "--bind", "127.0.0.1:0", "--tls-cert", &certificate];
    let finished = scratch.od_host(&[&arguments[..], &["--tls-key", &certificate]].concat());
    finished.fails_with(2, "--tls-key: cannot use", "PEM");
}

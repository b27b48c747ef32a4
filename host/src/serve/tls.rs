//! Loads the certificate and key for TLS.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{Error, ServerConfig};

use super::server::TlsFiles;
use crate::error::HostError;
use crate::files::pem;

pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, HostError> {
    let failed = |option: &str, path: &Path, reason: String| {
        HostError::usage(format!("{option}: cannot use {}: {reason}", path.display()))
            .with_hint(format!("{option} expects a readable PEM file"))
    };
    let certificates = pem::certificates(&files.certificate)
        .map_err(|reason| failed("--tls-cert", &files.certificate, reason))?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| failed("--tls-key", &files.key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| match error {
            Error::InconsistentKeys(_) => mismatched_key(files),
            error => failed("--tls-key", &files.key, error.to_string()),
        })?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn mismatched_key(files: &TlsFiles) -> HostError {
    let (certificate, key) = (files.certificate.display(), files.key.display());
    HostError::usage(format!("the key {key} does not belong to the certificate {certificate}"))
        .with_hint("use the private key of the first certificate in the file")
}

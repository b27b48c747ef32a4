//! The certificates a collector is trusted by: those of the file that a variable names, or the system's.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

use super::destination::CERTIFICATE;
use crate::error::HostError;
use crate::files::pem;

/// Trusts only the certificate authorities in this file.
pub(super) fn load_file(path: &Path) -> Result<Arc<ClientConfig>, HostError> {
    let failed = |reason: String| {
        HostError::usage(format!(
            "cannot use {} as the certificate of the trace collector: {reason}",
            path.display()
        ))
        .with_hint(format!("{CERTIFICATE} expects a readable PEM file"))
    };
    let mut roots = RootCertStore::empty();
    for certificate in pem::certificates(path).map_err(failed)? {
        roots.add(certificate).map_err(|error| failed(error.to_string()))?;
    }
    config(roots).map_err(|error| failed(error.to_string()))
}

/// Trusts the certificate authorities of the system.
pub(super) fn load_system() -> Result<Arc<ClientConfig>, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    config(roots)
}

/// Why a handshake failed, with the remedy for an untrusted certificate.
pub(super) fn describe_handshake_error(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(_)) => format!(
            "its certificate is not trusted: {error}; set {CERTIFICATE} to the file of its certificate authority"
        ),
        _ => format!("TLS handshake failed: {error}"),
    }
}

fn config(roots: RootCertStore) -> Result<Arc<ClientConfig>, Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

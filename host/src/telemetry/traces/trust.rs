//! Which certificates a collector may show: those of the file that a variable names, else those the system trusts.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

use super::destination::CERTIFICATE;
use crate::error::HostError;
use crate::pem;

/// Trusts what the certificates in this file have signed, and nothing else.
///
/// # Errors
/// When there is no certificate in it, or it cannot be read.
pub(super) fn file(path: &Path) -> Result<Arc<ClientConfig>, HostError> {
    let failed = |reason: String| {
        HostError::usage(format!(
            "the certificate for the collector of traces: cannot use {}: {reason}",
            path.display()
        ))
        .with_hint(format!("{CERTIFICATE} takes a file in PEM form that you may read"))
    };
    let mut roots = RootCertStore::empty();
    for certificate in pem::certificates(path).map_err(failed)? {
        roots.add(certificate).map_err(|error| failed(error.to_string()))?;
    }
    config(roots).map_err(|error| failed(error.to_string()))
}

/// Trusts whom the system trusts.
///
/// # Errors
/// When TLS cannot be set up at all.
pub(super) fn system() -> Result<Arc<ClientConfig>, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    config(roots)
}

/// Why a handshake failed, and what helps when it was the certificate.
pub(super) fn explain(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match inner {
        Some(Error::InvalidCertificate(_)) => format!(
            "its certificate is not trusted: {error}; {CERTIFICATE} may name the file of the one that signed it"
        ),
        _ => format!("no TLS: {error}"),
    }
}

fn config(roots: RootCertStore) -> Result<Arc<ClientConfig>, Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

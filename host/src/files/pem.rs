//! Reads certificates from PEM files.

use std::path::Path;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// Returns all certificates of a file, at least one; otherwise the reason.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| error.to_string())?;
    if certificates.is_empty() {
        return Err("it contains no certificate".to_owned());
    }
    Ok(certificates)
}

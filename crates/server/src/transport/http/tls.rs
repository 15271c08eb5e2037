//! The certificate that the operator has set.

use net::{CertificateError, ServerTls};

use crate::settings::Settings;

/// For an operator whose key others can read.
pub(crate) const SHOWN_TLS_KEY: &str =
    "--tls-key: every user of this machine can read the private key; run chmod 600 on the file";

/// TLS, if the operator has set a certificate. The error says which setting does not work.
pub(crate) fn load_tls(settings: &Settings) -> Result<Option<ServerTls>, String> {
    match (settings.tls_cert.clone(), settings.tls_key.clone()) {
        (None, None) => Ok(None),
        (Some(certificate), Some(key)) => {
            let loaded = ServerTls::load(certificate, key);
            loaded.map(Some).map_err(|error| match error {
                CertificateError::NoCertificate => format!("--tls-cert: {error}"),
                CertificateError::NoKey | CertificateError::Mismatch => {
                    format!("--tls-key: {error}")
                }
            })
        }
        (Some(_), None) => {
            Err("--tls-cert needs --tls-key, the private key of that certificate".to_owned())
        }
        (None, Some(_)) => {
            Err("--tls-key needs --tls-cert, the certificate of that key".to_owned())
        }
    }
}

//! A certificate authority for tests, and bad certificates that a client must refuse.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

static MADE: AtomicUsize = AtomicUsize::new(0);

/// A server's certificate and key.
#[derive(Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    pem: (String, String),
}

impl Identity {
    /// Writes the certificate and its key to files for a server.
    ///
    /// # Panics
    /// When the files cannot be written.
    pub fn write_pem(&self, certificate: &Path, key: &Path) {
        std::fs::write(certificate, &self.pem.0).expect("a writable path");
        std::fs::write(key, &self.pem.1).expect("a writable path");
        // As an operator keeps it.
        std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).expect("our file");
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring supports the default versions")
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], self.key.clone_key())
            .expect("the key belongs to the certificate");
        TlsAcceptor::from(Arc::new(config))
    }
}

/// An authority that exists only in this test.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Authority {
    #[must_use]
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // A unique name: two authorities with the same name would differ only in their signatures.
        let name = format!(
            "Fingerpost test authority {}",
            MADE.fetch_add(1, Ordering::Relaxed)
        );
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a fresh key");
        let pem = params
            .self_signed(&key)
            .expect("a self-signed authority")
            .pem();
        Self {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// Writes the authority's certificate to a file for a client.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn write_pem(&self, path: &Path) {
        std::fs::write(path, &self.pem).expect("a writable path");
    }

    /// A certificate for these names or addresses.
    #[must_use]
    pub fn valid(&self, names: &[&str]) -> Identity {
        self.issue(server_params(names))
    }

    /// A certificate that expired years ago.
    #[must_use]
    pub fn expired(&self, names: &[&str]) -> Identity {
        let mut params = server_params(names);
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
        self.issue(params)
    }

    /// A certificate that becomes valid in the far future.
    #[must_use]
    pub fn not_yet_valid(&self, names: &[&str]) -> Identity {
        let mut params = server_params(names);
        params.not_before = date_time_ymd(3001, 1, 1);
        self.issue(params)
    }

    /// A self-signed certificate.
    #[must_use]
    pub fn self_signed(names: &[&str]) -> Identity {
        let key = KeyPair::generate().expect("a fresh key");
        let certificate = server_params(names)
            .self_signed(&key)
            .expect("a self-signed certificate");
        identity(&certificate, &key)
    }

    fn issue(&self, params: CertificateParams) -> Identity {
        let key = KeyPair::generate().expect("a fresh key");
        let certificate = params
            .signed_by(&key, &self.issuer)
            .expect("a signed certificate");
        identity(&certificate, &key)
    }
}

fn server_params(names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    CertificateParams::new(names).expect("names a certificate can hold")
}

fn identity(certificate: &Certificate, key: &KeyPair) -> Identity {
    let pem = (certificate.pem(), key.serialize_pem());
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("rcgen writes PKCS #8");
    Identity {
        certificate: certificate.der().clone(),
        key,
        pem,
    }
}

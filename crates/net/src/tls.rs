//! TLS for the connector: ring, the web's root authorities, and the operator's file of extra ones.
//!
//! Built on first use, because parsing 150 roots would slow down the start and plain HTTP needs
//! none.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::guard::TargetHost;
use crate::network_error::{NetworkError, NetworkErrorKind};

#[derive(Debug)]
pub(crate) struct Tls {
    extra_ca: Option<PathBuf>,
    built: OnceLock<Result<Arc<ClientConfig>, NetworkError>>,
}

impl Tls {
    pub(crate) fn new(extra_ca: Option<PathBuf>) -> Self {
        Self {
            extra_ca,
            built: OnceLock::new(),
        }
    }

    pub(crate) async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        host: &TargetHost,
        stream: S,
    ) -> Result<TlsStream<S>, NetworkError> {
        let built = self.built.get_or_init(|| build(self.extra_ca.as_deref()));
        let config = built.clone()?;
        let name = server_name(host)?;
        let connecting = TlsConnector::from(config).connect(name, stream);
        connecting.await.map_err(|error| NetworkError::tls(&error))
    }
}

fn server_name(host: &TargetHost) -> Result<ServerName<'static>, NetworkError> {
    match host {
        TargetHost::Ip(ip) => Ok(ServerName::IpAddress((*ip).into())),
        TargetHost::Name(name) => ServerName::try_from(name.clone())
            .map_err(|_| NetworkError::new(NetworkErrorKind::TlsHandshake)),
    }
}

fn build(extra_ca: Option<&Path>) -> Result<Arc<ClientConfig>, NetworkError> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(path) = extra_ca {
        add_file(&mut roots, path)?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| NetworkError::authority_file(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// A file without certificates is an error, not something to ignore.
fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), NetworkError> {
    let certificates = CertificateDer::pem_file_iter(path)
        .map_err(|error| NetworkError::authority_file(&error))?;
    let mut added = 0;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| NetworkError::authority_file(&error))?;
        roots
            .add(certificate)
            .map_err(|error| NetworkError::authority_file(&error))?;
        added += 1;
    }
    if added == 0 {
        Err(NetworkError::authority_file(&"no certificate in the file"))
    } else {
        Ok(())
    }
}

//! TLS for what this program serves: the operator's certificate, read again when its files change.
//!
//! A certificate that cannot be read, or does not fit its key, leaves the one before in use: renewal
//! writes two files, and between them they do not fit.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

use crate::file_stamp::FileStamp;

/// A handshake that has begun.
pub type ServerHandshake = tokio_rustls::Accept<TcpStream>;
/// A connection of a client, after its handshake.
pub type ServerStream = tokio_rustls::server::TlsStream<TcpStream>;

/// How often the files are looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Accepts TLS connections.
#[derive(Clone)]
pub struct ServerTls {
    acceptor: TlsAcceptor,
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ServerTls").finish_non_exhaustive()
    }
}

/// Why a certificate cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateError {
    NoCertificate,
    NoKey,
    /// They do not belong together, or are of a kind that is not supported.
    Mismatch,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            CertificateError::NoCertificate => {
                "no certificate (-----BEGIN CERTIFICATE-----) could be read"
            }
            CertificateError::NoKey => "no private key (-----BEGIN PRIVATE KEY-----) could be read",
            CertificateError::Mismatch => "the private key does not belong to the certificate",
        })
    }
}

impl ServerTls {
    /// Reads the certificate, with the chain that leads to it, and its key.
    ///
    /// # Errors
    /// What is wrong with the files.
    pub fn load(certificate: PathBuf, key: PathBuf) -> Result<ServerTls, CertificateError> {
        let provider = Arc::new(ring::default_provider());
        let resolver = ReloadedCertificate::load(certificate, key, Arc::clone(&provider))?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|_| CertificateError::Mismatch)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(resolver));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(ServerTls {
            acceptor: TlsAcceptor::from(Arc::new(config)),
        })
    }

    /// Begins the handshake of a connection.
    pub fn accept(&self, socket: TcpStream) -> ServerHandshake {
        self.acceptor.accept(socket)
    }
}

#[derive(Debug)]
struct ReloadedCertificate {
    certificate: PathBuf,
    key: PathBuf,
    provider: Arc<CryptoProvider>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    current: Arc<CertifiedKey>,
    stamp: Stamp,
    /// The files that could not be used. They are tried again, and complained of once.
    unusable: Option<Stamp>,
    looked: Instant,
}

/// Changes when one of the files does.
type Stamp = [FileStamp; 2];

impl ReloadedCertificate {
    fn load(
        certificate: PathBuf,
        key: PathBuf,
        provider: Arc<CryptoProvider>,
    ) -> Result<ReloadedCertificate, CertificateError> {
        let state = State {
            stamp: [FileStamp::of(&certificate), FileStamp::of(&key)],
            unusable: None,
            current: Arc::new(read(&certificate, &key, &provider)?),
            looked: Instant::now(),
        };
        Ok(ReloadedCertificate {
            certificate,
            key,
            provider,
            state: Mutex::new(state),
        })
    }

    fn refresh(&self, state: &mut State) {
        if state.looked.elapsed() < LOOK_AGAIN {
            return;
        }
        state.looked = Instant::now();
        let stamp = [FileStamp::of(&self.certificate), FileStamp::of(&self.key)];
        if stamp == state.stamp {
            return;
        }
        match read(&self.certificate, &self.key, &self.provider) {
            Ok(certificate) => {
                tracing::info!("read the certificate again");
                state.current = Arc::new(certificate);
                (state.stamp, state.unusable) = (stamp, None);
            }
            Err(_) if state.unusable == Some(stamp) => {}
            Err(error) => {
                state.unusable = Some(stamp);
                tracing::error!(%error, "the changed certificate cannot be used; the one before stays in use");
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResolvesServerCert for ReloadedCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut state = self.state();
        self.refresh(&mut state);
        Some(Arc::clone(&state.current))
    }
}

fn read(
    certificate: &Path,
    key: &Path,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, CertificateError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|_| CertificateError::NoCertificate)?;
    if chain.is_empty() {
        return Err(CertificateError::NoCertificate);
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|_| CertificateError::NoKey)?;
    CertifiedKey::from_der(chain, key, provider).map_err(|_| CertificateError::Mismatch)
}

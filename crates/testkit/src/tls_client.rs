//! A TLS client for tests of what we serve.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::Authority;

/// A connection that trusts one authority.
#[derive(Debug)]
pub struct TlsClient {
    stream: TlsStream<TcpStream>,
}

impl TlsClient {
    /// Connects to an address of this machine.
    ///
    /// # Errors
    /// What the handshake said.
    ///
    /// # Panics
    /// When the authority has no certificate.
    #[allow(clippy::disallowed_methods, reason = "a test's client on loopback")]
    pub async fn connect(address: &str, authority: &Authority) -> io::Result<TlsClient> {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_slice(authority.pem().as_bytes());
        roots
            .add(certificate.expect("a certificate"))
            .expect("an authority");
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring supports the default versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let socket = TcpStream::connect(address).await?;
        let ip = socket.peer_addr()?.ip();
        let connector = TlsConnector::from(Arc::new(config));
        let stream = connector
            .connect(ServerName::IpAddress(ip.into()), socket)
            .await?;
        Ok(TlsClient { stream })
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Everything until the server closes the connection, which it must do by TLS's own rules.
    ///
    /// # Errors
    /// When the connection ends in another way.
    pub async fn rest(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.stream.read_to_end(&mut bytes).await?;
        Ok(bytes)
    }
}

//! TLS to a replica, by rustls with the system's certificates or those of `ca_file`.
//!
//! Certificates are read at the first connection. What is wrong with them, or with the server's,
//! does not pass by waiting: it is the operator's, and names the reason (R121).

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use spate_runtime::sink::{Outcome, WriteError};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use super::url::Url;
use crate::error;

/// Makes sockets secret.
pub(crate) struct Tls {
    ca_file: Option<PathBuf>,
    connector: OnceLock<Result<TlsConnector, String>>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls")
            .field("ca_file", &self.ca_file)
            .finish_non_exhaustive()
    }
}

impl Tls {
    pub(crate) fn new(ca_file: Option<&str>) -> Arc<Self> {
        Arc::new(Self { ca_file: ca_file.map(PathBuf::from), connector: OnceLock::new() })
    }

    /// Shakes hands with the server at `url` over `socket`, within `limit`.
    pub(crate) async fn connect(
        &self,
        url: &Url,
        socket: TcpStream,
        limit: Duration,
    ) -> Result<TlsStream<TcpStream>, WriteError> {
        let connector = self
            .connector
            .get_or_init(|| self.load())
            .as_ref()
            .map_err(|text| {
                error::of_config(text.clone(), "set `ca_file` to a file of certificates in PEM")
            })?;
        let name = ServerName::try_from(url.host.clone())
            .map_err(|error| error::of_config(format!("{url} names no server: {error}"), ""))?;
        match tokio::time::timeout(limit, connector.connect(name, socket)).await {
            Ok(Ok(socket)) => Ok(socket),
            Ok(Err(error)) => Err(refused(url, &error)),
            Err(_) => {
                let text = format!("no TLS handshake with {url} within {limit:?}");
                Err(error::of_transport(Outcome::NotWritten, text))
            }
        }
    }

    fn load(&self) -> Result<TlsConnector, String> {
        let mut roots = RootCertStore::empty();
        match &self.ca_file {
            Some(file) => {
                let problem =
                    |error| format!("could not read certificates of `{}`: {error}", file.display());
                let certificates = CertificateDer::pem_file_iter(file)
                    .map_err(|error| problem(error.to_string()))?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|error| problem(error.to_string()))?;
                    roots
                        .add(certificate)
                        .map_err(|error| problem(error.to_string()))?;
                }
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        if roots.is_empty() {
            return Err("no certificate to trust was found".to_owned());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

fn refused(url: &Url, error: &io::Error) -> WriteError {
    let text = format!("no TLS connection to {url}: {error}");
    match error
        .get_ref()
        .and_then(|error| error.downcast_ref::<rustls::Error>())
    {
        Some(_) => error::of_config(
            text,
            "trust the server's certificate by `ca_file`, and address it by the name in it",
        ),
        None => error::of_transport(Outcome::NotWritten, text),
    }
}

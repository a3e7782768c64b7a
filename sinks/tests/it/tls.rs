//! Certificates of servers, and a port that decrypts for a server without encryption.
#![cfg(test)]

use std::{fs, path::PathBuf, sync::Arc};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

/// A certificate for `localhost`. Only processes with its file in `SSL_CERT_FILE` trust it.
pub(crate) struct Certificate {
    folder: tempfile::TempDir,
    acceptor: TlsAcceptor,
}

impl Certificate {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let names = vec!["localhost".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        fs::write(folder.path().join("cert.pem"), cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        Self {
            folder,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        }
    }

    /// Returns the file for `SSL_CERT_FILE`.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// Returns a port that decrypts for a server.
    pub(crate) async fn before(&self, server: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = self.acceptor.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut client) = acceptor.accept(client).await else {
                        return;
                    };
                    let mut server = TcpStream::connect(server).await.unwrap();
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        port
    }
}

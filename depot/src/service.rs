//! Starting and ending the service.

use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};

use jiff::Timestamp;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{
    Token,
    api::{self, App, BASE_PATH, DOCUMENT_PATH},
    samples,
    store::Store,
};

/// How to start Depot.
#[derive(Clone, Debug)]
pub struct DepotConfig {
    /// Where it keeps its data; made when it is not there. What an earlier start has kept there
    /// is found again.
    pub folder: PathBuf,
    /// The token that every request has to carry.
    pub token: Token,
    /// The port on the loopback interface; 0 takes any that is free.
    pub port: u16,
    /// What an inventory without items begins with.
    pub initial_stock: InitialStock,
}

/// What an inventory without items begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialStock {
    /// Nothing.
    #[default]
    Empty,
    /// Eight items, whose ids and SKUs are always the same.
    Samples,
}

/// Why Depot could not start, or did not end well.
#[derive(Debug)]
pub enum DepotError {
    /// The folder cannot be made.
    Folder(PathBuf, io::Error),
    /// The database cannot be opened, or the samples cannot be added.
    Database(PathBuf, String),
    /// The port is not to be had.
    Port(u16, io::Error),
    /// The server broke off.
    Server(String),
}

/// A running service. It ends when it is dropped; [`Depot::shutdown`] waits for that.
#[derive(Debug)]
pub struct Depot {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<io::Result<()>>,
}

impl Depot {
    /// Starts the service on the loopback interface and gives it once it listens.
    ///
    /// It has to be called within a tokio runtime with I/O enabled.
    ///
    /// # Errors
    /// When the folder, the database or the port is not to be had.
    pub async fn start(config: DepotConfig) -> Result<Self, DepotError> {
        let store = open(&config)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).await;
        let listener = listener.map_err(|cause| DepotError::Port(config.port, cause))?;
        let address = listener.local_addr();
        let address = address.map_err(|cause| DepotError::Port(config.port, cause))?;
        let router = api::router(App {
            store,
            token: Arc::new(config.token),
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            let ended = async {
                // A sender that was dropped ends the service as well.
                let _: Result<(), _> = stopped.await;
            };
            axum::serve(listener, router)
                .with_graceful_shutdown(ended)
                .await
        });
        Ok(Self {
            address,
            stop,
            server,
        })
    }

    /// The URL below which all operations lie, such as `http://127.0.0.1:7180/api/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}{BASE_PATH}", self.address)
    }

    /// The URL of the OpenAPI document, which is given without a token.
    #[must_use]
    pub fn document_url(&self) -> String {
        format!("http://{}{DOCUMENT_PATH}", self.address)
    }

    /// Ends the service, once the requests that it has begun are answered.
    ///
    /// # Errors
    /// When the server had broken off.
    pub async fn shutdown(self) -> Result<(), DepotError> {
        drop(self.stop);
        let ended = self.server.await;
        let ended = ended.map_err(|cause| DepotError::Server(cause.to_string()))?;
        ended.map_err(|cause| DepotError::Server(cause.to_string()))
    }
}

impl fmt::Display for DepotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder, cause) => {
                write!(
                    f,
                    "the folder `{}` cannot be made: {cause}",
                    folder.display()
                )
            }
            Self::Database(folder, cause) => {
                write!(
                    f,
                    "the database in `{}` cannot be opened: {cause}",
                    folder.display()
                )
            }
            Self::Port(port, cause) => write!(f, "port {port} is not to be had: {cause}"),
            Self::Server(cause) => write!(f, "the server broke off: {cause}"),
        }
    }
}

impl std::error::Error for DepotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder(_, cause) | Self::Port(_, cause) => Some(cause),
            Self::Database(..) | Self::Server(_) => None,
        }
    }
}

/// Opens the database, and adds the samples if they are wanted.
fn open(config: &DepotConfig) -> Result<Store, DepotError> {
    let folder = &config.folder;
    std::fs::create_dir_all(folder).map_err(|cause| DepotError::Folder(folder.clone(), cause))?;
    let unopened = |cause: String| DepotError::Database(folder.clone(), cause);
    let store = Store::open(folder).map_err(|cause| unopened(cause.to_string()))?;
    if config.initial_stock == InitialStock::Samples {
        store
            .transact_now(|tx| samples::add(tx, Timestamp::now()))
            .map_err(|cause| unopened(cause.to_string()))?;
    }
    Ok(store)
}

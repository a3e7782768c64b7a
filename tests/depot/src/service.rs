//! Starts and ends the service.

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

/// The configuration of Depot.
#[derive(Clone, Debug)]
pub struct DepotConfig {
    /// The folder of the data; created if it does not exist. Data from an earlier start is kept.
    pub folder: PathBuf,
    /// The token that every request must carry.
    pub token: Token,
    /// The port on the loopback interface; 0 takes any free port.
    pub port: u16,
    /// The initial content of an inventory without items.
    pub initial_stock: InitialStock,
}

/// The initial content of an inventory without items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialStock {
    /// No items.
    #[default]
    Empty,
    /// Eight items with fixed ids and SKUs.
    Samples,
}

/// An error when Depot starts or ends.
#[derive(Debug)]
pub enum DepotError {
    /// The folder cannot be created.
    Folder(PathBuf, io::Error),
    /// The database cannot be opened, or the samples cannot be added.
    Database(PathBuf, String),
    /// The port cannot be bound.
    Port(u16, io::Error),
    /// The server stopped unexpectedly.
    Server(String),
}

/// A running service. It ends when it is dropped; [`Depot::shutdown`] waits for the end.
#[derive(Debug)]
pub struct Depot {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<io::Result<()>>,
}

impl Depot {
    /// Starts the service on the loopback interface and returns it when it listens.
    ///
    /// Must be called within a tokio runtime with I/O enabled.
    ///
    /// # Errors
    /// When the folder, the database or the port cannot be opened.
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
                // Dropping the sender ends the service as well.
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

    /// The base URL of all operations, such as `http://127.0.0.1:7180/api/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}{BASE_PATH}", self.address)
    }

    /// The URL of the OpenAPI document, which needs no token.
    #[must_use]
    pub fn document_url(&self) -> String {
        format!("http://{}{DOCUMENT_PATH}", self.address)
    }

    /// Ends the service after it has answered the requests in progress.
    ///
    /// # Errors
    /// When the server has stopped unexpectedly.
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
                    "cannot create the folder `{}`: {cause}",
                    folder.display()
                )
            }
            Self::Database(folder, cause) => {
                write!(
                    f,
                    "cannot open the database in `{}`: {cause}",
                    folder.display()
                )
            }
            Self::Port(port, cause) => write!(f, "cannot bind port {port}: {cause}"),
            Self::Server(cause) => write!(f, "the server stopped unexpectedly: {cause}"),
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

/// Opens the database and adds the samples if configured.
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

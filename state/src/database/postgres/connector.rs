//! Connections to a PostgreSQL database.

use std::{future::poll_fn, path::Path, time::Duration};

use tokio::sync::mpsc;
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, NoTls, Socket,
    config::{Host, SslMode},
    tls::TlsStream,
};
use toolwright::private::{self, Links};

use super::{super::STEP_LIMIT, BACKLOG, limited, tls::Tls};
use crate::StateError;

/// The port of PostgreSQL.
const DEFAULT_PORT: u16 = 5432;

/// The longest password, in bytes.
const PASSWORD_LIMIT: u64 = 4096;

/// Connects to a PostgreSQL database. A connection to another machine is encrypted.
#[derive(Clone)]
pub struct PostgresConnector {
    config: Config,
    tls: Option<Tls>,
}

impl PostgresConnector {
    /// Reads a URL, and the password from a private file. A connection to another machine is encrypted
    /// unless the URL has `sslmode=disable`.
    ///
    /// # Errors
    /// When the URL cannot be used or contains a password, or the file cannot be read.
    pub fn new(url: &str, password_file: Option<&Path>) -> Result<Self, StateError> {
        let password = password_file.map(|file| {
            private::read(file, Links::Follow, PASSWORD_LIMIT).map_err(|error| {
                let file = file.display();
                StateError::Location(format!("cannot read the password in `{file}`: {error}"))
            })
        });
        let password = password.transpose()?;
        let wrong =
            |message: String| StateError::Location(format!("the URL of the database {message}"));
        // The error of the parser could quote a password.
        let config = url.parse::<Config>();
        let mut config = config.map_err(|_| wrong("is not a URL of PostgreSQL".to_owned()))?;
        if config.get_password().is_some() {
            return Err(wrong(
                "contains a password; put it into a private file, and name that in `password_file`"
                    .to_owned(),
            ));
        }
        if let Some(password) = password {
            config.password(password.trim_end());
        }
        // `prefer`, the default of the library, goes on without TLS if an attacker asks for it.
        let is_plain = match config.get_ssl_mode() {
            SslMode::Disable => true,
            SslMode::Prefer => config.get_hosts().iter().all(is_local),
            _ => false,
        };
        config.ssl_mode(if is_plain {
            SslMode::Disable
        } else {
            SslMode::Require
        });
        config
            .application_name("toolwright")
            .connect_timeout(STEP_LIMIT);
        config
            .keepalives_idle(Duration::from_secs(10))
            .tcp_user_timeout(STEP_LIMIT * 2);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(Tls::new().map_err(wrong)?),
        };
        Ok(Self { config, tls })
    }

    /// Returns a connector that logs in with another account.
    #[must_use]
    pub fn with_account(&self, user: &str, password: Option<&str>) -> Self {
        let mut connector = self.clone();
        connector.config.user(user);
        if let Some(password) = password {
            connector.config.password(password);
        }
        connector
    }

    /// Returns the hosts and ports of the server, for an operator.
    #[must_use]
    pub fn server(&self) -> String {
        let ports = self.config.get_ports();
        let hosts = self.config.get_hosts().iter().enumerate();
        let servers = hosts.map(|(at, host)| match host {
            Host::Tcp(name) => {
                let port = ports.get(at).or_else(|| ports.first());
                format!("postgres://{name}:{}", port.unwrap_or(&DEFAULT_PORT))
            }
            #[cfg(unix)]
            Host::Unix(path) => format!("unix:{}", path.display()),
        });
        servers.collect::<Vec<_>>().join(",")
    }

    /// Connects, within a few seconds.
    ///
    /// # Errors
    /// When the database does not answer or refuses the connection.
    pub async fn connect(&self) -> Result<Client, StateError> {
        let (notices, _) = mpsc::channel(BACKLOG);
        self.connect_with(notices).await
    }

    /// Connects, and passes notifications on.
    pub(super) async fn connect_with(
        &self,
        notices: mpsc::Sender<()>,
    ) -> Result<Client, StateError> {
        if let Some(tls) = &self.tls {
            let (client, connection) = limited(self.config.connect(tls.clone())).await?;
            tokio::spawn(drive(connection, notices));
            return Ok(client);
        }
        let (client, connection) = limited(self.config.connect(NoTls)).await?;
        tokio::spawn(drive(connection, notices));
        Ok(client)
    }
}

/// Reads a connection until it ends, and passes notifications on.
async fn drive<T>(mut connection: Connection<Socket, T>, notices: mpsc::Sender<()>)
where
    T: TlsStream + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if matches!(message, AsyncMessage::Notification(_)) {
            // One that waits already stands for this one, too.
            let _ = notices.try_send(());
        }
    }
}

/// Checks whether a host is this machine.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address = name.parse::<std::net::IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

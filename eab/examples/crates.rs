//! Serves the reference service on both transports:
//!
//! ```sh
//! cargo run -p toolwright-eab --features reference --example crates -- /tmp/crates.sock 127.0.0.1:7190
//! ```

use std::{env, error::Error, path::PathBuf, sync::Arc};

use tokio::net::TcpListener;
use toolwright_eab::{crates::Crates, serve_http, serve_unix};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(socket), Some(address)) = (arguments.next(), arguments.next()) else {
        return Err("expected two arguments: a socket path and an address".into());
    };
    let socket = PathBuf::from(socket);
    let service = Arc::new(Crates);
    let listener = TcpListener::bind(&address).await?;
    eprintln!("serving at unix:{} and http://{address}", socket.display());
    tokio::select! {
        ended = serve_http(listener, Arc::clone(&service)) => ended?,
        ended = serve_unix(&socket, service) => ended?,
        pressed = tokio::signal::ctrl_c() => pressed?,
    }
    std::fs::remove_file(&socket)?;
    Ok(())
}

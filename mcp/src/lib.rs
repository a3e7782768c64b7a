//! Serves one role's view of a registry to MCP clients.
//!
//! A program serves its registry on standard input and output with one call, [`serve_stdio`]:
//!
//! ```no_run
//! use toolwright::{Registry, Role};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::builder().grant("reader", "category:observe").build()?;
//! toolwright_mcp::serve_stdio(&registry, &Role::new("reader")?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Server`] has limits, serves over streamable HTTP, and tells clients of changes:
//!
//! ```no_run
//! use toolwright::{Registry, Role};
//! use toolwright_mcp::{Access, HttpLimits, Server, Shutdown, Token};
//!
//! # async fn serve(registry: Registry, token: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let token = Token::new(token).ok_or("the token is too short")?;
//! let server = Server::new(&registry, &Role::new("reader")?);
//! let changes = server.changes();
//! let server = server.bind_http(0, Access::Token(token), HttpLimits::default()).await?;
//! println!("clients find it at {}", server.url());
//! tokio::spawn(async move {
//!     // After `registry.reload(…)`:
//!     changes.announce();
//! });
//! server.serve(Shutdown::on_signals()?).await;
//! # Ok(())
//! # }
//! ```
//!
//! A client sees the tools of the role and no others. Each call passes the gates of the registry and
//! is audited with the client's name, its session and its address. Nothing a client sends makes the
//! server panic, and its memory is bounded by [`HttpLimits`] and [`CallLimits`].

mod access;
mod admission;
mod answer;
mod aside;
mod call;
mod caller;
mod calls;
mod changes;
mod client;
mod error;
mod files;
mod handler;
mod http;
mod limits;
mod lines;
mod list;
mod metrics;
mod notices;
mod oauth;
mod outline;
mod parameters;
mod progress;
mod questions;
mod server;
mod shares;
mod shutdown;
mod skills;
#[cfg(unix)]
mod socket;
mod span;
mod status;
mod stdio;
mod tasks;
mod views;

pub use access::{Access, Holder, Holders};
pub use caller::Token;
pub use changes::Changes;
pub use error::ServeError;
pub use http::HttpServer;
pub use limits::{CallLimits, HttpLimits};
pub use metrics::{MetricsText, serve_metrics};
pub use oauth::Issuer;
pub use server::{Server, serve_stdio};
pub use shutdown::{Shutdown, ShutdownHandle};
pub use status::PolicyStatus;

/// The examples of the page are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/serve.md")]
struct Serving;

/// The example of the page about tokens is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tokens.md")]
struct Tokens;

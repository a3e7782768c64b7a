//! The console: the web page on which people decide about the calls of agents.
//!
//! A program mounts it into its router. `toolwright console` serves it on the loopback interface.
//!
//! ```no_run
//! use toolwright::{Registry, config::Config};
//! use toolwright_console::{Address, Console, router};
//! use toolwright_state::State;
//!
//! # async fn run(registry: Registry, state: State, config: Config) -> Result<(), Box<dyn std::error::Error>> {
//! let address = Address::new("http://127.0.0.1:7182/console")?;
//! let console = Console::new(registry, state, &config, address);
//! println!("{}", console.invite("ann").await?);
//! let app = axum::Router::new().nest("/console", router(&console));
//! axum::serve(tokio::net::TcpListener::bind("127.0.0.1:7182").await?, app).await?;
//! # Ok(())
//! # }
//! ```
//!
//! The pages are rendered here and work without JavaScript, except for the parts that update
//! themselves. Nothing is decided here: a decision about a call is signed with the approver's key and
//! verified by the [state](toolwright_state::State), a switch is one of the state, and a decision of the policy is
//! explained by the registry.
//!
//! Nobody who is not in `[console.people]` sees anything. `docs/console.md` describes the pages, and what protects
//! them.

mod access;
mod address;
mod assets;
mod charts;
mod console;
mod event;
mod form;
mod governance;
mod guard;
mod live;
mod openid;
mod page;
mod provider;
mod pulse;
mod record;
mod refusal;
mod server;
mod session;
mod shown;
mod sign_in;
mod skills;
mod time;
mod tools;
mod visitor;
mod waiting;

pub use address::{Address, NotAnAddress};
pub use console::{Console, InviteError};
pub use server::{router, serve};

/// The example of the page about the console is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/console.md")]
struct Mounted;

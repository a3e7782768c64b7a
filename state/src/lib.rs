//! The state that processes share: calls that wait for a person, the operator's switches of tools, and
//! the tokens of clients.
//!
//! A [`State`] is a SQLite database in a file, or a PostgreSQL database for several machines (feature
//! `postgres`). It implements the [`ApprovalStore`](toolwright::approval::ApprovalStore) of a
//! registry, and publishes switches to its
//! [`Availability`](toolwright::availability::Availability):
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//!
//! use toolwright::{Registry, config::Config};
//! use toolwright_state::State;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::read(Path::new("toolwright.toml"))?;
//! let state = State::from_config(&config)?;
//! state.open().await?;
//! let availability = state.availability(config.state.grace).await?;
//! let registry = Registry::builder()
//!     .linked_tools()
//!     .config(config)
//!     .approvals(Arc::new(state.clone()))
//!     .availability(Arc::clone(&availability))
//!     .build()?;
//! tokio::spawn(state.follow(availability, |lost| {
//!     if let Some(error) = lost {
//!         eprintln!("{error}");
//!     }
//! }));
//! # Ok(())
//! # }
//! ```
//!
//! Migrations of the schema are numbered. A program that meets a newer schema refuses to use it, and
//! one that meets an older schema asks for [`State::migrate`].

mod approvals;
mod console;
mod database;
mod error;
mod export;
mod folder;
mod follow;
mod location;
mod overrides;
mod secret;
mod skills;
mod standing;
mod state;
#[cfg(feature = "testing")]
pub mod testing;
mod tokens;
mod waiting;

pub use console::{ConsoleSecret, OpenedSession, StoredSession};
pub use database::Migrated;
#[cfg(feature = "postgres")]
pub use database::PostgresConnector;
pub use error::StateError;
pub use export::ExportedApproval;
pub use folder::{Moved, move_folder};
pub use follow::{KnownTokens, Receivers};
pub use location::Location;
pub use skills::{FinishedRun, Health, Recent, SkillMove, StoredSkill};
pub use standing::StoredGrant;
pub use state::{State, StateChanges, Status};
pub use tokens::{IssuedToken, StoredToken, TokenDigest, TokenGrant, TokenRevocation};
pub use waiting::{WaitingNow, WaitingPage};

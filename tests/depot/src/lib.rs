//! Depot, a small inventory service to try Toolwright with.
//!
//! It is a real service: HTTP on the loopback interface, a bearer token, SQLite in a folder of the
//! caller's choice, and a hand-written OpenAPI document, which the service returns without a token
//! at `/openapi.yaml`.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};
//!
//! let token = Token::random();
//! let depot = Depot::start(DepotConfig {
//!     folder: "depot-data".into(),
//!     token: token.clone(),
//!     port: 0,
//!     initial_stock: InitialStock::Samples,
//! })
//! .await?;
//! println!("{}/items", depot.base_url());
//! depot.shutdown().await?;
//! # Ok(())
//! # }
//! ```
//!
//! The modules, in reading order: `values`, `location` and `item` define items; `comment`, `file`,
//! `order` and `report` define the rest of the data; `store` persists it; `api` implements HTTP;
//! `service` starts and ends it.

mod api;
mod comment;
mod cursor;
mod error;
mod file;
mod item;
mod location;
mod order;
mod report;
mod samples;
mod service;
mod store;
mod token;
mod values;

pub use api::{Route, routes};
pub use service::{Depot, DepotConfig, DepotError, InitialStock};
pub use token::{Token, TokenError};

/// The OpenAPI 3.1 document of Depot, as YAML.
pub const OPENAPI: &str = include_str!("../specs/openapi.yaml");

/// The port that the document declares.
pub const DEFAULT_PORT: u16 = 7180;

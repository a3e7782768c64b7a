//! Reads API specifications and writes typed, governed tool adapters.
//!
//! # Stages
//!
//! | stage | from → to | module |
//! |---|---|---|
//! | load | paths → sources and trees; the only reading of files | [`load`] |
//! | parse | trees → documents, overlays and locks, each part with its place | [`spec`], [`lock`] |
//! | lower | documents and overlay → catalogue | [`lower`] |
//! | passes | names, texts and governance of the catalogue | [`passes`] |
//! | check | catalogue → checked catalogue: the only gate | [`check`] |
//! | emit | checked catalogue → files in memory; it cannot fail | [`emit`], [`tool_spec`] |
//! | reconcile | files in memory × disk → fresh, stale, missing, orphan | [`reconcile`] |
//!
//! Every stage up to the check reports what is wrong and goes on, so that one run says everything.
//! The core does no I/O and reads no clock, no randomness and no hash order: the same input gives
//! the same bytes.
//!
//! # Where to begin
//!
//! [`generate::run`] runs everything up to the check. [`build::Build`] is for `build.rs` scripts.
//! [`drift::compare`] says what became of tools when their specification changed.
//! [`dump::stage`] shows what a stage has made of an operation, [`inspect::document`] what is
//! understood of a document.
//!
//! ```
//! use toolwright_generator::{generate::{self, Input, Options}, load::Memory};
//!
//! let document = "
//! openapi: 3.1.0
//! info: {title: Shop, version: '1'}
//! paths:
//!   /items:
//!     get: {operationId: listItems, responses: {'204': {description: Nothing.}}}
//! ";
//! let files = Memory([("shop.yaml".to_owned(), document.into())].into());
//! let outcome = generate::run(&[Input::new("shop.yaml")], Options::default(), &files);
//! let catalog = outcome.catalog.unwrap();
//! assert_eq!(catalog.tool_specs()[0].name.as_str(), "list-shop-items");
//! ```

pub mod build;
pub mod check;
pub mod diagnostic;
pub mod documents;
pub mod drift;
pub mod dump;
pub mod emit;
pub mod facts;
pub mod generate;
pub mod governance;
pub mod inspect;
pub mod ir;
pub mod load;
pub mod lock;
pub mod lower;
pub mod manifest;
pub mod naming;
pub mod output;
pub mod pagination;
mod parallel;
pub mod passes;
pub mod reconcile;
pub mod source;
pub mod spec;
pub mod tool_spec;
pub mod tree;

mod english;
mod rust_names;

//! Reads API specifications and writes typed, governed tool adapters.
//!
//! # Stages
//!
//! | stage | from → to | module |
//! |---|---|---|
//! | load | paths → sources and trees; only this stage reads files | [`load`] |
//! | parse | trees → documents, overlays and locks, each part with its place | `parse` |
//! | lower | documents and overlay → catalogue | `lower` |
//! | passes | descriptions, governance and pagination of the catalogue | `passes` |
//! | check | catalogue → checked catalogue; only checked ones can be emitted | [`check`] |
//! | emit | checked catalogue → files in memory; it cannot fail | [`emit`] |
//! | reconcile | files in memory × disk → fresh, stale, missing, orphan | [`reconcile`] |
//!
//! Every stage up to the check reports faults and continues, so one run reports all of them.
//! The core does no I/O and reads no clock, no randomness and no hash order: the same input gives
//! the same bytes.
//!
//! # Where to begin
//!
//! [`generate::run`] runs everything up to the check. [`build::Build`] is for `build.rs` scripts.
//! [`dump::stage`] prints the operations after a stage, [`inspect::document`] summarises a
//! document. The crate `toolwright-drift` compares the tools of two runs.
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

pub mod check;
pub mod emit;
pub mod generate;
pub mod reconcile;

mod components;
mod document;
mod governance;
mod ir;
mod language;
mod lower;
mod naming;
mod parallel;
mod parse;
mod passes;

#[cfg(feature = "grpc")]
pub use document::{WireField, fields_on_the_wire};
pub use document::{diagnostic, fix, format, is_descriptor_set, load, render, source};
pub use generate::{build, dump, inspect};
/// The crate whose [`OpenAPI`](openapiv3::OpenAPI) values [`build::Build::from_openapi`] accepts.
pub use openapiv3;
pub use parse::graphql::OperationEffects;

/// Parts of the stages that the project's own tests measure one by one. They may change at any
/// time.
#[doc(hidden)]
pub mod internals {
    use crate::{
        document::{
            diagnostic::Diagnostics,
            source::{SourceId, Sources},
        },
        lower, parse,
    };
    pub use crate::{
        document::{
            documents::Documents,
            tree::{Data, Field, Fields, Node, read as read_tree, toml::read as read_toml},
        },
        emit::{EmittedNode, typed_nodes},
        governance::{Classification, classify, classify_all},
        ir::{
            LeftOut, LeftOutBecause, NameSource, NamedOperation, Operation, Service,
            types::{Additional, Object, Shape, Type, TypeId, Types},
        },
        language::facts::{
            AnswerFacts, AnswerShape, BodyFacts, GraphqlFacts, OperationFacts, QueryParameterFacts,
            SchemaNames,
        },
        naming::{NameHints, Naming, document::names_of, name_of, rule_ids, rules_of},
        parse::overlay::schema as overlay_schema,
    };

    /// Returns the facts of a document's operations, by operation.
    pub fn facts_of(
        documents: &Documents,
        sources: &Sources,
        source: SourceId,
    ) -> Vec<OperationFacts> {
        let document =
            parse::openapi::parse(documents, sources, source, &mut Diagnostics::default());
        document.map_or_else(Vec::new, |document| lower::facts_of(&document, documents))
    }

    /// Reports the faults in an overlay.
    pub fn check_overlay(source: SourceId, text: &str, diagnostics: &mut Diagnostics) {
        let _ = parse::overlay::parse(source, text, diagnostics);
    }
}

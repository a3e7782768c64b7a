//! The lowering stage: from the documents to the catalogue.

pub mod schema;

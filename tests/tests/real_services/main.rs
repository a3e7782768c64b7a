//! Tests with third-party services, from the document that they serve to completed calls.
//!
//! Chroma needs no credentials. Airflow requires a bearer token and has roles. Kinto and Jupyter
//! require credentials that their documents do not declare. `TOOLWRIGHT_REAL=1` enables the tests;
//! see [`toolwright_tests::real`]. The tests check the effect of a call with direct requests to the
//! service.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test helpers panic like tests"
)]

mod airflow;
mod chroma;
mod desk;
mod graphql_schemas;
mod graphql_server;
mod jupyter;
mod kinto;
mod plain;

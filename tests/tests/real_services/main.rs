//! Services that others wrote, from the document that they serve to calls that they carry out.
//!
//! Chroma needs no credentials; Airflow wants a bearer token and knows roles. The tests are asked
//! for by `TOOLWRIGHT_REAL=1`; see [`toolwright_tests::real`]. What a call has done is looked for
//! in the service by a request that the runtime has no part in.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what helps a test fails as the test does"
)]

mod airflow;
mod chroma;
mod desk;
mod plain;

//! What vendors publish, judged as a whole: documents, operations, crates, types, examples,
//! requests, names, schemas and determinism, each by a judge that is not the generator.
#![cfg(test)]
#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

mod accounted;
mod documents;

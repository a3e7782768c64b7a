//! What crosses crates: end to end, freshness, conformance.

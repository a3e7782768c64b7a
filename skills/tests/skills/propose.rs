//! Proposals from an audit.

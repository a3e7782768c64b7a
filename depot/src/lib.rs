//! Depot, a small inventory service to try Toolwright on.

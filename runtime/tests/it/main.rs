//! The runtime as its users see it: every promise is tested by trying the thing.
#![cfg(test)]

mod approvals;
mod arguments;
mod audit;
mod bodies;
mod config;
mod credentials;
mod differential;
mod exchange;
mod failures;
mod limits;
mod pages;
mod permission;
mod planning;
mod redirects;
mod registry;
mod requests;
mod secrets;
mod streams;
mod support;
mod tls;
mod typed;
mod wire;

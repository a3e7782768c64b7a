//! The runtime as its users see it: every promise is tested by trying the thing.
#![cfg(test)]

mod answers;
mod approvals;
mod arguments;
mod audit;
#[cfg(unix)]
mod audit_chain;
mod audit_crash;
mod audit_fields;
#[cfg(unix)]
mod audit_file;
mod audit_usage;
mod authentication;
mod bodies;
mod changes;
mod conditional;
mod config;
mod config_page;
mod config_schema;
mod consent;
mod credentials;
mod credentials_page;
mod differential;
mod exchange;
mod failures;
mod files;
#[cfg(unix)]
mod forgery;
mod leaks;
mod limits;
mod mutual_tls;
mod names;
mod native;
mod notify;
#[cfg(unix)]
mod oauth;
mod origins;
mod pages;
mod paths;
mod permission;
mod plan;
mod planning;
mod policy;
mod races;
mod redirects;
mod registry;
mod reload;
mod reload_tools;
mod requests;
mod retries;
mod schemas;
mod secrets;
mod sent;
mod sources;
mod spans;
mod standing;
mod streams;
mod support;
mod targets;
mod tls;
mod transfer;
mod typed;
mod wire;
mod workspaces;

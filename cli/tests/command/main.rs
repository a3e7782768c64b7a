//! The command as a user runs it: arguments, output, files and exit codes.
#![cfg(test)]

mod approval;
#[cfg(unix)]
mod audit;
mod audit_read;
mod audit_sinks;
mod bad_input;
mod browser;
mod budget;
mod call;
mod check;
#[cfg(unix)]
mod console;
#[cfg(target_os = "linux")]
mod custom_tools;
#[cfg(feature = "demo")]
mod demo;
#[cfg(unix)]
mod deployment;
mod depot;
mod diff;
mod discovery;
#[cfg(target_os = "linux")]
mod dist;
mod doctor;
mod dry_run;
mod dump;
mod eab;
#[cfg(unix)]
mod files;
mod fix;
mod freshness;
mod generate;
mod governance;
mod grammar;
mod inspect;
mod interrupt;
mod invisible;
mod json;
mod list;
mod lock;
mod matrix;
mod mcp_config;
#[cfg(target_os = "linux")]
mod mount;
mod policy;
mod project;
#[cfg(unix)]
mod reflection;
mod review;
mod sandbox;
mod serve;
mod services;
mod shells;
mod skill;
mod state;
mod statements;
mod support;
mod trust;
mod verbose;
mod workspaces;

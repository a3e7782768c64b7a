//! The command as a user runs it: arguments, output, files and exit codes.
#![cfg(test)]

mod approval;
#[cfg(unix)]
mod audit;
mod bad_input;
mod call;
mod check;
#[cfg(feature = "demo")]
mod demo;
#[cfg(unix)]
mod deployment;
mod diff;
mod dump;
mod eab;
mod fix;
mod freshness;
mod generate;
mod governance;
mod grammar;
mod inspect;
mod interrupt;
mod invisible;
mod list;
mod lock;
mod matrix;
mod policy;
#[cfg(unix)]
mod review;
mod serve;
mod state;
mod support;
mod trust;

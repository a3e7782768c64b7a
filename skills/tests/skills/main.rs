//! Skills through a real registry, with the state in a database and the audit in memory.
#![cfg(test)]

mod approval;
mod check;
mod format;
mod health;
mod propose;
mod scenarios;
mod schema;
mod world;

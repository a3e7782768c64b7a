//! The console over HTTP, without a browser: who gets in, what is decided, and what the pages show.
#![cfg(test)]

mod browser;
mod entry;
mod hostile;
mod pages;
mod speed;
mod switches;
mod waiting;
mod world;

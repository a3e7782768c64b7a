//! The command as a user runs it: arguments, output, files and exit codes.

mod approval;
mod bad_input;
mod call;
mod check;
mod dump;
mod generate;
mod grammar;
mod inspect;
mod interrupt;
mod list;
mod support;

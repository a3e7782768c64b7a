//! Names that are taken: by the tools of the crate that were expanded before.
//!
//! A macro sees one function at a time. But a compiler expands all functions of a crate in one process, so
//! what is remembered there tells the second tool of a name where the first one is. That the second is an
//! error does not hang on it: each tool also has an item of which a crate can have one (`emit::unique`).
//! That one speaks up where nothing is remembered, such as for a tool under a `cfg`, which may not be there.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    env,
    sync::{LazyLock, Mutex, PoisonError},
};

use proc_macro2::Span;

use super::name::CheckedName;
use crate::problems::Problem;

/// The names of the crate's tools, and where each is written.
static TAKEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Whether this process is a compiler, which cargo tells which one crate it compiles. The server of an
/// editor expands functions of many crates, and the same ones again after each change.
static COMPILES_ONE_CRATE: LazyLock<bool> =
    LazyLock::new(|| env::args_os().any(|argument| argument == "--crate-name"));

/// Takes the name.
///
/// # Errors
/// When a tool elsewhere in the crate has it.
pub(super) fn take(name: &CheckedName) -> Result<(), Problem> {
    let Some(place) = place_of(name.span) else {
        return Ok(());
    };
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    match taken.entry(name.name.clone()) {
        Entry::Occupied(first) if *first.get() != place => {
            let message = format!("two tools of this crate have the name `{}`", name.name);
            Err(Problem::at(name.span, message)
                .note(format!(
                    "the first is at {}; a call says which tool it means by the name alone",
                    first.get()
                ))
                .help("write another name for one of the two, which says what it does and the other does not"))
        }
        Entry::Occupied(_) => Ok(()),
        Entry::Vacant(free) => {
            free.insert(place);
            Ok(())
        }
    }
}

/// The file, the line and the column.
fn place_of(span: Span) -> Option<String> {
    if !proc_macro::is_available() || !*COMPILES_ONE_CRATE {
        return None;
    }
    let span = span.unwrap();
    Some(format!("{}:{}:{}", span.file(), span.line(), span.column()))
}

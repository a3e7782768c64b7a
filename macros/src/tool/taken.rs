//! Names that are taken: by the tools of the crate that were expanded before.
//!
//! A macro sees one function at a time. But a compiler expands all functions of a crate in one
//! process, so a name that is remembered there locates the first of two tools with one name. The
//! error does not depend on it: each tool also has an item that a crate can declare only once
//! (`emit::unique`). That item reports the rest, such as a tool under a `cfg`, which may not be
//! there.

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

/// True if this process is a compiler: cargo passes it the name of its one crate. The server of an
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
            let message = format!("duplicate tool name `{}` in this crate", name.name);
            Err(Problem::at(name.span, message)
                .note(format!(
                    "the first tool is at {}; a call identifies its tool by the name alone",
                    first.get()
                ))
                .help("rename one of the two after what only that tool does"))
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

//! The user's trust in a project's `toolwright.toml`.
//!
//! The file decides where requests and credentials go, who may do what, and where the record is. A
//! folder that comes from elsewhere brings a file of its own, so it counts only after the user has
//! allowed it. That is kept outside of all projects, by the path of the file and its settings.
//!
//! Comments, order and layout do not count, nor do bounds of time and size. A change
//! that only takes rights away counts at once. Every other change needs the user's word again.

mod settings;
mod store;

use std::path::Path;

use toolwright::config::CONFIG_FILE;

pub(crate) use settings::{Changes, Settings};
pub(crate) use store::Store;

use crate::Failure;

/// The most changes that an error lists.
const SHOWN: usize = 10;

/// Checks that the user has trusted a file with these settings.
pub(crate) fn check(file: &Path, settings: &Settings) -> Result<(), Failure> {
    let store = Store::of_user()?;
    let Some(record) = store.find(file)? else {
        return Err(untrusted(file));
    };
    let changes = settings.changes_since(&record.settings);
    if changes.need_trust() {
        return Err(changed(file, &changes));
    }
    Ok(())
}

fn untrusted(file: &Path) -> Failure {
    let failure = Failure::new(format!("`{}` is not trusted", file.display())).note(
        "it decides where requests and credentials go, who may do what, and where the record is",
    );
    failure.help(format!("read it, then run `{}`", command(file)))
}

fn changed(file: &Path, changes: &Changes<'_>) -> Failure {
    let mut failure = Failure::new(format!(
        "`{}` has changed since it was trusted",
        file.display()
    ));
    let lines = changes.lines();
    for line in lines.iter().take(SHOWN) {
        failure = failure.note(line);
    }
    if lines.len() > SHOWN {
        failure = failure.note(format!("and {} more", lines.len() - SHOWN));
    }
    failure.help(format!("read it, then run `{}`", command(file)))
}

fn command(file: &Path) -> String {
    if file == Path::new(CONFIG_FILE) {
        return "toolwright trust".to_owned();
    }
    format!("toolwright trust {}", file.display())
}

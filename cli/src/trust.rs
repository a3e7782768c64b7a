//! The user's trust in a project's `toolwright.toml`.
//!
//! The file decides the targets of requests and credentials, the rights of roles, and the location
//! of the audit. A folder from elsewhere brings its own file, so it takes effect only after the
//! user has allowed it. The trust record is outside all projects, by the path of the file and its
//! settings.
//!
//! Comments, order and layout do not count, nor do limits of time and size. A change that only
//! removes rights takes effect at once. Every other change needs the user's consent again.

mod settings;
mod store;

use std::path::Path;

use toolwright::config::CONFIG_FILE;

pub(crate) use settings::{SettingChanges, Settings};
pub(crate) use store::Store;

use crate::{Failure, failure::Code};

/// The most changes that an error lists.
const SHOWN: usize = 10;

/// Checks that the user has trusted a file with these settings.
pub(crate) fn check(file: &Path, settings: &Settings) -> Result<(), Failure> {
    let store = Store::of_user()?;
    let Some(record) = store.find(file)? else {
        return Err(not_trusted(file));
    };
    let changes = settings.changes_since(&record.settings);
    if changes.need_trust() {
        return Err(changed_since_trusted(file, &changes));
    }
    Ok(())
}

fn not_trusted(file: &Path) -> Failure {
    let failure = Failure::new(format!("`{}` is not trusted", file.display())).code(Code::NotTrusted).note(
        "it determines where requests and credentials go, who may call what, and where the audit is",
    );
    failure.help(format!("read it, then run `{}`", command(file)))
}

fn changed_since_trusted(file: &Path, changes: &SettingChanges<'_>) -> Failure {
    let mut failure = Failure::new(format!(
        "`{}` has changed since it was trusted",
        file.display()
    ))
    .code(Code::NotTrusted);
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

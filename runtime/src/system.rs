//! The machine, the user that a process runs as, and the clock.

mod clock;
mod offload;

use std::path::PathBuf;
#[cfg(unix)]
use std::sync::OnceLock;

pub use clock::{Clock, SystemClock};
pub(crate) use offload::offload;

/// Returns the name of the user that this process runs as, or `uid:1000` if the user has no name.
///
/// A name that a person types is a claim; this one comes from the system.
#[must_use]
pub fn user() -> String {
    #[cfg(unix)]
    {
        use nix::unistd::{Uid, User, geteuid};
        // The system reads its table of users at each question, and every call of a tool asks.
        static FIRST: OnceLock<(Uid, String)> = OnceLock::new();
        let name = |id: Uid| {
            let known = User::from_uid(id).ok().flatten();
            known.map_or_else(|| format!("uid:{id}"), |user| user.name)
        };
        let id = geteuid();
        let (first, known) = FIRST.get_or_init(|| (id, name(id)));
        match *first == id {
            true => known.clone(),
            false => name(id),
        }
    }
    #[cfg(not(unix))]
    std::env::var("USERNAME").unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the folder in which this user keeps the files of Toolwright that belong to no project:
/// `$XDG_CONFIG_HOME/toolwright`, or `~/.config/toolwright`. None if the user has no such folder.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    let variable = |name| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    Some(folder?.join("toolwright"))
}

/// Returns the name of the machine, if it has one.
#[must_use]
pub fn host() -> Option<String> {
    #[cfg(unix)]
    {
        let name = nix::unistd::gethostname().ok()?;
        name.into_string().ok().filter(|name| !name.is_empty())
    }
    #[cfg(not(unix))]
    std::env::var("COMPUTERNAME").ok()
}

//! The folder in which earlier versions kept approvals, and its move into the state.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use toolwright::{
    approval::{ApprovalRequest, Decision},
    private::{self, Audience, Links},
};

use crate::{State, StateError, approvals};

/// The longest record that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// The folders of the records that are moved. Those of used approvals stay behind: they only
/// protected the folder.
const KINDS: [&str; 3] = ["pending", "approved", "rejected"];

/// The result of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Moved {
    /// The number of requests that were moved.
    pub requests: usize,
    /// The number of requests that have expired or cannot be read.
    pub left: usize,
    /// The new name of the folder.
    pub folder: PathBuf,
}

/// One file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    request: ApprovalRequest,
    #[serde(default)]
    decision: Option<Decision>,
}

/// Moves the requests of a folder into the state, and renames the folder. Returns none if there is
/// no such folder.
///
/// Decisions keep their signatures, and are verified when they are used.
///
/// # Errors
/// [`StateError`] if the folder or the state cannot be used; the folder then stays as it is.
pub async fn move_folder(
    state: &State,
    folder: &Path,
    group: Option<&str>,
    now: Timestamp,
) -> Result<Option<Moved>, StateError> {
    if !folder.exists() {
        return Ok(None);
    }
    let audience = Audience::of_group(group)?;
    private::check_folder_for(folder, audience)?;
    let mut moved = Moved::default();
    let mut transaction = state.database.begin().await?;
    for record in records(folder, audience)? {
        match record.filter(|record| record.request.is_live(now)) {
            Some(record) => {
                let decision = record.decision.as_ref();
                approvals::insert(&mut transaction, &record.request, decision).await?;
                moved.requests += 1;
            }
            None => moved.left += 1,
        }
    }
    transaction.commit().await?;
    let mut name = folder.as_os_str().to_owned();
    name.push(".migrated");
    moved.folder = name.into();
    fs::rename(folder, &moved.folder)?;
    Ok(Some(moved))
}

/// Returns the records in order; none in place of a file that is not one, or that others wrote.
fn records(folder: &Path, audience: Audience) -> io::Result<Vec<Option<Record>>> {
    let mut paths = Vec::new();
    for kind in KINDS {
        let folder = folder.join(kind);
        if folder.exists() {
            private::check_folder_for(&folder, audience)?;
            for entry in fs::read_dir(folder)? {
                paths.push(entry?.path());
            }
        }
    }
    paths.sort();
    let is_record = |path: &&PathBuf| path.extension().is_some_and(|kind| kind == "json");
    let records = paths.iter().filter(is_record);
    Ok(records.map(|path| read(path, audience).ok()).collect())
}

fn read(path: &Path, audience: Audience) -> io::Result<Record> {
    let file = private::open_for(path, Links::Refuse, audience)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

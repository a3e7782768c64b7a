//! `[approvals]`: how calls wait for a person, and whose decisions count.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use toolwright_model::settings::Reader as _;

use super::{
    Placed,
    reader::{ConfigReader, TomlNode},
};
use crate::approval::{ApproverKeys, ArgumentPointer, MOST_WAITING, PublicKey};

/// The longest that a call may wait for a person, in minutes: a week.
const LONGEST_MINUTES: u64 = 60 * 24 * 7;

/// The most requests of one role and run that may be allowed to wait.
const MOST_ALLOWED: u64 = 1_000;

/// `[approvals]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalsConfig {
    /// `folder`: the folder in which earlier versions kept requests and decisions. `toolwright state
    /// migrate` moves its content to the state.
    pub folder: PathBuf,
    /// `expire_minutes`: how long a call waits, and how long an approval can be used.
    pub lifetime: Duration,
    /// `keys`: the public keys of the approvers. If there are none, the key of the user who runs
    /// the tools.
    pub keys: Vec<Placed<PublicKey>>,
    /// `mask`: places among the arguments whose values a person is not shown.
    pub mask: Vec<Placed<ArgumentPointer>>,
    /// `most_waiting`: how many requests of one role and run may wait at once.
    pub most_waiting: usize,
}

impl ApprovalsConfig {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            folder: root.join(".toolwright/approvals"),
            lifetime: Duration::from_mins(15),
            keys: Vec::new(),
            mask: Vec::new(),
            most_waiting: MOST_WAITING,
        }
    }

    pub(super) fn read(&mut self, table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) {
        let known = ["folder", "expire_minutes", "keys", "mask", "most_waiting"];
        reader.check_keys(table, &known);
        if let Some(folder) = reader.string(table, "folder") {
            self.folder = root.join(folder.value);
        }
        if let Some(minutes) = reader.number(table, "expire_minutes", 1..=LONGEST_MINUTES) {
            self.lifetime = Duration::from_mins(minutes.value);
        }
        if let Some(most) = reader.number(table, "most_waiting", 1..=MOST_ALLOWED) {
            self.most_waiting = usize::try_from(most.value).unwrap_or(MOST_WAITING);
        }
        self.keys = reader.parsed_list(table, "keys");
        self.mask = reader.parsed_list(table, "mask");
    }

    /// Returns the keys whose decisions count.
    #[must_use]
    pub fn approver_keys(&self) -> ApproverKeys {
        if self.keys.is_empty() {
            return ApproverKeys::of_user();
        }
        let keys = self.keys.iter().map(|key| key.value.clone());
        ApproverKeys::Listed(keys.collect())
    }
}

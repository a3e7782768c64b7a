//! `[approvals]`: how calls wait for a person, and whose decisions count.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use toolwright_model::settings::Reader as _;
use toolwright_policy::Selector;

use super::{
    NotifyConfig, Placed,
    reader::{ConfigReader, TomlNode},
};
use crate::approval::{
    ApprovalPage, Approver, ApproverKeys, ArgumentPointer, MOST_WAITING, PublicKey,
};

/// The longest that a call may wait for a person, in minutes: a week.
const LONGEST_MINUTES: u64 = 60 * 24 * 7;

/// The most requests of one role and run that may be allowed to wait.
const MOST_ALLOWED: u64 = 1_000;

/// The keys of the table.
pub(super) const APPROVALS_KEYS: [&str; 10] = [
    "folder",
    "expire_minutes",
    "keys",
    "approvers",
    "four_eyes",
    "mask",
    "most_waiting",
    "console",
    "webhook",
    "command",
];

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
    /// `[approvals.approvers.*]`: the persons who may approve, and which calls.
    pub approvers: Vec<ApproverConfig>,
    /// `four_eyes`: nobody approves a call of a run that he or she started.
    pub four_eyes: bool,
    /// `mask`: places among the arguments whose values a person is not shown.
    pub mask: Vec<Placed<ArgumentPointer>>,
    /// `most_waiting`: how many requests of one role and run may wait at once.
    pub most_waiting: usize,
    /// `console`: the operator's console, whose pages clients show their users.
    pub console: Option<Placed<ApprovalPage>>,
    /// `[approvals.webhook]` and `[approvals.command]`: how people learn of calls that wait.
    pub notify: NotifyConfig,
}

/// `[approvals.approvers.*]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApproverConfig {
    /// The name of the person, which the person's decisions must carry.
    pub name: String,
    /// `key`: the public key that verifies the person's decisions.
    pub key: Option<Placed<PublicKey>>,
    /// `approve`: the tools whose calls the person may approve.
    pub approve: Vec<Placed<Selector>>,
}

impl ApprovalsConfig {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            folder: root.join(".toolwright/approvals"),
            lifetime: Duration::from_mins(15),
            keys: Vec::new(),
            approvers: Vec::new(),
            four_eyes: false,
            mask: Vec::new(),
            most_waiting: MOST_WAITING,
            console: None,
            notify: NotifyConfig::default(),
        }
    }

    pub(super) fn read(&mut self, table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) {
        reader.check_keys(table, &APPROVALS_KEYS);
        if let Some(folder) = reader.string(table, "folder") {
            self.folder = root.join(folder.value);
        }
        if let Some(minutes) = reader.number(table, "expire_minutes", 1..=LONGEST_MINUTES) {
            self.lifetime = Duration::from_mins(minutes.value);
        }
        if let Some(most) = reader.number(table, "most_waiting", 1..=MOST_ALLOWED) {
            self.most_waiting = usize::try_from(most.value).unwrap_or(MOST_WAITING);
        }
        self.console = reader.parsed_at(table, "console");
        self.keys = reader.parsed_list(table, "keys");
        let approvers = reader.tables(table, "approvers", |reader, table| {
            reader.check_keys(table, &["key", "approve"]);
            reader.require(
                table,
                "key",
                "add the line that `toolwright approver-key` prints",
            );
            reader.require(
                table,
                "approve",
                "add the selectors of the tools, such as `[\"*\"]`",
            );
            let key = reader.parsed_at(table, "key");
            (key, reader.parsed_list(table, "approve"))
        });
        self.approvers = approvers
            .into_iter()
            .map(|(name, (key, approve))| ApproverConfig {
                name: name.value,
                key,
                approve,
            })
            .collect();
        let four_eyes = reader.boolean(table, "four_eyes");
        self.four_eyes = four_eyes.is_some_and(|four_eyes| four_eyes.value);
        self.mask = reader.parsed_list(table, "mask");
        self.notify = NotifyConfig::read(table, root, reader);
    }

    /// Returns the keys whose decisions count.
    #[must_use]
    pub fn approver_keys(&self) -> ApproverKeys {
        if self.approvers.is_empty() && self.keys.is_empty() {
            return ApproverKeys::of_user();
        }
        let named = self.approvers.iter().filter_map(|approver| {
            let key = approver.key.as_ref()?.value.clone();
            let name = Some(approver.name.clone());
            Some(Approver { name, key })
        });
        let keys = self
            .keys
            .iter()
            .map(|key| Approver::from(key.value.clone()));
        ApproverKeys::Named(named.chain(keys).collect())
    }
}

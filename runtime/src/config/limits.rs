//! `[policy]`: what happens after violations of scopes, and whether a lock is required.

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};

/// The keys of the table.
pub(super) const POLICY_KEYS: [&str; 4] = ["alert_after", "halt", "require_lock", "alerts"];

/// `[policy]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ViolationLimits {
    /// `alert_after`: the number of violations of one role and run after which the audit records an
    /// alert. Five by default.
    pub alert_after: u64,
    /// `halt`: true to refuse every further call of the role and run after the alert.
    pub halt: bool,
    /// `require_lock`: true if the policy must not be used without its lock.
    pub require_lock: bool,
}

impl ViolationLimits {
    pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        reader.check_keys(table, &POLICY_KEYS);
        let alert_after = reader.number(table, "alert_after", 1..=1_000_000);
        let mut is_set = |key| reader.boolean(table, key).is_some_and(|set| set.value);
        let default = Self::default();
        Self {
            halt: is_set("halt"),
            require_lock: is_set("require_lock"),
            alert_after: alert_after.map_or(default.alert_after, |number| number.value),
        }
    }
}

impl Default for ViolationLimits {
    fn default() -> Self {
        Self {
            alert_after: 5,
            halt: false,
            require_lock: false,
        }
    }
}

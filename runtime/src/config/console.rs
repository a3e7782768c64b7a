//! `[console]`: who may sign in to the console, and what each person may do there.

use std::{collections::BTreeMap, time::Duration};

use toolwright_model::{settings::Reader as _, words};

use super::{
    Placed,
    openid::OpenIdConfig,
    reader::{ConfigReader, TomlNode},
};
use crate::statement::is_name;

/// The keys of the table.
pub(super) const CONSOLE_KEYS: [&str; 3] = ["session_minutes", "people", "openid"];

/// The keys of a person.
pub(super) const PERSON_KEYS: [&str; 2] = ["role", "identity"];

/// The longest session, in minutes: a week.
pub(super) const LONGEST_SESSION: u64 = 60 * 24 * 7;

/// The default length of a session, in minutes: a working day.
pub(super) const SESSION_MINUTES: u64 = 8 * 60;

words! {
    /// What a person may do at the console. Each role may do everything that the ones before it may.
    ConsoleRole {
        /// Sees everything and changes nothing.
        Viewer = "viewer",
        /// Decides about calls that wait. Whose decision counts is up to `[approvals]`.
        Approver = "approver",
        /// Switches tools, moves skills and ends sessions.
        Operator = "operator",
    }
}

/// `[console]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConsoleConfig {
    /// `session_minutes`: the length of a session.
    pub session: Duration,
    /// `[console.people.*]`: the role of each person. Nobody else may sign in.
    pub people: BTreeMap<String, ConsoleRole>,
    /// `[console.openid]`: the provider through which people sign in, in addition to links.
    pub openid: Option<OpenIdConfig>,
    /// The names of people by their `identity`: the claim by which the provider identifies each.
    pub identities: BTreeMap<String, String>,
}

impl Default for ConsoleConfig {
    fn default() -> Self {
        Self {
            session: Duration::from_mins(SESSION_MINUTES),
            people: BTreeMap::new(),
            openid: None,
            identities: BTreeMap::new(),
        }
    }
}

impl ConsoleConfig {
    pub(super) fn read(document: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        let Some(table) = reader.table_at(document, "console") else {
            return Self::default();
        };
        reader.check_keys(table, &CONSOLE_KEYS);
        let minutes = reader.number(table, "session_minutes", 1..=LONGEST_SESSION);
        let minutes = minutes.map_or(SESSION_MINUTES, |minutes| minutes.value);
        let people = reader.tables::<String, _>(table, "people", |reader, table| {
            reader.check_keys(table, &PERSON_KEYS);
            reader.require(table, "role", "add `role = \"viewer\"`");
            let identity = reader.exact_text(table, "identity");
            (reader.word(table, "role", ConsoleRole::ALL), identity)
        });
        let openid = reader.table_at(table, "openid");
        let mut console = Self {
            session: Duration::from_mins(minutes),
            openid: openid.and_then(|table| OpenIdConfig::read(table, reader)),
            ..Self::default()
        };
        for (name, (role, identity)) in people {
            if !is_name(&name.value) {
                let help = "use one line of visible characters";
                reader.problem(name.place, "this is not the name of a person", help);
                continue;
            }
            if let Some(identity) = identity {
                console.identify(&name.value, identity, reader);
            }
            if let Some(role) = role {
                console.people.insert(name.value, role.value);
            }
        }
        console
    }

    /// Adds the identity of a person. Two persons with the same one would be one to the provider.
    fn identify(&mut self, person: &str, identity: Placed<String>, reader: &mut ConfigReader) {
        if let Some(other) = self.identities.get(&identity.value) {
            let message = format!("`{other}` has the same identity");
            let help = "give each person an identity of their own";
            reader.problem(identity.place, &message, help);
            return;
        }
        self.identities.insert(identity.value, person.to_owned());
    }

    /// Returns the person whom a provider identifies; none if the policy names nobody.
    #[must_use]
    pub fn person_of(&self, identity: &str) -> Option<&str> {
        self.identities.get(identity).map(String::as_str)
    }

    /// Returns what a person may do at the console; none if the person may not sign in.
    #[must_use]
    pub fn role_of(&self, person: &str) -> Option<ConsoleRole> {
        self.people.get(person).copied()
    }
}

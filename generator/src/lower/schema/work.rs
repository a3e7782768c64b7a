//! The limits of the work for a document's schemas.
//!
//! A few lines can describe very large schemas: unions of unions, simultaneous cycles, parts that
//! are repeated at each use. The cost of schemas is counted, for the schema that started the work
//! and in total. Beyond the limit a schema becomes any value, which is reported. Time and memory of
//! a run therefore grow with the document, not with the size of the described values.
//!
//! The limits are several times the use of public specifications: for one schema half of the number
//! of nodes of its document, and in total nine times that number.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;

use super::graph::Key;

/// The most work of one owner, plus [`MOST_OF_OWNER_PER_NODE`] for each node.
const MOST_OF_OWNER: u64 = 2_000;

/// The most work of one owner for each node of the document.
const MOST_OF_OWNER_PER_NODE: u64 = 2;

/// The work that each owner has, even after others have used theirs.
const LEAST_OF_OWNER: u64 = 100;

/// The most work in total, plus [`MOST_PER_NODE`] for each node of the document.
const MOST_IN_ALL: u64 = 10_000;

/// The most work in all for each node of the document.
const MOST_PER_NODE: u64 = 30;

/// The schema whose work is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// The Rust types that begin at a schema.
    Types(Key),
    /// The JSON Schema that is written for a schema.
    Json(Key),
}

/// The work that was done, and that may be done.
#[derive(Debug)]
pub(super) struct Work {
    done: HashMap<Owner, u64, RandomState>,
    /// The owner of the current work.
    owner: Option<Owner>,
    /// The owners whose work was spent, which was reported.
    told: BTreeSet<Owner>,
    /// The most work of one owner.
    most: u64,
    /// The work that is left in all.
    left: u64,
}

impl Work {
    /// Returns the work for documents with so many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        let nodes = u64::try_from(nodes).unwrap_or(u64::MAX);
        Self {
            done: HashMap::default(),
            owner: None,
            told: BTreeSet::new(),
            most: nodes
                .saturating_mul(MOST_OF_OWNER_PER_NODE)
                .saturating_add(MOST_OF_OWNER),
            left: nodes
                .saturating_mul(MOST_PER_NODE)
                .saturating_add(MOST_IN_ALL),
        }
    }

    /// Counts what follows as work of this owner, and returns the owner before.
    pub(super) fn enter(&mut self, owner: Option<Owner>) -> Option<Owner> {
        std::mem::replace(&mut self.owner, owner)
    }

    /// Counts what follows as work of this owner, who has done nothing yet.
    pub(super) fn restart(&mut self, owner: Owner) {
        self.done.remove(&owner);
        self.owner = Some(owner);
    }

    /// Returns the current owner if its work is Rust types.
    pub(super) fn of_types(&self) -> Option<Owner> {
        self.owner.filter(|owner| matches!(owner, Owner::Types(_)))
    }

    /// Counts work.
    pub(super) fn spend(&mut self, amount: usize) {
        let amount = u64::try_from(amount).unwrap_or(u64::MAX);
        self.left = self.left.saturating_sub(amount);
        if let Some(owner) = self.owner {
            let done = self.done.entry(owner).or_default();
            *done = done.saturating_add(amount);
        }
    }

    /// Checks whether the work of the current owner is used up.
    pub(super) fn is_spent(&self) -> bool {
        let owner = self.owner.as_ref();
        let done = owner.and_then(|owner| self.done.get(owner)).copied();
        done.unwrap_or_default()
            >= if self.left > 0 {
                self.most
            } else {
                LEAST_OF_OWNER
            }
    }

    /// Checks whether nothing was reported for the current owner yet, and marks it as reported.
    pub(super) fn is_news(&mut self) -> bool {
        self.owner.is_none_or(|owner| self.told.insert(owner))
    }
}

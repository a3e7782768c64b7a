//! The policy of Toolwright: which role may call which tool, with which arguments, on which
//! conditions.
//!
//! A [`Policy`] is the policy as it is written, in `toolwright.toml` or in code. [`Policy::compile`]
//! compiles it for the tools of a registry and reports every fault. The result is a [`Snapshot`],
//! and [`decide`] is a pure function of a snapshot and a [`Request`]: there is no I/O, no clock and
//! no state in this crate.

mod builtin;
mod compare;
mod compile;
mod condition;
mod decide;
mod declaration;
mod lock;
mod memo;
mod own;
mod pattern;
mod problem;
mod protected;
mod rate;
mod reader;
mod refusal;
mod schema;
mod scope;
mod selector;
mod snapshot;
mod variable;
mod written;

pub use builtin::{BUILT_IN, built_in};
pub use compare::{LimitChange, RoleChange};
pub use compile::{Compiled, Tools};
pub use condition::{ArgumentRule, ValueTemplate};
pub use decide::{Decision, Permit, Request, Step, decide, decide_call, decide_offer, explain};
pub use declaration::{ParameterCheck, PolicyTool, ScopeParameter, ScopeParameters};
pub use lock::{LOCK_FILE, Pending, PolicyLock};
pub use own::ScopeValues;
pub use problem::PolicyProblem;
pub use protected::{is_protected, is_protected_folder};
pub use rate::{Rate, RateError};
pub use refusal::{Refusal, RefusalReason};
pub use schema::{definitions as schema_definitions, tables as schema_of_tables};
pub use scope::{Call, ResolvedParameter, Target, TargetScope};
pub use selector::{Selector, SelectorError};
pub use snapshot::{Overrides, Snapshot, stand_in};
pub use toolwright_model::SandboxLayer;
pub use variable::{Template, VariableFault, VariableProblem, Variables};
pub use written::{Forbid, Policy, Profile, RolePolicy, Scope, ScopeRule, Stated};

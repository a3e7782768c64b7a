//! The run context that a domain service receives.

use serde_json::Value;

use crate::config::Repository;

/// For what a view is used: goes into the envelopes of calls to domain services, and is no
/// argument of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunContext {
    /// The run of the pipeline.
    pub run: Option<String>,
    /// The node of the pipeline that asks.
    pub node: Option<String>,
    /// The work item that the run is for.
    pub work_item: Option<String>,
    /// The agent that calls. Services do not receive it.
    pub agent: Option<String>,
    /// The workspace of the caller, such as the tenant that a token names. The program sets it from
    /// what it has authenticated, and no argument of a call changes it. By default the audit records
    /// the folder of the configuration. Services do not receive it.
    pub workspace: Option<String>,
    /// The person who started the run. Services do not receive it.
    pub started_by: Option<String>,
    /// The repository that the service works on; by default the configured one.
    pub repository: Option<Repository>,
    /// The interface contracts that the service must check.
    pub interface_contracts: Option<Value>,
}

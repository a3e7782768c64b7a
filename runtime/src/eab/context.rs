//! What a domain service is told of the run that calls it.

use std::path::PathBuf;

use serde_json::Value;

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
    /// What the service works on; otherwise what the configuration says.
    pub repository: Option<Repository>,
    /// The interface contracts that the service has to check.
    pub interface_contracts: Option<Value>,
}

/// What a domain service works on. One that is reached by a Unix socket is on this machine and is
/// given the path; another one is given the URL to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// The folder, on this machine.
    pub path: Option<PathBuf>,
    /// The URL from which it is cloned.
    pub clone_url: Option<String>,
    /// The branch, tag or commit.
    pub reference: Option<String>,
}

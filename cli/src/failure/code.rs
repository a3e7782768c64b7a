//! The stable codes of the errors of commands, for programs.

toolwright_model::words! {
    /// The kind of an error, as `--json` prints it. `docs/command.md` lists the codes; a test
    /// compares the two.
    Code {
        /// The work could not be done, for a reason that only the message states.
        Failed = "failed",
        /// The arguments of the command are wrong.
        Usage = "usage",
        /// A file cannot be read or written.
        File = "file",
        /// A specification, or its overlay or lock, has errors.
        InvalidSpecification = "invalid_specification",
        /// `toolwright.toml` has errors, or is not declared as the command needs it.
        InvalidConfiguration = "invalid_configuration",
        /// The user has not trusted `toolwright.toml`, or not its current settings.
        NotTrusted = "not_trusted",
        /// No `toolwright.toml` was found.
        NoProject = "no_project",
        /// The tools of a role have more tokens than the policy allows.
        OverBudget = "over_budget",
        /// There are no tools.
        NoTools = "no_tools",
        /// No tool has the name.
        UnknownTool = "unknown_tool",
        /// No service has the name.
        UnknownService = "unknown_service",
        /// No role has the name.
        UnknownRole = "unknown_role",
        /// A skill has faults.
        InvalidSkill = "invalid_skill",
        /// No skill has the name.
        UnknownSkill = "unknown_skill",
        /// No request, grant or proposal has the name.
        UnknownEntry = "unknown_entry",
        /// Something exists already, and is not overwritten.
        Exists = "exists",
        /// A URL could not be fetched.
        FetchFailed = "fetch_failed",
        /// A mounted MCP server cannot be used.
        ServerUnavailable = "server_unavailable",
        /// The state of the workspace cannot be used.
        State = "state",
        /// A sink of the audit cannot be used.
        Sink = "sink",
        /// A decision of a person was not accepted.
        NotDecided = "not_decided",
    }
}

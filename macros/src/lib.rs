//! The tool attribute and the role derive of Toolwright.
//!
//! Depend on `toolwright`, which exports both. What they write refers to the hidden module
//! `linked::private` of `toolwright` by absolute paths, and to nothing else.

mod problems;
mod role;
mod tool;
mod tools;

use proc_macro::TokenStream;

/// Registers an `async fn` as a tool, for the roles that it names and for no other.
///
/// ```
/// use toolwright::{RoleEnum, ToolContext, ToolError, tool};
///
/// #[derive(RoleEnum)]
/// enum AgentRole {
///     Quality,
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct ValidateSchema {
///     /// The table that is to be changed.
///     table: String,
/// }
///
/// /// Check that a schema change is safe to apply.
/// ///
/// /// # When to use
/// /// Before `apply-warehouse-schema`; it reads and never writes.
/// #[tool(name = "validate-warehouse-schema", category = observe, roles(AgentRole::Quality))]
/// async fn validate_schema(ctx: &ToolContext, input: ValidateSchema) -> Result<bool, ToolError> {
///     Ok(!input.table.is_empty())
/// }
/// ```
///
/// `Registry::builder().linked_tools()` adds the tools of all linked crates. The function itself
/// stays unchanged.
///
/// An agent reads the documentation: its first paragraph is shown as one line, the paragraphs
/// before the first heading are the description, and `# When to use` is shown with it.
///
/// The arguments follow the context: a struct with a field for each, or plain parameters, whose
/// documentation is shown too. Their types derive `serde::Deserialize` and `schemars::JsonSchema`;
/// the result derives `serde::Serialize`, and `schemars::JsonSchema` for an output schema.
///
/// ```
/// # use toolwright::{RoleEnum, ToolContext, ToolError, tool};
/// # #[derive(RoleEnum)]
/// # enum AgentRole { Quality }
/// /// Counts the rows of a table.
/// #[tool(name = "count-warehouse-rows", category = observe, roles(AgentRole::Quality))]
/// async fn count_rows(
///     ctx: &ToolContext,
///     /// The table, with its schema.
///     table: String,
///     /// Only rows that are newer than so many days.
///     days: Option<u32>,
/// ) -> Result<usize, ToolError> {
///     Ok(table.len())
/// }
/// ```
///
///
/// | argument | |
/// |---|---|
/// | `name = "list-plane-tasks"` | `<verb>-<service>-<noun>`, at most 48 characters |
/// | `category = observe` | or `report`, `execute`, `approve` |
/// | `roles(AgentRole::Quality, …)` | variants of enums that derive [`RoleEnum`](macro@RoleEnum), or `none, reason = "…"` |
/// | `scope(allowed_read_paths = allowed_paths(path), …)` | optional: the [scope parameters](#scope-parameters) |
/// | `sandbox = lacking_layers` | for a tool that writes or runs something in a sandbox: a function of the values of its scope parameters, which returns the layers that the machine lacks |
/// | `title = "…"`, `section = "…"` | optional: otherwise from the name |
/// | `effect = update` | optional: otherwise from the verb and the category, in doubt `action` |
/// | `approval = required` | optional, or `none`: otherwise by the effect |
/// | `destructive`, `idempotent`, `open_world` | optional, with `= true` or `= false`: otherwise by the effect |
/// | `reason = "…"` | why `approval` or `destructive` is lower than the effect suggests |
/// | `crate = path` | where `toolwright` is, if it is not `::toolwright` |
///
/// # Scope parameters
/// A scope parameter restricts an argument to values that the operator sets and that agents do not see.
/// A role has them by a profile; a call of a role without a required one is refused.
///
/// | written | the operator's values |
/// |---|---|
/// | `allowed_read_paths = allowed_paths(path)` | globs; one of them must match the argument `path` |
/// | `denied_read_paths = denied_paths(path, optional)` | globs; none of them may match. `optional`: need not be set |
/// | `branch_pattern = pattern("/branch/name")` | regular expressions; one of them must match this part of the argument as a whole |
/// | `allowed_read_paths = allowed_paths(..)` | no argument is checked: the tool calls `ctx.check` or `ctx.scope().allows` for what it finds |
/// | `allowed_urls = url(page)` | the prefixes of the URLs that the tool may request with `ctx.fetch` |
/// | `max_file_size_bytes = value` | whatever the tool makes of them: `ctx.scope().texts("max_file_size_bytes")` |
/// | `allowed_commands = words` | the same, for values that the tool splits into words: a variable of the run is a part of one word |
///
/// `ToolContext::check` makes the same checks for the tool itself, which must obey them in what the
/// arguments lead to: a symbolic link, the files that a search finds. `ToolContext::scope` returns the values.
///
/// # Errors
/// Everything that is missing, misspelt or contradictory is an error of the compiler at its own
/// place, all at once.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attribute.into(), item.into()).into()
}

/// Registers the methods of an `impl` block that have [`#[tool(…)]`](macro@tool) above them, for
/// tools that need a pool or a client.
///
/// ```standalone_crate
/// use std::{collections::BTreeMap, sync::Arc};
/// use toolwright::{RoleEnum, ToolContext, ToolError, testing::TestView, tools};
///
/// #[derive(RoleEnum)]
/// enum AgentRole {
///     Quality,
/// }
///
/// struct Warehouse {
///     rows: BTreeMap<String, usize>,
/// }
///
/// #[tools]
/// impl Warehouse {
///     /// Counts the rows of a table.
///     #[tool(name = "count-warehouse-rows", category = observe, roles(AgentRole::Quality))]
///     async fn count_rows(&self, ctx: &ToolContext, table: String) -> Result<usize, ToolError> {
///         self.rows.get(&table).copied().ok_or_else(|| ToolError::failed("there is no such table"))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let warehouse = Arc::new(Warehouse { rows: BTreeMap::from([("orders".to_owned(), 7)]) });
/// let registry = toolwright::Registry::builder().linked_tools().state(warehouse);
/// let quality = TestView::new(registry, AgentRole::Quality);
/// let rows = quality.call("count-warehouse-rows", serde_json::json!({"table": "orders"})).await;
/// assert_eq!(rows.unwrap(), 7);
/// # }
/// ```
///
/// `RegistryBuilder::state` gives the registry one value of the type. Without it the registry fails
/// to build, unless `RegistryBuilder::without_state` leaves these tools out.
///
/// # Errors
/// Those of [`tool`](macro@tool), for each of the methods; and that the block is generic, of a
/// trait, or has no tool.
#[proc_macro_attribute]
pub fn tools(attribute: TokenStream, item: TokenStream) -> TokenStream {
    tools::expand(attribute.into(), item.into()).into()
}

/// Makes the variants of the program's own enum roles: in `roles(…)`, and as `toolwright::Role`.
///
/// A role has the name of its variant in kebab case, unless `#[role("…")]` above the variant names
/// it. `#[role(crate = path)]` above the enum gives the path of `toolwright`, if it is not
/// `::toolwright`.
///
/// ```
/// use toolwright::{Role, RoleEnum};
///
/// #[derive(RoleEnum)]
/// enum AgentRole {
///     Quality,
///     #[role("code_review")]
///     CodeReview,
/// }
///
/// assert_eq!(AgentRole::Quality.name(), "quality");
/// assert_eq!(Role::from(AgentRole::CodeReview).as_str(), "code_review");
/// ```
///
/// # Errors
/// A variant with fields, two variants of one name, and a name that no role can have are errors of
/// the compiler at their places.
#[proc_macro_derive(RoleEnum, attributes(role))]
pub fn derive_role(item: TokenStream) -> TokenStream {
    role::expand(item.into()).into()
}

/// The examples of the guide are tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/hand-written-tools.md")]
struct Guide;

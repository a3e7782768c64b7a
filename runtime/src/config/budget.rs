//! `[budget]`: how much of a model's context the tools may take.

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};

/// The keys of the table.
pub(super) const BUDGET_KEYS: [&str; 2] = ["list_tokens", "tool_tokens"];

/// The greatest limit, in tokens.
pub(super) const MOST_TOKENS: u64 = 100_000_000;

/// `[budget]`: limits that `toolwright check` and `toolwright budget` enforce. They concern the format of
/// MCP, and the tokens are those of the encoding `o200k_base`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetConfig {
    /// `list_tokens`: the most tokens of the list that a role sees.
    pub list_tokens: Option<usize>,
    /// `tool_tokens`: the most tokens of one tool of a role.
    pub tool_tokens: Option<usize>,
}

impl BudgetConfig {
    pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        reader.check_keys(table, &BUDGET_KEYS);
        let mut limit = |key| {
            let limit = reader.number(table, key, 1..=MOST_TOKENS)?;
            usize::try_from(limit.value).ok()
        };
        Self {
            list_tokens: limit("list_tokens"),
            tool_tokens: limit("tool_tokens"),
        }
    }
}

//! The budget of context: what the tools cost a model to read, and the limits of the policy.

use std::collections::HashMap;

use tiktoken_rs::{CoreBPE, o200k_base_singleton};
use toolwright::{Registry, Role, ToolSpec, config::BudgetConfig};

use crate::{Failure, failure::Code, target::Target};

/// The most tools that a failure names.
const MOST_NAMED: usize = 5;

/// The size of what a model reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
    /// Tokens of the encoding `o200k_base`. Other models have other encodings, with similar numbers.
    pub(crate) tokens: usize,
}

/// A tool with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizedTool {
    pub(crate) name: String,
    pub(crate) size: Size,
}

/// Measures tools. Each tool is measured once for a format.
pub(crate) struct Scale {
    encoding: &'static CoreBPE,
    known: HashMap<(String, Target), Size>,
}

impl Scale {
    pub(crate) fn new() -> Self {
        Self {
            encoding: o200k_base_singleton(),
            known: HashMap::new(),
        }
    }

    /// Measures tools, the largest first.
    pub(crate) fn weigh<'s>(
        &mut self,
        specs: impl IntoIterator<Item = &'s ToolSpec>,
        target: Target,
    ) -> Vec<SizedTool> {
        let specs = specs.into_iter();
        let mut sized: Vec<SizedTool> = specs
            .map(|spec| SizedTool {
                name: spec.name.to_string(),
                size: self.size(&target.text(spec), target),
            })
            .collect();
        sized.sort_by(|a, b| (b.size.tokens, &a.name).cmp(&(a.size.tokens, &b.name)));
        sized
    }

    fn size(&mut self, text: &str, target: Target) -> Size {
        let key = (text.to_owned(), target);
        *self.known.entry(key).or_insert_with(|| Size {
            bytes: text.len(),
            tokens: self.encoding.encode_ordinary(text).len(),
        })
    }
}

impl Size {
    /// Returns the size of several tools.
    pub(crate) fn sum(sized: &[SizedTool]) -> Self {
        let sizes = sized.iter().map(|tool| tool.size);
        sizes.fold(Self::default(), |sum, size| Self {
            bytes: sum.bytes + size.bytes,
            tokens: sum.tokens + size.tokens,
        })
    }
}

/// Checks the limits of the policy for each of its roles.
///
/// # Errors
/// When a role sees more than the limits allow. Each problem names the largest tools.
pub(crate) fn check(registry: &Registry, limits: &BudgetConfig) -> Result<(), Failure> {
    if *limits == BudgetConfig::default() {
        return Ok(());
    }
    let mut scale = Scale::new();
    let faults: Vec<String> = registry
        .roles()
        .iter()
        .flat_map(|role| faults(registry, role, limits, &mut scale))
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::all(faults).code(Code::OverBudget).help(
        "shorten the descriptions or hide arguments in the overlay, grant fewer tools, or raise the limit in `[budget]`",
    ))
}

fn faults(
    registry: &Registry,
    role: &Role,
    limits: &BudgetConfig,
    scale: &mut Scale,
) -> Vec<String> {
    let view = registry.for_agent(role);
    let mut faults = Vec::new();
    if let Some(most) = limits.list_tokens {
        let shown = view.shown();
        let sized = scale.weigh(shown.iter().map(AsRef::as_ref), Target::Mcp);
        let sum = Size::sum(&sized).tokens;
        if sum > most {
            let largest = named(&sized);
            faults.push(format!(
                "the list of the role `{role}` has {sum} tokens, and `list_tokens` allows {most}; the largest tools: {largest}"
            ));
        }
    }
    if let Some(most) = limits.tool_tokens {
        let specs = view.specs();
        let mut sized = scale.weigh(specs.iter().map(AsRef::as_ref), Target::Mcp);
        sized.retain(|tool| tool.size.tokens > most);
        if !sized.is_empty() {
            let (number, largest) = (sized.len(), named(&sized));
            faults.push(format!(
                "{number} tools of the role `{role}` have more than {most} tokens (`tool_tokens`): {largest}"
            ));
        }
    }
    faults
}

/// Names the first tools with their sizes.
fn named(sized: &[SizedTool]) -> String {
    let first = sized.iter().take(MOST_NAMED);
    let first = first.map(|tool| format!("`{}` ({})", tool.name, tool.size.tokens));
    let mut named = first.collect::<Vec<_>>().join(", ");
    if sized.len() > MOST_NAMED {
        named.push_str(", …");
    }
    named
}

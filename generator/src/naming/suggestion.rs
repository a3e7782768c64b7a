//! Nouns to suggest for an operation whose name needs a line of the overlay.

use toolwright_model::{ServiceName, ToolName};

use super::noun::Number;
use super::{NameHints, name_of, operation_id};
use crate::language::{facts::OperationFacts, words};

/// Returns nouns that an overlay may give to an operation, the best first: that of the rules, that
/// of the operation id if it fits, and that of the rules with a parameter's key.
///
/// Each makes a valid name other than the refused one.
#[must_use]
pub(crate) fn suggested_nouns(
    service: &ServiceName,
    facts: &OperationFacts,
    verb: Option<&str>,
    refused: Option<&ToolName>,
) -> Vec<String> {
    let hints = NameHints { verb, noun: None };
    let naming = name_of(service, facts, hints);
    let said = operation_id::noun(service, facts, &naming.verb, Number::AsWritten);
    let fits = |noun: &String| {
        let name = ToolName::new(format!("{}-{service}-{noun}", naming.verb));
        name.is_ok_and(|name| refused != Some(&name))
    };
    let of_id = (0..said.len())
        .filter_map(|at| said.get(at..))
        .map(|words| words.join("-"))
        .find(fits);
    let of_rules = Some(naming.noun.clone()).filter(fits);
    let chosen = facts.path_parameters.iter().rev();
    let by = chosen.map(|parameter| format!("{}-by-{}", naming.noun, words(parameter).join("-")));
    let nouns = of_rules.into_iter().chain(of_id).chain(by.filter(fits));
    nouns.collect()
}

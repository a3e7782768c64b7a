//! Nouns to suggest for an operation whose name needs a line of the overlay.

use toolwright_model::{ServiceName, ToolName};

use super::noun::Number;
use super::{NameHints, name_of, operation_id};
use crate::{english::words, facts::OperationFacts};

/// Nouns that an overlay may give to an operation, the best first: the operation id's, as long as
/// there is room, and the noun of the rules with that by which a parameter chooses.
///
/// Each makes a name that follows the rules and differs from the one that the rules give.
#[must_use]
pub fn suggested_nouns(
    service: &ServiceName,
    facts: &OperationFacts,
    hints: NameHints<'_>,
) -> Vec<String> {
    let naming = name_of(service, facts, hints);
    let said = operation_id::noun(service, facts, &naming.verb, Number::AsWritten);
    let name = |noun: &str| ToolName::new(format!("{}-{service}-{noun}", naming.verb));
    let fits = |noun: &String| *noun != naming.noun && name(noun).is_ok();
    let of_id = (0..said.len())
        .filter_map(|at| said.get(at..))
        .map(|words| words.join("-"))
        .find(fits);
    let chosen = facts.path_parameters.iter().rev();
    let by = chosen.map(|parameter| format!("{}-by-{}", naming.noun, words(parameter).join("-")));
    of_id.into_iter().chain(by.filter(fits)).collect()
}

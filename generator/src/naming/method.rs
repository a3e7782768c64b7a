//! Names of the tools of EAB methods.

use toolwright_model::ServiceName;

use super::{NameHints, Naming, check};
use crate::language::{facts::MethodFacts, standard_method::StandardMethod, vocabulary::tool_verb};

/// The noun of a method that names none: what all methods are about.
const ARTIFACTS: &str = "artifacts";

/// The verb of a method that names none.
const RUN: &str = "run";

/// Names the tool of a method: a standard method by the table, another by its own words. The
/// overlay's word wins over the document's, and that over both.
pub(super) fn name_of(service: &ServiceName, facts: &MethodFacts, hints: NameHints<'_>) -> Naming {
    let method = &facts.method;
    let (verb, noun, because) = match StandardMethod::find(method) {
        Some(standard) => {
            let because = format!("`{method}` is a standard method");
            (standard.verb, standard.noun.to_owned(), because)
        }
        None => of_words(method),
    };
    let (verb, of_verb) = match hints.verb {
        Some(verb) => (verb, "set in the overlay".to_owned()),
        None => (verb, because.clone()),
    };
    let (noun, of_noun) = match (hints.noun, &facts.noun) {
        (Some(noun), _) => (noun.to_owned(), "set in the overlay".to_owned()),
        (None, Some(noun)) => (noun.clone(), "set in the document".to_owned()),
        (None, None) => (noun, because),
    };
    Naming {
        derivation: vec![
            format!("the verb is `{verb}`: {of_verb}"),
            format!("the noun is `{noun}`: {of_noun}"),
        ],
        name: check(service, verb, &noun, hints),
        base: noun.split('-').map(str::to_owned).collect(),
        whole: noun.split('-').map(str::to_owned).collect(),
        ranks: Vec::new(),
        verb: verb.to_owned(),
        noun,
    }
}

/// The verb, the noun and the reason that the words of a method give.
fn of_words(method: &str) -> (&'static str, String, String) {
    let (first, rest) = method.split_once('_').unwrap_or((method, ""));
    let kebab = |words: &str| words.replace('_', "-");
    let because = format!("the method is `{method}`");
    match tool_verb(first) {
        Some(verb) if rest.is_empty() => (verb, ARTIFACTS.to_owned(), because),
        Some(verb) => (verb, kebab(rest), because),
        None => (RUN, kebab(method), because),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_by_the_table_the_document_and_their_words() {
        let service = ServiceName::new("kicad").unwrap();
        for (method, noun, name) in [
            ("validate", None, "validate-kicad-artifacts"),
            ("normalise", None, "normalise-kicad-artifacts"),
            ("review_rules", None, "review-kicad-rules"),
            ("simulate", Some("circuit"), "simulate-kicad-circuit"),
            ("validate_deps", None, "validate-kicad-dependencies"),
            ("extract_interfaces", None, "extract-kicad-interfaces"),
            ("dependency_graph", None, "get-kicad-dependency-graph"),
            ("export_gerber_files", None, "export-kicad-gerber-files"),
            ("fetch_netlist", None, "get-kicad-netlist"),
            ("build", None, "build-kicad-artifacts"),
            ("autoroute", None, "run-kicad-autoroute"),
        ] {
            let facts = MethodFacts {
                method: method.to_owned(),
                noun: noun.map(str::to_owned),
                effect: None,
            };
            let naming = name_of(&service, &facts, NameHints::default());
            assert_eq!(naming.name.unwrap().as_str(), name, "{method}");
        }
    }
}

//! The parts of an operation that decide what it does, to compare two versions of a service.

use std::collections::{BTreeMap, BTreeSet};

use apollo_parser::{
    Parser,
    cst::{self, CstNode},
};

use super::syntax::{DEEPEST, MOST_TOKENS};

/// The parts of the text of a GraphQL operation that decide what it does. The choice of further fields without
/// arguments is none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationEffects {
    /// The fields of the root, the fixed arguments and the directives, each with its path:
    /// `mutation.closeTicket(notify: true)`.
    pub fixed: BTreeSet<String>,
    /// The places that each variable is sent to: `mutation.closeTicket(id:)`.
    pub variables: BTreeMap<String, BTreeSet<String>>,
}

impl OperationEffects {
    /// Reads the text of an operation and its fragments. A text that is no GraphQL has none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let parser = Parser::new(text);
        let tree = parser
            .recursion_limit(DEEPEST)
            .token_limit(MOST_TOKENS)
            .parse();
        let mut effects = Self::default();
        for definition in tree.document().definitions() {
            let (path, is_root, set) = match definition {
                cst::Definition::OperationDefinition(operation) => {
                    let kind = operation.operation_type();
                    let kind = kind.map_or_else(|| "query".to_owned(), |kind| source(&kind));
                    (kind, true, operation.selection_set())
                }
                cst::Definition::FragmentDefinition(fragment) => {
                    let name = fragment.fragment_name().map(|name| source(&name));
                    let path = format!("fragment {}", name.unwrap_or_default());
                    (path, false, fragment.selection_set())
                }
                _ => continue,
            };
            let mut open: Vec<_> = set.map(|set| (path, is_root, set)).into_iter().collect();
            while let Some((path, is_root, set)) = open.pop() {
                for selection in set.selections() {
                    open.extend(effects.add(&path, is_root, &selection));
                }
            }
        }
        effects
    }

    /// Adds a selection, and returns the one within it.
    fn add(
        &mut self,
        path: &str,
        is_root: bool,
        selection: &cst::Selection,
    ) -> Option<(String, bool, cst::SelectionSet)> {
        match selection {
            cst::Selection::Field(field) => {
                let name = field.name().map(|name| source(&name)).unwrap_or_default();
                let path = format!("{path}.{name}");
                if is_root {
                    self.fixed.insert(path.clone());
                }
                self.add_arguments(&path, field.arguments());
                self.add_directives(&path, field.directives());
                field.selection_set().map(|set| (path, false, set))
            }
            cst::Selection::FragmentSpread(spread) => {
                let name = spread.fragment_name().map(|name| source(&name));
                let path = format!("{path}...{}", name.unwrap_or_default());
                if is_root {
                    self.fixed.insert(path.clone());
                }
                self.add_directives(&path, spread.directives());
                None
            }
            cst::Selection::InlineFragment(inline) => {
                self.add_directives(&format!("{path}..."), inline.directives());
                let set = inline.selection_set()?;
                Some((path.to_owned(), is_root, set))
            }
        }
    }

    fn add_directives(&mut self, path: &str, directives: Option<cst::Directives>) {
        for directive in directives.iter().flat_map(cst::Directives::directives) {
            let name = directive.name().map(|name| source(&name));
            let path = format!("{path}@{}", name.unwrap_or_default());
            self.fixed.insert(path.clone());
            self.add_arguments(&path, directive.arguments());
        }
    }

    fn add_arguments(&mut self, path: &str, arguments: Option<cst::Arguments>) {
        for argument in arguments.iter().flat_map(cst::Arguments::arguments) {
            let name = argument.name().map(|name| source(&name));
            let name = name.unwrap_or_default();
            match argument.value() {
                Some(cst::Value::Variable(variable)) => {
                    let variable = source(&variable);
                    let places = self.variables.entry(variable).or_default();
                    places.insert(format!("{path}({name}:)"));
                }
                value => {
                    let value = value.map(|value| source(&value)).unwrap_or_default();
                    self.fixed.insert(format!("{path}({name}: {value})"));
                }
            }
        }
    }
}

/// Returns the text of a node on one line.
fn source(node: &impl CstNode) -> String {
    let text = node.source_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_fields_are_no_effect() {
        let short = OperationEffects::of("query A($id: ID!) { item(id: $id) { id } }");
        let long = OperationEffects::of(
            "query A($id: ID!) { item(id: $id) { id name owner { ... on Person { id } } } }",
        );
        assert_eq!(short, long);
        assert_eq!(short.fixed, ["query.item".to_owned()].into());
        assert!(short.variables["$id"].contains("query.item(id:)"));
    }

    #[test]
    fn other_fields_of_the_root_arguments_and_directives_are_effects() {
        let text = "mutation A($a: ID!, $b: ID!) { move(from: $a, to: $b, force: false) { ...Part } } \
                    fragment Part on Item { id @skip(if: true) tags(first: 5) }";
        let effects = OperationEffects::of(text);
        for (from, to) in [
            ("move(", "remove("),
            ("force: false", "force: true"),
            ("from: $a, to: $b", "from: $b, to: $a"),
            ("@skip(if: true)", ""),
            ("first: 5", "first: 500"),
            ("mutation", "query"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(effects, OperationEffects::of(&changed), "{changed}");
        }
    }

    #[test]
    fn garbage_is_bounded_and_has_no_effect() {
        for text in ["", "{{{{", "query {", &"{a".repeat(100_000), "é\u{0}"] {
            let _ = OperationEffects::of(text);
        }
    }
}

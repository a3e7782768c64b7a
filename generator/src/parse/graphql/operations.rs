//! Files with written operations: each becomes a tool, with its variables as arguments.

use apollo_parser::cst::{self, CstNode};
use indexmap::IndexMap;

use super::{
    arrange::{ERRORS, OperationFile, result},
    collect::{Collector, Fragments},
    inputs::Values,
    model::InputValue,
    nodes::{boolean, object, text},
    syntax::{Syntax, constant},
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
    tree::{Field, Fields, Node},
};

/// The most operations of the files of one service.
const MOST_OPERATIONS: usize = 5_000;

/// A file, parsed.
pub(super) struct File {
    pub(super) syntax: Syntax,
    text: String,
}

impl File {
    /// Returns the beginning of a node, for diagnostics about the whole of it.
    pub(super) fn start_of(&self, node: &impl CstNode) -> Place {
        let place = self.syntax.place(node);
        Place {
            end: place.start.saturating_add(1),
            ..place
        }
    }

    fn source_of(&self, node: &impl CstNode) -> &str {
        let place = self.syntax.place(node);
        let text = self.text.get(place.start as usize..place.end as usize);
        text.unwrap_or_default().trim_end()
    }

    /// Returns the comment above a node.
    fn comment_above(&self, node: &impl CstNode) -> Option<String> {
        let place = self.syntax.place(node);
        let above = self.text.get(..place.start as usize)?;
        let mut lines = Vec::new();
        for line in above.trim_end().lines().rev() {
            match line.trim().strip_prefix('#') {
                Some(text) => lines.push(text.trim()),
                None => break,
            }
        }
        lines.reverse();
        let text = lines.join("\n");
        (!text.trim().is_empty()).then_some(text)
    }
}

/// Reads the operations of files. Returns the entries of queries and of mutations.
pub(super) fn read(
    files: &[OperationFile],
    values: &Values<'_>,
    diagnostics: &mut Diagnostics,
) -> [Fields; 2] {
    let mut entries = [Fields::default(), Fields::default()];
    let parsed = files.iter().map(|file| File {
        syntax: Syntax::parse(file.source, &file.text, diagnostics),
        text: file.text.clone(),
    });
    let parsed: Vec<File> = parsed.collect();
    let sound = parsed.iter().filter(|file| !file.syntax.has_faults());
    let sound: Vec<&File> = sound.collect();
    let fragments = fragments(&sound, diagnostics);
    let mut names: IndexMap<String, Place> = IndexMap::new();
    for file in sound {
        for definition in file.syntax.definitions() {
            let operation = match definition {
                cst::Definition::OperationDefinition(operation) => operation,
                cst::Definition::FragmentDefinition(_) => continue,
                definition => {
                    let place = file.start_of(&definition);
                    let message = "a file with operations contains no types";
                    diagnostics.report(
                        Diagnostic::error(Code::NotASpecification, place, message)
                            .help("move the definition to the schema"),
                    );
                    continue;
                }
            };
            let Some((name, place)) = named(file, &operation, &names, diagnostics) else {
                continue;
            };
            names.insert(name.clone(), place);
            let reader = OperationReader {
                file,
                values,
                fragments: &fragments,
            };
            if let Some((index, node)) = reader.read(&operation, place, diagnostics)
                && let Some(section) = entries.get_mut(index)
            {
                section.insert(name, Field { key: place, node });
            }
        }
    }
    entries
}

/// Returns the name of an operation, if it can have one of its own.
fn named(
    file: &File,
    operation: &cst::OperationDefinition,
    names: &IndexMap<String, Place>,
    diagnostics: &mut Diagnostics,
) -> Option<(String, Place)> {
    let Some((name, place)) = file.syntax.name(operation.name()) else {
        let message = "this operation has no name";
        diagnostics.report(
            Diagnostic::error(Code::Missing, file.start_of(operation), message)
                .help("write its name after `query` or `mutation`: the tool is named by it"),
        );
        return None;
    };
    if names.len() >= MOST_OPERATIONS {
        let message = format!("the files have more than {MOST_OPERATIONS} operations");
        diagnostics.report(Diagnostic::error(Code::TooDeep, place, message));
        return None;
    }
    if let Some(first) = names.get(&name) {
        let message = format!("the operation `{name}` is defined twice");
        diagnostics.report(
            Diagnostic::error(Code::DuplicateKey, place, message)
                .also(*first, "the first definition"),
        );
        return None;
    }
    Some((name, place))
}

fn fragments<'f>(files: &[&'f File], diagnostics: &mut Diagnostics) -> Fragments<'f> {
    let mut fragments = Fragments::new();
    for file in files {
        for definition in file.syntax.definitions() {
            let cst::Definition::FragmentDefinition(fragment) = definition else {
                continue;
            };
            let named = fragment.fragment_name().and_then(|name| name.name());
            let Some((name, place)) = file.syntax.name(named) else {
                continue;
            };
            if fragments.contains_key(&name) {
                let message = format!("the fragment `{name}` is defined twice");
                diagnostics.report(Diagnostic::error(Code::DuplicateKey, place, message));
                continue;
            }
            fragments.insert(name, (*file, fragment));
        }
    }
    fragments
}

struct OperationReader<'c, 's> {
    file: &'c File,
    values: &'c Values<'s>,
    fragments: &'c Fragments<'c>,
}

impl OperationReader<'_, '_> {
    /// Reads an operation: the number of its section, and its entry.
    fn read(
        &self,
        operation: &cst::OperationDefinition,
        place: Place,
        diagnostics: &mut Diagnostics,
    ) -> Option<(usize, Node)> {
        let schema = self.values.schema;
        let ty = operation.operation_type();
        let is = |token: fn(&cst::OperationType) -> bool| ty.as_ref().is_some_and(token);
        if is(|ty| ty.subscription_token().is_some()) {
            let message = "subscriptions are not offered as tools";
            diagnostics.report(
                Diagnostic::warning(Code::MethodNotOffered, place, message)
                    .note("a call has one result, and a subscription has no last one"),
            );
            return None;
        }
        let is_mutation = is(|ty| ty.mutation_token().is_some());
        let root = match is_mutation {
            true => &schema.mutation,
            false => &schema.query,
        };
        let Some(root) = root else {
            let message = "the schema has no operations of this type";
            diagnostics.report(Diagnostic::error(Code::UnresolvedReference, place, message));
            return None;
        };
        let arguments = self.variables(operation, diagnostics);
        let mut collector = Collector {
            values: self.values,
            fragments: self.fragments,
            diagnostics,
            used: Vec::new(),
            variables: Vec::new(),
            within: Vec::new(),
            count: 0,
            faulty: false,
        };
        let set = operation.selection_set()?;
        let fields = collector.fields(root, vec![(self.file, set)]);
        check_variables(&mut collector, &arguments);
        check_keys(&mut collector, &fields);
        if collector.faulty {
            return None;
        }
        let document = self.document(operation, &collector.used);
        let is_list = is_list(fields.as_slice());
        let values = fields.iter();
        let values =
            values.map(|(key, at, node, always)| (key.as_str(), *at, node.clone(), *always));
        let mut entry = vec![
            ("text", text(place, document)),
            ("list", boolean(place, is_list)),
            ("arguments", self.values.arguments(place, &arguments)),
            ("result", result(place, values.collect())),
        ];
        if let Some(comment) = self.file.comment_above(operation) {
            entry.push(("description", text(place, comment)));
        }
        Some((usize::from(is_mutation), object(place, entry)))
    }

    /// Returns the text of an operation and of the fragments that it uses.
    fn document(&self, operation: &cst::OperationDefinition, used: &[String]) -> String {
        let mut document = self.file.source_of(operation).to_owned();
        for name in used {
            if let Some((file, fragment)) = self.fragments.get(name) {
                document.push_str("\n\n");
                document.push_str(file.source_of(fragment));
            }
        }
        document
    }

    fn variables(
        &self,
        operation: &cst::OperationDefinition,
        diagnostics: &mut Diagnostics,
    ) -> IndexMap<String, InputValue> {
        let mut variables = IndexMap::new();
        let definitions = operation.variable_definitions().into_iter();
        for variable in definitions.flat_map(|all| all.variable_definitions()) {
            let named = variable.variable().and_then(|variable| variable.name());
            let (Some((name, place)), Some(ty)) = (
                self.file.syntax.name(named),
                self.file.syntax.type_ref(variable.ty()),
            ) else {
                continue;
            };
            let kind = self.values.schema.kind(&ty.name);
            if !kind.is_some_and(super::model::TypeKind::is_input) {
                let message = format!("`{}` is not a type of arguments", ty.name);
                diagnostics.report(Diagnostic::error(Code::WrongType, ty.place, message));
                continue;
            }
            let default = variable.default_value().and_then(|default| default.value());
            let value = InputValue {
                place,
                description: None,
                deprecated: false,
                ty,
                default: default.as_ref().map(constant),
            };
            variables.insert(name, value);
        }
        variables
    }
}

/// Reports variables that the operation uses and does not declare, and those that it declares only.
fn check_variables(collector: &mut Collector<'_, '_>, declared: &IndexMap<String, InputValue>) {
    let used = std::mem::take(&mut collector.variables);
    for (name, place) in &used {
        if !declared.contains_key(name) {
            let message = format!("the variable `${name}` is not declared");
            collector.report(
                Diagnostic::error(Code::UnresolvedReference, *place, message)
                    .help("declare it with its type after the name of the operation"),
            );
        }
    }
    for (name, value) in declared {
        if !used.iter().any(|(used, _)| used == name) {
            let message = format!("the variable `${name}` is not used");
            collector.report(
                Diagnostic::error(Code::UnknownValue, value.place, message)
                    .help("pass it to a field, or remove it"),
            );
        }
    }
}

/// Reports a field of the result with the key of the errors.
fn check_keys(collector: &mut Collector<'_, '_>, fields: &[(String, Place, Node, bool)]) {
    for (key, place, ..) in fields {
        if key == ERRORS {
            let message = format!("the key `{ERRORS}` holds the errors of a result");
            collector.report(
                Diagnostic::error(Code::UnknownValue, *place, message)
                    .help(format!("write an alias: `failures: {ERRORS}`")),
            );
        }
    }
}

/// Checks whether the result is a list, or a page of one.
fn is_list(fields: &[(String, Place, Node, bool)]) -> bool {
    let [(_, _, node, _)] = fields else {
        return false;
    };
    let is_array = |node: &Node| {
        let ty = node.get("type");
        ty.is_some_and(|ty| {
            ty.as_str() == Some("array") || ty.items().any(|word| word.as_str() == Some("array"))
        })
    };
    let variant = |node: &Node| node.get("anyOf")?.items().next().cloned();
    let node = variant(node).unwrap_or_else(|| node.clone());
    let has_page = |node: &Node| node.get("properties")?.get("pageInfo").map(drop);
    is_array(&node) || has_page(&node).is_some()
}

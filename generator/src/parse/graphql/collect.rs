//! The selections of written operations: their faults, and the schemas of their results.

use apollo_parser::cst;
use indexmap::IndexMap;

use super::{
    inputs::Values,
    model::{FieldDefinition, TypeKind},
    nodes::{self, array, object, text},
    operations::File,
    syntax::directive,
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
    tree::Node,
};

/// The most selections of one operation, with those of its fragments at each of their uses.
const MOST_SELECTIONS: usize = 20_000;

/// The most operations and fragments that a fragment may be within.
const DEEPEST: usize = 50;

/// The fragments of all files, by name.
pub(super) type Fragments<'f> = IndexMap<String, (&'f File, cst::FragmentDefinition)>;

/// Collects the fields of selections.
pub(super) struct Collector<'c, 's> {
    pub(super) values: &'c Values<'s>,
    pub(super) fragments: &'c Fragments<'c>,
    pub(super) diagnostics: &'c mut Diagnostics,
    /// The fragments that the operation uses.
    pub(super) used: Vec<String>,
    /// The variables that the operation uses, with their places.
    pub(super) variables: Vec<(String, Place)>,
    /// The fragments around the current selection.
    pub(super) within: Vec<String>,
    pub(super) count: usize,
    /// True if a fault was reported.
    pub(super) faulty: bool,
}

/// A field of a result, with the selections of all its occurrences.
struct Collected<'c, 's> {
    definition: Option<&'s FieldDefinition>,
    place: Place,
    sets: Vec<(&'c File, cst::SelectionSet)>,
    always: bool,
}

/// The fields of a result by their keys.
type Entries<'c, 's> = IndexMap<String, Collected<'c, 's>>;

impl<'c, 's> Collector<'c, 's> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.faulty = true;
        self.diagnostics.report(diagnostic);
    }

    /// Returns the fields of the selections of an object: their keys, places and schemas, and whether they
    /// are always there.
    pub(super) fn fields(
        &mut self,
        parent: &str,
        sets: Vec<(&'c File, cst::SelectionSet)>,
    ) -> Vec<(String, Place, Node, bool)> {
        let mut entries = Entries::new();
        for (file, set) in sets {
            self.collect(parent, parent, file, &set, true, &mut entries);
        }
        let mut fields = Vec::new();
        for (key, entry) in entries {
            let node = match entry.definition {
                Some(definition) => self.value(definition, entry.sets),
                None => self.typename(parent, entry.place),
            };
            fields.push((key, entry.place, node, entry.always));
        }
        fields
    }

    /// Returns the schema of a field.
    fn value(
        &mut self,
        definition: &FieldDefinition,
        sets: Vec<(&'c File, cst::SelectionSet)>,
    ) -> Node {
        let ty = &definition.ty;
        let inner = if sets.is_empty() {
            self.values.leaf(&ty.name, ty.place)
        } else {
            let fields = self.fields(&ty.name, sets);
            nodes::record(ty.place, fields)
        };
        let mut node = self.values.value(ty, |_, _| inner);
        if !ty.is_non_null() {
            node = nodes::nullable(node);
        }
        nodes::describe(&mut node, definition.description.as_ref());
        node
    }

    fn typename(&self, parent: &str, place: Place) -> Node {
        let possible = self.values.schema.possible(parent);
        if possible.is_empty() {
            return object(place, vec![("const", text(place, parent))]);
        }
        let names = possible.into_iter().map(|name| text(place, name)).collect();
        let listed = array(place, names);
        object(
            place,
            vec![("type", text(place, "string")), ("enum", listed)],
        )
    }

    /// Adds the fields of a selection of `ty` to those of a result of the type `parent`.
    fn collect(
        &mut self,
        parent: &str,
        ty: &str,
        file: &'c File,
        set: &cst::SelectionSet,
        always: bool,
        entries: &mut Entries<'c, 's>,
    ) {
        for selection in set.selections() {
            self.count += 1;
            if self.count > MOST_SELECTIONS {
                if self.count == MOST_SELECTIONS + 1 {
                    let place = file.start_of(set);
                    let message =
                        format!("this operation selects more than {MOST_SELECTIONS} fields");
                    self.report(Diagnostic::error(Code::TooDeep, place, message));
                }
                return;
            }
            match selection {
                cst::Selection::Field(field) => self.field(ty, file, &field, always, entries),
                cst::Selection::InlineFragment(inline) => {
                    let always = always && !is_conditional(inline.directives());
                    let named = inline.type_condition();
                    let named = named.and_then(|condition| condition.named_type()?.name());
                    let condition = file.syntax.name(named);
                    let Some(inner) = inline.selection_set() else {
                        continue;
                    };
                    match condition {
                        None => self.collect(parent, ty, file, &inner, always, entries),
                        Some((name, place)) => {
                            if self.is_composite(&name, place) {
                                let always = always && name == parent;
                                self.collect(parent, &name, file, &inner, always, entries);
                            }
                        }
                    }
                }
                cst::Selection::FragmentSpread(spread) => {
                    self.spread(parent, file, &spread, always, entries);
                }
            }
        }
    }

    fn spread(
        &mut self,
        parent: &str,
        file: &File,
        spread: &cst::FragmentSpread,
        always: bool,
        entries: &mut Entries<'c, 's>,
    ) {
        let named = spread.fragment_name().and_then(|name| name.name());
        let Some((name, place)) = file.syntax.name(named) else {
            return;
        };
        let Some((home, fragment)) = self.fragments.get(&name) else {
            let message = format!("the fragment `{name}` is not defined");
            self.report(
                Diagnostic::error(Code::UnresolvedReference, place, message)
                    .help("define it in one of the files with operations"),
            );
            return;
        };
        if self.within.contains(&name) || self.within.len() >= DEEPEST {
            let message = format!("the fragment `{name}` contains itself");
            self.report(Diagnostic::error(Code::CircularReference, place, message));
            return;
        }
        if !self.used.contains(&name) {
            self.used.push(name.clone());
        }
        let condition = fragment.type_condition();
        let condition = condition.and_then(|condition| condition.named_type()?.name());
        let (Some((ty, ty_place)), Some(set)) =
            (home.syntax.name(condition), fragment.selection_set())
        else {
            return;
        };
        if !self.is_composite(&ty, ty_place) {
            return;
        }
        let always = always && ty == parent && !is_conditional(spread.directives());
        self.within.push(name);
        self.collect(parent, &ty, home, &set, always, entries);
        self.within.pop();
    }

    fn is_composite(&mut self, name: &str, place: Place) -> bool {
        let kind = self.values.schema.kind(name);
        let is_composite = kind
            .is_some_and(|kind| kind.fields().is_some() || matches!(kind, TypeKind::Union { .. }));
        if !is_composite {
            let message = format!("the schema has no object, interface or union `{name}`");
            self.report(Diagnostic::error(Code::UnresolvedReference, place, message));
        }
        is_composite
    }

    fn field(
        &mut self,
        ty: &str,
        file: &'c File,
        field: &cst::Field,
        always: bool,
        entries: &mut Entries<'c, 's>,
    ) {
        let Some((name, place)) = file.syntax.name(field.name()) else {
            return;
        };
        let alias = field.alias().and_then(|alias| alias.name());
        let key = file.syntax.name(alias).map_or(name.clone(), |(key, _)| key);
        let always = always && !is_conditional(field.directives());
        self.directive_variables(file, field.directives());
        let definition = if name == "__typename" {
            None
        } else {
            let schema = self.values.schema;
            let Some(definition) = schema.fields(ty).and_then(|fields| fields.get(&name)) else {
                self.unknown_field(ty, &name, place);
                return;
            };
            self.arguments(file, field, &name, place, definition);
            Some(definition)
        };
        let set = field.selection_set();
        if let Some(definition) = definition {
            let is_leaf = self.values.schema.is_leaf(&definition.ty.name);
            if is_leaf == set.is_some() {
                let message = match is_leaf {
                    true => format!("`{name}` has no fields to select"),
                    false => format!("`{name}` is an object, and no field of it is selected"),
                };
                self.report(Diagnostic::error(Code::WrongType, place, message));
                return;
            }
        }
        let entry = entries.entry(key).or_insert_with(|| Collected {
            definition,
            place,
            sets: Vec::new(),
            always,
        });
        entry.always |= always;
        entry.sets.extend(set.map(|set| (file, set)));
    }

    fn unknown_field(&mut self, ty: &str, name: &str, place: Place) {
        let message = format!("`{ty}` has no field `{name}`");
        let fault = Diagnostic::error(Code::UnknownValue, place, message);
        let fields = self.values.schema.fields(ty).into_iter().flatten();
        let names = fields.map(|(name, _)| name.as_str());
        let similar = toolwright_model::most_similar(name, names);
        self.report(match similar {
            Some(similar) => fault.help(format!("a similar name exists: `{similar}`")),
            None => fault.help("select a field of the schema"),
        });
    }

    fn arguments(
        &mut self,
        file: &File,
        field: &cst::Field,
        name: &str,
        place: Place,
        definition: &FieldDefinition,
    ) {
        let mut given = Vec::new();
        let arguments = field.arguments().into_iter();
        for argument in arguments.flat_map(|arguments| arguments.arguments()) {
            if let Some(value) = argument.value() {
                self.value_variables(file, &value);
            }
            let Some((argument, place)) = file.syntax.name(argument.name()) else {
                continue;
            };
            if !definition.arguments.contains_key(&argument) {
                let message = format!("`{name}` has no argument `{argument}`");
                self.report(Diagnostic::error(Code::UnknownValue, place, message));
            }
            given.push(argument);
        }
        for (argument, value) in &definition.arguments {
            if value.is_required() && !given.contains(argument) {
                let message = format!("`{name}` requires the argument `{argument}`");
                self.report(Diagnostic::error(Code::Missing, place, message));
            }
        }
    }

    fn directive_variables(&mut self, file: &File, directives: Option<cst::Directives>) {
        let directives = directives.into_iter().flat_map(|all| all.directives());
        let arguments = directives.filter_map(|directive| directive.arguments());
        for argument in arguments.flat_map(|all| all.arguments()) {
            if let Some(value) = argument.value() {
                self.value_variables(file, &value);
            }
        }
    }

    /// Records the variables of a value. The parser limits its nesting.
    fn value_variables(&mut self, file: &File, value: &cst::Value) {
        match value {
            cst::Value::Variable(variable) => {
                self.variables.extend(file.syntax.name(variable.name()));
            }
            cst::Value::ListValue(list) => {
                for item in list.values() {
                    self.value_variables(file, &item);
                }
            }
            cst::Value::ObjectValue(fields) => {
                for value in fields.object_fields().filter_map(|field| field.value()) {
                    self.value_variables(file, &value);
                }
            }
            _ => {}
        }
    }
}

/// Checks whether a directive decides at run time if a selection counts.
fn is_conditional(directives: Option<cst::Directives>) -> bool {
    let skip = directive(directives.clone(), "skip");
    skip.is_some() || directive(directives, "include").is_some()
}

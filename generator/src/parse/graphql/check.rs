//! Faults of a schema beyond its syntax.

use std::collections::BTreeSet;

use super::{
    model::{InputValue, Schema, TypeKind, TypeRef},
    settings::GraphqlSettings,
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
};

/// The most faults of one kind that are reported.
const MOST_FAULTS: usize = 100;

/// Checks a schema. Reports every fault, and returns false if no operation can be read.
pub(super) fn check(schema: &Schema, diagnostics: &mut Diagnostics) -> bool {
    let mut checker = Checker {
        schema,
        faults: 0,
        diagnostics,
    };
    let sound = checker.roots();
    checker.references();
    checker.cycles();
    sound
}

/// Reports scalars of the overlay that the schema does not define.
pub(super) fn scalars(schema: &Schema, settings: &GraphqlSettings, diagnostics: &mut Diagnostics) {
    for (name, _) in &settings.scalars {
        let is_scalar = matches!(schema.kind(&name.value), Some(TypeKind::Scalar));
        if !is_scalar {
            let message = format!("the schema has no scalar `{}`", name.value);
            diagnostics.report(
                Diagnostic::error(Code::UnmatchedOverlay, name.place, message)
                    .help("write the name of a scalar, or remove the line"),
            );
        }
    }
}

struct Checker<'s, 'd> {
    schema: &'s Schema,
    faults: usize,
    diagnostics: &'d mut Diagnostics,
}

impl Checker<'_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.faults += 1;
        if self.faults <= MOST_FAULTS {
            self.diagnostics.report(diagnostic);
        }
    }

    fn roots(&mut self) -> bool {
        let schema = self.schema;
        let start = Place::start_of(schema.place.source);
        if schema.query.is_none() && schema.mutation.is_none() {
            self.report(
                Diagnostic::error(
                    Code::NotASpecification,
                    start,
                    "this schema has neither queries nor mutations",
                )
                .help("define `type Query`, or name the types of operations in `schema { … }`"),
            );
            return false;
        }
        let mut sound = true;
        for name in [&schema.query, &schema.mutation].into_iter().flatten() {
            match schema.types.get(name) {
                Some(definition) => {
                    if !matches!(definition.kind, TypeKind::Object { .. }) {
                        sound = false;
                        let kind = definition.kind.word();
                        let message = format!("operations need an object, and `{name}` is {kind}");
                        self.report(Diagnostic::error(
                            Code::WrongType,
                            definition.place,
                            message,
                        ));
                    }
                }
                None => {
                    sound = false;
                    let message = format!(
                        "the schema names `{name}` as a type of operations, and does not define it"
                    );
                    self.report(
                        Diagnostic::error(Code::UnresolvedReference, start, message)
                            .help(format!("define `type {name}`")),
                    );
                }
            }
        }
        sound
    }

    fn references(&mut self) {
        let schema = self.schema;
        for definition in schema.types.values() {
            match &definition.kind {
                TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                    for field in fields.values() {
                        self.reference(&field.ty, false);
                        for argument in field.arguments.values() {
                            self.reference(&argument.ty, true);
                        }
                    }
                }
                TypeKind::Input { fields, .. } => {
                    for field in fields.values() {
                        self.reference(&field.ty, true);
                    }
                }
                TypeKind::Union { members } => {
                    for (member, place) in members {
                        match schema.kind(member) {
                            Some(TypeKind::Object { .. }) => {}
                            Some(kind) => {
                                let kind = kind.word();
                                let message =
                                    format!("a union has objects, and `{member}` is {kind}");
                                let fault = Diagnostic::error(Code::WrongType, *place, message);
                                self.report(fault);
                            }
                            None => self.unknown(member, *place),
                        }
                    }
                }
                TypeKind::Scalar | TypeKind::Enum { .. } => {}
            }
        }
    }

    fn reference(&mut self, ty: &TypeRef, is_input: bool) {
        let Some(kind) = self.schema.kind(&ty.name) else {
            return self.unknown(&ty.name, ty.place);
        };
        let fits = match is_input {
            true => kind.is_input(),
            false => !matches!(kind, TypeKind::Input { .. }),
        };
        if !fits {
            let (name, kind) = (&ty.name, kind.word());
            let what = if is_input { "an argument" } else { "a result" };
            let message = format!("`{name}` is {kind}, which cannot be {what}");
            self.report(Diagnostic::error(Code::WrongType, ty.place, message));
        }
    }

    fn unknown(&mut self, name: &str, place: Place) {
        let message = format!("the type `{name}` is not defined");
        let similar = self.schema.types.keys().map(String::as_str);
        // Comparing with every type is too much for a schema with many faults.
        let similar = (self.faults < 5)
            .then(|| toolwright_model::most_similar(name, similar))
            .flatten();
        let diagnostic = Diagnostic::error(Code::UnresolvedReference, place, message);
        self.report(match similar {
            Some(similar) => diagnostic.help(format!("a similar name exists: `{similar}`")),
            None => diagnostic.help("define it, or fix the name"),
        });
    }

    /// Reports input objects that need themselves: no value of them ends.
    fn cycles(&mut self) {
        let schema = self.schema;
        let mut sound: BTreeSet<&str> = BTreeSet::new();
        for (name, definition) in &schema.types {
            let mut path: Vec<&str> = Vec::new();
            let mut current = name.as_str();
            // Each input object has one way that is followed: its first required field.
            while !sound.contains(current) && !path.contains(&current) {
                path.push(current);
                match needed(schema, current) {
                    Some(next) => current = next,
                    None => break,
                }
            }
            if path.first() == Some(&current)
                && needed(schema, current).is_some()
                && !sound.contains(current)
            {
                let message = format!("the input object `{name}` requires itself");
                self.report(
                    Diagnostic::error(Code::CircularReference, definition.place, message)
                        .help("allow null for one of the fields of the cycle"),
                );
            }
            sound.extend(path);
        }
    }
}

/// Returns the input object that an input object cannot do without.
fn needed<'s>(schema: &'s Schema, name: &str) -> Option<&'s str> {
    let Some(TypeKind::Input { fields, one_of }) = schema.kind(name) else {
        return None;
    };
    let mut required = fields.values().filter(|field| needs_object(schema, field));
    let first = required.next().filter(|_| !one_of)?;
    Some(first.ty.name.as_str())
}

fn needs_object(schema: &Schema, field: &InputValue) -> bool {
    let is_object = matches!(schema.kind(&field.ty.name), Some(TypeKind::Input { .. }));
    field.is_required() && !field.ty.is_list() && is_object
}

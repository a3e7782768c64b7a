//! Schemas in the definition language: `schema.graphql`.

use apollo_parser::cst;
use indexmap::{IndexMap, map::Entry};

use super::{
    model::{FieldDefinition, InputValue, ListedValue, Schema, TypeDefinition, TypeKind},
    syntax::{Syntax, constant, described, directive},
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

/// Reads a schema. Reports every fault, and returns `None` if the syntax has one.
pub(super) fn read(source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<Schema> {
    let syntax = Syntax::parse(source, text, diagnostics);
    if syntax.has_faults() {
        return None;
    }
    let mut reader = SdlReader {
        schema: Schema::new(Place::new(source, 0, text.len())),
        syntax: &syntax,
        diagnostics,
    };
    let mut extensions = Vec::new();
    let mut defines_roots = false;
    for definition in syntax.definitions() {
        match definition {
            cst::Definition::SchemaDefinition(schema) => {
                defines_roots = true;
                reader.schema.description = described(schema.description());
                reader.roots(schema.root_operation_type_definitions());
            }
            cst::Definition::SchemaExtension(schema) => {
                reader.roots(schema.root_operation_type_definitions());
            }
            definition if definition.is_extension_definition() => extensions.push(definition),
            definition if definition.is_executable_definition() => reader.executable(&definition),
            definition => reader.definition(definition),
        }
    }
    for extension in extensions {
        reader.extension(extension);
    }
    let mut schema = reader.schema;
    if !defines_roots {
        schema.name_roots();
    }
    Some(schema)
}

struct SdlReader<'s, 'd> {
    schema: Schema,
    syntax: &'s Syntax,
    diagnostics: &'d mut Diagnostics,
}

impl SdlReader<'_, '_> {
    fn roots(&mut self, roots: impl Iterator<Item = cst::RootOperationTypeDefinition>) {
        for root in roots {
            let named = root.named_type().and_then(|named| named.name());
            let name = self.syntax.name(named).map(|(name, _)| name);
            let Some(operation) = root.operation_type() else {
                continue;
            };
            let slot = if operation.mutation_token().is_some() {
                &mut self.schema.mutation
            } else if operation.subscription_token().is_some() {
                &mut self.schema.subscription
            } else {
                &mut self.schema.query
            };
            *slot = name;
        }
    }

    fn executable(&mut self, definition: &cst::Definition) {
        let place = match definition {
            cst::Definition::OperationDefinition(operation) => self.syntax.place(operation),
            cst::Definition::FragmentDefinition(fragment) => self.syntax.place(fragment),
            _ => return,
        };
        let place = Place {
            end: place.start,
            ..place
        };
        self.diagnostics.report(
            Diagnostic::error(
                Code::NotASpecification,
                place,
                "a schema contains no operations and no fragments",
            )
            .help(
                "move it to a file of its own, and name that file under `[graphql]` of the overlay",
            ),
        );
    }

    fn definition(&mut self, definition: cst::Definition) {
        let name = self.syntax.name(definition.name());
        let (description, kind) = match definition {
            cst::Definition::ScalarTypeDefinition(scalar) => {
                (described(scalar.description()), TypeKind::Scalar)
            }
            cst::Definition::ObjectTypeDefinition(object) => (
                described(object.description()),
                TypeKind::Object {
                    fields: self.fields(object.fields_definition()),
                    interfaces: self.interfaces(object.implements_interfaces()),
                },
            ),
            cst::Definition::InterfaceTypeDefinition(interface) => (
                described(interface.description()),
                TypeKind::Interface {
                    fields: self.fields(interface.fields_definition()),
                    interfaces: self.interfaces(interface.implements_interfaces()),
                },
            ),
            cst::Definition::UnionTypeDefinition(union) => (
                described(union.description()),
                TypeKind::Union {
                    members: self.members(union.union_member_types()),
                },
            ),
            cst::Definition::EnumTypeDefinition(listed) => (
                described(listed.description()),
                TypeKind::Enum {
                    values: self.values(listed.enum_values_definition()),
                },
            ),
            cst::Definition::InputObjectTypeDefinition(input) => (
                described(input.description()),
                TypeKind::Input {
                    one_of: directive(input.directives(), "oneOf").is_some(),
                    fields: self.input_fields(input.input_fields_definition()),
                },
            ),
            _ => return,
        };
        let Some((name, place)) = name else {
            return;
        };
        let definition = TypeDefinition {
            place,
            description,
            kind,
        };
        match self.schema.types.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(definition);
            }
            Entry::Occupied(entry) => {
                let (name, first) = (entry.key().clone(), entry.get().place);
                self.twice("type", &name, place, first);
            }
        }
    }

    /// Reads the parts that an extension adds.
    fn further_parts(&mut self, extension: cst::Definition) -> Option<TypeKind> {
        Some(match extension {
            cst::Definition::ObjectTypeExtension(object) => TypeKind::Object {
                fields: self.fields(object.fields_definition()),
                interfaces: self.interfaces(object.implements_interfaces()),
            },
            cst::Definition::InterfaceTypeExtension(interface) => TypeKind::Interface {
                fields: self.fields(interface.fields_definition()),
                interfaces: self.interfaces(interface.implements_interfaces()),
            },
            cst::Definition::UnionTypeExtension(union) => TypeKind::Union {
                members: self.members(union.union_member_types()),
            },
            cst::Definition::EnumTypeExtension(listed) => TypeKind::Enum {
                values: self.values(listed.enum_values_definition()),
            },
            cst::Definition::InputObjectTypeExtension(input) => TypeKind::Input {
                fields: self.input_fields(input.input_fields_definition()),
                one_of: false,
            },
            _ => return None,
        })
    }

    fn extension(&mut self, extension: cst::Definition) {
        let Some((name, place)) = self.syntax.name(extension.name()) else {
            return;
        };
        let Some(mut more) = self.further_parts(extension) else {
            return;
        };
        let Some(known) = self.schema.types.get_mut(&name) else {
            // Parts of a supergraph extend types that another part defines.
            let definition = TypeDefinition {
                place,
                description: None,
                kind: more,
            };
            self.schema.types.insert(name, definition);
            return;
        };
        match (&mut known.kind, &mut more) {
            (
                TypeKind::Object { fields, interfaces },
                TypeKind::Object {
                    fields: more,
                    interfaces: others,
                },
            )
            | (
                TypeKind::Interface { fields, interfaces },
                TypeKind::Interface {
                    fields: more,
                    interfaces: others,
                },
            ) => {
                fields.extend(std::mem::take(more));
                interfaces.append(others);
            }
            (TypeKind::Union { members }, TypeKind::Union { members: more }) => {
                members.append(more)
            }
            (TypeKind::Enum { values }, TypeKind::Enum { values: more }) => values.append(more),
            (TypeKind::Input { fields, .. }, TypeKind::Input { fields: more, .. }) => {
                fields.extend(std::mem::take(more));
            }
            (kind, _) => {
                let message = format!("this extends `{name}`, which is {}", kind.word());
                let fault = Diagnostic::error(Code::WrongType, place, message);
                self.diagnostics
                    .report(fault.also(known.place, "its definition"));
            }
        }
    }

    fn fields(
        &mut self,
        fields: Option<cst::FieldsDefinition>,
    ) -> IndexMap<String, FieldDefinition> {
        let mut read = IndexMap::new();
        for field in fields.into_iter().flat_map(|all| all.field_definitions()) {
            let (Some((name, place)), Some(ty)) = (
                self.syntax.name(field.name()),
                self.syntax.type_ref(field.ty()),
            ) else {
                continue;
            };
            let arguments = field.arguments_definition();
            let arguments = arguments.map(|all| all.input_value_definitions());
            let definition = FieldDefinition {
                place,
                description: described(field.description()),
                deprecated: directive(field.directives(), "deprecated").is_some(),
                arguments: self.input_values(arguments.into_iter().flatten()),
                ty,
            };
            self.insert("field", &mut read, name, place, definition, |one| one.place);
        }
        read
    }

    fn input_fields(
        &mut self,
        fields: Option<cst::InputFieldsDefinition>,
    ) -> IndexMap<String, InputValue> {
        let fields = fields.map(|all| all.input_value_definitions());
        self.input_values(fields.into_iter().flatten())
    }

    fn input_values(
        &mut self,
        values: impl Iterator<Item = cst::InputValueDefinition>,
    ) -> IndexMap<String, InputValue> {
        let mut read = IndexMap::new();
        for value in values {
            let (Some((name, place)), Some(ty)) = (
                self.syntax.name(value.name()),
                self.syntax.type_ref(value.ty()),
            ) else {
                continue;
            };
            let default = value.default_value().and_then(|default| default.value());
            let definition = InputValue {
                place,
                description: described(value.description()),
                deprecated: directive(value.directives(), "deprecated").is_some(),
                ty,
                default: default.as_ref().map(constant),
            };
            self.insert("argument", &mut read, name, place, definition, |one| {
                one.place
            });
        }
        read
    }

    fn insert<T>(
        &mut self,
        what: &str,
        all: &mut IndexMap<String, T>,
        name: String,
        place: Place,
        value: T,
        place_of: impl Fn(&T) -> Place,
    ) {
        if let Some(first) = all.get(&name) {
            self.twice(what, &name, place, place_of(first));
            return;
        }
        all.insert(name, value);
    }

    fn interfaces(&self, interfaces: Option<cst::ImplementsInterfaces>) -> Vec<String> {
        let named = interfaces.into_iter().flat_map(|all| all.named_types());
        let names = named.filter_map(|named| self.syntax.name(named.name()));
        names.map(|(name, _)| name).collect()
    }

    fn members(&self, members: Option<cst::UnionMemberTypes>) -> Vec<(String, Place)> {
        let named = members.into_iter().flat_map(|all| all.named_types());
        named
            .filter_map(|named| self.syntax.name(named.name()))
            .collect()
    }

    fn values(&mut self, values: Option<cst::EnumValuesDefinition>) -> Vec<ListedValue> {
        let values = values
            .into_iter()
            .flat_map(|all| all.enum_value_definitions());
        let values = values.filter_map(|value| {
            let (name, place) = self.syntax.name(value.enum_value()?.name())?;
            Some(ListedValue { name, place })
        });
        values.collect()
    }

    fn twice(&mut self, what: &str, name: &str, place: Place, first: Place) {
        let message = format!("the {what} `{name}` is defined twice");
        self.diagnostics.report(
            Diagnostic::warning(Code::DuplicateKey, place, message)
                .label("this definition is ignored")
                .also(first, "this definition is used")
                .help("remove one of the two"),
        );
    }
}

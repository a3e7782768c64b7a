//! The tree of a document: an entry for each operation that becomes a tool, and the definitions that
//! their schemas refer to.

use indexmap::IndexMap;

use super::{
    MARK, VERSION, check,
    inputs::Values,
    introspection,
    model::{FieldDefinition, InputValue, Schema},
    nodes::{self, boolean, object, text},
    operations, sdl,
    select::{Connection, Selections},
    settings::GraphqlSettings,
};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::{Place, SourceId},
        tree::{Field, Fields, Node},
    },
    language::capitalised,
};

/// The definition of an error in a result. No type of a schema can have this name.
const ERROR: &str = "graphql-error";

/// The key of the errors of a result that is only a part.
pub(super) const ERRORS: &str = "errors";

/// A file with operations.
pub(crate) struct OperationFile {
    /// The source.
    pub(crate) source: SourceId,
    /// Its text.
    pub(crate) text: String,
}

/// Replaces the tree of a GraphQL schema by that of its operations. Other trees stay as they are.
pub(crate) fn arrange(
    root: &mut Node,
    settings: &GraphqlSettings,
    files: &[OperationFile],
    diagnostics: &mut Diagnostics,
) {
    let place = root.place;
    let text = root.get(super::SDL).filter(|text| text.place == place);
    let schema = if let Some(text) = text.and_then(Node::as_str) {
        sdl::read(place.source, text, diagnostics)
    } else if introspection::find(root).is_some() {
        introspection::read(root, diagnostics)
    } else {
        return;
    };
    let schema = schema.and_then(|mut schema| {
        schema.index();
        check::check(&schema, diagnostics).then_some(schema)
    });
    *root = match schema {
        Some(schema) => arranged(&schema, settings, files, diagnostics),
        None => object(place, vec![(MARK, boolean(place, false))]),
    };
}

fn arranged(
    schema: &Schema,
    settings: &GraphqlSettings,
    files: &[OperationFile],
    diagnostics: &mut Diagnostics,
) -> Node {
    let place = schema.place;
    let scalars = settings.scalar_types();
    let values = Values {
        schema,
        scalars: &scalars,
    };
    check::scalars(schema, settings, diagnostics);
    let definitions = values.definitions();
    let mut selections = Selections::new(values, settings.depth(), definitions);
    let mut sections = vec![(MARK, text(place, VERSION))];
    let [query, mutation] = if settings.operations.is_empty() {
        let mut of = |root, name: &Option<String>| {
            let fields = name.as_ref().and_then(|name| schema.fields(name));
            let operations = fields.into_iter().flatten().map(|(name, field)| {
                let key = field.place;
                let node = operation(schema, root, name, field, &mut selections);
                (name.clone(), Field { key, node })
            });
            operations.collect::<Fields>()
        };
        [of("query", &schema.query), of("mutation", &schema.mutation)]
    } else {
        operations::read(files, &selections.values, diagnostics)
    };
    sections.push(("query", nodes::keyed(place, query)));
    sections.push(("mutation", nodes::keyed(place, mutation)));
    if selections.is_spent() {
        diagnostics.report(
            Diagnostic::warning(
                Code::UntypedSchema,
                Place::start_of(place.source),
                "the schema is so large that results have fewer fields",
            )
            .help("name files with operations under `[graphql]` of the overlay"),
        );
    }
    subscriptions(schema, diagnostics);
    let mut definitions = selections.definitions;
    let node = error(place);
    definitions.insert(ERROR.to_owned(), Field { key: place, node });
    sections.push(("$defs", nodes::keyed(place, definitions)));
    object(place, sections)
}

/// Returns the entry of a field of an operation type.
fn operation<'s>(
    schema: &Schema,
    root: &str,
    name: &str,
    field: &'s FieldDefinition,
    selections: &mut Selections<'s>,
) -> Node {
    let place = field.place;
    let selected = selections.root(field, root == "mutation");
    let arguments = selections.values.arguments(place, &field.arguments);
    let offered = field.arguments.iter();
    let offered: IndexMap<&String, &InputValue> = offered
        .filter(|(_, value)| value.is_required() || !value.deprecated)
        .collect();
    // A key of the result that the errors have is renamed.
    let (key, alias) = match name {
        ERRORS => ("result", "result: "),
        name => (name, ""),
    };
    let (declared, passed) = variables(&offered);
    let title = capitalised(name);
    let document = format!(
        "{root} {title}{declared} {{ {alias}{name}{passed}{} }}",
        selected.text
    );
    let mut value = selected.node;
    if !field.ty.is_non_null() {
        value = nodes::nullable(value);
    }
    nodes::describe(&mut value, field.description.as_ref());
    let is_page = Connection::find(schema, &field.ty.name).is_some();
    let mut fields = vec![
        ("text", text(place, document)),
        ("type", text(place, &field.ty.name)),
        ("list", boolean(place, is_page || field.ty.is_list())),
        ("deprecated", boolean(place, field.deprecated)),
        ("arguments", arguments),
        ("result", result(place, vec![(key, place, value, true)])),
    ];
    if let Some(description) = &field.description {
        fields.push(("description", text(place, description.trim())));
    }
    object(place, fields)
}

/// Returns the schema of the result of a tool: the values by their keys, and the errors if some are
/// missing.
pub(super) fn result(place: Place, values: Vec<(&str, Place, Node, bool)>) -> Node {
    let errors = object(
        place,
        vec![
            ("type", text(place, "array")),
            ("items", nodes::reference(place, ERROR)),
            (
                "description",
                text(place, "Why parts of the result are missing."),
            ),
        ],
    );
    let values = values.into_iter().chain([(ERRORS, place, errors, false)]);
    nodes::record(
        place,
        values.map(|(name, key, node, always)| (name.to_owned(), key, node, always)),
    )
}

/// Returns the declarations of variables, and the arguments that pass them.
fn variables(arguments: &IndexMap<&String, &InputValue>) -> (String, String) {
    if arguments.is_empty() {
        return (String::new(), String::new());
    }
    let declared: Vec<_> = arguments
        .iter()
        .map(|(name, value)| {
            // A variable without a value leaves the default of the argument in force.
            let mut ty = value.ty.to_string();
            if value.default.is_some() && ty.ends_with('!') {
                ty.pop();
            }
            format!("${name}: {ty}")
        })
        .collect();
    let passed: Vec<_> = arguments
        .keys()
        .map(|name| format!("{name}: ${name}"))
        .collect();
    (
        format!("({})", declared.join(", ")),
        format!("({})", passed.join(", ")),
    )
}

fn error(place: Place) -> Node {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "message": {"type": "string"},
            "path": {"type": "array", "description": "The place of the missing value in the result."},
            "code": {"type": "string"},
        },
        "required": ["message"],
    });
    nodes::value(place, &schema)
}

/// Reports that the fields of the subscription type do not become tools.
fn subscriptions(schema: &Schema, diagnostics: &mut Diagnostics) {
    let Some(name) = &schema.subscription else {
        return;
    };
    let Some(definition) = schema.types.get(name) else {
        return;
    };
    let count = schema.fields(name).map_or(0, IndexMap::len);
    let message = match count {
        1 => format!("the subscription of `{name}` is not offered as a tool"),
        _ => format!("the {count} subscriptions of `{name}` are not offered as tools"),
    };
    diagnostics.report(
        Diagnostic::warning(Code::MethodNotOffered, definition.place, message)
            .note("a call has one result, and a subscription has no last one"),
    );
}

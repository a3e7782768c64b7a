//! The parameters after the context, and the input schema that they make up.

use serde_json::{Map, Value, json};
use toolwright_schema::{Definitions, map_references, types};

/// The parameters of a function after its context.
#[derive(Debug)]
pub(super) enum Input {
    /// One value. The fields of an object are the arguments; any other value is the only argument.
    One(Argument),
    /// One value a parameter.
    Named(Vec<Argument>),
}

/// A parameter of a function.
#[derive(Debug)]
pub(super) struct Argument {
    /// The name; empty if the parameter is a pattern.
    name: &'static str,
    /// Its documentation; empty if there is none.
    description: &'static str,
    schema: Value,
    required: bool,
}

/// Returns a parameter of this schema. It is optional if it may be null.
pub(super) fn argument(name: &'static str, description: &'static str, schema: Value) -> Argument {
    Argument {
        name,
        description,
        required: !takes_null(&schema),
        schema,
    }
}

/// Returns whether a type of this schema takes null, such as `Option<_>`.
fn takes_null(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else {
        return schema == &Value::Bool(true);
    };
    let among = |keyword: &str, takes: &dyn Fn(&Value) -> bool| match schema.get(keyword) {
        Some(Value::Array(all)) => all.iter().any(takes),
        _ => false,
    };
    keywords.keys().all(|keyword| keyword == "description")
        || types(schema).any(|name| name == "null")
        || among("enum", &Value::is_null)
        || among("anyOf", &takes_null)
        || among("oneOf", &takes_null)
}

impl Input {
    /// Returns the schema of all arguments, and the name of the one that the function takes whole.
    pub(super) fn schema_of(input: Option<Self>) -> Result<(Value, Option<&'static str>), String> {
        match input {
            None => Ok((object_of(Vec::new()), None)),
            Some(Self::Named(arguments)) => Ok((object_of(arguments), None)),
            Some(Self::One(input)) if input.is_object() => {
                Ok((described(input.schema, input.description), None))
            }
            Some(Self::One(input)) if input.name.is_empty() => Err(
                "the input is not an object with the arguments as its fields; \
                 make it a struct with named fields, or give the parameter a name"
                    .to_owned(),
            ),
            Some(Self::One(argument)) => {
                let name = argument.name;
                Ok((object_of(vec![argument]), Some(name)))
            }
        }
    }
}

impl Argument {
    fn is_object(&self) -> bool {
        self.schema.get("type") == Some(&json!("object"))
    }
}

/// The schema of an object with these fields and no others.
fn object_of(arguments: Vec<Argument>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut definitions = Map::new();
    for argument in arguments {
        if argument.required {
            required.push(argument.name);
        }
        let schema = hoist_definitions(argument.schema, argument.name, &mut definitions);
        let schema = described(schema, argument.description);
        properties.insert(argument.name.to_owned(), schema);
    }
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let Value::Object(object) = &mut object {
        if required.is_empty() {
            object.remove("required");
        }
        if !definitions.is_empty() {
            object.insert("$defs".to_owned(), definitions.into());
        }
    }
    object
}

/// The schema with this description, if there is one, in the place of its own.
fn described(schema: Value, description: &str) -> Value {
    if description.is_empty() {
        return schema;
    }
    let mut schema = match schema {
        Value::Object(schema) => schema,
        // `true` is the schema of any value.
        _ => Map::new(),
    };
    schema.insert("description".to_owned(), description.into());
    schema.into()
}

/// Moves the `$defs` of a schema to the definitions of the whole.
///
/// A definition is prefixed with the argument's name if another schema has taken its name.
fn hoist_definitions(
    mut schema: Value,
    argument: &str,
    definitions: &mut Map<String, Value>,
) -> Value {
    let own = match schema.as_object_mut().and_then(|root| root.remove("$defs")) {
        Some(Value::Object(own)) => own,
        _ => Map::new(),
    };
    let is_taken = |(name, schema): (&String, &Value)| {
        definitions.get(name).is_some_and(|known| known != schema)
    };
    let prefix = if own.iter().any(is_taken) {
        format!("{argument}.")
    } else {
        String::new()
    };
    let root = format!("{argument}.root");
    let mut names_root = false;
    let mut rename = |reference: &str| {
        let name = match reference.strip_prefix(Definitions::PREFIX) {
            Some(name) => format!("{prefix}{name}"),
            None if reference == "#" => {
                names_root = true;
                root.clone()
            }
            None => return None,
        };
        Some(format!("{}{name}", Definitions::PREFIX))
    };
    map_references(&mut schema, &mut rename);
    for (name, mut definition) in own {
        map_references(&mut definition, &mut rename);
        definitions.insert(format!("{prefix}{name}"), definition);
    }
    if names_root {
        let reference = json!({"$ref": format!("#/$defs/{root}")});
        definitions.insert(root, std::mem::replace(&mut schema, reference));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &'static str, schema: Value) -> Argument {
        Argument {
            name,
            description: "",
            schema,
            required: false,
        }
    }

    #[test]
    fn definitions_of_one_name_are_shared_if_equal_and_renamed_if_not() {
        let schema = |ty: &str| {
            json!({
                "type": "array",
                "items": {"$ref": "#/$defs/Row"},
                "$defs": {"Row": {"type": ty}},
            })
        };
        let object = object_of(vec![
            named("old", schema("string")),
            named("new", schema("string")),
            named("other", schema("integer")),
        ]);
        assert_eq!(
            object["$defs"],
            json!({"Row": {"type": "string"}, "other.Row": {"type": "integer"}})
        );
        let reference = |name: &str| &object["properties"][name]["items"]["$ref"];
        assert_eq!(reference("old"), "#/$defs/Row");
        assert_eq!(reference("new"), "#/$defs/Row");
        assert_eq!(reference("other"), "#/$defs/other.Row");
    }

    #[test]
    fn a_nullable_argument_is_optional() {
        let takes = [
            json!(true),
            json!({"description": "Anything."}),
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"$ref": "#/$defs/Row"}, {"type": "null"}]}),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ];
        for schema in takes {
            assert!(!argument("a", "", schema.clone()).required, "{schema}");
        }
        for schema in [
            json!(false),
            json!({"type": "string"}),
            json!({"$ref": "#/$defs/Row"}),
        ] {
            assert!(argument("a", "", schema.clone()).required, "{schema}");
        }
    }

    #[test]
    fn an_argument_may_refer_to_itself() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        let object = object_of(vec![named("node", schema)]);
        assert_eq!(
            object["properties"],
            json!({"node": {"$ref": "#/$defs/node.root"}})
        );
        assert_eq!(
            object["$defs"]["node.root"]["properties"]["next"],
            json!({"$ref": "#/$defs/node.root"})
        );
    }
}

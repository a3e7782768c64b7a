//! Traverses the schemas of a document's operations without the generator.

use serde_json::Value;
use toolwright::{
    ToolSpec,
    binding::{AnswerContent, HttpBinding},
};
use toolwright_schema::{Root as Document, only_variant, reference, types};

use crate::documents::Subject;

/// Keywords that define the structure of values.
const STRUCTURE: &[&str] = &[
    "type",
    "enum",
    "const",
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "oneOf",
    "anyOf",
];

/// The direction of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// To the service, without `readOnly` properties.
    There,
    /// From the service, without `writeOnly` properties.
    Back,
}

/// A schema of an operation and its location.
pub(crate) struct Root<'v> {
    pub(crate) schema: &'v Value,
    pub(crate) way: Way,
    pub(crate) at: At<'v>,
    /// The description outside the schema.
    pub(crate) description: Option<&'v str>,
}

/// The location of a schema in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At<'v> {
    /// A parameter with its location and name.
    Parameter(&'v str, &'v str),
    /// The field of a Swagger 2.0 form.
    Field(&'v str),
    Body,
    Answer,
}

/// A readable document.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'v> {
    value: &'v Value,
    document: Document<'v>,
    /// True if keywords next to a `$ref` apply.
    siblings: bool,
}

impl<'v> Reader<'v> {
    pub(crate) fn new(subject: &'v Subject) -> Option<Self> {
        let value = subject.value.as_ref()?;
        let version = subject.declares()?;
        let siblings = !version.starts_with("2.") && !version.starts_with("3.0");
        Some(Self {
            value,
            document: Document::new(value),
            siblings,
        })
    }

    /// Follows the references of a node. Returns `None` if one cannot be resolved.
    pub(crate) fn resolve(&self, node: &'v Value) -> Option<&'v Value> {
        self.document.resolve(node)
    }

    /// Returns the schemas of a tool's operation: those of the request and of the successful
    /// responses.
    pub(crate) fn roots(&self, tool: &ToolSpec) -> Vec<Root<'v>> {
        let Some(http) = tool.http() else {
            return Vec::new();
        };
        let Some((item, operation)) = self.operation(tool) else {
            return Vec::new();
        };
        let mut roots = self.parameters(item, operation);
        roots.extend(self.body(operation, http));
        roots.extend(self.answers(operation, http));
        roots
    }

    fn operation(&self, tool: &ToolSpec) -> Option<(&'v Value, &'v Value)> {
        let (path, method) = tool.origin.pointer.rsplit_once('/')?;
        let item = self.resolve(self.value.pointer(path)?)?;
        Some((item, item.get(method)?))
    }

    /// Returns the parameters of an operation, which override those of its path.
    fn parameters(&self, item: &'v Value, operation: &'v Value) -> Vec<Root<'v>> {
        let mut roots: Vec<Root<'v>> = Vec::new();
        for list in [&operation["parameters"], &item["parameters"]] {
            for parameter in list.as_array().into_iter().flatten() {
                let Some(root) = self.parameter(parameter) else {
                    continue;
                };
                if !roots.iter().any(|known| known.at == root.at) || root.at == At::Body {
                    roots.push(root);
                }
            }
        }
        roots
    }

    fn parameter(&self, parameter: &'v Value) -> Option<Root<'v>> {
        let parameter = self.resolve(parameter)?;
        let name = parameter["name"].as_str()?;
        let content = parameter["content"].as_object();
        let content = content.and_then(|content| content.values().next());
        let schema = parameter
            .get("schema")
            .or(content.map(|media| &media["schema"]));
        let at = match parameter["in"].as_str()? {
            "body" => At::Body,
            "formData" => At::Field(name),
            place => At::Parameter(place, name),
        };
        Some(Root {
            schema: schema.unwrap_or(parameter),
            way: Way::There,
            at,
            description: parameter["description"]
                .as_str()
                .filter(|_| schema.is_some()),
        })
    }

    fn body(&self, operation: &'v Value, http: &HttpBinding) -> Option<Root<'v>> {
        let body = self.resolve(&operation["requestBody"])?;
        let sent = &http.body.as_ref()?.media_type;
        let plain = |name: &str| name.split(';').next().unwrap_or(name).trim().to_lowercase();
        let mut media = body["content"].as_object()?.iter();
        let (_, media) = media.find(|(name, _)| plain(name) == *sent || name.contains('*'))?;
        Some(Root {
            schema: media.get("schema")?,
            way: Way::There,
            at: At::Body,
            description: body["description"].as_str(),
        })
    }

    /// Returns the schemas of successful JSON responses, or of `default` if there are none.
    fn answers(&self, operation: &'v Value, http: &HttpBinding) -> Vec<Root<'v>> {
        let answers = operation["responses"].as_object();
        let answers: Vec<_> = answers.into_iter().flatten().collect();
        let is_success = |status: &str| status.starts_with('2');
        let any = answers.iter().any(|(status, _)| is_success(status));
        let wanted = answers.into_iter().filter(|(status, _)| match any {
            true => is_success(status),
            false => *status == "default",
        });
        if http.method.word() == "HEAD" {
            return Vec::new();
        }
        // Plain strings and bytes need no schema.
        let is_json = |status: &str| {
            http.answers.iter().any(|answer| {
                let pattern = answer.status.to_string();
                pattern.eq_ignore_ascii_case(status) && answer.content == AnswerContent::Json
            })
        };
        let wanted = wanted.filter(|(status, _)| is_json(status));
        let answers = wanted.filter_map(|(_, answer)| self.resolve(answer));
        let schemas = answers.filter_map(|answer| {
            let content = answer["content"].as_object();
            let mut media = content.into_iter().flatten();
            let json = media.find(|(name, _)| name.contains("json") || name.contains('*'));
            json.and_then(|(_, media)| media.get("schema"))
                .or_else(|| answer.get("schema"))
        });
        let root = |schema| Root {
            schema,
            way: Way::Back,
            at: At::Answer,
            description: None,
        };
        schemas.map(root).collect()
    }

    /// Returns the schemas that are merged: the schema, its references and its `allOf` parts,
    /// recursively. A wrapper with one part counts as that part.
    pub(crate) fn parts(&self, schema: &'v Value) -> Vec<&'v Value> {
        let mut parts: Vec<&Value> = Vec::new();
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if parts.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            parts.push(schema);
            open.extend(self.target(schema));
            if self.is_only_reference(schema) {
                continue;
            }
            open.extend(schema["allOf"].as_array().into_iter().flatten());
            open.extend(only_variant(schema));
        }
        parts
    }

    /// Returns true if the schema itself excludes this direction.
    pub(crate) fn is_left_out(&self, schema: &Value, way: Way) -> bool {
        let flag = match way {
            Way::There => "readOnly",
            Way::Back => "writeOnly",
        };
        schema[flag] == true
    }

    /// Returns true if the schema or a reference of it excludes this direction.
    pub(crate) fn is_left_out_wholly(&self, schema: &Value, way: Way) -> bool {
        self.parts(schema)
            .into_iter()
            .any(|part| self.is_left_out(part, way))
    }

    /// Returns true if a schema is a reference, and keywords next to it do not apply.
    pub(crate) fn is_only_reference(&self, schema: &Value) -> bool {
        !self.siblings && schema.get("$ref").is_some()
    }

    /// Returns true if a schema or a reference of it defines structure.
    pub(crate) fn has_structure(&self, schema: &'v Value) -> bool {
        self.parts(schema).into_iter().any(has_structure)
    }

    /// Resolves one step of a schema's `$ref`.
    pub(crate) fn target(&self, schema: &'v Value) -> Option<&'v Value> {
        self.document.target(reference(schema)?)
    }
}

/// Returns the types of a schema except null.
pub(crate) fn type_words(schema: &Value) -> Vec<&str> {
    types(schema).filter(|word| *word != "null").collect()
}

/// Returns the value of a keyword if it applies to the schema's type.
pub(crate) fn inner<'v>(schema: &'v Value, keyword: &str) -> Option<&'v Value> {
    let word = match keyword {
        "items" | "prefixItems" => "array",
        _ => "object",
    };
    let words = type_words(schema);
    let is_reached = words.is_empty() || words.contains(&word);
    schema
        .get(keyword)
        .filter(|inner| is_reached && !inner.is_boolean())
}

/// Returns true if a schema defines structure.
pub(crate) fn has_structure(schema: &Value) -> bool {
    let parts = schema["allOf"].as_array();
    schema["type"] != "null"
        && schema["enum"] != serde_json::json!([null])
        && (STRUCTURE
            .iter()
            .any(|keyword| schema.get(keyword).is_some())
            || parts
                .into_iter()
                .flatten()
                .any(|part| has_structure(part) || part.get("$ref").is_some()))
}

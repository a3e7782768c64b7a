//! A document's schemas, as they are reached from its operations without the generator.

use serde_json::Value;
use toolwright::{AnswerContent, HttpBinding, ToolSpec};

use crate::documents::Subject;

/// The most references that are followed from one node.
const LONGEST_CHAIN: usize = 64;

/// Keywords that say what values look like.
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

/// The direction in which a value travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// To the service: what is `readOnly` is left out.
    There,
    /// From the service: what is `writeOnly` is left out.
    Back,
}

/// A schema that an operation has, and where.
pub(crate) struct Root<'v> {
    pub(crate) schema: &'v Value,
    pub(crate) way: Way,
    pub(crate) at: At<'v>,
    /// What is said of it outside of the schema.
    pub(crate) description: Option<&'v str>,
}

/// Where an operation has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At<'v> {
    /// A parameter, by its place and its name.
    Parameter(&'v str, &'v str),
    /// The field of a Swagger 2.0 form.
    Field(&'v str),
    Body,
    Answer,
}

/// A document that can be read.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'v> {
    document: &'v Value,
    /// Whether what stands beside a `$ref` counts.
    siblings: bool,
}

impl<'v> Reader<'v> {
    pub(crate) fn of(subject: &'v Subject) -> Option<Self> {
        let document = subject.value.as_ref()?;
        let version = subject.declares()?;
        let siblings = !version.starts_with("2.") && !version.starts_with("3.0");
        Some(Self { document, siblings })
    }

    /// What a node stands for after references; none where they lead nowhere.
    pub(crate) fn resolve(&self, node: &'v Value) -> Option<&'v Value> {
        let mut node = node;
        for _ in 0..LONGEST_CHAIN {
            match node["$ref"].as_str() {
                Some(reference) => node = self.document.pointer(&decoded(reference)?)?,
                None => return Some(node),
            }
        }
        None
    }

    /// The schemas of the operation that became a tool: those that are sent, and those of its
    /// successes.
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
        let item = self.resolve(self.document.pointer(path)?)?;
        Some((item, item.get(method)?))
    }

    /// The parameters of an operation; its own win over those of its path.
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

    /// The schemas of successes, or of `default` where there is none: those of JSON.
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
        // Text and bytes need no schema.
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

    /// The schemas that are merged into one: the schema, what its `$ref` leads to, and the parts
    /// of its `allOf`, in turn; wrappers with one part are as good as that part.
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
            open.extend(self.only_variant(schema));
        }
        parts
    }

    /// Whether a schema says itself that it does not go this way.
    pub(crate) fn is_left_out(&self, schema: &Value, way: Way) -> bool {
        let flag = match way {
            Way::There => "readOnly",
            Way::Back => "writeOnly",
        };
        schema[flag] == true
    }

    /// Whether a schema, or what it refers to, says that it does not go this way.
    pub(crate) fn is_left_out_wholly(&self, schema: &Value, way: Way) -> bool {
        self.parts(schema)
            .into_iter()
            .any(|part| self.is_left_out(part, way))
    }

    /// Whether a schema is a reference, and nothing that stands beside it counts.
    pub(crate) fn is_only_reference(&self, schema: &Value) -> bool {
        !self.siblings && schema.get("$ref").is_some()
    }

    /// Whether a schema, or what it refers to, says anything of what values look like.
    pub(crate) fn says_something(&self, schema: &'v Value) -> bool {
        self.parts(schema).into_iter().any(says_something)
    }

    /// What the `$ref` of a schema leads to, one step.
    pub(crate) fn target(&self, schema: &'v Value) -> Option<&'v Value> {
        let reference = schema["$ref"].as_str()?;
        self.document.pointer(&decoded(reference)?)
    }

    /// The variant of a union that has no other but null.
    fn only_variant(&self, schema: &'v Value) -> Option<&'v Value> {
        let union = schema["oneOf"].as_array().or(schema["anyOf"].as_array())?;
        let mut valued = union.iter().filter(|variant| variant["type"] != "null");
        match (valued.next(), valued.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }
}

/// The types that a schema names, without null.
pub(crate) fn type_words(schema: &Value) -> Vec<&str> {
    let words: Vec<&str> = match &schema["type"] {
        Value::String(word) => vec![word],
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    words.into_iter().filter(|word| *word != "null").collect()
}

/// What a schema says inside with a keyword, where its type has an inside.
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

/// Whether a schema says anything of what values look like.
pub(crate) fn says_something(schema: &Value) -> bool {
    let parts = schema["allOf"].as_array();
    schema["type"] != "null"
        && schema["enum"] != serde_json::json!([null])
        && (STRUCTURE
            .iter()
            .any(|keyword| schema.get(keyword).is_some())
            || parts
                .into_iter()
                .flatten()
                .any(|part| says_something(part) || part.get("$ref").is_some()))
}

/// The pointer of a reference within the document.
fn decoded(reference: &str) -> Option<String> {
    let pointer = reference.strip_prefix('#')?;
    let decoded = percent_encoding::percent_decode_str(pointer).decode_utf8();
    decoded.ok().map(|text| text.into_owned())
}

//! Python.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    Function,
    names::{Names, literal, pascal, snake},
    types::{Field, Type},
};

/// The client of the socket.
const CLIENT: &str = include_str!("client.py");

/// Writes types. An object is a class of its own, so one within another type receives a name.
struct Writer {
    names: Names,
    classes: String,
}

/// Returns the module.
pub(super) fn module(types: &[(String, Type)], functions: &[Function<'_>]) -> String {
    let mut writer = Writer {
        names: Names::default(),
        classes: String::new(),
    };
    for (name, _) in types {
        let _ = writer.names.take(name);
    }
    for (name, ty) in types {
        match ty {
            Type::Object(fields) => writer.class(name, fields),
            other => {
                let written = writer.write(other, name);
                let _ = writeln!(writer.classes, "\n{name}: TypeAlias = {}", text(&written));
            }
        }
    }
    let mut written = String::new();
    for function in functions {
        let tool = function.spec.name.as_str();
        let name = snake(tool);
        let context = pascal(tool);
        let arguments = match &function.arguments {
            known @ (Type::Object(_) | Type::Map(_)) => {
                writer.write(known, &format!("{context}Args"))
            }
            _ => "dict[str, object]".to_owned(),
        };
        let (arguments, value) = match function.needs_arguments {
            true => (format!("args: {arguments}"), "args"),
            false => (format!("args: {arguments} | None = None"), "args or {}"),
        };
        let result = writer.write(&function.result, &format!("{context}Result"));
        let doc = comment(&function.description);
        let call = format!("call(\"{tool}\", {value})");
        let call = match function.result {
            Type::Unknown => call,
            _ => format!("cast({}, {call})", text(&result)),
        };
        let _ = write!(
            written,
            "\n\ndef {name}({arguments}) -> {result}:\n    {doc}\n    return {call}\n"
        );
    }
    format!("{CLIENT}{}{written}", writer.classes)
}

impl Writer {
    /// Writes a type; `context` names an object in it.
    fn write(&mut self, ty: &Type, context: &str) -> String {
        match ty {
            Type::Unknown => "Any".to_owned(),
            Type::Never => "Never".to_owned(),
            Type::Null => "None".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Integer => "int".to_owned(),
            Type::Number => "float".to_owned(),
            Type::String => "str".to_owned(),
            Type::Literals(values) => {
                let values: Vec<_> = values.iter().map(value).collect();
                format!("Literal[{}]", values.join(", "))
            }
            Type::Array(items) => format!("list[{}]", self.write(items, &format!("{context}Item"))),
            Type::Map(members) => {
                format!(
                    "dict[str, {}]",
                    self.write(members, &format!("{context}Value"))
                )
            }
            Type::Object(fields) => {
                let name = self.names.take(context);
                self.class(&name, fields);
                name
            }
            Type::Union(variants) => {
                let variants: Vec<_> = variants
                    .iter()
                    .map(|one| self.write(one, context))
                    .collect();
                variants.join(" | ")
            }
            Type::Named(name) => name.clone(),
        }
    }

    /// Writes an object as a class. The keys of an object need not be identifiers.
    fn class(&mut self, name: &str, fields: &[Field]) {
        let mut class = format!("\n{name} = TypedDict(\"{name}\", {{\n");
        for field in fields {
            let context = format!("{name}{}", pascal(&field.name));
            let ty = self.write(&field.ty, &context);
            let ty = if field.required {
                ty
            } else {
                format!("NotRequired[{ty}]")
            };
            let _ = writeln!(class, "    {}: {},", text(&field.name), text(&ty));
        }
        class.push_str("})\n");
        self.classes.push_str(&class);
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

fn text(string: &str) -> String {
    literal(string, |c| format!("\\U{:08x}", u32::from(c)))
}

/// Returns a text as the documentation of a function.
fn comment(description: &str) -> String {
    let description = description.replace('\\', "\\\\").replace('"', "\\\"");
    let lines: Vec<_> = description.lines().map(str::trim_end).collect();
    let text = lines.join("\n    ").replace("\n    \n", "\n\n");
    format!("\"\"\"{text}\"\"\"")
}

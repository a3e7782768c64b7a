//! TypeScript.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    Function,
    names::{camel, literal},
    types::{Field, Type},
};

/// The client of the socket.
const CLIENT: &str = include_str!("client.ts");

/// Returns the module.
pub(super) fn module(types: &[(String, Type)], functions: &[Function<'_>]) -> String {
    let mut module = CLIENT.to_owned();
    for (name, ty) in types {
        // The objects of a type of its own may refer to it.
        let _ = match ty {
            Type::Object(fields) => {
                writeln!(module, "\nexport interface {name} {}", object(fields, 0))
            }
            other => writeln!(module, "\nexport type {name} = {};", write(other, 0)),
        };
    }
    for function in functions {
        let tool = function.spec.name.as_str();
        let name = camel(tool);
        let arguments = write(&function.arguments, 0);
        let arguments = match function.arguments {
            Type::Object(_) | Type::Map(_) => arguments,
            _ => "{ [key: string]: unknown }".to_owned(),
        };
        let default = if function.needs_arguments {
            ""
        } else {
            " = {}"
        };
        let result = write(&function.result, 0);
        let doc = comment(&function.description, "");
        let _ = write!(
            module,
            "\n{doc}export function {name}(args: {arguments}{default}): Promise<{result}> {{\n  \
             return call(\"{tool}\", args) as Promise<{result}>;\n}}\n"
        );
    }
    module
}

fn write(ty: &Type, depth: usize) -> String {
    match ty {
        Type::Unknown => "unknown".to_owned(),
        Type::Never => "never".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Integer | Type::Number => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Literals(values) => {
            let values: Vec<_> = values.iter().map(value).collect();
            values.join(" | ")
        }
        Type::Array(items) => format!("Array<{}>", write(items, depth)),
        Type::Map(members) => format!("{{ [key: string]: {} }}", write(members, depth)),
        Type::Object(fields) => object(fields, depth),
        Type::Union(variants) => {
            let variants: Vec<_> = variants.iter().map(|one| write(one, depth)).collect();
            variants.join(" | ")
        }
        Type::Named(name) => name.clone(),
    }
}

fn object(fields: &[Field], depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let mut written = "{\n".to_owned();
    for field in fields {
        if let Some(description) = &field.description {
            written.push_str(&comment(description, &indent));
        }
        let optional = if field.required { "" } else { "?" };
        let (name, ty) = (text(&field.name), write(&field.ty, depth + 1));
        let _ = writeln!(written, "{indent}{name}{optional}: {ty};");
    }
    let _ = write!(written, "{}}}", "  ".repeat(depth));
    written
}

fn value(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        other => other.to_string(),
    }
}

fn text(string: &str) -> String {
    literal(string, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// Returns a text as a comment.
fn comment(description: &str, indent: &str) -> String {
    let description = description.replace("*/", "* /");
    let mut lines = description.lines().map(str::trim_end);
    let Some(first) = lines.next() else {
        return String::new();
    };
    let mut comment = format!("{indent}/** {first}");
    let mut is_long = false;
    for line in lines {
        is_long = true;
        let _ = write!(
            comment,
            "\n{indent} *{}{line}",
            if line.is_empty() { "" } else { " " }
        );
    }
    let end = if is_long {
        format!("\n{indent} */\n")
    } else {
        " */\n".to_owned()
    };
    comment + &end
}

//! The same types as a person would write them: with serde's derives, or with none.

use std::fmt::Write;

use toolwright_generator::internals::{Object, Shape, Type, TypeId};

use crate::sets::TypeSet;

/// A form of the types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twin {
    /// With serde's derives, and those that the emitted types have.
    Serde,
    /// Without any derive.
    Plain,
}

/// The source of a crate.
pub(crate) fn source(set: &TypeSet, twin: Twin) -> String {
    let mut out = String::from("#![allow(warnings)]\n");
    let mut named: Vec<_> = set.types.values().filter(|ty| ty.name.is_some()).collect();
    named.sort_by_key(|ty| ty.name.clone());
    named.dedup_by_key(|ty| ty.name.clone());
    for ty in named {
        // Writing to a string cannot fail.
        let _ = item(&mut out, set, ty, twin);
    }
    out
}

fn item(out: &mut String, set: &TypeSet, ty: &Type, twin: Twin) -> std::fmt::Result {
    let name = ty.name.as_deref().unwrap_or_default();
    let is_serde = twin == Twin::Serde;
    if is_serde {
        let derives = "Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize";
        writeln!(out, "#[derive({derives})]")?;
    }
    match &ty.shape {
        Shape::Object(object) => fields(out, set, name, object, twin)?,
        Shape::Enum(values) => {
            writeln!(out, "pub enum {name} {{")?;
            for value in values {
                if is_serde {
                    writeln!(out, "#[serde(rename = {:?})]", value.wire)?;
                }
                writeln!(out, "{},", value.name)?;
            }
            if is_serde {
                writeln!(out, "#[serde(untagged)]")?;
            }
            writeln!(out, "Unlisted(String),\n}}")?;
        }
        Shape::Union(union) => {
            if is_serde {
                writeln!(out, "#[serde(untagged)]")?;
            }
            writeln!(out, "pub enum {name} {{")?;
            for variant in &union.variants {
                writeln!(
                    out,
                    "{}(Box<{}>),",
                    variant.name,
                    type_definition(set, variant.ty, twin)
                )?;
            }
            writeln!(out, "Unlisted({}),\n}}", any(twin))?;
        }
        _ => {}
    }
    Ok(())
}

fn fields(
    out: &mut String,
    set: &TypeSet,
    name: &str,
    object: &Object,
    twin: Twin,
) -> std::fmt::Result {
    writeln!(out, "pub struct {name} {{")?;
    for field in &object.fields {
        let mut ty = type_definition(set, field.ty, twin);
        if field.boxed {
            ty = format!("Box<{ty}>");
        }
        if !field.required {
            ty = format!("Option<{ty}>");
        }
        if twin == Twin::Serde {
            let skip = if field.required {
                ""
            } else {
                ", default, skip_serializing_if = \"Option::is_none\""
            };
            writeln!(out, "#[serde(rename = {:?}{skip})]", field.wire_name)?;
        }
        writeln!(out, "pub r#{}: {ty},", field.name)?;
    }
    if twin == Twin::Serde {
        writeln!(out, "#[serde(flatten)]")?;
    }
    let map = format!("std::collections::BTreeMap<String, {}>", any(twin));
    writeln!(out, "pub additional_fields_: {map},")?;
    writeln!(out, "}}")
}

fn type_definition(set: &TypeSet, id: TypeId, twin: Twin) -> String {
    let Some(ty) = set.types.get(&id) else {
        return any(twin).to_owned();
    };
    if let Some(name) = &ty.name {
        return name.clone();
    }
    match &ty.shape {
        Shape::Null => "()".to_owned(),
        Shape::Bool => "bool".to_owned(),
        Shape::Integer => "i64".to_owned(),
        Shape::Unsigned => "u64".to_owned(),
        Shape::Number => "f64".to_owned(),
        Shape::String | Shape::Formatted(_) | Shape::Bytes | Shape::File | Shape::Download => {
            "String".to_owned()
        }
        Shape::List(inner) => format!("Vec<{}>", type_definition(set, *inner, twin)),
        Shape::Map(inner) => {
            format!(
                "std::collections::BTreeMap<String, {}>",
                type_definition(set, *inner, twin)
            )
        }
        Shape::Nullable(inner) => format!("Option<{}>", type_definition(set, *inner, twin)),
        Shape::Secret(inner) => type_definition(set, *inner, twin),
        Shape::Tuple(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| type_definition(set, *item, twin))
                .collect();
            format!("({},)", items.join(", "))
        }
        _ => any(twin).to_owned(),
    }
}

/// Any JSON value; the plain form depends on nothing.
const fn any(twin: Twin) -> &'static str {
    match twin {
        Twin::Serde => "serde_json::Value",
        Twin::Plain => "String",
    }
}

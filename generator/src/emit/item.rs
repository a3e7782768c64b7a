//! The items that types become: structs, enumerations, unions.

mod construct;

use std::fmt;

pub(super) use construct::{Record, emit_records};

use super::{
    docs,
    fields::ident,
    rust_type::RustTypes,
    source::{Literal, RustSource, joined},
};
use crate::ir::types::{Additional, EnumValue, Object, Shape, Type, Union};

/// A struct for an object.
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) docs: String,
    pub(super) fields: Vec<StructField>,
    /// The type of the field for undeclared properties; `None` if the object allows none.
    pub(super) additional: Option<String>,
    /// True if callers create values of the struct and so need a constructor.
    pub(super) made_by_callers: bool,
}

/// A field of a [`Struct`].
pub(super) struct StructField {
    /// An identifier.
    pub(super) name: String,
    pub(super) wire_name: String,
    pub(super) docs: String,
    /// The type without the `Option` of an optional field.
    pub(super) ty: String,
    /// The type as the record of the required fields writes it.
    pub(super) ty_in_record: String,
    pub(super) required: bool,
}

/// What a type became, as far as the rest of its file needs it.
pub(super) struct Emitted {
    /// The record of its required fields.
    pub(super) record: Option<Record>,
    /// True if `Default` applies to it.
    pub(super) has_default: bool,
}

/// The head of the function of a codec that reads.
const READ: &str = "fn read(value: codec::Value, reader: &mut codec::Reader) -> Self {";

/// The head of the function of a codec that writes.
const ENCODE: &str = "fn encode(&self) -> codec::Value {";

/// Writes the item of a named type.
pub(super) fn of_type(
    source: &mut RustSource,
    types: &RustTypes<'_>,
    ty: &Type,
    name: &str,
    made_by_callers: bool,
    holds_secrets: bool,
) -> Emitted {
    let docs = docs::text_or(&ty.docs, &format!("`{name}`."));
    match &ty.shape {
        Shape::Object(object) => {
            let item = of_object(types, object, name, docs, made_by_callers);
            item.emit(source);
            return Emitted {
                record: item.record(),
                has_default: item.has_default(),
            };
        }
        Shape::Enum(values) => of_enum(source, &docs, &ident(name), values),
        Shape::Union(union) => {
            let item = UnionItem {
                union,
                holds_secrets,
            };
            item.emit(source, types, &docs, &ident(name));
        }
        // Other shapes have no name.
        _ => {}
    }
    Emitted {
        record: None,
        has_default: false,
    }
}

impl Struct {
    /// Writes the struct, its codec, and a constructor if callers need one.
    pub(super) fn emit(&self, source: &mut RustSource) {
        source.docs(&self.docs);
        source.line("#[derive(Clone)]");
        source.line("#[non_exhaustive]");
        let name = ident(&self.name);
        if self.fields.is_empty() && self.additional.is_none() {
            source.line(format_args!("pub struct {name} {{}}"));
        } else {
            source.block(
                format_args!("pub struct {name} {{"),
                |source| self.emit_fields(source),
                "}",
            );
        }
        self.emit_constructors(source);
        source.block(
            format_args!("impl codec::Codec for {name} {{"),
            |source| self.emit_codec(source),
            "}",
        );
    }

    fn emit_fields(&self, source: &mut RustSource) {
        for field in &self.fields {
            source.docs(&field.docs);
            let (name, ty) = (&field.name, &field.ty);
            if field.required {
                source.line(format_args!("pub {name}: {ty},"));
            } else {
                source.line(format_args!("pub {name}: Option<{ty}>,"));
            }
        }
        if let Some(ty) = &self.additional {
            source.docs("Properties that the specification does not declare.");
            source.line(format_args!("pub {}: {ty},", self.additional_name()));
        }
    }

    /// Checks whether it has a default. What callers create has one only if nothing is required.
    pub(super) fn has_default(&self) -> bool {
        !self.made_by_callers || self.fields.iter().all(|field| !field.required)
    }

    fn emit_codec(&self, source: &mut RustSource) {
        source.line("#[inline]");
        source.block(READ, |source| self.emit_read(source), "}");
        source.line("#[inline]");
        source.block(ENCODE, |source| self.emit_encode(source), "}");
    }

    fn emit_read(&self, source: &mut RustSource) {
        let mutable = if self.fields.is_empty() { "" } else { "mut " };
        source.line(format_args!("let {mutable}fields = reader.object(value);"));
        let rest = self.additional.as_ref().map(|_| None);
        let fields = self.fields.iter().map(Some).chain(rest);
        let takes = fields.map(|field| {
            fmt::from_fn(move |f| match field {
                Some(StructField {
                    name, wire_name, ..
                }) => write!(f, "{name}: fields.take({})", Literal(wire_name)),
                None => write!(f, "{}: fields.rest()", self.additional_name()),
            })
        });
        if self.additional.is_some() {
            return source.self_literal("", takes, "");
        }
        if self.fields.is_empty() {
            source.line("fields.rest::<()>();");
            source.line("Self {}");
            return;
        }
        source.self_literal("let read = ", takes, ";");
        source.line("fields.rest::<()>();");
        source.line("read");
    }

    fn emit_encode(&self, source: &mut RustSource) {
        let pairs = self.fields.iter().map(|field| {
            let (wire_name, name) = (Literal(&field.wire_name), &field.name);
            fmt::from_fn(move |f| write!(f, "({wire_name}, &self.{name})"))
        });
        let pairs = joined(pairs, ", ");
        if self.additional.is_some() {
            let rest = self.additional_name();
            source.line(format_args!("codec::object(&[{pairs}], &self.{rest})"));
        } else {
            source.line(format_args!("codec::object(&[{pairs}], &())"));
        }
    }

    /// Returns the name of the field for undeclared properties, which no other field has.
    pub(super) fn additional_name(&self) -> &'static str {
        let candidates = [
            "additional",
            "additional_fields",
            "additional_fields_of_object",
        ];
        candidates
            .into_iter()
            .find(|name| self.fields.iter().all(|field| field.name != *name))
            .unwrap_or("additional_fields_of_this_object")
    }
}

fn of_object(
    types: &RustTypes<'_>,
    object: &Object,
    name: &str,
    docs: String,
    made_by_callers: bool,
) -> Struct {
    let fields = object.fields.iter().map(|field| StructField {
        name: ident(&field.name).into_owned(),
        wire_name: field.wire_name.clone(),
        docs: docs::text_or(&field.docs, &format!("`{}`.", field.wire_name)),
        ty: types.field(field.ty, field.boxed),
        ty_in_record: if made_by_callers && field.required {
            types.seen_from("super::").field(field.ty, field.boxed)
        } else {
            String::new()
        },
        required: field.required,
    });
    Struct {
        name: name.to_owned(),
        docs,
        fields: fields.collect(),
        additional: match object.additional {
            Additional::Any => Some("codec::Extra".to_owned()),
            Additional::Typed(value) => {
                let value = types.plain(value);
                Some(format!("std::collections::BTreeMap<String, {value}>"))
            }
        },
        made_by_callers,
    }
}

fn of_enum(source: &mut RustSource, docs: &str, name: &str, values: &[EnumValue]) {
    source.docs(docs);
    source.line("#[derive(Clone)]");
    source.line("#[non_exhaustive]");
    source.block(
        format_args!("pub enum {name} {{"),
        |source| {
            for value in values {
                source.docs(&format!(
                    "`{}`.",
                    value.wire.replace(['`', '\n', '\r'], " ")
                ));
                source.line(format_args!("{},", ident(&value.name)));
            }
            source.docs("A value that the specification does not list.");
            source.line("Unlisted(String),");
        },
        "}",
    );
    source.block(
        format_args!("impl codec::Word for {name} {{"),
        |source| emit_word(source, values),
        "}",
    );
}

fn emit_word(source: &mut RustSource, values: &[EnumValue]) {
    source.line("#[inline]");
    source.block(
        "fn from_word(word: String) -> Self {",
        |source| {
            let emit_arms = |source: &mut RustSource| {
                for value in values {
                    let name = ident(&value.name);
                    source.arm(Literal(&value.wire), format_args!("Self::{name}"));
                }
                source.arm("_", "Self::Unlisted(word)");
            };
            source.block("match word.as_str() {", emit_arms, "}");
        },
        "}",
    );
    source.line("#[inline]");
    source.block(
        "fn as_word(&self) -> &str {",
        |source| {
            let emit_arms = |source: &mut RustSource| {
                for value in values {
                    let name = ident(&value.name);
                    source.arm(format_args!("Self::{name}"), Literal(&value.wire));
                }
                source.arm("Self::Unlisted(word)", "word");
            };
            source.block("match self {", emit_arms, "}");
        },
        "}",
    );
    source.line("#[inline]");
    source.block(
        "fn is_unlisted(&self) -> bool {",
        |source| source.line("matches!(self, Self::Unlisted(_))"),
        "}",
    );
}

/// An enumeration for a union.
struct UnionItem<'a> {
    union: &'a Union,
    /// True if a variant holds a secret. Then a value of no known type may be one.
    holds_secrets: bool,
}

impl UnionItem<'_> {
    fn emit(&self, source: &mut RustSource, types: &RustTypes<'_>, docs: &str, name: &str) {
        source.docs(docs);
        source.line("#[derive(Clone)]");
        source.line("#[non_exhaustive]");
        source.block(
            format_args!("pub enum {name} {{"),
            |source| {
                for variant in &self.union.variants {
                    let (name, held) = (ident(&variant.name), types.variant_type(variant.ty));
                    source.docs(&format!("{name}."));
                    source.line(format_args!("{name}({held}),"));
                }
                source.docs("A value of none of these types.");
                source.line("Unlisted(codec::Value),");
            },
            "}",
        );
        source.block(
            format_args!("impl codec::Codec for {name} {{"),
            |source| {
                source.line("#[inline]");
                source.block(READ, |source| emit_union_read(source, self.union), "}");
                source.line("#[inline]");
                source.block(ENCODE, |source| self.emit_encode(source), "}");
            },
            "}",
        );
    }

    fn emit_encode(&self, source: &mut RustSource) {
        source.block(
            "match self {",
            |source| {
                for variant in &self.union.variants {
                    let name = ident(&variant.name);
                    source.arm(format_args!("Self::{name}(value)"), "value.encode()");
                }
                let unlisted = if self.holds_secrets {
                    "codec::unlisted(value)"
                } else {
                    "value.clone()"
                };
                source.arm("Self::Unlisted(value)", unlisted);
            },
            "}",
        );
    }
}

fn emit_union_read(source: &mut RustSource, union: &Union) {
    let is_tagged = union.discriminator.is_some();
    let first = fmt::from_fn(|f| match &union.discriminator {
        Some(property) => write!(f, "tagged_union(value, {})", Literal(property)),
        None => f.write_str("union(value)"),
    });
    let variants = union.variants.iter().map(|variant| {
        fmt::from_fn(move |f| {
            let (name, tags) = (ident(&variant.name), &variant.tags);
            if is_tagged && !tags.is_empty() {
                let tags = joined(tags.iter().map(|tag| Literal(tag)), ", ");
                write!(f, ".tagged(&[{tags}], Self::{name})")
            } else {
                write!(f, ".variant(Self::{name})")
            }
        })
    });
    let variants = joined(variants, "");
    source.line(format_args!(
        "reader.{first}{variants}.or_unlisted(Self::Unlisted)"
    ));
}

//! The ways to create a struct: `new`, the setters of its optional fields, and the record of its
//! required fields.
//!
//! No parameter list depends on the order of fields in a document. `new` takes the only required
//! field, or all of them as a record, which names each. A vendor may add an optional field without
//! a change for any caller; a new required field is an error of the compiler, as it must be.

use super::{Struct, StructField};
use crate::emit::{fields::ident, source::RustSource};

/// The types that setters take as they are. All others accept conversions.
const PLAIN: &[&str] = &[
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "()",
];

/// The names that clippy rejects by default as placeholders.
const PLACEHOLDERS: &[&str] = &["foo", "baz", "quux"];

/// A struct of the required fields of another, which has the same name.
pub(in crate::emit) struct Record {
    name: String,
    fields: Vec<RecordField>,
}

struct RecordField {
    name: String,
    docs: String,
    ty: String,
}

impl Struct {
    /// Writes `new` if a field is required, and a setter for each optional field.
    pub(super) fn emit_constructors(&self, source: &mut RustSource) {
        if !self.made_by_callers || self.fields.is_empty() {
            return;
        }
        source.block(
            format_args!("impl {} {{", ident(&self.name)),
            |source| {
                self.emit_new(source);
                for field in self.fields.iter().filter(|field| !field.required) {
                    field.emit_setter(source);
                }
            },
            "}",
        );
    }

    fn emit_new(&self, source: &mut RustSource) {
        let mut required = self.fields.iter().filter(|field| field.required);
        let (parameter, is_record) = match (required.next(), required.next()) {
            (None, _) => return,
            (Some(only), None) => (only.parameter(), false),
            _ => (format!("required: required::{}", ident(&self.name)), true),
        };
        source.docs(if is_record {
            "Creates a value with the required fields set and every optional field absent."
        } else {
            "Creates a value with the required field set and every optional field absent."
        });
        source.line("#[must_use]");
        source.block(
            format_args!("pub fn new({parameter}) -> Self {{"),
            |source| self.emit_initial(source, is_record),
            "}",
        );
    }

    fn emit_initial(&self, source: &mut RustSource, is_record: bool) {
        let rest = self.additional.as_ref().map(|_| {
            let name = self.additional_name();
            format!("{name}: Default::default()")
        });
        let fields = self.fields.iter().map(|field| {
            let (name, parameter) = (&field.name, field.parameter_name());
            match (field.required, is_record) {
                (false, _) => format!("{name}: None"),
                (true, true) => format!("{name}: required.{name}"),
                (true, false) if field.converts() => format!("{name}: {parameter}.into()"),
                (true, false) if parameter == name => name.clone(),
                (true, false) => format!("{name}: {parameter}"),
            }
        });
        source.self_literal("", fields.chain(rest), "");
    }

    /// Returns the record of the required fields, if there are several and callers create values.
    pub(in crate::emit) fn record(&self) -> Option<Record> {
        let required = self.fields.iter().filter(|field| field.required);
        if !self.made_by_callers || required.clone().count() < 2 {
            return None;
        }
        let fields = required.map(|field| RecordField {
            name: field.name.clone(),
            docs: field.first_line().to_owned(),
            ty: field.ty_in_record.clone(),
        });
        Some(Record {
            name: self.name.clone(),
            fields: fields.collect(),
        })
    }
}

impl StructField {
    fn emit_setter(&self, source: &mut RustSource) {
        let name = self.name.strip_prefix("r#").unwrap_or(&self.name);
        source.docs(&format!("Sets `{name}`."));
        source.line("#[must_use]");
        source.block(
            format_args!(
                "pub fn with_{name}(mut self, {}) -> Self {{",
                self.parameter()
            ),
            |source| {
                let into = if self.converts() { ".into()" } else { "" };
                let (name, parameter) = (&self.name, self.parameter_name());
                source.line(format_args!("self.{name} = Some({parameter}{into});"));
                source.line("self");
            },
            "}",
        );
    }

    fn parameter(&self) -> String {
        let (name, ty) = (self.parameter_name(), &self.ty);
        if self.converts() {
            format!("{name}: impl Into<{ty}>")
        } else {
            format!("{name}: {ty}")
        }
    }

    fn parameter_name(&self) -> &str {
        if PLACEHOLDERS.contains(&self.name.as_str()) {
            "value"
        } else {
            &self.name
        }
    }

    fn converts(&self) -> bool {
        !PLAIN.contains(&self.ty.as_str())
    }

    /// Returns the first line of the documentation, unless it starts a block of code.
    fn first_line(&self) -> &str {
        let line = self.docs.lines().next().unwrap_or_default();
        if line.starts_with("```") {
            "A required field."
        } else {
            line
        }
    }
}

/// Writes the module of the records. `imports` are the modules that the types of fields may name.
pub(in crate::emit) fn emit_records(source: &mut RustSource, records: &[Record], imports: &[&str]) {
    if records.is_empty() {
        return;
    }
    let fields = || records.iter().flat_map(|record| &record.fields);
    let is_named = |module: &str| {
        let path = format!("{module}::");
        fields().any(|field| field.ty.contains(&path))
    };
    source.docs("The required fields of each type that has several, for its `new`.");
    source.block(
        "pub mod required {",
        |source| {
            for module in imports.iter().filter(|module| is_named(module)) {
                source.line(format_args!("use super::{module};"));
            }
            for record in records {
                record.emit(source);
            }
        },
        "}",
    );
}

impl Record {
    fn emit(&self, source: &mut RustSource) {
        let name = ident(&self.name);
        source.docs(&format!("The required fields of [`super::{name}`]."));
        source.block(
            format_args!("pub struct {name} {{"),
            |source| {
                for field in &self.fields {
                    source.docs(&field.docs);
                    source.line(format_args!("pub {}: {},", field.name, field.ty));
                }
            },
            "}",
        );
    }
}

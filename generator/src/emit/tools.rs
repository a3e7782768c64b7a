//! The arguments of each tool, as a struct.

use toolwright_model::{JsonPointer, ToolName};

use super::{
    docs, failures,
    fields::{argument_names, call_name, ident},
    item::{Struct, StructField, emit_records},
    rust_type::RustTypes,
    source::{self, RustSource},
};
use crate::{
    check::CheckedService,
    ir::{
        Operation,
        types::{Shape, TypeId, Types},
    },
};

/// Returns `tools.rs` of a service that has tools.
pub(super) fn emit(service: &CheckedService) -> String {
    let types = RustTypes {
        types: &service.service().types,
        path: "types::",
    };
    let mut tools: Vec<_> = service.tools().collect();
    tools.sort_by_key(|(name, _)| *name);
    let calls: Vec<CallableTool<'_>> = tools
        .iter()
        .map(|(name, operation)| CallableTool::new(&types, name, operation))
        .collect();
    let mut source = RustSource::new(
        &source::mark(service),
        "The arguments of each tool. A view calls them: `view.call(…)`.",
    );
    if calls.iter().any(CallableTool::mentions_types) {
        source.line("use super::types;");
    }
    source.line(if calls.iter().any(|call| call.item.is_some()) {
        "use toolwright::{EmbeddedTools, Paged, ToolCall, codec};"
    } else {
        "use toolwright::{EmbeddedTools, ToolCall, codec};"
    });
    for call in &calls {
        call.emit(&mut source);
    }
    let arguments = || calls.iter().map(|call| &call.arguments);
    let records: Vec<_> = arguments().filter_map(Struct::record).collect();
    emit_records(&mut source, &records, &["codec", "types"]);
    let names: Vec<_> = arguments().map(|item| ident(&item.name)).collect();
    source.macro_call("codec::forward", &names);
    let defaults = arguments().filter(|item| item.has_default());
    let defaults: Vec<_> = defaults.map(|item| ident(&item.name)).collect();
    if !defaults.is_empty() {
        source.macro_call("codec::forward_default", &defaults);
    }
    source.finish()
}

/// A tool for calls from Rust.
struct CallableTool<'a> {
    tool: &'a ToolName,
    arguments: Struct,
    output: String,
    failure: String,
    /// The type of the items, if the tool returns a list in pages.
    item: Option<String>,
}

impl<'a> CallableTool<'a> {
    fn new(types: &RustTypes<'_>, tool: &'a ToolName, operation: &Operation) -> Self {
        let wire_names = operation
            .arguments
            .iter()
            .map(|argument| argument.name.as_str());
        let names = argument_names(&wire_names.collect::<Vec<_>>());
        let fields = operation
            .arguments
            .iter()
            .zip(names)
            .map(|(argument, name)| StructField {
                name: ident(&name).into_owned(),
                wire_name: argument.name.clone(),
                docs: docs::of_schema(&argument.schema, &argument.name),
                ty: types.field(argument.ty, false),
                ty_in_record: types.field(argument.ty, false),
                required: argument.required,
            });
        Self {
            tool,
            arguments: Struct {
                name: call_name(tool),
                docs: documentation(tool, operation),
                fields: fields.collect(),
                additional: None,
                made_by_callers: true,
            },
            output: types.plain(operation.output.ty),
            failure: failures::path(tool, operation),
            item: item_type(types.types, operation).map(|item| types.plain(item)),
        }
    }

    fn mentions_types(&self) -> bool {
        let fields = self.arguments.fields.iter().map(|field| &field.ty);
        fields
            .chain([&self.output])
            .chain(&self.item)
            .any(|ty| ty.contains("types::"))
    }

    fn emit(&self, source: &mut RustSource) {
        self.arguments.emit(source);
        let (name, tool) = (ident(&self.arguments.name), self.tool.as_str());
        source.block(
            format_args!("impl ToolCall for {name} {{"),
            |source| {
                source.line(format_args!("const NAME: &'static str = {tool:?};"));
                source.line("const TOOLS: EmbeddedTools = super::TOOLS;");
                source.line(format_args!("type Output = {};", self.output));
                source.line(format_args!("type Failure = {};", self.failure));
            },
            "}",
        );
        if let Some(item) = &self.item {
            source.block(
                format_args!("impl Paged for {name} {{"),
                |source| source.line(format_args!("type Item = {item};")),
                "}",
            );
        }
    }
}

/// Returns the type of the items, if the tool returns a list in pages.
fn item_type(types: &Types, operation: &Operation) -> Option<TypeId> {
    let place = operation.pagination.as_ref()?.items.as_deref()?;
    let mut ty = operation.output.ty;
    for step in JsonPointer::steps_of(place)? {
        let Shape::Object(object) = types.shape(value_type(types, ty))? else {
            return None;
        };
        let mut fields = object.fields.iter();
        ty = fields.find(|field| field.wire_name == step)?.ty;
    }
    match types.shape(value_type(types, ty))? {
        Shape::List(item) => Some(*item),
        _ => None,
    }
}

/// Returns the type without null.
fn value_type(types: &Types, ty: TypeId) -> TypeId {
    match types.shape(ty) {
        Some(Shape::Nullable(inner)) => *inner,
        _ => ty,
    }
}

/// Returns the description of the tool and its governance.
fn documentation(name: &ToolName, operation: &Operation) -> String {
    let texts = &operation.texts;
    let mut text = docs::text_or(&texts.description, &format!("Arguments of `{name}`."));
    let row = operation.governance;
    let approval = if row.approval_required {
        "a person approves each call"
    } else {
        "no approval"
    };
    text.push_str(&format!(
        "\n\nTool `{name}`: `{} {}`. Category `{}`, effect `{}`; {approval}.",
        operation.method,
        operation.path.replace('`', ""),
        row.category(),
        row.effect()
    ));
    text
}

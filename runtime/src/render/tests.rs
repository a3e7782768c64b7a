//! The tool that the tests of renderings use.
#![cfg(test)]

use serde_json::{Value, json};

use crate::{
    Kind, ServiceName, ToolName, ToolSpec,
    binding::{Binding, Governance, Origin},
};

/// Returns a tool of this kind.
pub(crate) fn spec(kind: Kind, output_schema: Option<Value>) -> ToolSpec {
    let governance = Governance::from_kind(kind, false);
    ToolSpec {
        name: ToolName::new("get-depot-item").unwrap(),
        service: ServiceName::new("depot").unwrap(),
        title: "Get an item".to_owned(),
        short: "Get an item.".to_owned(),
        description: "Gives one item.".to_owned(),
        when_to_use: Some("To read one item.".to_owned()),
        section: "Items".to_owned(),
        category: governance.category(),
        effect: governance.effect(),
        approval_required: governance.approval_required,
        hints: governance.hints,
        enabled_by_default: governance.enabled_by_default,
        deprecated: false,
        reason: None,
        input_schema: json!({"type": "object", "properties": {"any": true}}).into(),
        output_schema: output_schema.map(Into::into),
        pagination: None,
        projection: None,
        binding: Binding::Native,
        origin: Origin {
            document: "depot".to_owned(),
            pointer: "/paths".to_owned(),
            operation_id: None,
        },
        evidence: Vec::new(),
    }
}

/// Returns a tool that reads, with this schema of its arguments.
pub(super) fn spec_with(input_schema: Value) -> ToolSpec {
    ToolSpec {
        input_schema: input_schema.into(),
        ..spec(Kind::Read, None)
    }
}

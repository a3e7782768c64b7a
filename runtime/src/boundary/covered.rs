//! The approval of a run: the calls of a composed tool that a person saw and approved together.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use jiff::Timestamp;
use serde_json::{Map, Value};
use toolwright_model::ToolName;

use crate::approval::{ApprovalRequest, Decision};

/// The calls that one approval covers. Each is covered as often as the person was shown.
#[derive(Debug)]
pub(crate) struct Covered {
    approved: (ApprovalRequest, Decision),
    calls: Mutex<Vec<CoveredCall>>,
}

/// A call that the person saw.
#[derive(Clone, Debug)]
pub(crate) struct CoveredCall {
    pub(crate) tool: ToolName,
    pub(crate) shown: ShownCall,
    /// The number of such calls that may still be made.
    pub(crate) left: u64,
}

/// What the person saw of a call.
#[derive(Clone, Debug)]
pub(crate) enum ShownCall {
    /// The whole request, by its digest.
    Request(String),
    /// The arguments, except for the values at some JSON Pointers, which come from results.
    Arguments {
        arguments: Value,
        open: BTreeMap<String, String>,
    },
}

impl Covered {
    pub(crate) const fn new(
        request: ApprovalRequest,
        decision: Decision,
        calls: Vec<CoveredCall>,
    ) -> Self {
        Self {
            approved: (request, decision),
            calls: Mutex::new(calls),
        }
    }

    /// Counts a call if it is one that the person saw, and returns the approval.
    pub(crate) fn take(
        &self,
        tool: &ToolName,
        sent: &str,
        arguments: &Map<String, Value>,
        now: Timestamp,
    ) -> Option<&(ApprovalRequest, Decision)> {
        if !self.approved.0.is_live(now) {
            return None;
        }
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let is_shown = |call: &&mut CoveredCall| {
            call.left > 0 && call.tool == *tool && call.shown.is(sent, arguments)
        };
        let call = calls.iter_mut().find(is_shown)?;
        call.left -= 1;
        Some(&self.approved)
    }
}

impl ShownCall {
    fn is(&self, sent: &str, arguments: &Map<String, Value>) -> bool {
        match self {
            Self::Request(digest) => digest == sent,
            Self::Arguments {
                arguments: shown,
                open,
            } => {
                let called = without(Value::Object(arguments.clone()), open);
                called == without(shown.clone(), open)
            }
        }
    }
}

/// Returns arguments with null at each of some places. A place that does not exist stays so, which
/// another value with the place differs from.
fn without(mut arguments: Value, open: &BTreeMap<String, String>) -> Value {
    for pointer in open.keys() {
        if let Some(value) = arguments.pointer_mut(pointer) {
            *value = Value::Null;
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn only_the_open_values_may_differ() {
        let open = BTreeMap::from([("/item".to_owned(), "find#/0/id".to_owned())]);
        let shown = ShownCall::Arguments {
            arguments: json!({"item": "?", "count": 3}),
            open,
        };
        assert!(shown.is("", &object(json!({"item": "a", "count": 3}))));
        assert!(!shown.is("", &object(json!({"item": "a", "count": 4}))));
        assert!(!shown.is("", &object(json!({"count": 3}))));
        assert!(!shown.is("", &object(json!({"item": "a", "count": 3, "force": true}))));
    }
}

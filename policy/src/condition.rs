//! Conditions on the arguments of a call.

use std::{borrow::Cow, cmp::Ordering};

use serde_json::{Map, Number, Value};

use crate::{
    pattern::{Pattern, compile_all},
    variable::{Language, Template, VariableFault, Variables},
};

/// A condition on one argument, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgumentRule {
    /// The values that the argument may have.
    pub values: Option<Vec<ValueTemplate>>,
    /// The regular expression that must match the whole of its text.
    pub pattern: Option<Template>,
    /// True if the argument may be absent. Otherwise a call without it does not fit.
    pub optional: bool,
}

/// A value of a policy. A string may refer to variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueTemplate {
    /// A string.
    Text(Template),
    /// Any other value.
    Other(Value),
}

/// A condition of a `forbid`.
#[derive(Clone, Debug)]
pub(crate) struct CompiledRule {
    pub(crate) written: ArgumentRule,
    /// The condition, if it refers to no variable.
    resolved: Option<ResolvedRule>,
}

/// A condition with its variables inserted.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedRule {
    values: Option<Vec<Value>>,
    patterns: Option<Vec<Pattern>>,
    optional: bool,
}

impl ValueTemplate {
    pub(crate) fn expand(&self, variables: &Variables) -> Result<Vec<Value>, VariableFault> {
        match self {
            Self::Other(value) => Ok(vec![value.clone()]),
            Self::Text(template) => {
                let strings = template.expand(variables, Language::Plain)?;
                Ok(strings.into_iter().map(Value::String).collect())
            }
        }
    }
}

impl ArgumentRule {
    pub(crate) fn resolve(&self, variables: &Variables) -> Result<ResolvedRule, VariableFault> {
        let values = self.values.as_ref().map(|values| {
            let values = values.iter().map(|value| value.expand(variables));
            let values: Result<Vec<_>, _> = values.collect();
            values.map(|values| values.concat())
        });
        let pattern = self.pattern.as_ref().map(std::slice::from_ref);
        let patterns =
            pattern.map(|pattern| compile_all(pattern, variables, Language::Regex, Pattern::new));
        Ok(ResolvedRule {
            values: values.transpose()?,
            patterns: patterns.transpose()?,
            optional: self.optional,
        })
    }
}

impl ArgumentRule {
    /// Returns the values and the pattern. `text` inserts variables.
    pub(crate) fn describe(
        &self,
        text: &dyn Fn(&Template) -> Result<Vec<String>, VariableFault>,
    ) -> Result<Vec<String>, VariableFault> {
        let mut described = Vec::new();
        for value in self.values.iter().flatten() {
            match value {
                ValueTemplate::Text(template) => described.extend(text(template)?),
                ValueTemplate::Other(value) => described.push(value.to_string()),
            }
        }
        if let Some(pattern) = &self.pattern {
            let patterns = text(pattern)?.into_iter();
            described.extend(patterns.map(|pattern| format!("/{pattern}/")));
        }
        described.extend(self.optional.then(|| "or absent".to_owned()));
        Ok(described)
    }
}

impl CompiledRule {
    pub(crate) fn new(written: &ArgumentRule) -> Self {
        let values = written.values.iter().flatten();
        let texts = values.filter_map(|value| match value {
            ValueTemplate::Text(template) => Some(template),
            ValueTemplate::Other(_) => None,
        });
        let mut templates = texts.chain(&written.pattern);
        let has_variables = templates.any(|template| template.variables().next().is_some());
        let resolved = (!has_variables).then(|| written.resolve(&Variables::new()).ok());
        Self {
            written: written.clone(),
            resolved: resolved.flatten(),
        }
    }

    pub(crate) fn resolve(
        &self,
        variables: &Variables,
    ) -> Result<Cow<'_, ResolvedRule>, VariableFault> {
        match &self.resolved {
            Some(resolved) => Ok(Cow::Borrowed(resolved)),
            None => self.written.resolve(variables).map(Cow::Owned),
        }
    }
}

impl ResolvedRule {
    /// Checks whether the argument fits: each of its parts is allowed.
    pub(crate) fn allows(&self, argument: Option<&Value>) -> bool {
        match argument {
            None | Some(Value::Null) => self.optional,
            Some(value) => self.allows_whole(value) || self.allows_each(value),
        }
    }

    /// Checks whether the condition of a `forbid` is met: any part of the argument fits. Texts are
    /// compared, so that `"7"` is no way around `7`.
    pub(crate) fn catches(&self, argument: Option<&Value>) -> bool {
        let Some(value) = argument else {
            return self.optional;
        };
        let caught = |part: &Value| {
            let values = self.values.as_deref();
            let by_value = values.is_none_or(|values| {
                values
                    .iter()
                    .any(|known| is_same(known, part) || text_of(known) == text_of(part))
            });
            by_value && self.matches_pattern(part)
        };
        match value {
            Value::Array(_) | Value::Object(_) => {
                caught(value) || parts_of(value).into_iter().any(caught)
            }
            scalar => caught(scalar),
        }
    }

    fn allows_whole(&self, value: &Value) -> bool {
        let values = self.values.as_deref();
        let by_value = values.is_none_or(|values| values.iter().any(|known| is_same(known, value)));
        by_value && self.matches_pattern(value)
    }

    /// Checks each element of a list.
    fn allows_each(&self, value: &Value) -> bool {
        let elements = value.as_array();
        elements.is_some_and(|elements| {
            !elements.is_empty() && elements.iter().all(|element| self.allows_whole(element))
        })
    }

    fn matches_pattern(&self, value: &Value) -> bool {
        let patterns = self.patterns.as_deref();
        patterns.is_none_or(|patterns| {
            let text = text_of(value);
            text.is_some_and(|text| patterns.iter().any(|pattern| pattern.matches(&text)))
        })
    }
}

/// Returns an argument by its name, or by a JSON Pointer that begins with `/`.
pub(crate) fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let Some(pointer) = name.strip_prefix('/') else {
        return arguments.get(name);
    };
    let (first, rest) = match pointer.split_once('/') {
        Some((first, rest)) => (first, format!("/{rest}")),
        None => (pointer, String::new()),
    };
    let first = first.replace("~1", "/").replace("~0", "~");
    arguments.get(&first)?.pointer(&rest)
}

/// Returns the name of the argument that a name or a pointer leads to.
pub(crate) fn argument_name(name: &str) -> String {
    let Some(pointer) = name.strip_prefix('/') else {
        return name.to_owned();
    };
    let first = pointer.split('/').next().unwrap_or_default();
    first.replace("~1", "/").replace("~0", "~")
}

/// The first number that a floating-point number cannot tell from its neighbour: 2⁵³.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// Checks whether two values are equal. Numbers are compared by their value.
pub(crate) fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => is_same_number(left, right),
        _ => left == right,
    }
}

fn is_same_number(left: &Number, right: &Number) -> bool {
    if !left.is_f64() && !right.is_f64() {
        return left == right;
    }
    let (Some(one), Some(other)) = (left.as_f64(), right.as_f64()) else {
        return false;
    };
    let are_exact = left.is_f64() && right.is_f64() || one.abs() < FIRST_INEXACT;
    are_exact && one.partial_cmp(&other) == Some(Ordering::Equal)
}

/// Returns the text of a scalar. A number without a fraction has the text of a whole number.
fn text_of(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
        Value::Number(number) => {
            let mut text = number.to_string();
            if text.ends_with(".0") {
                text.truncate(text.len() - ".0".len());
            }
            Some(Cow::Owned(text))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the scalars within a list or an object, at any depth.
fn parts_of(value: &Value) -> Vec<&Value> {
    let mut parts = Vec::new();
    let mut unseen = vec![value];
    while let Some(value) = unseen.pop() {
        match value {
            Value::Array(elements) => unseen.extend(elements),
            Value::Object(fields) => unseen.extend(fields.values()),
            scalar => parts.push(scalar),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(values: Option<Value>, pattern: Option<&str>, optional: bool) -> ResolvedRule {
        let value = |value: &Value| match value {
            Value::String(text) => ValueTemplate::Text(Template::new(text)),
            other => ValueTemplate::Other(other.clone()),
        };
        let values = values.map(|values| values.as_array().unwrap().iter().map(value).collect());
        let rule = ArgumentRule {
            values,
            pattern: pattern.map(Template::new),
            optional,
        };
        rule.resolve(&Variables::new()).unwrap()
    }

    #[test]
    fn a_scope_allows_and_a_forbid_catches() {
        let sevens = || rule(Some(json!([7, "a"])), None, false);
        let prod = || rule(None, Some("prod-.*"), false);
        for (rule, argument, allows, catches) in [
            (sevens(), Some(json!(7)), true, true),
            (sevens(), Some(json!(7.0)), true, true),
            (sevens(), Some(json!("7")), false, true),
            (sevens(), Some(json!("a")), true, true),
            (sevens(), Some(json!(["a", 7])), true, true),
            (sevens(), Some(json!(["a", 8])), false, true),
            (sevens(), Some(json!([])), false, false),
            (sevens(), Some(json!({"x": "a"})), false, true),
            (sevens(), Some(json!(null)), false, false),
            (sevens(), None, false, false),
            (prod(), Some(json!("prod-1")), true, true),
            (prod(), Some(json!(["x", "prod-1"])), false, true),
            (prod(), Some(json!({"id": {"deep": "prod-1"}})), false, true),
            (prod(), Some(json!("xprod-1")), false, false),
            (rule(Some(json!(["a"])), None, true), None, true, true),
        ] {
            assert_eq!(rule.allows(argument.as_ref()), allows, "{argument:?}");
            assert_eq!(rule.catches(argument.as_ref()), catches, "{argument:?}");
        }
    }

    #[test]
    fn large_numbers_are_not_mistaken_for_their_neighbours() {
        let large = 9_007_199_254_740_993_u64;
        let rule = rule(Some(json!([large, 0, 1.5, -1])), None, false);
        for (argument, allows, catches) in [
            (json!(large), true, true),
            (json!(large - 1), false, false),
            (json!(9_007_199_254_740_992.0), false, false),
            (json!(0), true, true),
            (json!(-0.0), true, true),
            (json!(1.5), true, true),
            (json!(1.25), false, false),
            (json!(-1.0), true, true),
            (json!(1), false, false),
        ] {
            assert_eq!(rule.allows(Some(&argument)), allows, "{argument}");
            assert_eq!(rule.catches(Some(&argument)), catches, "{argument}");
        }
    }

    #[test]
    fn a_condition_without_variables_is_compiled_once() {
        let rule = |text: &str| {
            CompiledRule::new(&ArgumentRule {
                pattern: Some(Template::new(text)),
                ..ArgumentRule::default()
            })
        };
        assert!(rule("prod-.*").resolved.is_some());
        let with_variable = rule("{{stage}}-.*");
        assert!(with_variable.resolved.is_none());
        assert!(with_variable.resolve(&Variables::new()).is_err());
        let variables = Variables::new().with("stage", "prod");
        let resolved = with_variable.resolve(&variables).unwrap();
        assert!(resolved.allows(Some(&json!("prod-1"))));
    }

    #[test]
    fn arguments_are_found_by_name_or_pointer() {
        let arguments = json!({"a": {"b": [1, 2]}, "x/y": 3, "/odd": 4});
        let arguments = arguments.as_object().unwrap();
        assert_eq!(argument(arguments, "/a/b/1"), Some(&json!(2)));
        assert_eq!(argument(arguments, "/x~1y"), Some(&json!(3)));
        assert_eq!(argument(arguments, "x/y"), Some(&json!(3)));
        assert_eq!(argument(arguments, "/a/c"), None);
        assert_eq!(argument_name("/x~1y/z"), "x/y");
    }
}

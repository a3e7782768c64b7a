//! The work of holding a value against a schema whose parts refer to one another.
//!
//! A few definitions may be visited more often than can be counted, for one small value, and may
//! lead deeper than a stack. So each visit is counted, and the stack is watched: beyond a bound no
//! further reference is followed.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use jsonschema::{Keyword, ValidationError};
use serde_json::{Value, json};
use toolwright_schema::{Root, for_each_child_mut, reference, walk};

/// The keyword that counts a visit. Its value is the work of one.
pub(super) const KEYWORD: &str = "toolwright-visit";

/// The most visits of a schema that is not counted.
const UNCOUNTED: u64 = 10_000;

/// The longest chain of references of a schema that is not counted.
const SHORT: usize = 64;

/// The most bytes of the stack that are used while a value is checked.
const STACK: usize = 1024 * 1024;

thread_local! {
    /// The state of the check that this thread is doing.
    static BUDGET: Cell<Budget> = const { Cell::new(Budget { left: u64::MAX, spent: false, base: None }) };
}

/// The state of one check.
#[derive(Clone, Copy)]
struct Budget {
    /// The work that may still be done.
    left: u64,
    /// True if the budget was too small.
    spent: bool,
    /// The address of the stack at the start of the check.
    base: Option<usize>,
}

/// Runs a check that may take so much work; none if it would take more.
pub(super) fn bounded<T>(work: u64, check: impl FnOnce() -> T) -> Option<T> {
    let before = BUDGET.get();
    BUDGET.set(Budget {
        left: work,
        spent: false,
        base: Some(stack_address()),
    });
    let checked = check();
    let spent = BUDGET.replace(before).spent;
    (!spent).then_some(checked)
}

/// The address of a value on the stack.
fn stack_address() -> usize {
    let value = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&value)).addr()
}

/// Counts a visit, and returns whether it may be made.
fn visit(work: u64) -> bool {
    let mut state = BUDGET.get();
    let used = state.base.map_or(0, |base| base.abs_diff(stack_address()));
    state.spent |= used > STACK || state.left < work;
    state.left = state.left.saturating_sub(work);
    BUDGET.set(state);
    !state.spent
}

/// The keyword of a reference.
struct Visit(u64);

impl Keyword<'_> for Visit {
    fn validate(&self, _: &Value) -> Result<(), ValidationError<'static>> {
        if visit(self.0) {
            Ok(())
        } else {
            Err(ValidationError::custom("takes too much work"))
        }
    }

    fn is_valid(&self, _: &Value) -> bool {
        visit(self.0)
    }
}

/// Returns the keyword, for the options of a validator.
pub(super) fn keyword(value: &Value) -> Box<dyn for<'i> Keyword<'i>> {
    Box::new(Visit(value.as_u64().unwrap_or(1)))
}

/// The work of following each reference of a schema.
pub(super) struct Weights(BTreeMap<String, u64>);

/// Returns the weights of a schema if following its references may take much work or lead deep.
pub(super) fn weights(schema: &Value) -> Option<Weights> {
    let root = Root::new(schema);
    let mut costs = Costs {
        root,
        known: BTreeMap::new(),
    };
    let visits = references(schema).fold(0_u64, |sum, reference| {
        sum.saturating_add(costs.cost(reference, 0).visits)
    });
    let weigh = |reference: &str| {
        let target = root.target(reference);
        let weight = target.map_or(1, |target| walk(target).count());
        let weight = u64::try_from(weight).unwrap_or(u64::MAX);
        (reference.to_owned(), weight)
    };
    (visits > UNCOUNTED).then(|| {
        let references: BTreeSet<&str> = references(schema).collect();
        Weights(references.into_iter().map(weigh).collect())
    })
}

impl Weights {
    /// Makes each reference of the schema, or of a part of it, count.
    pub(super) fn count(&self, schema: &mut Value) {
        count_below(schema, &self.0);
    }
}

fn count_below(schema: &mut Value, weights: &BTreeMap<String, u64>) {
    for_each_child_mut(schema, |_, child| count_below(child, weights));
    let reference = reference(schema).map(ToOwned::to_owned);
    let (Some(reference), Value::Object(schema)) = (reference, schema) else {
        return;
    };
    let weight = weights.get(&reference).copied().unwrap_or(1);
    schema.shift_remove("$ref");
    let counted = json!({"if": {KEYWORD: weight}, "then": {"$ref": reference}, "else": false});
    match schema.get_mut("allOf") {
        Some(Value::Array(parts)) => parts.push(counted),
        _ => {
            schema.insert("allOf".to_owned(), json!([counted]));
        }
    }
}

/// The cost of following a reference.
#[derive(Clone, Copy)]
struct Cost {
    /// The references that are followed at most for one value.
    visits: u64,
    /// The longest chain of them.
    chain: usize,
}

/// The costs of the references of a schema.
struct Costs<'a> {
    root: Root<'a>,
    /// Those that are known; none for those that are being found.
    known: BTreeMap<String, Option<Cost>>,
}

impl Costs<'_> {
    fn cost(&mut self, reference: &str, depth: usize) -> Cost {
        let unknown = Cost {
            visits: u64::MAX,
            chain: SHORT,
        };
        if depth >= SHORT {
            return unknown;
        }
        if let Some(known) = self.known.get(reference) {
            // A reference that leads back to itself may be followed without end.
            let known = known.unwrap_or(unknown);
            return if depth + known.chain >= SHORT {
                unknown
            } else {
                known
            };
        }
        self.known.insert(reference.to_owned(), None);
        let mut cost = Cost {
            visits: 1,
            chain: 1,
        };
        for inner in self.root.target(reference).into_iter().flat_map(references) {
            let inner = self.cost(inner, depth + 1);
            cost.visits = cost.visits.saturating_add(inner.visits);
            cost.chain = cost.chain.max(inner.chain + 1);
        }
        self.known.insert(reference.to_owned(), Some(cost));
        cost
    }
}

/// Returns the references of a schema and its subschemas.
fn references(schema: &Value) -> impl Iterator<Item = &str> {
    walk(schema).filter_map(|subschema| reference(subschema.schema))
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    fn visit_below(levels: usize) -> bool {
        let frame = black_box([0_u8; 1024]);
        let may = visit(1) && (levels == 0 || visit_below(levels - 1));
        black_box(&frame);
        may
    }

    #[test]
    fn a_check_has_an_end_of_its_work_and_of_its_stack() {
        assert_eq!(bounded(11, || visit_below(10)), Some(true));
        assert_eq!(bounded(10, || visit_below(10)), None);
        let deep = || bounded(u64::MAX, || visit_below(4_000));
        let thread = std::thread::Builder::new().stack_size(16 << 20);
        assert_eq!(thread.spawn(deep).unwrap().join().unwrap(), None);
    }
}

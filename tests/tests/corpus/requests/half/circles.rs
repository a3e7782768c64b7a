//! Breaks cycles of schemas.
//!
//! The validator silently accepts any body if it cannot follow a cyclic reference. Each cycle is
//! cut at one place, which then accepts any value, and everything before it is validated.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{definition_of, groups};

/// Cuts all cycles.
pub(super) fn break_all(half: &mut Value) {
    let mut names: Vec<(String, String)> = Vec::new();
    for (group, members) in groups(half) {
        names.extend(members.keys().map(|name| (group.clone(), name.clone())));
    }
    let mut walk = Walk {
        on_the_way: Vec::new(),
        done: BTreeSet::new(),
    };
    for (group, name) in names {
        walk.visit(half, &group, &name);
    }
}

struct Walk {
    on_the_way: Vec<(String, String)>,
    done: BTreeSet<(String, String)>,
}

impl Walk {
    fn visit(&mut self, half: &mut Value, group: &str, name: &str) {
        let key = (group.to_owned(), name.to_owned());
        let place = definition(half, group, name);
        if self.done.contains(&key) || place.is_none() {
            return;
        }
        let Some(mut definition) = place.map(Value::take) else {
            return;
        };
        self.on_the_way.push(key.clone());
        self.cut(half, &mut definition);
        self.on_the_way.pop();
        self.done.insert(key);
        if let Some(place) = self::definition(half, group, name) {
            *place = definition;
        }
    }

    fn cut(&mut self, half: &mut Value, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                let target = fields.get("$ref").and_then(Value::as_str);
                if let Some((group, name)) = target.and_then(definition_of) {
                    if self.on_the_way.contains(&(group.clone(), name.clone())) {
                        *value = json!({});
                        return;
                    }
                    self.visit(half, &group, &name);
                }
                for value in fields.values_mut() {
                    self.cut(half, value);
                }
            }
            Value::Array(items) => {
                for value in items {
                    self.cut(half, value);
                }
            }
            _ => {}
        }
    }
}

fn definition<'a>(half: &'a mut Value, group: &str, name: &str) -> Option<&'a mut Value> {
    let root = half.as_object_mut()?;
    let inside = root
        .get("components")
        .is_some_and(|components| components.get(group).is_some());
    let groups = if inside {
        root.get_mut("components")?.as_object_mut()?
    } else {
        root
    };
    groups.get_mut(group)?.get_mut(name)
}

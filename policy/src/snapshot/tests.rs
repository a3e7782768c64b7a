//! Tests of what a snapshot knows of a tool and of a source of grants.

use super::*;
use crate::{condition::ValueTemplate, scope::CommonScope, variable::Template, written::Scope};

#[test]
fn a_name_that_no_tool_has_takes_the_way_of_some_tool() {
    let mut offers = Offers::default();
    assert!(
        offers.stand_in("get-shop-item").is_none(),
        "there are no tools"
    );
    for name in ["get-shop-order", "list-shop-orders"] {
        let offer = Offer {
            switch: Switch::On,
            sources: Vec::new(),
        };
        offers.tools.insert(ToolName::new(name).unwrap(), offer);
    }
    for name in ["get-shop-item", "", "drop-shop-table"] {
        assert!(offers.stand_in(name).is_some(), "{name}");
    }
}

#[test]
fn a_source_pins_if_one_of_its_rules_does() {
    let source = |scope: Scope| {
        let common = CommonScope::without_variables(&scope);
        let known = BTreeSet::from(["id".to_owned()]);
        let parameters = ScopeParameters::default();
        let rule = CompiledScope::new("p".to_owned(), Arc::new(scope), common, parameters, known);
        let tool = ToolName::new("get-shop-item").unwrap();
        ScopedSource::new(
            "p".to_owned(),
            BTreeMap::from([(tool, vec![Arc::new(rule)])]),
        )
    };
    assert!(!source(Scope::default()).pins());
    let mut pinning = Scope::default();
    let value = ValueTemplate::Text(Template::new("7"));
    pinning.pinned.insert("id".to_owned(), value);
    assert!(source(pinning).pins());
}

#[test]
fn the_common_part_of_a_rule_is_shared_unless_it_has_variables() {
    let scope = |workspace: &str| Scope {
        allowed_workspaces: Some(vec![Template::new(workspace)]),
        ..Scope::default()
    };
    assert!(CommonScope::without_variables(&scope("acme")).is_some());
    assert!(CommonScope::without_variables(&scope("{{team}}")).is_none());
}

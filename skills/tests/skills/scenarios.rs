//! The scenarios of skills: who sees them, what a run leaves in the audit, and how they move.

use serde_json::json;
use toolwright::ToolError;
use toolwright_model::Standing;
use toolwright_skills::standing::{MoveError, notice_changes};
use toolwright_state::testing::TestPlace;

use crate::world::{RESERVE, World, skill};

const POLICY: &str = r#"
[roles.clerk]
grant = ["service:shop"]

[roles.reader]
grant = ["search-shop-items"]
"#;

const NAME: &str = "reserve-shop-stock";

const DISCOVERY: [&str; 3] = [
    "describe-toolwright-skill",
    "list-toolwright-skills",
    "run-toolwright-skill",
];

#[tokio::test]
async fn a_run_makes_each_call_as_its_caller() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    let output = world.call(NAME, json!({"words": "lamp"})).await.unwrap();
    assert_eq!(
        output,
        json!({"result": {"id": "item-1", "quantity": 3}, "calls": 3})
    );
    assert_eq!(
        world.calls(),
        [
            r#"search-shop-items {"q":"lamp"}"#,
            r#"reserve-shop-item {"item_id":"item-1"}"#,
            r#"note-shop-item {"item_id":"item-1","text":"reserved for lamp"}"#,
        ]
    );
    let events = world.events();
    let run = events
        .iter()
        .find(|event| event["event"] == "skill_run")
        .unwrap();
    assert_eq!(run["calls"], 3);
    let steps = events
        .iter()
        .filter(|event| event["parent"] == run["correlation_id"]);
    let decisions = steps.filter(|event| event["event"] == "decision");
    let decided: Vec<_> = decisions
        .map(|event| (&event["tool"], &event["role"]))
        .collect();
    assert_eq!(
        json!(decided),
        json!([
            ["search-shop-items", "clerk"],
            ["reserve-shop-item", "clerk"],
            ["note-shop-item", "clerk"]
        ])
    );
    let own = events.iter().find(|event| event["tool"] == NAME).unwrap();
    assert_eq!(
        (&own["kind"], &own["category"]),
        (&json!("skill"), &json!("execute"))
    );
}

#[tokio::test]
async fn a_skill_whose_third_call_violates_the_scope_fails_and_names_the_call() {
    let policy = r#"
[roles.clerk]
profiles = ["careful"]

[profiles.careful]
tools = ["service:shop"]

[[profiles.careful.scopes]]
tools = "note-shop-item"
arguments.text = { pattern = "never .*" }
"#;
    let world = World::new(&[RESERVE], policy).await;
    world.activate(NAME).await;
    let error = world
        .call(NAME, json!({"words": "lamp"}))
        .await
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("step `note`, a call of `note-shop-item`"),
        "{message}"
    );
    assert_eq!(world.calls().len(), 2, "the first two calls stand");
    let events = world.events();
    let decided: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "decision" && event["parent"].is_string())
        .map(|event| (&event["tool"], &event["decision"], &event["reason"]))
        .collect();
    assert_eq!(
        json!(decided),
        json!([
            ["search-shop-items", "allow", "granted"],
            ["reserve-shop-item", "allow", "granted"],
            ["note-shop-item", "deny", "scope_violation"]
        ])
    );
    let run = events
        .iter()
        .find(|event| event["event"] == "skill_run")
        .unwrap();
    assert_eq!(
        (&run["step"], &run["failed"]),
        (&json!("note"), &json!(false))
    );
}

#[tokio::test]
async fn only_an_active_skill_is_listed_and_the_others_do_not_exist() {
    let world = World::new(&[RESERVE], POLICY).await;
    let absent = world
        .call("reserve-shop-nothing", json!({}))
        .await
        .unwrap_err();
    let assert_absent = async || {
        let error = world
            .call(NAME, json!({"words": "lamp"}))
            .await
            .unwrap_err();
        let message = error.to_string().replace(NAME, "reserve-shop-nothing");
        assert_eq!(message, absent.to_string());
        let names = world.names("clerk");
        assert!(
            !names
                .iter()
                .any(|name| name.contains("toolwright") || name == NAME)
        );
    };
    assert_absent().await;
    world.move_to(NAME, Standing::Reviewed).await.unwrap();
    assert_absent().await;
    world.move_to(NAME, Standing::Active).await.unwrap();
    let names = world.names("clerk");
    assert!(names.contains(&NAME.to_owned()));
    assert!(
        DISCOVERY
            .iter()
            .all(|name| names.contains(&(*name).to_owned()))
    );
    world.move_to(NAME, Standing::Retired).await.unwrap();
    assert_absent().await;
}

#[tokio::test]
async fn the_switch_of_a_skill_takes_it_away() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    let name = world.skills[0].name.value.clone();
    let now = jiff::Timestamp::now();
    let entry = toolwright::availability::Override::new(false, "Ann", "an incident", now).unwrap();
    world.state.switch(&name, &entry).await.unwrap();
    world.set.refresh().await.unwrap();
    assert!(!world.names("clerk").contains(&NAME.to_owned()));
    let error = world
        .call(NAME, json!({"words": "lamp"}))
        .await
        .unwrap_err();
    assert!(
        matches!(error, ToolError::ToolNotPermitted { .. }),
        "{error}"
    );
    world.state.reset(&name).await.unwrap();
    world.set.refresh().await.unwrap();
    world.call(NAME, json!({"words": "lamp"})).await.unwrap();
    // A switch does not activate anything.
    let entry = toolwright::availability::Override::new(true, "Ann", "x", now).unwrap();
    world.state.switch(&name, &entry).await.unwrap();
    world.move_to(NAME, Standing::Retired).await.unwrap();
    assert!(!world.names("clerk").contains(&NAME.to_owned()));
}

#[tokio::test]
async fn a_skill_is_listed_only_to_a_role_that_holds_every_tool() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    assert_eq!(world.names("reader"), ["search-shop-items"]);
    let reader = world.view("reader");
    for tool in [NAME, "run-toolwright-skill", "list-toolwright-skills"] {
        let error = reader
            .call_json(tool, json!({"skill": NAME}))
            .await
            .unwrap_err();
        assert!(
            matches!(error, ToolError::ToolNotPermitted { .. }),
            "{tool}: {error}"
        );
    }
    // An allow-list narrows: a tool that it lacks takes the skill away, and so does its own name.
    for listed in [
        vec![NAME, "search-shop-items", "reserve-shop-item"],
        vec!["search-shop-items", "reserve-shop-item", "note-shop-item"],
    ] {
        let narrowed = world.view("clerk").narrowed_to(listed);
        assert!(narrowed.spec(NAME).is_none());
    }
    let whole = [
        "search-shop-items",
        "reserve-shop-item",
        "note-shop-item",
        NAME,
    ];
    assert!(world.view("clerk").narrowed_to(whole).spec(NAME).is_some());
}

#[tokio::test]
async fn a_deprecated_skill_runs_with_a_warning_that_names_the_alternative() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    world.move_to(NAME, Standing::Deprecated).await.unwrap();
    let output = world.call(NAME, json!({"words": "lamp"})).await.unwrap();
    let warning = output["warning"].as_str().unwrap();
    assert!(warning.contains("use `order-shop-stock`"), "{warning}");
    let events = world.events();
    let run = events
        .iter()
        .find(|event| event["event"] == "skill_run")
        .unwrap();
    assert_eq!(run["warning"], warning);
}

#[tokio::test]
async fn a_run_without_a_required_parameter_is_refused_before_any_call() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    let run = json!({"skill": NAME, "parameters": {}});
    for (tool, arguments) in [(NAME, json!({})), ("run-toolwright-skill", run)] {
        let error = world.call(tool, arguments).await.unwrap_err();
        assert!(error.to_string().contains("words"), "{error}");
    }
    let error = world
        .call(NAME, json!({"words": "", "more": 1}))
        .await
        .unwrap_err();
    assert!(
        matches!(error, ToolError::InvalidArguments { .. }),
        "{error}"
    );
    assert_eq!(world.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn a_skill_moves_only_as_the_table_says() {
    use Standing::{Active, Deprecated, Proposed, Retired, Reviewed};
    for place in TestPlace::all().await {
        let world = World::at(place, &[RESERVE], POLICY).await;
        let refused = world.move_to(NAME, Active).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a skill that is proposed cannot become active; it can become reviewed"
        );
        for to in [
            Reviewed, Proposed, Reviewed, Active, Deprecated, Active, Retired,
        ] {
            world.move_to(NAME, to).await.unwrap();
        }
        for to in [Proposed, Reviewed, Active, Deprecated, Retired] {
            let refused = world.move_to(NAME, to).await;
            assert!(matches!(refused, Err(MoveError::NotAllowed { .. })));
        }
        let moves = world.moves();
        assert_eq!(moves.len(), 7);
        assert_eq!(moves[0], "reviewed by Ann: it was read");
    }
}

#[tokio::test]
async fn a_changed_byte_makes_an_active_skill_proposed_again() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    let changed = skill(&RESERVE.replace("warehouse team", "warehouse Team"));
    let record = |event: &_| world.registry.record(event);
    let now = jiff::Timestamp::now();
    let noticed = notice_changes(&world.state, record, [&changed], now)
        .await
        .unwrap();
    assert_eq!(noticed.len(), 1);
    assert_eq!(
        world.moves().last().unwrap(),
        "proposed by itself: file_changed"
    );
    // The program that holds the old bytes does not offer them either.
    world.set.refresh().await.unwrap();
    assert!(world.view("clerk").spec(NAME).is_none());
    let again = notice_changes(&world.state, record, [&changed], now)
        .await
        .unwrap();
    assert!(again.is_empty());
}

#[tokio::test]
async fn agents_find_describe_and_run_skills() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    let listed = world
        .call("list-toolwright-skills", json!({}))
        .await
        .unwrap();
    assert_eq!(listed["skills"][0]["skill"], NAME);
    let described = world
        .call("describe-toolwright-skill", json!({"skill": NAME}))
        .await
        .unwrap();
    assert_eq!(described["parameters"]["required"], json!(["words"]));
    assert_eq!(described["calls"].as_array().unwrap().len(), 3);
    let arguments = json!({"skill": NAME, "parameters": {"words": "lamp"}});
    let output = world.call("run-toolwright-skill", arguments).await.unwrap();
    assert_eq!(output["calls"], 3);
    // It is no way to call other tools.
    let arguments = json!({"skill": "reserve-shop-item", "parameters": {"item_id": "x"}});
    let error = world
        .call("run-toolwright-skill", arguments)
        .await
        .unwrap_err();
    assert!(
        matches!(error, ToolError::ToolNotPermitted { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn the_usage_report_counts_by_tool_and_by_kind() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    for _ in 0..12 {
        world
            .call("reserve-shop-item", json!({"item_id": "item-1"}))
            .await
            .unwrap();
    }
    for _ in 0..3 {
        world
            .call("search-shop-items", json!({"q": "lamp"}))
            .await
            .unwrap();
    }
    world.call(NAME, json!({"words": "lamp"})).await.unwrap();
    let run = json!({"skill": NAME, "parameters": {"words": "lamp"}});
    world.call("run-toolwright-skill", run).await.unwrap();
    world.call("delete-shop-item", json!({})).await.unwrap_err();
    let mut usage = toolwright_audit::usage::Usage::default();
    for event in world.events() {
        let line = event.to_string();
        usage.add(&toolwright_audit::Entry::read(line.as_bytes()).unwrap());
    }
    let usage = usage.finish();
    assert_eq!(usage.kinds["skill"].ok, 2);
    assert_eq!(usage.kinds["discovery"].ok, 1);
    assert_eq!(usage.tools["reserve-shop-item"].ok, 12 + 2);
    assert_eq!(usage.tools["search-shop-items"].ok, 3 + 2);
    assert_eq!(usage.total.denied, 1);
}

#[tokio::test]
async fn a_search_that_matches_a_skill_and_a_tool_has_the_skill_first() {
    let policy = format!("{POLICY}\n[discovery]\nthreshold = 1\n");
    let world = World::new(&[RESERVE], &policy).await;
    let search = async || {
        let query = json!({"query": "reserve an item", "limit": 9});
        let found = world.call("search-toolwright-tools", query).await.unwrap();
        let tools = found["tools"].as_array().unwrap().iter();
        let names = tools.map(|tool| tool["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let before = search().await;
    assert_eq!(before[0], "reserve-shop-item");
    // What agents see follows the standing, although the policy is the same.
    world.activate(NAME).await;
    let after = search().await;
    assert_eq!(after[0], NAME, "{after:?}");
    assert!(after.contains(&"reserve-shop-item".to_owned()));
    let call = json!({"tool": NAME, "arguments": {"words": "lamp"}});
    let output = world
        .call("call-toolwright-execute-tool", call)
        .await
        .unwrap();
    assert_eq!(output["calls"], 3);
    world.move_to(NAME, Standing::Retired).await.unwrap();
    assert_eq!(search().await, before);
}

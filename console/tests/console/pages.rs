//! Who may what, the record, and skills.
#![cfg(test)]

use serde_json::json;
use toolwright::config::Config;

use crate::{
    browser::Browser,
    world::{CONFIG, ITEMS, World},
};

#[tokio::test]
async fn the_reasons_of_the_policy_are_shown() {
    let world = World::new().await;
    let vic = Browser::of(&world, "vic").await;
    let overview = vic.get("/access").await;
    for shown in ["depot", "mill", "/access/clerk", "7 observe"] {
        assert!(overview.text.contains(shown), "{shown}: {}", overview.text);
    }
    let role = vic.get("/access/reader?q=item").await;
    assert!(role.text.contains("get-depot-item"), "{}", role.text);
    assert!(!role.text.contains("update-depot-item"), "{}", role.text);
    let asked = vic.get("/why?role=reader&tool=update-depot-item").await;
    assert_eq!(asked.location, "/access/reader/update-depot-item");
    let why = vic.get(&asked.location).await;
    assert!(why.text.contains("Refused"), "{}", why.text);
    assert!(
        why.text.contains("the role is granted the tool"),
        "{}",
        why.text
    );
    let arguments = json!({"item_id": ITEMS[0], "quantity": 5}).to_string();
    let arguments: String = url::form_urlencoded::byte_serialize(arguments.as_bytes()).collect();
    let path = format!("/access/clerk/update-depot-item?arguments={arguments}");
    let why = vic.get(&path).await;
    assert!(
        why.text.contains("after a person has approved it"),
        "{}",
        why.text
    );
    assert_eq!(vic.get("/access/nobody").await.status, 404);
}

#[tokio::test]
async fn an_edited_policy_shows_what_it_would_change() {
    let world = World::new().await;
    let vic = Browser::of(&world, "vic").await;
    let page = vic.get("/preview").await;
    let edited = CONFIG.replace(
        "grant = [\"category:observe\"]",
        "grant = [\"get-depot-item\"]",
    );
    let effect = vic.submit(&page, "/preview", &[("policy", &edited)]).await;
    for shown in ["Role reader", "loses", "list-depot-items"] {
        assert!(effect.text.contains(shown), "{shown}: {}", effect.text);
    }
    assert!(!effect.text.contains("Role clerk"), "{}", effect.text);
    assert!(
        vic.get("/access/reader")
            .await
            .text
            .contains("list-depot-items")
    );
    let wrong = [("policy", "[roles.reader]\ngrand = []")];
    let refused = vic.submit(&page, "/preview", &wrong).await;
    assert!(
        refused.text.contains("would be refused"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn the_record_is_filtered_told_as_a_story_exported_and_verified() {
    let world = World::new().await;
    world
        .call("get-depot-item", json!({"item_id": ITEMS[0]}))
        .await
        .unwrap();
    assert!(world.call("no-such-tool", json!({})).await.is_err());
    let vic = Browser::of(&world, "vic").await;
    let all = vic.get("/record").await;
    assert!(all.text.contains("get-depot-item") && all.text.contains("no-such-tool"));
    let denied = vic.get("/record?decision=deny").await;
    assert!(!denied.text.contains("get-depot-item"), "{}", denied.text);
    assert!(denied.text.contains("unknown_tool"), "{}", denied.text);
    assert_eq!(vic.get("/record?since=yesterday").await.status, 400);
    let events = world.events();
    let decision = events
        .iter()
        .find(|event| event["tool"] == "get-depot-item")
        .unwrap();
    let call = decision["correlation_id"].as_str().unwrap();
    let story = vic.get(&format!("/record/call/{call}")).await;
    for shown in ["decision", "outcome", "spec_digest"] {
        assert!(story.text.contains(shown), "{shown}: {}", story.text);
    }
    let run = vic.get("/record/run?run=run-7").await;
    assert!(run.text.contains("2 calls"), "{}", run.text);
    let usage = vic.get("/record/use").await;
    assert!(usage.text.contains("get-depot-item"), "{}", usage.text);
    let exported = vic.submit(&denied, "/record/export", &[]).await;
    assert_eq!(exported.text.lines().count(), 1, "{}", exported.text);
    assert!(exported.text.contains("\"tool\":\"no-such-tool\""));
    let chain = vic.get("/record/verify").await;
    let verified = vic.submit(&chain, "/record/verify", &[]).await;
    assert!(
        verified.text.contains("Nothing was changed"),
        "{}",
        verified.text
    );
    let audit = &world.config.audit.file;
    let text = std::fs::read_to_string(audit).unwrap();
    std::fs::write(audit, text.replacen("get-depot-item", "got-depot-item", 1)).unwrap();
    let broken = vic.submit(&chain, "/record/verify", &[]).await;
    assert!(
        broken.text.contains("It breaks at event"),
        "{}",
        broken.text
    );
}

#[tokio::test]
async fn a_skill_is_reviewed_with_its_steps_and_activated() {
    let world = World::new().await;
    let ann = Browser::of(&world, "ann").await;
    let list = ann.get("/skills").await;
    assert!(
        list.text.contains("report-depot-shortages"),
        "{}",
        list.text
    );
    let path = "/skills/report-depot-shortages";
    let page = ann.get(path).await;
    for shown in ["proposed", "observe", "Steps", "Make it reviewed"] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let skipped = [("to", "active"), ("reason", "hurry")];
    assert_eq!(
        ann.submit(&page, path, &skipped).await.status,
        400,
        "review first"
    );
    for to in ["reviewed", "active"] {
        let moved = ann
            .submit(&page, path, &[("to", to), ("reason", "it was read")])
            .await;
        assert_eq!(moved.status, 303, "{}", moved.text);
    }
    assert!(ann.get(path).await.text.contains(">active<"));
    let stored = world.state.skills().await.unwrap();
    assert_eq!(stored[0].person.as_deref(), Some("ann"));
    let file = world
        .folder
        .path()
        .join("skills/report-depot-shortages/skill.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\n# changed\n")).unwrap();
    let moved = ann
        .submit(&page, path, &[("to", "retired"), ("reason", "x")])
        .await;
    assert_eq!(moved.status, 400, "the page shows another file");
}

#[tokio::test]
async fn each_cell_of_tools_and_roles_says_what_the_role_may_and_leads_to_its_reasons() {
    let world = World::new().await;
    let ann = Browser::of(&world, "ann").await;
    let overview = ann.get("/access").await;
    assert!(overview.text.contains("/matrix?service=depot"));
    let cell = |page: &str, role: &str, tool: &str| {
        let link = format!("href=\"/access/{role}/{tool}\">");
        let rest = page.split(&link).nth(1).unwrap_or_else(|| panic!("{page}"));
        rest.split('<').next().unwrap().to_owned()
    };
    let page = ann.get("/matrix?service=depot").await.text;
    assert_eq!(cell(&page, "clerk", "get-depot-item"), "granted");
    assert_eq!(cell(&page, "clerk", "delete-depot-item"), "asks a person");
    assert_eq!(cell(&page, "reader", "delete-depot-item"), "not granted");
    assert!(!page.contains("grind-mill-grain"), "{page}");
    let tool = ann.get("/tools/get-depot-item").await;
    let off = [("change", "off"), ("reason", "incident 7")];
    ann.submit(&tool, "/tools/get-depot-item", &off).await;
    let page = ann.get("/matrix?cell=off").await.text;
    assert_eq!(cell(&page, "reader", "get-depot-item"), "switched off");
    assert!(page.contains("4 tools, 2 roles"), "{page}");
    let forbids =
        format!("{CONFIG}\n[[forbid]]\nreason = \"not here\"\ntools = \"list-mill-sacks-1\"\n");
    let path = world.folder.path().join("toolwright.toml");
    let forbids = Config::parse(&path, &forbids).unwrap();
    world.registry.reload(&forbids).unwrap();
    let page = ann.get("/matrix?cell=forbidden").await.text;
    assert_eq!(cell(&page, "clerk", "list-mill-sacks-1"), "forbidden");
    let page = ann.get("/matrix?q=mill+2&role=reader").await.text;
    assert_eq!(cell(&page, "reader", "list-mill-sacks-2"), "granted");
    assert!(page.contains("1 tool, 1 role."), "{page}");
}

//! The health of skills: what counts as a failure, and when a skill is deprecated by itself.

use serde_json::json;
use toolwright_model::Standing;
use toolwright_skills::standing::of_file;
use toolwright_state::testing::TestPlace;

use crate::world::{RESERVE, World};

const POLICY: &str = "[roles.clerk]\ngrant = [\"service:shop\"]\n";

const NAME: &str = "reserve-shop-stock";

async fn standing(world: &World) -> Standing {
    let records = world.state.skills().await.unwrap();
    let skill = &world.skills[0];
    of_file(&skill.name.value, &skill.digest, &records)
}

#[tokio::test]
async fn three_failures_in_twenty_runs_deprecate_a_skill() {
    for place in TestPlace::all().await {
        let world = World::at(place, &[RESERVE], POLICY).await;
        world.activate(NAME).await;
        let run = async |status| {
            world.fail(status);
            let _ = world.call(NAME, json!({"words": "lamp"})).await;
        };
        // Two of twenty are 90 %: not below.
        for status in [500, 500] {
            run(status).await;
        }
        for _ in 0..17 {
            run(0).await;
        }
        assert_eq!(standing(&world).await, Standing::Active);
        run(503).await;
        assert_eq!(standing(&world).await, Standing::Deprecated);
        assert_eq!(
            world.moves().last().unwrap(),
            "deprecated by itself: success_rate_below_threshold"
        );
        // It runs with a warning, and a person may activate it again: the failures before do not count.
        world.fail(0);
        let output = world.call(NAME, json!({"words": "lamp"})).await.unwrap();
        assert!(
            output["warning"]
                .as_str()
                .unwrap()
                .contains("success_rate_below_threshold")
        );
        world.move_to(NAME, Standing::Active).await.unwrap();
        run(500).await;
        run(500).await;
        assert_eq!(standing(&world).await, Standing::Active);
    }
}

#[tokio::test]
async fn failures_of_long_ago_do_not_count() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    for round in 0..3 {
        world.fail(500);
        world
            .call(NAME, json!({"words": "lamp"}))
            .await
            .unwrap_err();
        world.fail(0);
        for _ in 0..19 {
            world.call(NAME, json!({"words": "lamp"})).await.unwrap();
        }
        assert_eq!(standing(&world).await, Standing::Active, "round {round}");
    }
}

#[tokio::test]
async fn a_caller_cannot_make_a_skill_look_broken() {
    let world = World::new(&[RESERVE], POLICY).await;
    world.activate(NAME).await;
    for _ in 0..30 {
        // A parameter that the schema refuses, and one that the service refuses.
        world.call(NAME, json!({"words": ""})).await.unwrap_err();
        world.fail(404);
        world
            .call(NAME, json!({"words": "no such thing"}))
            .await
            .unwrap_err();
        world.fail(0);
    }
    assert_eq!(standing(&world).await, Standing::Active);
    let runs = world
        .state
        .skill_runs(&world.skills[0].name.value, 100)
        .await
        .unwrap();
    assert!(runs.is_empty());
}

//! Approvals that several programs use at once.

use std::time::Duration;

use toolwright_state::testing::TestPlace;

use crate::{instance::WAITS, peer::Operator};

/// The number of programs that are killed.
const ROUNDS: u64 = 40;

/// 100 equal calls from two programs at once, for one approval.
pub(crate) async fn retries(place: TestPlace) {
    let operator = Operator::new(place).await;
    let (mut one, mut two) = (operator.peer().await, operator.peer().await);
    for round in 0..5 {
        let name = format!("round-{round}");
        assert_eq!(one.call(WAITS, &name).await, "approval_required");
        operator.approve().await;
        let burst = format!("burst 50 {WAITS} {name}");
        one.tell(&burst).await;
        two.tell(&burst).await;
        let passed = |answer: serde_json::Value| answer["passed"].as_u64().unwrap();
        let passed = passed(one.answer().await) + passed(two.answer().await);
        assert_eq!(passed, 1, "round {round}");
        assert_eq!(operator.effects(&name), 1, "round {round}");
        // Their first refused call waits again.
        operator.approve().await;
        assert_eq!(two.call(WAITS, &name).await, "ok");
    }
}

/// Two programs make equal calls at once: people are told of each once.
pub(crate) async fn told_once(place: TestPlace) {
    let operator = Operator::new(place).await;
    let told = operator.folder.path().join("told");
    std::fs::write(&told, "").unwrap();
    let (mut one, mut two) = (operator.peer().await, operator.peer().await);
    for round in 0..5 {
        let burst = format!("burst 20 {WAITS} round-{round}");
        one.tell(&burst).await;
        two.tell(&burst).await;
        one.answer().await;
        two.answer().await;
        operator.approve().await;
        assert_eq!(one.call(WAITS, &format!("round-{round}")).await, "ok");
    }
    // The last one may still be on its way; none comes after it.
    let lines = || std::fs::read_to_string(&told).unwrap();
    for _ in 0..500 {
        if lines().lines().count() >= 5 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let text = lines();
    assert_eq!(text.lines().count(), 5, "{text}");
    for round in 0..5 {
        assert_eq!(text.matches(&format!("round-{round}")).count(), 1, "{text}");
    }
}

/// A program is killed while it uses an approval, at any point; then another one tries.
pub(crate) async fn killed(place: TestPlace) {
    let operator = Operator::new(place).await;
    let mut survivor = operator.peer().await;
    let (mut before, mut after) = (0, 0);
    for round in 0..ROUNDS {
        let name = format!("round-{round}");
        let mut victim = operator.peer().await;
        assert_eq!(victim.call(WAITS, &name).await, "approval_required");
        operator.approve().await;
        // From before it is told to call to after it has answered.
        if round > 0 {
            victim.tell(&format!("call {WAITS} {name}")).await;
            tokio::time::sleep(Duration::from_micros(round * 250)).await;
        }
        if round == ROUNDS - 1 {
            assert_eq!(victim.answer().await["ended"], "ok");
        }
        victim.kill().await;
        let done = operator.effects(&name);
        let again = survivor.call(WAITS, &name).await;
        assert!(
            done <= 1 && operator.effects(&name) <= 1,
            "{name} was done twice"
        );
        match again.as_str() {
            "ok" => {
                assert_eq!(done, 0, "{name} was done twice");
                before += 1;
            }
            "approval_required" => {
                after += 1;
                // Decided, so that it does not wait in the next round.
                operator.approve().await;
            }
            other => panic!("{other}"),
        }
        assert_ne!(
            survivor.call(WAITS, &name).await,
            "undecided",
            "no lock is left"
        );
        while operator.waits().await {
            operator.approve().await;
        }
    }
    eprintln!("killed before the use of the approval: {before}, after it: {after}");
    assert!(
        before > 0 && after > 0,
        "the kills cover both sides: {before}, {after}"
    );
}

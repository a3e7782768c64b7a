//! Switches of tools.

use std::time::{Duration, Instant};

use toolwright::{
    ToolName,
    availability::Override,
    system::{Clock, SystemClock},
};
use toolwright_state::testing::TestPlace;

use crate::{
    LIMIT,
    instance::{CHANGES, OFF, READS, WAITS, now},
    peer::{Operator, Peer},
};

/// The number of measured switches. The figure of `docs/state.md` is of 1,000.
const SWITCHES: u32 = 100;

/// The variable that sets another number.
const VARIABLE: &str = "TOOLWRIGHT_SWITCHES";

impl Operator {
    pub(crate) async fn switch(&self, tool: &str, enabled: bool) {
        let tool: ToolName = tool.parse().unwrap();
        let entry = Override::new(enabled, "operator", "a test", SystemClock.now()).unwrap();
        self.state.switch(&tool, &entry).await.unwrap();
    }

    async fn reset(&self, tool: &str) -> bool {
        self.state.reset(&tool.parse().unwrap()).await.unwrap()
    }
}

/// Waits until calls end like this.
async fn becomes(peer: &mut Peer, tool: &str, expected: &str) {
    let begun = Instant::now();
    while peer.call(tool, "x").await != expected {
        assert!(
            begun.elapsed() < LIMIT,
            "`{tool}` is not `{expected}` after {LIMIT:?}"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A1: while 1,000 calls run on two programs, a tool is switched off.
pub(crate) async fn switch_under_load(place: TestPlace) {
    let operator = Operator::new(place).await;
    let (mut one, mut two) = (operator.peer().await, operator.peer().await);
    assert_eq!(one.call(WAITS, "held").await, "approval_required");
    operator.approve().await;

    for peer in [&mut one, &mut two] {
        peer.tell(&format!("load 500 3000 {CHANGES}")).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    operator.switch(CHANGES, false).await;
    operator.switch(WAITS, false).await;
    let switched = now();
    for peer in [&mut one, &mut two] {
        let counted = peer.answer().await;
        let number = |name: &str| counted[name].as_u64().unwrap();
        assert!(number("passed") > 500, "{counted}");
        assert!(number("refused") > 500, "{counted}");
        let late = Duration::from_micros(number("last").saturating_sub(switched));
        eprintln!("the last call that passed ended {late:?} after the switch");
        assert!(late < LIMIT, "{late:?}");
    }

    // The call was approved before its tool was switched off.
    for peer in [&mut one, &mut two] {
        assert_eq!(peer.call(WAITS, "held").await, "tool_not_permitted");
    }
    assert_eq!(operator.effects("held"), 0);
    operator.switch(WAITS, true).await;
    becomes(&mut one, WAITS, "approval_required").await;
    assert_eq!(
        one.call(WAITS, "held").await,
        "ok",
        "the approval still stands"
    );
}

/// Measures the time from a switch to its effect in two programs.
pub(crate) async fn measured(place: TestPlace) {
    let operator = Operator::new(place).await;
    let (mut one, mut two) = (operator.peer().await, operator.peer().await);
    for peer in [&mut one, &mut two] {
        peer.tell(&format!("follow {CHANGES}")).await;
        assert_eq!(peer.answer().await["ended"], "ok");
    }
    let number = std::env::var(VARIABLE).map_or(SWITCHES, |number| number.parse().unwrap());
    let mut times = Vec::new();
    for index in 0..number {
        let enabled = index % 2 == 1;
        let begun = now();
        operator.switch(CHANGES, enabled).await;
        for peer in [&mut one, &mut two] {
            let seen = peer.answer().await;
            let expected = if enabled { "ok" } else { "tool_not_permitted" };
            assert_eq!(seen["ended"], expected);
            times.push(Duration::from_micros(
                seen["at"].as_u64().unwrap().saturating_sub(begun),
            ));
        }
    }
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    eprintln!(
        "{number} switches, from the switch to the first call that is decided by it, in two \
         processes: p50 {:?}, p99 {:?}, most {:?}",
        at(50),
        at(99),
        at(100)
    );
}

/// A2: a tool that is off by default is switched on, and its switch is removed.
pub(crate) async fn on_and_reset(place: TestPlace) {
    let operator = Operator::new(place).await;
    let mut peer = operator.peer().await;
    assert_eq!(peer.call(OFF, "x").await, "tool_not_permitted");
    operator.switch(OFF, true).await;
    becomes(&mut peer, OFF, "ok").await;
    assert!(operator.reset(OFF).await);
    becomes(&mut peer, OFF, "tool_not_permitted").await;
    assert!(!operator.reset(OFF).await, "it has no switch any more");

    // A switch that is changed by hand counts too.
    operator.switch(OFF, true).await;
    becomes(&mut peer, OFF, "ok").await;
    operator.place.tamper("DELETE FROM tool_state").await;
    becomes(&mut peer, OFF, "tool_not_permitted").await;
}

/// A3: an allow-list that names a tool that is switched off.
pub(crate) async fn allow_list(place: TestPlace) {
    let operator = Operator::new(place).await;
    let mut peer = operator.peer().await;
    assert_eq!(peer.ask(&format!("narrow {READS}")).await["ended"], "ok");
    operator.switch(READS, false).await;
    becomes(&mut peer, READS, "tool_not_permitted").await;
    for tool in [READS, OFF] {
        let answer = peer.ask(&format!("narrow {tool}")).await;
        assert_eq!(answer["ended"], "tool_not_permitted", "{tool}");
    }
}

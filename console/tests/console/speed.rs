//! The times of pages and decisions, and the size of a first visit.
//!
//! By default the load is small. With `TOOLWRIGHT_CONSOLE_LOAD=1`, 1,000 calls wait, there are 10,000 tools and
//! 1,000,000 events, as in `docs/console.md`.
#![cfg(test)]

use std::{
    env,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::json;
use tokio::task::JoinHandle;
use toolwright::{ScopedToolView, audit::AuditEvent, eab::RunContext, jiff::Timestamp};

use crate::{
    browser::Browser,
    world::{ITEMS, World},
};

/// The most bytes of a first visit.
const FIRST_VISIT: usize = 100 << 10;

/// The longest time in which a page must answer on any machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// The load: tools, calls that wait, events.
fn load() -> (usize, usize, usize) {
    match env::var("TOOLWRIGHT_CONSOLE_LOAD").as_deref() {
        Ok("1") => (10_000, 1_000, 1_000_000),
        _ => (300, 60, 5_000),
    }
}

/// The decisions that are measured, and the calls that wait beside them.
fn pace() -> (usize, usize) {
    match env::var("TOOLWRIGHT_CONSOLE_LOAD").as_deref() {
        Ok("1") => (200, 100),
        _ => (20, 5),
    }
}

/// Prints the median, the 99th percentile and the longest of some durations.
fn print(what: &str, mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let milliseconds = |time: Duration| time.as_secs_f64() * 1_000.0;
    println!(
        "{what}: median {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        milliseconds(at(50)),
        milliseconds(at(99)),
        milliseconds(at(100))
    );
    at(50)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_and_decisions_are_quick_under_load() {
    let (tools, waiting, events) = load();
    let world = World::with_tools(tools).await;
    for number in 0..waiting {
        let view = clerk(&world, format!("run-{number}"));
        let call = view.call_json(
            "delete-depot-item",
            json!({"item_id": format!("00000000-0000-4000-8000-{number:012}")}),
        );
        assert!(call.await.is_err());
    }
    for number in 0..events {
        let event = AuditEvent::policy_loaded(Timestamp::now(), &number.to_string());
        world.registry.record(&event).unwrap();
    }
    println!("{tools} tools, {waiting} calls that wait, {events} events");
    let ann = Browser::of(&world, "ann").await;
    let request = world.pending().await.remove(0);
    let of_request = format!("/waiting/{}", request.handle);
    for path in [
        "/",
        &of_request,
        "/tools",
        "/tools?q=sacks+9",
        "/matrix?q=sacks+9",
        "/matrix?cell=approval",
        "/tools/switch",
        "/record",
        "/record?role=nobody",
    ] {
        let mut times = Vec::new();
        for _ in 0..20 {
            let begun = Instant::now();
            assert_eq!(ann.get(path).await.status, 200);
            times.push(begun.elapsed());
        }
        let name = if path == of_request {
            "the page of a request"
        } else {
            path
        };
        assert!(print(name, times) < PATIENCE, "{path}");
    }
    decisions(&world, &ann, pace()).await;
    switch_off(&world, &ann).await;
}

/// Measures the time from the press that switches everything off until programs with the same state refuse
/// calls.
async fn switch_off(world: &World, ann: &Browser) {
    let other = world.another_program().await;
    let page = ann.get("/tools/switch").await;
    let off = [("change", "off"), ("reason", "incident 9")];
    let begun = Instant::now();
    let refused = tokio::spawn(async move {
        let role = "clerk".parse().unwrap();
        while other.tools().any(|(_, on)| on) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let call = other.for_agent(&role);
        let call = call.call_json("list-mill-sacks-7", json!({}));
        assert!(call.await.is_err());
        begun.elapsed()
    });
    assert_eq!(ann.submit(&page, "/tools/switch", &off).await.status, 303);
    let answered = begun.elapsed();
    assert!(world.registry.tools().all(|(_, on)| !on));
    print("switching everything off: the page", vec![answered]);
    let refused = refused.await.unwrap();
    print(
        "switching everything off: refused by another program",
        vec![refused],
    );
    assert!(refused < PATIENCE, "{refused:?}");
}

/// Returns the view of the clerk in a run.
fn clerk(world: &World, run: String) -> ScopedToolView {
    let context = RunContext {
        run: Some(run),
        ..RunContext::default()
    };
    let role = "clerk".parse().unwrap();
    world.registry.for_agent(&role).in_run(context)
}

/// Measures the time from a decision to the end of the call that waited for it.
async fn decisions(world: &World, ann: &Browser, (decisions, beside): (usize, usize)) {
    let tool = "update-depot-item".parse().unwrap();
    let mut times = Vec::new();
    let waiters = waiters(world, beside);
    for number in 0..decisions {
        let view = clerk(world, format!("decided-{number}"));
        let view = view.waiting_for(Duration::from_secs(60));
        let arguments = json!({"item_id": ITEMS[0], "quantity": number});
        let call =
            tokio::spawn(async move { view.call_json("update-depot-item", arguments).await });
        let request = loop {
            let waiting = world.state.waiting_for_tool(&tool, Timestamp::now(), 1);
            if let Some(request) = waiting.await.unwrap().requests.pop() {
                break request;
            }
            assert!(!call.is_finished(), "{number}: {:?}", call.await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let path = format!("/waiting/{}", request.handle);
        let page = ann.get(&path).await;
        let begun = Instant::now();
        let decided = ann.submit(&page, &path, &[("verdict", "approved")]).await;
        assert_eq!(decided.status, 303);
        call.await.unwrap().unwrap();
        times.push(begun.elapsed());
    }
    assert!(print("from a decision to the end of the call", times) < PATIENCE);
    for waiter in waiters {
        waiter.abort();
    }
}

/// Lets calls wait beside those that are decided.
fn waiters(world: &World, number: usize) -> Vec<JoinHandle<()>> {
    let waiters = (0..number).map(|number| {
        let view = clerk(world, format!("beside-{number}"));
        let view = view.waiting_for(Duration::from_secs(600));
        let item = format!("00000000-0000-4000-9000-{number:012}");
        tokio::spawn(async move {
            let call = view.call_json("delete-depot-item", json!({"item_id": item}));
            drop(call.await);
        })
    });
    waiters.collect()
}

#[tokio::test]
async fn a_first_visit_transfers_little() {
    let world = World::new().await;
    for number in 0..50 {
        let arguments = json!({"item_id": format!("00000000-0000-4000-8000-{number:012}")});
        let view = clerk(&world, format!("run-{number}"));
        assert!(
            view.call_json("delete-depot-item", arguments)
                .await
                .is_err()
        );
    }
    let ann = Browser::of(&world, "ann").await;
    let page = ann.get("/").await;
    let mut bytes = page.text.len();
    let files = page.text.split("\"/static/").skip(1);
    let files: Vec<&str> = files.map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(files.len(), 3);
    for file in files {
        let answer = ann
            .request(Method::GET, &format!("/static/{file}"))
            .send()
            .await;
        bytes += answer.unwrap().bytes().await.unwrap().len();
    }
    println!("a first visit with 50 calls on the page: {bytes} bytes");
    assert!(bytes < FIRST_VISIT, "{bytes}");
}

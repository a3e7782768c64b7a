//! `toolwright demo --console`: the console over the demo, while agents keep calling.

use std::{net::Ipv4Addr, time::Duration};

use serde_json::{Value, json};
use tokio::{net::TcpListener, time::interval};
use toolwright::{Role, approval::ApproverKey, eab::RunContext};
use toolwright_console::{Address, Console, serve};

use super::{scenes::PERSON, setting::Setting};
use crate::{Failure, commands::console::ended, context::Context, output::error_line};

/// The interval between two calls of the agents.
const BETWEEN_CALLS: Duration = Duration::from_secs(2);

/// The time for which a call waits for its decision.
const PATIENCE: Duration = Duration::from_mins(15);

/// Serves the console at a port, until the command is ended.
pub(super) async fn run(
    setting: &Setting,
    port: u16,
    context: &mut Context,
) -> Result<(), Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = listener.map_err(|error| wrong(&format!("cannot bind port {port}: {error}")))?;
    let port = listener.local_addr()?.port();
    let address = Address::new(&format!("http://127.0.0.1:{port}"));
    let address = address.map_err(|error| wrong(&error))?;
    let key = ApproverKey::in_folder(setting.folder()).map_err(|error| wrong(&error))?;
    let (registry, state) = (setting.registry.clone(), setting.state.clone());
    let console = Console::new(registry, state, setting.config(), address).key(key);
    let link = console
        .invite(PERSON)
        .await
        .map_err(|error| wrong(&error))?;
    context.output.line(&link)?;
    context.output.flush()?;
    error_line("open the link to decide about the calls of the demo's agents; Ctrl-C ends this");
    let availability = setting.registry.availability().clone();
    let following = tokio::spawn(setting.state.clone().follow(availability, |_| {}));
    tokio::select! {
        served = serve(console, listener, ended()) => served?,
        failed = traffic(setting) => return Err(failed),
    }
    following.abort();
    Ok(())
}

/// Makes the calls of two agents, one after another, until it is dropped.
async fn traffic(setting: &Setting) -> Failure {
    let mut ticks = interval(BETWEEN_CALLS);
    for number in 1_u64.. {
        ticks.tick().await;
        let (role, tool, arguments) = call(number);
        let role = match Role::new(role) {
            Ok(role) => role,
            Err(error) => return Failure::new(error.to_string()),
        };
        let run = RunContext {
            run: Some(format!("run-{}", number / 12 + 1)),
            agent: Some(format!("{role}-agent")),
            ..RunContext::default()
        };
        let view = setting.view(&role).in_run(run).waiting_for(PATIENCE);
        tokio::spawn(async move {
            // A refusal is a part of the traffic.
            let _ = view.call_json(tool, arguments).await;
        });
    }
    Failure::new("the agents of the demo have ended")
}

/// Returns a call of the traffic.
fn call(number: u64) -> (&'static str, &'static str, Value) {
    let item = |sku: String| json!({"sku": sku, "name": "Wall clock", "quantity": number % 9 + 1});
    match number % 6 {
        0 => (
            "clerk",
            "create-depot-item",
            item(format!("CLOCK-{number:04}")),
        ),
        1 => ("reader", "list-depot-items", json!({})),
        2 => ("reader", "search-depot-items", json!({"q": "clock"})),
        3 => (
            "clerk",
            "create-depot-item",
            item(format!("SAFE-{number:04}")),
        ),
        4 => ("reader", "get-depot-stock-report", json!({})),
        _ => ("reader", "delete-depot-item", json!({"item_id": "1"})),
    }
}

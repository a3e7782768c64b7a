//! Calls with 10,000 tools and 100 roles, next to bare requests in the same run.

use std::time::{Duration, Instant};

use axum::Router;
use serde_json::{Value, json};
use toolwright::{Registry, ScopedToolView};

use crate::{
    figures::{Calls, Times},
    workload,
};

pub(crate) const TOOLS: usize = 10_000;
pub(crate) const ROLES: usize = 100;

/// The calls of each kind.
const NUMBER: usize = 20_000;

/// The calls before the measured ones.
const WARM: usize = 500;

/// Returns a registry of functions that do nothing: a call is the boundary alone.
pub(crate) fn natives() -> Result<Registry, String> {
    let specs = workload::specs(TOOLS, "http://127.0.0.1")?;
    let builder = workload::builder(workload::native_policy(TOOLS, ROLES)?);
    let registry = builder
        .tools(specs.into_iter().map(workload::native))
        .build();
    let registry = registry.map_err(|error| error.to_string())?;
    workload::switch(&registry, TOOLS)?;
    Ok(registry)
}

/// The arguments of a call.
pub(crate) fn arguments() -> Value {
    json!({"id": "item-7", "shelf": "a", "limit": 10})
}

async fn call(view: &ScopedToolView, tool: &str) -> Result<Duration, String> {
    let arguments = arguments();
    let begun = Instant::now();
    let called = view.call_json(tool, arguments).await;
    let time = begun.elapsed();
    called.map_err(|error| error.to_string())?;
    Ok(time)
}

/// Calls a function, for a profiler.
pub(crate) fn make(number: usize) -> Result<(), String> {
    let registry = natives()?;
    let view = workload::view(&registry, workload::EVERYTHING)?;
    workload::runtime()?.block_on(async {
        for _ in 0..number {
            call(&view, &workload::name(0)).await?;
        }
        Ok(())
    })
}

pub(crate) fn measure() -> Result<Calls, String> {
    workload::runtime()?.block_on(async {
        let boundary = boundary().await?;
        let (bare, governed) = requests().await?;
        let calls = Calls {
            tools: TOOLS,
            roles: ROLES,
            number: NUMBER,
            boundary,
            bare,
            governed,
        };
        println!("{calls:?}");
        Ok(calls)
    })
}

async fn boundary() -> Result<Times, String> {
    let registry = natives()?;
    let view = workload::view(&registry, workload::EVERYTHING)?;
    let mut times = Vec::with_capacity(NUMBER);
    for number in 0..WARM + NUMBER {
        // Tools with an even number were switched on or left alone.
        let time = call(&view, &workload::name(number % 50 * 2)).await?;
        if number >= WARM {
            times.push(time);
        }
    }
    Ok(Times::of(times))
}

/// Measures bare requests and governed calls in turn.
async fn requests() -> Result<(Times, Times), String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let app = Router::new().fallback(|| async { axum::Json(json!({"id": "item-7"})) });
    // The service has a thread of its own, as it would have a machine of its own.
    std::thread::spawn(move || {
        let runtime = workload::runtime()?;
        let served = runtime.block_on(async { axum::serve(listener, app).await });
        served.map_err(|error| error.to_string())
    });
    let url = format!("http://{address}");
    let mut config = workload::policy(TOOLS, ROLES)?;
    for profile in config.policy.profiles.values_mut() {
        for rule in &mut profile.scopes {
            let own = format!("{url}/");
            rule.scope.allowed_urls = Some(vec![toolwright::policy::Template::new(own)]);
        }
    }
    let registry = workload::builder(config)
        .specs(workload::specs(TOOLS, &url)?)
        .build()
        .map_err(|error| error.to_string())?;
    workload::switch(&registry, TOOLS)?;
    let view = workload::view(&registry, workload::EVERYTHING)?;
    let client = client()?;
    let target = format!("{url}/items/item-7?shelf=a&limit=10");
    let (mut bare, mut governed) = (Vec::new(), Vec::new());
    for number in 0..WARM + NUMBER / 2 {
        let begun = Instant::now();
        let answer = client.get(&target).send().await;
        let answer = answer.map_err(|error| error.to_string())?.bytes().await;
        let answer = answer.map_err(|error| error.to_string())?;
        let value: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        let time = begun.elapsed();
        drop(value);
        let call = call(&view, &workload::name(0)).await?;
        if number >= WARM {
            bare.push(time);
            governed.push(call);
        }
    }
    Ok((Times::of(bare), Times::of(governed)))
}

fn client() -> Result<reqwest::Client, String> {
    // Both crates of the process use one provider of cryptography.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build();
    client.map_err(|error| error.to_string())
}

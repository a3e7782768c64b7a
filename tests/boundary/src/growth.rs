//! Registries of several sizes, each in a process of its own, so that their memory can be told apart.

use std::{fs, process::Command, time::Instant};

use toolwright::{availability::Overrides, policy::Variables};

use crate::{
    calls,
    figures::{RegistryFigures, Times},
    workload,
};

/// The numbers of tools and roles.
const SIZES: [(usize, usize); 8] = [
    (1_000, 100),
    (3_000, 100),
    (10_000, 100),
    (30_000, 100),
    (100_000, 100),
    (10_000, 10),
    (10_000, 1_000),
    (100_000, 1_000),
];

/// The number of measured decisions.
const DECISIONS: usize = 5_000;

/// The runs of each size; the fastest one counts.
const RUNS: usize = 3;

pub(crate) fn measure() -> Result<Vec<RegistryFigures>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (tools, roles) in SIZES {
        let mut best: Option<RegistryFigures> = None;
        for _ in 0..RUNS {
            let output = Command::new(&program)
                .args(["registry", &tools.to_string(), &roles.to_string()])
                .output()
                .map_err(|error| error.to_string())?;
            let found: RegistryFigures = serde_json::from_slice(&output.stdout)
                .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
            if best.is_none_or(|best| found.build_ms < best.build_ms) {
                best = Some(found);
            }
        }
        println!("{best:?}");
        all.extend(best);
    }
    Ok(all)
}

/// Measures one registry and prints its figures as JSON.
pub(crate) fn print(tools: usize, roles: usize) -> Result<(), String> {
    let figures = registry(tools, roles)?;
    let text = serde_json::to_string(&figures).map_err(|error| error.to_string())?;
    println!("{text}");
    Ok(())
}

fn registry(tools: usize, roles: usize) -> Result<RegistryFigures, String> {
    let specs = workload::specs(tools, "http://127.0.0.1")?;
    let natives: Vec<_> = specs.into_iter().map(workload::native).collect();
    let config = workload::native_policy(tools, roles)?;
    let again = config.clone();
    let before = resident_kib()?;
    let begun = Instant::now();
    let registry = workload::builder(config).tools(natives).build();
    let registry = registry.map_err(|error| error.to_string())?;
    let build = begun.elapsed();
    let kib = resident_kib()?.saturating_sub(before);
    let begun = Instant::now();
    registry.reload(&again).map_err(|error| error.to_string())?;
    let reload = begun.elapsed();
    workload::switch(&registry, tools)?;
    let view = workload::view(&registry, workload::EVERYTHING)?;
    let begun = Instant::now();
    let listed = view.specs().len();
    let list = begun.elapsed();
    if listed == 0 {
        return Err("nothing is listed".to_owned());
    }
    let mut times = Vec::new();
    workload::runtime()?.block_on(async {
        let name = workload::name(0);
        for _ in 0..DECISIONS {
            let begun = Instant::now();
            let called = view.call_json(&name, calls::arguments()).await;
            times.push(begun.elapsed());
            called.map_err(|error| error.to_string())?;
        }
        Ok::<_, String>(())
    })?;
    let begun = Instant::now();
    registry.availability().publish(Overrides::new(), begun);
    let seen = view
        .with_variables(Variables::new())
        .spec(&workload::name(1));
    let switch = begun.elapsed();
    if seen.is_none() {
        return Err("the switch had no effect".to_owned());
    }
    Ok(RegistryFigures {
        tools,
        roles,
        build_ms: build.as_secs_f64() * 1e3,
        kib,
        reload_ms: reload.as_secs_f64() * 1e3,
        list_ms: list.as_secs_f64() * 1e3,
        decision: Times::of(times),
        switch_us: switch.as_secs_f64() * 1e6,
    })
}

/// Returns the memory of this process that is in use, in KiB.
fn resident_kib() -> Result<u64, String> {
    let status = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    number.ok_or_else(|| "the system does not tell the memory of a process".to_owned())
}

//! The measurements. In each round, every server has a turn, so that a busy machine slows all of them.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    Failure,
    figures::{Beside, Calls, Figures, List, Quantiles, quantile},
    process::{Running, Start},
    servers::{Server, Transport, tool},
    upstream,
};

/// The servers, with their names on the page.
const SERVERS: [(Server, &str); 4] = [
    (Server::Ours, "toolwright"),
    (Server::Floor, "floor"),
    (Server::Bare, "rmcp"),
    (Server::FastMcp, "FastMCP"),
];

const TRANSPORTS: [(Transport, &str); 2] = [(Transport::Stdio, "stdio"), (Transport::Http, "HTTP")];

/// The numbers of callers at a time.
const CALLERS: [usize; 2] = [1, 16];

/// The lists after the first one.
const LISTS: u32 = 20;

/// The calls of the client beside another one that lists.
const CALLS_BESIDE: usize = 1_000;

/// Measures everything, and writes the data file.
pub(crate) fn run(
    rounds: usize,
    turn: u64,
    document: &Path,
    data: &Path,
    peer: &Path,
) -> Result<(), Failure> {
    let version = install(peer)?;
    let load = load()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let figures = runtime.block_on(async {
        let upstream = upstream::start().await?;
        let machine = Machine {
            upstream,
            document,
            peer,
        };
        let mut calls = Vec::new();
        for (transport, transport_name) in TRANSPORTS {
            for callers in CALLERS {
                eprintln!("{transport_name}, {callers} at a time …");
                let turn = Duration::from_millis(turn);
                let measured = machine.calls(transport, callers, rounds, turn).await?;
                calls.extend(measured.into_iter().map(|(server, per_second, cpu)| Calls {
                    transport: transport_name.to_owned(),
                    callers,
                    server: server.to_owned(),
                    per_second,
                    cpu,
                }));
            }
        }
        let mut lists = Vec::new();
        for (server, name) in SERVERS {
            if matches!(server, Server::Ours | Server::FastMcp) {
                eprintln!("the list of {name} …");
                lists.push(machine.list(server, name).await?);
            }
        }
        eprintln!("a call beside a list …");
        let beside = machine.beside().await?;
        Ok::<_, Failure>(Figures {
            peer: version,
            rounds,
            turn_milliseconds: turn,
            load,
            calls,
            lists,
            beside,
        })
    })?;
    figures.write(data)
}

/// What every server is started with.
struct Machine<'a> {
    upstream: String,
    document: &'a Path,
    peer: &'a Path,
}

impl Machine<'_> {
    fn start(&self, server: Server, transport: Transport, is_large: bool) -> Start<'_> {
        Start {
            server,
            transport,
            upstream: &self.upstream,
            document: is_large.then_some(self.document),
            peer: self.peer,
        }
    }

    /// Returns the calls per second of each server, and its CPU time for one.
    async fn calls(
        &self,
        transport: Transport,
        callers: usize,
        rounds: usize,
        turn: Duration,
    ) -> Result<Vec<(&'static str, f64, f64)>, Failure> {
        let mut running = Vec::new();
        for (server, name) in SERVERS {
            let started = self.start(server, transport, false).run().await?;
            // The first calls open connections.
            turn_of(&started, tool(server), callers, turn / 4).await?;
            running.push((server, name, started, Vec::new(), Vec::new()));
        }
        for _ in 0..rounds {
            for (server, _, started, rates, cpu) in &mut running {
                let (rate, used) = turn_of(started, tool(*server), callers, turn).await?;
                rates.push(rate);
                cpu.push(used);
            }
        }
        let figures = running.into_iter().map(|(_, name, _, mut rates, mut cpu)| {
            (name, quantile(&mut rates, 0.5), quantile(&mut cpu, 0.5))
        });
        Ok(figures.collect())
    }

    /// Measures the start of a server with the large document, and its list.
    async fn list(&self, server: Server, name: &str) -> Result<List, Failure> {
        let begun = Instant::now();
        let started = self.start(server, Transport::Stdio, true).run().await?;
        let (tools, bytes) = started.client.list().await?;
        let (start_seconds, start_cpu_seconds) = (begun.elapsed().as_secs_f64(), started.cpu()?);
        for _ in 0..LISTS {
            started.client.list().await?;
        }
        let again = (started.cpu()? - start_cpu_seconds) / f64::from(LISTS);
        Ok(List {
            server: name.to_owned(),
            tools,
            bytes,
            start_cpu_seconds,
            start_seconds,
            again_cpu_milliseconds: again * 1e3,
            peak_memory: started.peak_memory()?,
            file_memory: started.file_memory()?,
        })
    }

    /// Measures the calls of one client alone, and while another one lists.
    async fn beside(&self) -> Result<Beside, Failure> {
        let started = self
            .start(Server::Ours, Transport::Http, true)
            .run()
            .await?;
        let other = started.second_client().await?;
        let alone = times(&started).await?;
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let listing = tokio::spawn(async move {
            let mut lists = 0;
            while !ends.load(Ordering::Relaxed) {
                other.list().await?;
                lists += 1;
            }
            Ok::<usize, Failure>(lists)
        });
        let beside = times(&started).await?;
        is_over.store(true, Ordering::Relaxed);
        Ok(Beside {
            alone,
            beside,
            lists: listing.await??,
        })
    }
}

/// Lets callers call a server for a time. Returns the calls per second, and the CPU time of each in microseconds.
async fn turn_of(
    server: &Running,
    tool: &'static str,
    callers: usize,
    time: Duration,
) -> Result<(f64, f64), Failure> {
    let done = Arc::new(AtomicUsize::new(0));
    let (begun, before) = (Instant::now(), server.cpu()?);
    let calls = (0..callers).map(|_| {
        let (client, done) = (server.client.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            while begun.elapsed() < time {
                let id = done.fetch_add(1, Ordering::Relaxed);
                client.call(tool, &json!({"id": id})).await?;
            }
            Ok::<(), Failure>(())
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await??;
    }
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let done = done.load(Ordering::Relaxed) as f64;
    let seconds = begun.elapsed().as_secs_f64();
    Ok((done / seconds, (server.cpu()? - before) / done * 1e6))
}

/// Returns the times of small calls of a server with the large document.
async fn times(server: &Running) -> Result<Quantiles, Failure> {
    let mut times = Vec::new();
    for _ in 0..CALLS_BESIDE {
        let begun = Instant::now();
        server
            .client
            .call("get-netbox-status", &Value::Object(Default::default()))
            .await?;
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(Quantiles {
        median: quantile(&mut times, 0.5),
        p99: quantile(&mut times, 0.99),
    })
}

/// Installs `FastMCP` unless it is there, and returns its version.
fn install(folder: &Path) -> Result<String, Failure> {
    let python = folder.join("bin/python");
    if !python.is_file() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "fastmcp", "pyyaml"]);
        succeed(&mut pip)?;
    }
    let print = "import importlib.metadata as m; print(m.version('fastmcp'))";
    let output = Command::new(&python).args(["-c", print]).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = command.stdout(Stdio::null()).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?} fails").into()),
    }
}

/// Returns the load of the machine over one minute.
fn load() -> Result<f64, Failure> {
    let load = fs::read_to_string("/proc/loadavg")?;
    let first = load.split(' ').next().unwrap_or_default();
    Ok(first.parse()?)
}

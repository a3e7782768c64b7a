//! A started server, and what the operating system counts of it.

use std::{fs, path::Path, process::Stdio, time::Duration};

use tokio::{
    net::TcpStream,
    process::{Child, Command},
    time::sleep,
};

use crate::{
    Failure,
    client::Client,
    servers::{FASTMCP, Server, Transport},
};

/// The bearer token of the only client.
const TOKEN: &str = "a-token-of-the-benchmark-with-many-characters";

/// The clock ticks of a second, in which Linux counts CPU time.
const TICKS: f64 = 100.0;

/// A server, and a client of it.
pub(crate) struct Running {
    child: Child,
    pub(crate) client: Client,
    url: Option<String>,
}

/// How to start a server.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) server: Server,
    pub(crate) transport: Transport,
    pub(crate) upstream: &'a str,
    pub(crate) document: Option<&'a Path>,
    /// The folder in which `FastMCP` is installed.
    pub(crate) peer: &'a Path,
}

impl Start<'_> {
    /// Starts the server, and waits until it serves its client.
    pub(crate) async fn run(&self) -> Result<Running, Failure> {
        let port = free_port()?;
        let mut command = self.command(port)?;
        let is_stdio = self.transport == Transport::Stdio;
        let piped = || match is_stdio {
            true => Stdio::piped(),
            false => Stdio::null(),
        };
        command.stdin(piped()).stdout(piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn()?;
        let (client, url) = if is_stdio {
            let input = child.stdin.take().ok_or("the server has no input")?;
            let output = child.stdout.take().ok_or("the server has no output")?;
            (Client::over_pipes(input, output).await?, None)
        } else {
            wait_for(port).await?;
            let url = format!("http://127.0.0.1:{port}/mcp");
            (Client::over_http(&url, TOKEN).await?, Some(url))
        };
        Ok(Running { child, client, url })
    }

    fn command(&self, port: u16) -> Result<Command, Failure> {
        let transport = match self.transport {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
        };
        let port = port.to_string();
        if self.server == Server::FastMcp {
            let script = self.peer.join("server.py");
            fs::write(&script, FASTMCP)?;
            let mut command = Command::new(self.peer.join("bin/python"));
            command.arg(script).args([transport, self.upstream, &port]);
            command.args(self.document);
            return Ok(command);
        }
        let server = match self.server {
            Server::Ours => "ours",
            Server::Floor => "floor",
            _ => "bare",
        };
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", server, transport, "--upstream", self.upstream]);
        command.args(["--port", &port, "--token", TOKEN]);
        if let Some(document) = self.document {
            command.arg("--document").arg(document);
        }
        Ok(command)
    }
}

impl Running {
    /// Connects a second client to a server over HTTP.
    pub(crate) async fn second_client(&self) -> Result<Client, Failure> {
        let url = self.url.as_ref().ok_or("the server has no URL")?;
        Client::over_http(url, TOKEN).await
    }

    /// Returns the CPU time of the server so far, in seconds.
    pub(crate) fn cpu(&self) -> Result<f64, Failure> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id()?))?;
        // The name of the program is in parentheses, and may contain spaces.
        let (_, fields) = stat.rsplit_once(") ").ok_or("no statistics")?;
        let ticks = fields.split(' ').skip(11).take(2).map(str::parse::<f64>);
        Ok(ticks.sum::<Result<f64, _>>()? / TICKS)
    }

    /// Returns the peak of the server's memory so far, in bytes.
    pub(crate) fn peak_memory(&self) -> Result<u64, Failure> {
        self.memory("VmHWM:")
    }

    /// Returns the part of the server's memory that holds pages of files, such as its program, in bytes.
    pub(crate) fn file_memory(&self) -> Result<u64, Failure> {
        self.memory("RssFile:")
    }

    fn memory(&self, name: &str) -> Result<u64, Failure> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()?))?;
        let mut lines = status.lines();
        let memory = lines.find_map(|line| line.strip_prefix(name));
        let memory = memory.and_then(|memory| memory.trim().strip_suffix(" kB"));
        let memory = memory.ok_or_else(|| format!("no `{name}` in the status"))?;
        Ok(memory.parse::<u64>()? * 1024)
    }

    fn id(&self) -> Result<u32, Failure> {
        self.child.id().ok_or_else(|| "the server has ended".into())
    }
}

fn free_port() -> Result<u16, Failure> {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
    Ok(listener.local_addr()?.port())
}

/// Waits until a server listens, for at most a minute.
async fn wait_for(port: u16) -> Result<(), Failure> {
    for _ in 0..1_200 {
        if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return Ok(());
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err("the server does not listen".into())
}

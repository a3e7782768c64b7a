//! A proxy between the runtime and Depot that injects faults.

use std::{
    collections::VecDeque,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

use crate::{answer::Answer, fault::Fault};

/// The proxy. It takes the faults of a schedule one after another, one for each request, and then
/// passes requests on.
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    service: SocketAddr,
    schedule: Mutex<VecDeque<Fault>>,
    /// The requests that are being delivered to the service.
    delivering: AtomicUsize,
    delivered: Notify,
    /// The number of requests that reached the service.
    deliveries: AtomicUsize,
    connections: AtomicUsize,
}

/// A request as it came.
struct Request {
    head: String,
    body: Vec<u8>,
}

impl Proxy {
    pub(crate) async fn start(service: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut proxy = Self {
            address: listener.local_addr().unwrap(),
            shared: Arc::new(Shared {
                service,
                schedule: Mutex::default(),
                delivering: AtomicUsize::new(0),
                delivered: Notify::new(),
                deliveries: AtomicUsize::new(0),
                connections: AtomicUsize::new(0),
            }),
            listening: None,
        };
        proxy.listen(listener);
        proxy
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins a schedule.
    pub(crate) async fn begin(&mut self, schedule: &[Fault]) {
        *self.shared.schedule.lock().unwrap() = schedule.iter().copied().collect();
        self.shared.deliveries.store(0, Ordering::SeqCst);
        if schedule.first() == Some(&Fault::Refuse) {
            self.stop().await;
        }
    }

    /// Ends a schedule: waits until no request is on its way to the service, and returns the number
    /// of those that reached it.
    pub(crate) async fn end(&mut self) -> usize {
        loop {
            let delivered = self.shared.delivered.notified();
            if self.shared.delivering.load(Ordering::SeqCst) == 0 {
                break;
            }
            delivered.await;
        }
        self.shared.schedule.lock().unwrap().clear();
        if self.listening.is_none() {
            let listener = TcpListener::bind(self.address).await.unwrap();
            self.listen(listener);
        }
        self.shared.deliveries.load(Ordering::SeqCst)
    }

    /// The number of connections since the start.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Closes the port and all connections.
    async fn stop(&mut self) {
        if let Some(listening) = self.listening.take() {
            listening.abort();
            let _ = listening.await;
        }
    }

    fn listen(&mut self, listener: TcpListener) {
        let shared = Arc::clone(&self.shared);
        self.listening = Some(tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let shared = Arc::clone(&shared);
                connections.spawn(async move { shared.serve(stream).await });
            }
        }));
    }
}

impl Shared {
    /// Serves a connection until it breaks.
    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        loop {
            // The fault is chosen when the first byte of a request comes, since connections are
            // opened ahead and kept.
            stream.readable().await?;
            let mut first = [0];
            if stream.peek(&mut first).await? == 0 {
                return Ok(());
            }
            let fault = self.schedule.lock().unwrap().pop_front();
            let fault = fault.unwrap_or(Fault::None);
            if fault == Fault::ResetBefore {
                return reset(stream);
            }
            if fault == Fault::ResetWithin {
                let _ = stream.read(&mut [0; 40]).await?;
                return reset(stream);
            }
            let request = Request::read(&mut stream).await?;
            if !fault.delivers() {
                return answer_without_service(fault, stream).await;
            }
            let mut answer = self.deliver(&request).await;
            if fault == Fault::Twice && request.may_be_repeated() {
                answer = self.deliver(&request).await;
            }
            let keep = answer.send(fault, &mut stream).await?;
            if !keep {
                return Ok(());
            }
        }
    }

    /// Delivers a request to the service, whether or not the client is still there.
    async fn deliver(&self, request: &Request) -> Answer {
        self.delivering.fetch_add(1, Ordering::SeqCst);
        self.deliveries.fetch_add(1, Ordering::SeqCst);
        let answer = request.deliver(self.service).await;
        self.delivering.fetch_sub(1, Ordering::SeqCst);
        self.delivered.notify_waiters();
        answer.unwrap()
    }
}

/// Answers a request that the service does not receive.
async fn answer_without_service(fault: Fault, mut stream: TcpStream) -> io::Result<()> {
    let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(1);
    let later = later.strftime("%a, %d %b %Y %H:%M:%S GMT");
    let text = match fault {
        Fault::Busy => plain("503 Service Unavailable", "retry-after: 0\r\n"),
        Fault::Limited => plain(
            "429 Too Many Requests",
            &format!("retry-after: {later}\r\n"),
        ),
        Fault::BadGateway => plain("502 Bad Gateway", ""),
        Fault::Garbage => "SSH-2.0-hello\r\n\r\n".to_owned(),
        Fault::EndlessHead => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
            loop {
                stream.write_all(&[b'x'; 64]).await?;
                stream.write_all(b": y\r\n").await?;
            }
        }
        Fault::Silence => {
            // Until the client goes away.
            let _ = stream.read(&mut [0; 16]).await;
            return Ok(());
        }
        _ => return reset(stream),
    };
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

/// Returns an answer of the proxy's own.
pub(crate) fn plain(status: &str, headers: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\nbusy"
    )
}

/// Resets a connection: the other side receives no orderly end.
pub(crate) fn reset(stream: TcpStream) -> io::Result<()> {
    stream.set_zero_linger()
}

impl Request {
    async fn read(stream: &mut TcpStream) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = find(&bytes, b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().unwrap())
        });
        let length = length.unwrap_or(0);
        while bytes.len() < end + length {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let body = bytes[end..end + length].to_vec();
        Ok(Self { head, body })
    }

    /// Returns whether HTTP or an idempotency key lets a proxy repeat the request.
    fn may_be_repeated(&self) -> bool {
        let method = self.head.split(' ').next().unwrap_or_default();
        let is_idempotent = matches!(method, "GET" | "PUT" | "DELETE");
        is_idempotent || self.head.to_lowercase().contains("\r\nidempotency-key:")
    }

    async fn deliver(&self, service: SocketAddr) -> io::Result<Answer> {
        let mut stream = TcpStream::connect(service).await?;
        let head = self.head.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&self.body).await?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await?;
        Ok(Answer::parse(&bytes))
    }
}

/// Returns the place of the first occurrence.
pub(crate) fn find(bytes: &[u8], searched: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(searched.len());
    windows.position(|window| window == searched)
}

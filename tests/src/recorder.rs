//! A loopback service that records requests byte by byte and sends a configured response.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
};

/// A loopback service. It runs until the process ends.
pub struct Recorder {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The media type.
    pub media_type: String,
    /// The body.
    pub body: Vec<u8>,
}

struct Shared {
    answer: Answer,
    requests: Vec<String>,
}

impl Recorder {
    /// Starts a service that answers every request with `answer`.
    ///
    /// # Errors
    /// If no port can be bound.
    pub fn start(answer: Answer) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let requests = Vec::new();
        let shared = Arc::new(Mutex::new(Shared { answer, requests }));
        let recorder = Self {
            address,
            shared: Arc::clone(&shared),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A disconnected client needs no handling.
                let _ = serve(stream, &shared);
            }
        });
        Ok(recorder)
    }

    /// The URL of the service: `http://127.0.0.1:…`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the response to later requests.
    pub fn set_answer(&self, answer: Answer) {
        lock(&self.shared).answer = answer;
    }

    /// Returns the raw requests since the last call: head, empty line and body.
    #[must_use]
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.shared).requests)
    }
}

impl Answer {
    /// A JSON response.
    #[must_use]
    pub fn json(status: u16, text: impl Into<String>) -> Self {
        Self {
            status,
            media_type: "application/json".to_owned(),
            body: text.into().into_bytes(),
        }
    }

    /// A response without content.
    #[must_use]
    pub fn empty(status: u16) -> Self {
        Self::json(status, "")
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self {
            status,
            media_type,
            body,
        } = self;
        write!(
            out,
            "HTTP/1.1 {status} Answer\r\ncontent-type: {media_type}\r\n"
        )?;
        write!(
            out,
            "content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        )?;
        out.write_all(body)
    }
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records one request and answers it.
fn serve(stream: TcpStream, shared: &Mutex<Shared>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    let mut length = 0;
    let mut chunked = false;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        request.push_str(&line);
        let header = line.trim_end().to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length: ") {
            length = value.parse().unwrap_or(0);
        }
        chunked |= header == "transfer-encoding: chunked";
        if header.is_empty() {
            break;
        }
    }
    let body = if chunked {
        read_chunks(&mut reader)?
    } else {
        read_exactly(&mut reader, length)?
    };
    request.push_str(&String::from_utf8_lossy(&body));
    let answer = {
        let mut shared = lock(shared);
        shared.requests.push(request);
        shared.answer.clone()
    };
    answer.write(reader.get_mut())
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim_end(), 16).map_err(io::Error::other)?;
        body.extend(read_exactly(reader, size)?);
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn read_exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

//! A service of the emitted crate's tests: HTTP by hand, since the crate has the runtime alone.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use toolwright::{Registry, Role, ScopedToolView, ServiceName, audit::MemoryAudit, codec::Value, config::ServiceConfig};

/// A request that the service received.
pub struct Asked {
    /// `GET /keepers?cursor=a`.
    pub line: String,
    pub body: String,
}

/// A response of the service.
pub struct Answer {
    pub status: u16,
    pub media_type: &'static str,
    pub link: Option<String>,
    pub body: String,
}

impl Answer {
    pub fn json(status: u16, body: Value) -> Self {
        Self { status, media_type: "application/json", link: None, body: body.to_string() }
    }
}

impl Asked {
    /// The value of a parameter of the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        let (_, query) = self.line.split_once('?')?;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }
}

/// A view of all tools of a service that answers so.
pub fn view(answer: impl Fn(&Asked) -> Answer + Send + 'static) -> ScopedToolView {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let asked = read(&stream);
            stream.write_all(write_answer(&answer(&asked)).as_bytes()).unwrap();
        }
    });
    let service = ServiceConfig { base_url: Some(base_url), ..ServiceConfig::default() };
    let registry = Registry::builder()
        .embedded(toolwright_zoo::TOOLS)
        .grant("keeper", "*")
        .enable("*")
        .service(ServiceName::new("zoo").unwrap(), service)
        .audit(MemoryAudit::new())
        .build()
        .unwrap();
    registry.for_agent(&Role::new("keeper").unwrap())
}

fn read(stream: &TcpStream) -> Asked {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") && headers != "\r\n" {
        reader.read_line(&mut headers).unwrap();
    }
    let length = headers.lines().find_map(|header| {
        let (name, value) = header.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    Asked {
        line: line.trim_end_matches(" HTTP/1.1\r\n").to_owned(),
        body: String::from_utf8(body).unwrap(),
    }
}

fn write_answer(answer: &Answer) -> String {
    let Answer { status, media_type, link, body } = answer;
    let link = link.as_ref().map_or_else(String::new, |link| format!("link: {link}\r\n"));
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Told\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n{link}connection: close\r\n\r\n{body}"
    )
}

//! A service with so many tools that their list has pages, and with answers that take long.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use serde_json::{Map, Value, json};

/// The number of its tools with large schemas.
pub(crate) const BOOKS: usize = 50;

/// The number of values in each of these schemas, of 50 bytes: a list of all is longer than a page of 4 MiB.
const VALUES: usize = 2_000;

/// The time that a slow answer takes.
const SLOW: Duration = Duration::from_secs(1);

/// Starts the service. Returns its URL.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(stream));
        }
    });
    url
}

/// Returns its specification.
pub(crate) fn specification() -> Value {
    let answer = json!({"200": {"description": "The report", "content": {"application/json": {
        "schema": {"type": "object", "properties": {"pages": {"type": "integer"}}}}}}});
    let mut paths = Map::new();
    for path in ["/slow-report", "/stuck-report"] {
        let operation = json!({"summary": "Get a report", "responses": answer});
        paths.insert(path.to_owned(), json!({"get": operation}));
    }
    let values: Vec<_> = (0..VALUES).map(|value| format!("{value:050}")).collect();
    let parameter = json!({"name": "mark", "in": "query",
                           "schema": {"type": "string", "enum": values}});
    for number in 0..BOOKS {
        let operation = json!({"summary": "Get a book", "parameters": [parameter],
                               "responses": answer});
        paths.insert(format!("/books/shelf{number}"), json!({"get": operation}));
    }
    json!({"openapi": "3.1.0", "info": {"title": "Archive", "version": "1"}, "paths": paths})
}

/// Answers one request, or keeps it.
fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    if request.contains("/stuck-report") {
        // Until the client closes the connection.
        return reader.read_line(&mut line).map(drop);
    }
    thread::sleep(SLOW);
    let body = r#"{"pages":7}"#;
    let length = body.len();
    write!(
        reader.get_mut(),
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

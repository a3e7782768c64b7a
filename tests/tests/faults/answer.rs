//! An answer of the service, and how the proxy spoils it.

use std::{io, io::Write as _, time::Duration};

use flate2::{Compression, write::GzEncoder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    fault::Fault,
    proxy::{find, plain},
};

/// The decompressed size of a bomb, in bytes.
const BOMB: usize = 64 << 20;

/// An answer of the service.
pub(crate) struct Answer {
    /// The status line and the headers, without those of the transfer.
    head: String,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = find(bytes, b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let is_kept = |line: &&str| {
            let line = line.to_lowercase();
            let transfer = ["content-length:", "connection:", "transfer-encoding:"];
            !transfer.iter().any(|name| line.starts_with(name))
        };
        let kept: Vec<_> = head.split("\r\n").filter(is_kept).collect();
        Self {
            head: kept.join("\r\n"),
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// Sends the answer with a fault, and returns whether the connection is kept.
    pub(crate) async fn send(&self, fault: Fault, stream: &mut TcpStream) -> io::Result<bool> {
        match fault {
            Fault::LoseAnswer => return Self::reset(stream),
            Fault::LoseHead => {
                let whole = self.whole();
                stream.write_all(&whole[..20]).await?;
                return Self::reset_later(stream).await;
            }
            Fault::LoseBody => {
                let length = self.body.len() + 10;
                let head = self.with(&format!("content-length: {length}"), &self.body);
                stream
                    .write_all(&head[..head.len() - self.body.len() / 2])
                    .await?;
                return Self::reset_later(stream).await;
            }
            Fault::Delay => {
                let _ = stream.read(&mut [0; 16]).await;
                return Ok(false);
            }
            Fault::Trickle | Fault::Crawl => return self.trickle(fault, stream).await,
            Fault::EndlessBody => return self.endless_body(stream).await,
            Fault::Interim => {
                for _ in 0..5 {
                    stream
                        .write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                        .await?;
                }
                stream.write_all(&self.whole()).await?;
                return Ok(true);
            }
            Fault::EndlessInterim => loop {
                stream
                    .write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                    .await?;
            },
            _ => {}
        }
        let (bytes, keep) = self.spoilt(fault);
        stream.write_all(&bytes).await?;
        if !keep {
            stream.shutdown().await?;
        }
        Ok(keep)
    }

    /// Returns the answer with a fault, and whether the connection is kept.
    fn spoilt(&self, fault: Fault) -> (Vec<u8>, bool) {
        let body = self.body.as_slice();
        let own = |status: &str, headers: &str| (plain(status, headers).into_bytes(), false);
        match fault {
            Fault::Crash => own("500 Internal Server Error", ""),
            Fault::GatewayTimeout => own("504 Gateway Timeout", ""),
            Fault::BusyAfter => own("503 Service Unavailable", "retry-after: 0\r\n"),
            Fault::RedirectAway => own("303 See Other", "location: http://127.0.0.1:1/away\r\n"),
            Fault::GarbageAfter => (b"\x00\x01\x02 garbage\r\n\r\n".to_vec(), false),
            // The rest of the body would be taken for the next answer.
            Fault::ShortLength if body.len() > 4 => {
                let length = body.len() / 2;
                (self.with(&format!("content-length: {length}"), body), true)
            }
            Fault::LongLength => {
                let length = body.len() + 7;
                (self.with(&format!("content-length: {length}"), body), false)
            }
            Fault::CutChunk => {
                let text = [format!("{:x}\r\n", body.len() + 4).as_bytes(), body].concat();
                (self.with("transfer-encoding: chunked", &text), false)
            }
            Fault::BadChunk => {
                let text = [b"zz\r\n", body, b"\r\n0\r\n\r\n"].concat();
                (self.with("transfer-encoding: chunked", &text), false)
            }
            Fault::Chunked => {
                let head = format!("{:x}\r\n", body.len());
                let text = match body.len() {
                    0 => b"0\r\n\r\n".to_vec(),
                    _ => [head.as_bytes(), body, b"\r\n0\r\n\r\n"].concat(),
                };
                (self.with("transfer-encoding: chunked", &text), true)
            }
            Fault::Old => {
                let bytes = self.with("x-old: 1", body);
                let mut text = b"HTTP/1.0".to_vec();
                text.extend_from_slice(&bytes["HTTP/1.1".len()..]);
                (text, false)
            }
            Fault::Gzip => (self.encoded("gzip", &gzip(body)), true),
            Fault::BadGzip => {
                let mut bytes = gzip(body);
                let middle = bytes.len() - 6;
                bytes[middle] ^= 0xff;
                (self.encoded("gzip", &bytes), true)
            }
            Fault::CutGzip => {
                let bytes = gzip(body);
                (self.encoded("gzip", &bytes[..bytes.len() - 9]), true)
            }
            Fault::Bomb => (self.encoded("gzip", &gzip(&vec![b' '; BOMB])), true),
            Fault::Unasked => (self.encoded("compress", body), true),
            _ => (self.whole(), true),
        }
    }

    async fn trickle(&self, fault: Fault, stream: &mut TcpStream) -> io::Result<bool> {
        stream.set_nodelay(true)?;
        let pause = match fault {
            Fault::Trickle => Duration::ZERO,
            _ => Duration::from_millis(50),
        };
        for byte in self.whole() {
            stream.write_all(&[byte]).await?;
            tokio::time::sleep(pause).await;
        }
        Ok(true)
    }

    async fn endless_body(&self, stream: &mut TcpStream) -> io::Result<bool> {
        let head = self.with("transfer-encoding: chunked", b"");
        stream.write_all(&head).await?;
        let chunk = [b"1000\r\n".as_slice(), &[b' '; 0x1000], b"\r\n"].concat();
        loop {
            stream.write_all(&chunk).await?;
        }
    }

    fn reset(stream: &TcpStream) -> io::Result<bool> {
        stream.set_zero_linger()?;
        Ok(false)
    }

    /// Resets the connection after what was sent has been read.
    async fn reset_later(stream: &TcpStream) -> io::Result<bool> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Self::reset(stream)
    }

    fn whole(&self) -> Vec<u8> {
        let length = self.body.len();
        self.with(&format!("content-length: {length}"), &self.body)
    }

    fn encoded(&self, encoding: &str, body: &[u8]) -> Vec<u8> {
        let length = body.len();
        let headers = format!("content-encoding: {encoding}\r\ncontent-length: {length}");
        self.with(&headers, body)
    }

    fn with(&self, headers: &str, body: &[u8]) -> Vec<u8> {
        let head = format!("{}\r\n{headers}\r\n\r\n", self.head);
        [head.as_bytes(), body].concat()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

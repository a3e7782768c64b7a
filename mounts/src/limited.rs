//! A reader that ends a connection whose lines are too long.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

/// Reads lines, and fails at one that is longer than a limit. The transport would drop such a line, and
/// its call would wait until its timeout.
pub(crate) struct Limited<R> {
    inner: R,
    limit: usize,
    length: usize,
}

impl<R> Limited<R> {
    pub(crate) const fn new(inner: R, limit: usize) -> Self {
        Self {
            inner,
            limit,
            length: 0,
        }
    }

    /// Counts the bytes of lines. Returns false at a line that is too long.
    fn admits(&mut self, read: &[u8]) -> bool {
        let mut parts = read.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = parts.next() {
            self.length = self.length.saturating_add(part.len());
            if self.length > self.limit {
                return false;
            }
            if parts.peek().is_some() {
                self.length = 0;
            }
        }
        true
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Limited<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        if self.admits(read) {
            return Poll::Ready(Ok(()));
        }
        // A read that fails has no bytes.
        buffer.set_filled(before);
        Poll::Ready(Err(io::Error::other("a line is too long")))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_ends_the_stream() {
        let mut text = String::new();
        let read = Limited::new(b"1234\n1234\n".as_slice(), 4)
            .read_to_string(&mut text)
            .await;
        assert_eq!((read.unwrap(), text.as_str()), (10, "1234\n1234\n"));
        let read = Limited::new(b"1234\n12345".as_slice(), 4)
            .read_to_string(&mut text)
            .await;
        assert!(read.is_err());
    }
}

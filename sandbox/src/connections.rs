//! Connections that a program of a session opens to the caller.
//!
//! The standard input of such a program is a socket. Each byte that a process writes to it asks for a
//! connection, and the caller sends one end of a new pair of sockets. So the processes of a run share
//! nothing but the right to ask, and one that is killed in the middle of a message disturbs no other. No other
//! process has the caller's end.

use std::{
    io,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream as BlockingStream,
    },
};

use rustix::{
    cmsg_space,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    },
};
use tokio::{
    io::{AsyncReadExt as _, Interest},
    net::UnixStream,
};

/// The room for one open file in a message.
const ROOM: usize = cmsg_space!(ScmRights(1));

/// The connections that the processes of a program open. The program has the other end of its socket as
/// standard input.
#[derive(Debug)]
pub struct Connections {
    socket: UnixStream,
}

impl Connections {
    /// Creates the caller's end, and the end of the program.
    pub(crate) fn new() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = BlockingStream::pair()?;
        ours.set_nonblocking(true)?;
        let socket = UnixStream::from_std(ours)?;
        Ok((Self { socket }, theirs.into()))
    }

    /// Waits for a process that asks for a connection, and returns the caller's end.
    ///
    /// # Errors
    ///
    /// Returns an error after the last process has closed its end.
    pub async fn accept(&mut self) -> io::Result<UnixStream> {
        let mut asked = [0];
        self.socket.read_exact(&mut asked).await?;
        let (ours, theirs) = BlockingStream::pair()?;
        send_file(&self.socket, theirs.as_fd()).await?;
        ours.set_nonblocking(true)?;
        UnixStream::from_std(ours)
    }
}

/// Opens a connection to the caller, in a process whose standard input is the socket of
/// [`Connections`].
///
/// # Errors
///
/// Returns an error if standard input is another file, or if the caller has ended the run.
pub fn connect() -> io::Result<BlockingStream> {
    let stdin = io::stdin();
    rustix::net::send(stdin.as_fd(), &[0], SendFlags::empty())?;
    receive_file(stdin.as_fd()).map(BlockingStream::from)
}

/// Sends an open file in a message of one byte.
pub(crate) async fn send_file(socket: &UnixStream, file: BorrowedFd<'_>) -> io::Result<()> {
    let send = || send_file_now(socket.as_fd(), file);
    socket.async_io(Interest::WRITABLE, send).await
}

/// Sends an open file in a message of one byte, on a socket that may block.
pub(crate) fn send_file_now(socket: BorrowedFd<'_>, file: BorrowedFd<'_>) -> io::Result<()> {
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = SendAncillaryBuffer::new(&mut room);
    let files = [file];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("there is no room for the file"));
    }
    let byte = [io::IoSlice::new(&[0])];
    sendmsg(socket, &byte, &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives an open file in a message of one byte.
pub(crate) fn receive_file(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut room = [MaybeUninit::uninit(); ROOM];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let mut byte = [0];
    let mut buffers = [io::IoSliceMut::new(&mut byte)];
    recvmsg(socket, &mut buffers, &mut control, RecvFlags::empty())?;
    let files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let file = files.flatten().next();
    file.ok_or_else(|| io::Error::other("the other side sent no file"))
}

//! The programs of a session, in the first process of a run.

use std::{
    io::{self, Read, Write as _},
    os::{fd::AsFd as _, unix::net::UnixStream},
    process::{Command, Stdio},
    thread,
};

use rustix::process::{WaitOptions, wait};

use crate::{
    End,
    connections::receive_file,
    message::{self, NextProgram, ProgramEnd},
};

/// The output of a program, and its errors.
struct Ended {
    end: End,
    output: Vec<u8>,
    errors: Vec<u8>,
}

/// Runs the programs that the caller names, until it closes the socket.
pub(super) fn run_all() -> Result<(), String> {
    let socket = io::stdout().as_fd().try_clone_to_owned();
    let mut socket = UnixStream::from(socket.map_err(describe)?);
    loop {
        let next: NextProgram = match message::read(&socket) {
            Ok(next) => next,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(describe(error)),
        };
        let mut input = vec![0; message::checked(next.input).map_err(describe)?];
        socket.read_exact(&mut input).map_err(describe)?;
        let stdin = match next.asks {
            true => Stdio::from(receive_file(socket.as_fd()).map_err(describe)?),
            false => Stdio::piped(),
        };
        answer(&mut socket, run(next, stdin, &input)).map_err(describe)?;
        // Processes that the program has left behind.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }
}

fn describe(error: io::Error) -> String {
    format!("the session: {error}")
}

fn answer(socket: &mut UnixStream, ended: io::Result<Ended>) -> io::Result<()> {
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return message::write(socket, &ProgramEnd::Failed(error.to_string())),
    };
    let header = ProgramEnd::Ended {
        end: ended.end,
        output: ended.output.len(),
        errors: ended.errors.len(),
    };
    message::write(&mut *socket, &header)?;
    socket.write_all(&ended.output)?;
    socket.write_all(&ended.errors)
}

fn run(next: NextProgram, stdin: Stdio, input: &[u8]) -> io::Result<Ended> {
    let mut command = Command::new(&next.program);
    command.args(&next.arguments).current_dir(&next.folder);
    command.env_clear().envs(&next.environment);
    command.stdin(stdin);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // The program has the only copy of a socket here.
    drop(command);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (output, errors) = thread::scope(|scope| {
        scope.spawn(move || {
            // The program may end before it has read everything.
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        let errors = scope.spawn(move || read(stderr, next.longest_errors));
        let output = read(stdout, next.longest_output);
        let failed = |_| Err(io::Error::other("its errors cannot be read"));
        (output, errors.join().unwrap_or_else(failed))
    });
    let end = End::of_status(child.wait()?);
    Ok(Ended {
        end,
        output: output?,
        errors: errors?,
    })
}

/// Reads a stream to its end or its limit. A stream beyond its limit is closed, which ends the program.
fn read(stream: Option<impl Read>, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit).read_to_end(&mut content)?;
    }
    Ok(content)
}

//! A run of the user's command: a question on its standard input, an answer on its standard output.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::output::{error_line, printable};

/// The most bytes of an answer.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;

/// The interval between two looks at the command.
const INTERVAL: Duration = Duration::from_millis(20);

/// Runs the command in a shell and waits for its answer.
///
/// # Errors
/// Fails with the predicate of a sentence about the command.
pub(super) fn answer(command: &str, question: &Value, limit: Duration) -> Result<Value, String> {
    let mut child = shell(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot be run: {error}"))?;
    let question = question.to_string();
    let input = child.stdin.take();
    // A command that does not read its input is not at fault.
    thread::spawn(move || input.map(|mut input| input.write_all(question.as_bytes())));
    let said = child.stderr.take();
    let show = thread::spawn(move || said.map(show_lines));
    let (sender, receiver) = channel();
    let output = child.stdout.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map(|output| output.take(MAX_ANSWER + 1).read_to_end(&mut bytes));
        // The receiver is gone if the time is over.
        let _ = sender.send(read.is_some_and(|read| read.is_ok()).then_some(bytes));
    });
    let end = Instant::now() + limit;
    let bytes = match receiver.recv_timeout(limit) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(stopped(&mut child, "has an output that cannot be read")),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let text = format!("did not answer within {} s", limit.as_secs());
            return Err(stopped(&mut child, &text));
        }
    };
    if bytes.len() as u64 > MAX_ANSWER {
        let text = format!("answered with more than {MAX_ANSWER} bytes");
        return Err(stopped(&mut child, &text));
    }
    end_of(&mut child, end)?;
    // A panic of the thread has been shown by itself.
    let _ = show.join();
    serde_json::from_slice(&bytes).map_err(|error| format!("did not answer with JSON: {error}"))
}

/// Shows what a command writes to its standard error.
fn show_lines(said: impl Read) {
    for line in BufReader::new(said).split(b'\n') {
        let Ok(line) = line else {
            return;
        };
        error_line(printable(&String::from_utf8_lossy(&line)));
    }
}

/// Waits for the end of a command that has closed its output.
fn end_of(child: &mut Child, end: Instant) -> Result<(), String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("failed: {status}")),
            Ok(None) if Instant::now() < end => thread::sleep(INTERVAL),
            Ok(None) => return Err(stopped(child, "did not end in time")),
            Err(error) => return Err(format!("cannot be waited for: {error}")),
        }
    }
}

/// Stops a command.
fn stopped(child: &mut Child, why: &str) -> String {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    why.to_owned()
}

fn shell(command: &str) -> Command {
    let (program, option) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut shell = Command::new(program);
    shell.args([option, command]);
    shell
}

#[cfg(all(test, unix))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_answers_on_its_standard_output() {
        let large = json!({"text": "x".repeat(1_000_000)});
        let asked = answer("cat", &large, Duration::from_secs(20));
        assert_eq!(asked.unwrap(), large);
    }

    #[test]
    fn the_reason_of_a_missing_answer_is_returned() {
        let failure = |command| {
            let asked = answer(command, &json!({"a": 1}), Duration::from_secs(2));
            asked.unwrap_err()
        };
        assert!(failure("exit 3").contains("failed: exit status: 3"));
        assert!(failure("echo no").contains("did not answer with JSON"));
        assert!(failure("sleep 5").contains("within 2 s"));
        assert!(failure("exec >&-; sleep 5").contains("did not end in time"));
        assert!(failure("yes").contains("more than 4194304 bytes"));
        assert!(failure("no-such-command").contains("failed"));
    }
}

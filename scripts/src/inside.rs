//! The command `toolwright` within a script: it asks for calls, and takes values out of JSON.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
};

use serde_json::{Map, Value};
use toolwright::socket::{CallAnswer, CallRequest, LONGEST_REQUEST};
use toolwright_sandbox::{OwnProgram, PROGRAMS, connect};

#[linkme::distributed_slice(PROGRAMS)]
static TOOLWRIGHT: OwnProgram = OwnProgram::new("toolwright", run);

const USAGE: &str = "\
usage: toolwright call TOOL [JSON | - | NAME=TEXT... NAME:=JSON...]
       toolwright get POINTER < JSON";

/// The exit code of a command that is written incorrectly.
const WRONG_USAGE: i32 = 2;

/// Returns the script that starts the command. A call has the socket as standard input, and the input of
/// the command as descriptor 4.
pub(super) fn wrapper() -> String {
    let command = TOOLWRIGHT.command_line().join(" ");
    format!(
        "#!/bin/sh\n\
         case \"$1\" in\n\
         call) exec {command} \"$@\" 4<&0 <&3 ;;\n\
         *) exec {command} \"$@\" ;;\n\
         esac\n"
    )
}

/// Runs the command, and returns its exit code.
fn run(arguments: &[String]) -> i32 {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["call", tool, arguments @ ..] => call(tool, arguments),
        ["get", pointer] => get(pointer),
        _ => Err((WRONG_USAGE, USAGE.to_owned())),
    };
    let printed = result.and_then(|value| print(&value).map_err(|error| (1, error.to_string())));
    match printed {
        Ok(()) => 0,
        Err((code, message)) => {
            let _ = writeln!(io::stderr(), "toolwright: {message}");
            code
        }
    }
}

/// Prints a value: a string as it is, and everything else as JSON.
fn print(value: &Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    match value {
        Value::String(text) => writeln!(output, "{text}"),
        value => writeln!(output, "{value}"),
    }?;
    output.flush()
}

fn get(pointer: &str) -> Result<Value, (i32, String)> {
    let value: Value = serde_json::from_reader(io::stdin().lock())
        .map_err(|error| (1, format!("standard input is not JSON: {error}")))?;
    let found = value.pointer(pointer).cloned();
    found.ok_or_else(|| (1, format!("there is no value at `{pointer}`")))
}

fn call(tool: &str, arguments: &[&str]) -> Result<Value, (i32, String)> {
    let arguments = parse(arguments).map_err(|message| (WRONG_USAGE, message))?;
    let request = CallRequest {
        tool: tool.to_owned(),
        arguments,
    };
    let answer = ask(&request).map_err(|error| (1, format!("the call failed: {error}")))?;
    match answer {
        CallAnswer::Success(value) => Ok(value),
        CallAnswer::Failure(error) => {
            let word = |key| error.get(key).and_then(Value::as_str).unwrap_or_default();
            Err((1, format!("{}: {}", word("code"), word("message"))))
        }
    }
}

/// Returns the arguments of a call.
fn parse(arguments: &[&str]) -> Result<Value, String> {
    let not_json = |error| format!("the arguments are not JSON: {error}");
    match arguments {
        [] => Ok(Value::Object(Map::new())),
        ["-"] => {
            let mut text = String::new();
            let input = File::open("/proc/self/fd/4");
            let most = u64::try_from(LONGEST_REQUEST).unwrap_or(u64::MAX);
            input
                .and_then(|input| input.take(most).read_to_string(&mut text))
                .map_err(|error| format!("cannot read standard input: {error}"))?;
            serde_json::from_str(&text).map_err(not_json)
        }
        [json] if json.trim_start().starts_with('{') => {
            serde_json::from_str(json).map_err(not_json)
        }
        pairs => {
            let mut object = Map::new();
            for pair in pairs {
                let (name, value) = pair
                    .split_once('=')
                    .ok_or_else(|| format!("`{pair}` is neither JSON nor `NAME=TEXT`"))?;
                let (name, value) = match name.strip_suffix(':') {
                    Some(name) => (name, serde_json::from_str(value).map_err(not_json)?),
                    None => (name, Value::from(value)),
                };
                object.insert(name.to_owned(), value);
            }
            Ok(Value::Object(object))
        }
    }
}

/// Sends a request, and waits for its answer.
fn ask(request: &CallRequest) -> io::Result<CallAnswer> {
    let request = serde_json::to_vec(request)?;
    let length = u32::try_from(request.len()).map_err(io::Error::other)?;
    let mut connection = connect()?;
    connection.write_all(&length.to_be_bytes())?;
    connection.write_all(&request)?;
    let mut prefix = [0; 4];
    connection.read_exact(&mut prefix)?;
    let length = usize::try_from(u32::from_be_bytes(prefix)).map_err(io::Error::other)?;
    let mut answer = vec![0; length];
    connection.read_exact(&mut answer)?;
    Ok(serde_json::from_slice(&answer)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_an_object_or_pairs() {
        assert_eq!(parse(&[]), Ok(json!({})));
        assert_eq!(parse(&["{\"q\": 1}"]), Ok(json!({"q": 1})));
        let pairs = ["q=a \"b\" = c", "limit:=3", "tags:=[\"x\"]"];
        let expected = json!({"q": "a \"b\" = c", "limit": 3, "tags": ["x"]});
        assert_eq!(parse(&pairs), Ok(expected));
        assert!(parse(&["lamp"]).unwrap_err().contains("`lamp`"));
        assert!(parse(&["limit:=x"]).unwrap_err().contains("not JSON"));
        assert!(parse(&["{"]).unwrap_err().contains("not JSON"));
    }
}

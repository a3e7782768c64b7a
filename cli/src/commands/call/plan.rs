//! The request that a call would send, as text, as JSON and as a command of `curl`.

use std::path::Path;

use toolwright::{
    CallPlan,
    approval::{ShownBody, ShownFile, ShownRequest},
};
use toolwright_model::text::{escape_invisible, escape_json, has_invisible};

use crate::{
    Failure,
    output::{Output, error_line},
};

/// The form of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    Curl,
}

/// The file that holds a body which is not text, in a command of `curl`.
const BODY_FILE: &str = "body.bin";

/// Prints a plan.
pub(super) fn print(plan: &CallPlan, form: Form, output: &mut Output) -> Result<(), Failure> {
    if form == Form::Json {
        return Ok(output.json(plan)?);
    }
    let Some(request) = &plan.request else {
        let sentence = format!(
            "`{}` is a function of the program: it sends no request",
            plan.tool
        );
        return match form {
            Form::Curl => Err(Failure::new(sentence)),
            Form::Text | Form::Json => Ok(output.text(&sentence)?),
        };
    };
    let socket = plan.socket.as_deref();
    if let (Form::Curl, Some(file)) = (form, request.files.first()) {
        let problem = format!("the request sends the file {}", described(file));
        return Err(Failure::new(problem).note("a command of curl cannot read stored files"));
    }
    match form {
        Form::Curl => output.text(&curl(request, socket))?,
        Form::Text | Form::Json => text(request, socket, output)?,
    }
    output.flush()?;
    if plan.approval_required {
        error_line("note: a person must approve this call before it is sent");
    }
    if let (Form::Curl, Some(ShownBody::Bytes { length, sha256 })) = (form, &request.body) {
        error_line(format_args!(
            "note: the body of {length} bytes is not text: write it to `{BODY_FILE}` (SHA-256 {sha256})"
        ));
    }
    Ok(())
}

/// Describes a file of a request by its handle, name, size and digest.
pub(crate) fn described(file: &ShownFile) -> String {
    let name = file.name.as_deref().map(|name| format!(" ({name})"));
    let ShownFile {
        handle,
        size,
        sha256,
        media_type,
        ..
    } = file;
    let name = name.unwrap_or_default();
    format!("{handle}{name}: {size} bytes, {media_type}, SHA-256 {sha256}")
}

/// Prints a request as a message of HTTP, with an indented body.
fn text(request: &ShownRequest, socket: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    let over = socket.map(|socket| format!(" (over the socket {})", socket.display()));
    let line = format!(
        "{} {}{}",
        request.method,
        request.url,
        over.unwrap_or_default()
    );
    output.text(&escape_invisible(&line))?;
    for (name, value) in &request.headers {
        output.text(&escape_invisible(&format!("{name}: {value}")))?;
    }
    if request.body.is_some() {
        output.text("")?;
    }
    match &request.body {
        Some(ShownBody::Json(value)) => output.pretty_json(value)?,
        Some(ShownBody::Text(text)) => output.text(text)?,
        Some(ShownBody::Bytes { length, sha256 }) => {
            output.text(&format!("({length} bytes, SHA-256 {sha256})"))?;
        }
        None => {}
    }
    for file in &request.files {
        output.text(&format!("(the file {})", described(file)))?;
    }
    Ok(())
}

/// Returns the command of `curl` that sends a request, on one line: for a POSIX shell, or for bash and zsh if a
/// value has invisible characters.
fn curl(request: &ShownRequest, socket: Option<&Path>) -> String {
    let method = match request.method.as_str() {
        "HEAD" => "curl --globoff --head".to_owned(),
        method => format!("curl --globoff --request {method}"),
    };
    let mut parts = vec![method];
    if let Some(socket) = socket {
        let socket = socket.display().to_string();
        parts.push(format!("--unix-socket {}", quote(&socket)));
    }
    for (name, value) in &request.headers {
        let header = match value.as_str() {
            // With a colon, curl would remove the header.
            "" => format!("{name};"),
            value => format!("{name}: {value}"),
        };
        parts.push(format!("--header {}", quote(&header)));
    }
    match &request.body {
        Some(ShownBody::Json(value)) => {
            let json = value.to_string();
            parts.push(format!("--data-raw {}", quote(&escape_json(&json))));
        }
        Some(ShownBody::Text(text)) => parts.push(format!("--data-raw {}", quote(text))),
        Some(ShownBody::Bytes { .. }) => parts.push(format!("--data-binary @{BODY_FILE}")),
        None => {}
    }
    parts.push(quote(&request.url));
    parts.join(" ")
}

/// Quotes a word of a shell's command line.
fn quote(text: &str) -> String {
    if !has_invisible(text) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut quoted = String::from("$'");
    for character in text.chars() {
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            visible if !has_invisible(visible.encode_utf8(&mut [0; 4])) => quoted.push(visible),
            hidden => {
                // Three octal digits, because a fourth character is never part of the escape.
                let bytes = hidden.to_string().into_bytes().into_iter();
                quoted.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn bash_reads_a_quoted_word_as_it_was() {
        for text in [
            "plain",
            "it's $HOME `id` \\n \"x\" !",
            "two\nlines",
            "a\r\nb\t\u{1b}[31m\u{202e}7\u{200b}'\\",
        ] {
            let script = format!("printf %s {}", quote(text));
            assert!(!has_invisible(&script), "{script}");
            let output = Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }

    #[test]
    fn the_parts_of_a_request_are_arguments() {
        let request = ShownRequest {
            method: "POST".to_owned(),
            url: "http://localhost/api/v1/validate".to_owned(),
            headers: vec![
                ("X-Empty".to_owned(), String::new()),
                ("X-Name".to_owned(), "it's".to_owned()),
            ],
            body: Some(ShownBody::Bytes {
                length: 3,
                sha256: "00".to_owned(),
            }),
            files: Vec::new(),
        };
        assert_eq!(
            curl(&request, Some("/run/k.sock".as_ref())),
            "curl --globoff --request POST --unix-socket '/run/k.sock' --header 'X-Empty;' \
             --header 'X-Name: it'\\''s' --data-binary @body.bin 'http://localhost/api/v1/validate'"
        );
        let head = ShownRequest {
            method: "HEAD".to_owned(),
            headers: Vec::new(),
            body: None,
            ..request
        };
        assert!(curl(&head, None).starts_with("curl --globoff --head 'http"));
    }
}
